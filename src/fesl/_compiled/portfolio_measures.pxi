# What is measured in the kept rows.

cdef class Measures(Rows):

    def cut(self, const long long[::1] ids):
        """These features in the kept rows, in deviations, cut at CLIP, 0 where absent; and how often each is there."""
        cdef Py_ssize_t i, k, r = 0, d = ids.shape[0]
        cdef long long j
        cdef double x, v
        cdef list rows = self.rows()
        out, seen = np.zeros((len(rows), d)), np.zeros(d)
        cdef double[:, ::1] Z = out
        cdef double[::1] times = seen
        for i in rows:
            for k in range(d):
                j = ids[k]
                x = self.row_x[i * self.cap + j]
                if x == x:
                    times[k] += 1.0
                    v = self.q[j] / max(self.count[j], 1.0)
                    if varies(v, self.mean[j]):
                        Z[r, k] = min(CLIP, max(-CLIP, standard(x, self.count[j], self.mean[j], v)))
            r += 1
        return out, seen

    def telling(self):
        """How much each feature tells about the class by itself: `fesl.portfolio.experts.pairwise`."""
        cdef Py_ssize_t j, k, b, K = self.K, classes, bins
        cdef double n, ratio, chance
        cdef double* H
        cdef double* of_class = self.k2
        cdef double of_bin[NBINS]
        found = np.full(self.n, NAN)
        cdef double[::1] out = found
        for j in range(self.n):
            H, n, ratio, classes, bins = self.H + j * K * NBINS, 0.0, 0.0, 0, 0
            memset(of_bin, 0, NBINS * sizeof(double))
            for k in range(K):
                of_class[k] = counted(H + k * NBINS)
                classes += of_class[k] > 0.0
                n += of_class[k]
                for b in range(NBINS):
                    of_bin[b] += H[k * NBINS + b]
            for b in range(NBINS):
                bins += of_bin[b] > 0.0
            if bins < 2:
                continue
            for k in range(K):
                for b in range(NBINS):
                    if H[k * NBINS + b] > 0.0:
                        chance = of_class[k] * of_bin[b] / n
                        ratio += H[k * NBINS + b] * log(H[k * NBINS + b] / chance)
            out[j] = (ratio - 0.5 * (max(classes - 1, 0) * (bins - 1))) / n
        return found

    cdef void middle(self, Py_ssize_t j, Py_ssize_t last, double* count, double* mean, double* v) noexcept nogil:
        """Of feature j in the last kept rows: the number of values, the mean and variance of all but the ends."""
        cdef Py_ssize_t i, kept = self.clock[KEPT], n = 0, low = 0, high = 0
        cdef double* x = self.column
        for i in range(max(0, kept - last), kept):
            x[n] = self.row_x[(i % ROWS) * self.cap + j]
            if x[n] == x[n]:
                if x[n] < x[low]:
                    low = n
                if x[n] >= x[high]:
                    high = n
                n += 1
        count[0], mean[0], v[0] = n, 0.0, 0.0
        for i in range(n):
            if i != low and i != high:
                mean[0] += x[i]
        mean[0] /= max(n - 2, 1)
        for i in range(n):
            if i != low and i != high:
                v[0] += (x[i] - mean[0]) * (x[i] - mean[0])
        v[0] /= max(n - 2, 1)

    def as_usual(self):
        """Whether the statistics fit the kept rows, for sure: then it is noted that they were looked at. The rest is
        left to `fesl.portfolio.changes.recalibration`."""
        cdef Py_ssize_t j
        cdef bint whole = self.clock[KEPT] <= ROWS, looks = self.clock[ROUND] % MEASURE == 0
        cdef double count, mean, v, now
        for j in range(1, self.n):
            self.b4[j], self.b5[j] = self.level[j], self.moves[j]
            if looks:
                self.middle(j, MEASURE, &count, &mean, &v)
                if count >= TELL:
                    if self.moves[j] > 0.0 and (mean - self.level[j]) ** 2 > FAR_OFF * v:
                        return False
                    self.b4[j] = mean
                    self.b5[j] += self.moves[j] <= 0.0 or (mean - self.level[j]) ** 2 > STEP * STEP * v
            if not looks or whole:
                self.middle(j, ROWS if whole else MEASURE, &count, &mean, &v)
            if count < TELL or not varies(v, mean):
                continue
            now = self.q[j] / max(self.count[j], 1.0)
            if varies(now, self.mean[j]) and now > MISFIT * v:
                if self.count[j] <= count or self.b5[j] <= 1 + MOVES:
                    return False
        memcpy(self.level + 1, self.b4 + 1, (self.n - 1) * sizeof(double))
        memcpy(self.moves + 1, self.b5 + 1, (self.n - 1) * sizeof(double))
        return True
