# One event: from a dict to the ids and values of what was observed.

cdef inline unsigned long long bits(double v) noexcept nogil:
    """A number as it stands in memory: equal where nothing can tell two numbers apart."""
    cdef unsigned long long b
    memcpy(&b, &v, sizeof(double))
    return b


@cython.final
cdef class Reader:
    """Reads ordinary events and those of an overlap that goes on as it began; the others need attention."""
    cdef dict index
    cdef list names
    cdef object kept_role
    cdef const unsigned char* role
    cdef const long long* clock
    cdef Py_ssize_t watched     # the survivors that every event must hold
    cdef Quiet quiet            # what an event that holds newcomers may hold
    # the last event: everything it holds, in its order
    cdef Py_ssize_t room, n
    cdef list kept
    cdef long long* idx
    cdef double* val
    cdef unsigned long long version     # another number whenever another event, or none, is in there
    cdef unsigned long long shape       # another number whenever its features are others
    cdef unsigned long long content     # of the dict it came from, where that says all; else zero
    # the part of it that is of the space, and the newcomers beside it
    cdef Py_ssize_t m, start, base, beside
    cdef long long* place
    cdef long long* inner_idx
    cdef double* inner_val
    # while it is read
    cdef Py_ssize_t held, seen, last
    cdef unsigned long long other, moved
    # its keys: they usually come in the same order, and are the same objects
    cdef PyObject** key
    cdef Py_ssize_t same

    def __init__(self):
        self.quiet = Quiet()

    cdef bind(self, registry, bint sparse, const long long* clock):
        cdef const unsigned char[::1] role = registry.role
        cdef list keep
        self.index, self.names = registry.index, registry.names
        self.kept_role, self.role, self.clock = registry.role, &role[0], clock
        self.watched = 0 if sparse else int((registry.role == SURVIVOR).sum())
        self.quiet.end()
        self.forget()
        if registry.capacity > self.room:
            self.room = registry.capacity
            self.kept = keep = []
            self.idx, self.place, self.inner_idx, self.key = (
                integers(np.zeros(self.room, np.int64), keep), integers(np.zeros(self.room, np.int64), keep),
                integers(np.zeros(self.room, np.int64), keep),
                <PyObject**> integers(np.zeros(self.room, np.int64), keep))
            self.val, self.inner_val = doubles(np.zeros(self.room), keep), doubles(np.zeros(self.room), keep)

    cdef void forget(self) noexcept nogil:
        """The last event is not in there any more."""
        self.same, self.n, self.content = 0, 0, 0
        self.version += 1

    cdef bint read(self, x, Event* event) except -1:
        """The observed features of the space; False for an event that needs attention, and for anything that is not
        a number.

        An event with the keys of the last one, in its order, is read without looking anything up."""
        cdef Py_ssize_t pos = 0, n = 0
        cdef PyObject* key
        cdef PyObject* raw
        cdef double v
        cdef unsigned long long other = 0, content
        if type(x) is not dict:
            return False
        content = FESL_CONTENT(<PyObject*> x)
        if content == 0 or content != self.content:
            self.content = 0
            while n < self.same and PyDict_Next(<PyObject*> x, &pos, &key, &raw):
                if key != self.key[n] or not PyFloat_CheckExact(raw):
                    break
                v = PyFloat_AS_DOUBLE(raw)
                if not (fabs(v) <= LIMIT):
                    break
                other |= bits(v) ^ bits(self.val[n])
                self.val[n] = v
                n += 1
            if other:
                self.version += 1
            if n == 0 or n < self.same or PyDict_Next(<PyObject*> x, &pos, &key, &raw):
                return self.look_up(x, event)
            self.content = content
        if self.beside and not self.quiet.lasts(self.clock[1]):
            return False
        self.tell(event)
        return True

    cdef bint look_up(self, x, Event* event) except -1:
        """The same for an event of any form. Nothing in here may run code that could read another event meanwhile,
        so values and names of made types need attention."""
        cdef Py_ssize_t pos = 0
        cdef PyObject* none = <PyObject*> None
        cdef PyObject* key
        cdef PyObject* raw
        cdef PyObject* found
        cdef double v
        cdef bint alike = True, plain = True
        self.begin()
        while PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            if PyFloat_CheckExact(raw):
                v = PyFloat_AS_DOUBLE(raw)
            elif raw == none:
                alike = False
                continue
            else:
                plain = False
                if strange(raw):
                    return False
                v = PyFloat_AsDouble(raw)
                if v == -1.0 and PyErr_Occurred():
                    PyErr_Clear()
                    return False
            if v != v:
                alike = False
                continue
            if fabs(v) > LIMIT or not quiet(key):
                return False
            found = PyDict_GetItemWithError(<PyObject*> self.index, key)
            if found == NULL or not self.hold(PyLong_AsSsize_t(found), v):
                return False
            alike = alike and self.key[self.held - 1] == key
        if not self.settle(event):
            return False
        self.same, self.content = self.n if alike else 0, FESL_CONTENT(<PyObject*> x) if plain else 0
        return True

    cdef bint read_row(self, const double* row, const long long* ids, Py_ssize_t d, Event* event) noexcept:
        """The same for a row of a table: NaN is not observed, an id of -1 a stranger."""
        cdef Py_ssize_t j
        self.begin()
        for j in range(d):
            if row[j] == row[j] and (ids[j] < 0 or not self.hold(ids[j], row[j])):
                return False
        return self.settle(event)

    cdef void begin(self) noexcept:
        self.last = self.n
        self.same, self.n, self.content, self.held, self.m, self.seen = 0, 0, 0, 0, 0, 0
        self.other, self.moved = 0, 0

    cdef bint hold(self, long long i, double v) noexcept:
        """The event holds this value of this feature; False: which needs attention."""
        cdef Py_ssize_t n = self.held
        cdef unsigned char role = self.role[i]
        if n == self.room:
            return False
        if role == CURRENT or role == SURVIVOR:
            self.seen += role == SURVIVOR
            self.place[self.m] = n
            self.inner_idx[self.m] = i
            self.m += 1
        elif role != NEWCOMER or not self.quiet.told:
            return False
        # only the registry's own names are sure to live on: another object may take a dead one's place
        self.key[n] = PyList_GET_ITEM(<PyObject*> self.names, i)
        self.moved |= self.idx[n] ^ i
        self.other |= bits(self.val[n]) ^ bits(v)
        self.idx[n] = i
        self.val[n] = v
        self.held += 1
        return True

    cdef bint settle(self, Event* event) noexcept:
        """That was all of it; False: the event needs attention."""
        cdef Py_ssize_t n = self.held, m = self.m
        if m == 0 or (n == m and self.seen < self.watched):
            return False
        if self.moved or n != self.last:
            self.shape += 1
        if self.other or self.moved or n != self.last:
            self.version += 1
        self.n, self.beside = n, n - m
        self.start = self.place[0] if run_of(self.place, m) >= 0 else -1
        self.base = run_of(self.inner_idx, m)
        if self.beside and not (self.quiet.takes(self.inner_idx, m) and self.quiet.lasts(self.clock[1])):
            return False
        self.tell(event)
        return True

    cdef void tell(self, Event* event) noexcept nogil:
        """The part of the last event that is of the space."""
        cdef Py_ssize_t i
        event.n, event.base = self.m, self.base
        if self.start >= 0:
            event.idx, event.val = self.idx + self.start, self.val + self.start
            return
        for i in range(self.m):
            self.inner_val[i] = self.val[self.place[i]]
        event.idx, event.val = self.inner_idx, self.inner_val


cdef class Shelf:
    """Makes the points that an overlap keeps. Their values stand in blocks, and those with the same features share
    the ids: one array a row is quicker to make than two."""
    cdef object idx, block
    cdef unsigned long long shape
    cdef double* at
    cdef Py_ssize_t n, used, room
    cdef list keep

    cdef point(self, Reader event):
        """All that the event holds."""
        cdef long long[::1] ids
        cdef Py_ssize_t n = event.n
        if self.used == self.room or n != self.n:
            # a row keeps its block alive: they grow while events are alike, and are single where these alternate
            self.room = max(1, min(2 * self.room, 64, 4096 // n)) if n == self.n else 1
            self.n, self.used, self.keep = n, 0, []
            self.block = np.empty((self.room, n))
            self.at = doubles(self.block, self.keep)
        if self.idx is None or self.shape != event.shape:
            self.idx, self.shape = np.empty(n, np.int64), event.shape
            ids = self.idx
            memcpy(&ids[0], event.idx, n * sizeof(long long))
        memcpy(self.at + self.used * n, event.val, n * sizeof(double))
        self.used += 1
        return Point(self.idx, self.block[self.used - 1])
