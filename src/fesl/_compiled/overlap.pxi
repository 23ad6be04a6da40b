# An overlap as plain C: which events go on with it, and the rows that are kept of them.

cdef class Quiet:
    """What `fesl.spaces.Quiet` says: events of an overlap that bring about no turn."""
    cdef bint told
    cdef long long until            # the round in which it ends
    cdef double edge                # an absence less probable than its exponential needs attention
    cdef long long* ids
    cdef Py_ssize_t n
    cdef unsigned char* among       # (capacity): 1 for the ids, 3 for what may be held as well
    cdef long long* missing         # those of the ids that the last event did not hold
    cdef Py_ssize_t gaps
    cdef const long long* count
    cdef const long long* born
    cdef const long long* last
    cdef list keep

    cdef begin(self, quiet, registry, long long round):
        cdef list keep = []
        cdef unsigned char[::1] among = np.zeros(registry.capacity, np.uint8)
        self.keep, self.among, self.n = keep, &among[0], len(quiet.ids)
        keep.append(among)
        self.ids, self.missing = integers(quiet.ids, keep), integers(np.zeros_like(quiet.ids), keep)
        np.asarray(among)[quiet.also] = 3
        np.asarray(among)[quiet.ids] = 1
        self.count, self.born = integers(registry.count, keep), integers(registry.born, keep)
        self.last = integers(registry.last, keep)
        # what lies within rounding errors of the edge is left to Python
        self.edge = log(quiet.doubt) * (1.0 - 1e-9) if quiet.doubt > 0.0 else -INFINITY
        self.until = 0x7FFFFFFFFFFFFFFF if quiet.rounds is None else round + <long long> int(min(quiet.rounds, 1 << 60))
        self.told, self.gaps = True, 0

    cdef void end(self) noexcept nogil:
        self.told = False

    cdef bint takes(self, const long long* idx, Py_ssize_t m) noexcept nogil:
        """Whether an event that holds this of the space goes on with the overlap; finds the ids that are absent."""
        cdef Py_ssize_t i, held = 0
        for i in range(m):
            if self.among[idx[i]] == 0:
                return False
            held += self.among[idx[i]] == 1
        self.gaps = 0
        if held == 0 or held == self.n or self.edge == -INFINITY:
            return held > 0
        for i in range(m):
            if self.among[idx[i]] == 1:
                self.among[idx[i]] = 2
        for i in range(self.n):
            if self.among[self.ids[i]] == 1:
                self.missing[self.gaps] = self.ids[i]
                self.gaps += 1
            self.among[self.ids[i]] = 1
        return True

    cdef bint lasts(self, long long round) noexcept nogil:
        """Whether an event like the last one still brings about no turn in this round."""
        cdef Py_ssize_t i
        cdef long long j
        cdef double rate
        if not self.told or round >= self.until:
            return False
        for i in range(self.gaps):
            j = self.missing[i]
            rate = (self.count[j] + 0.5) / (self.last[j] - self.born[j] + 2.0)
            if (round - self.last[j]) * log1p(-rate) < self.edge:
                return False
        return True
