# The targets of a regression, and the units that they are told in: `fesl.portfolio.experts.student`.

cdef class Targets(Neighbours):

    cdef void hold(self) noexcept nogil:
        """No target counts as further from its mean than it should."""
        cdef Py_ssize_t k
        for k in range(self.K):
            self.y_raw[k] = held(self.y_raw[k], self.clock[LABELLED], self.y_mean[k], self.y_q[k], OFF)

    cdef void rescale(self) noexcept nogil:
        """Count y in its own statistics; weights and noise move with them."""
        cdef Py_ssize_t e, k
        cdef double n, before, mean, sd, ratio, shift
        self.moved = True
        for k in range(self.K):
            n, mean, before = self.clock[LABELLED], self.y_mean[k], self.y_q[k]
            ratio = deviation(n, mean, before)
            count_in(self.y[k], &n, self.y_mean + k, self.y_q + k)
            self.y_reach[k] = max(self.y_reach[k], fabs(self.y[k] - self.y_mean[k]))
            sd = deviation(n, self.y_mean[k], self.y_q[k])
            ratio = 1.0 if before <= 0.0 else ratio / sd
            shift = (mean - self.y_mean[k]) / sd if n > 1.0 else 0.0
            self.ratio[k], self.shift[k] = ratio, shift
            for e in range(self.M):
                self.noise[e * self.K + k] = max(self.noise[e * self.K + k] * (ratio * ratio), LEAST)
            self.unit[k] *= ratio
            if not (0.5 < self.unit[k] < 2.0):
                self.fold(k)
            self.move_weights(k, ratio, shift)
            self.y[k] = (self.y[k] - self.y_mean[k]) / sd

    cdef void move_weights(self, Py_ssize_t k, double ratio, double shift) noexcept nogil:
        """What was m of target k is ratio m + shift now; the unit has moved already."""
        cdef Py_ssize_t e, i, j
        for e in range(self.E):
            i = (e * self.K + k) * self.cap
            for j in range(self.n):
                self.w[i + j] *= ratio
                self.w0[i + j] *= ratio
            self.w[i] += shift
            self.w0[i] += shift
        self.A[k * KNOTS] += shift / self.unit[k]
        self.coded[WEIGHTS + k] += shift / self.unit[k]
        self.surface[k + 1] += shift / self.unit[k]
        for i in range(ROWS):
            self.row_F[i * self.K + k] = self.row_F[i * self.K + k] * ratio + shift

    cdef void fold(self, Py_ssize_t k) noexcept nogil:
        """Tell the curves, values and surfaces of a target in the unit of now."""
        cdef Py_ssize_t j, b
        for j in range(self.n):
            for b in range(KNOTS):
                self.A[(j * self.K + k) * KNOTS + b] *= self.unit[k]
            for b in range(1 + VALUES):
                self.entry(j, b)[WEIGHTS + k] *= self.unit[k]
        for j in range(self.tables):
            self.surface[j * self.sheet + 1 + k] *= self.unit[k]
        self.unit[k] = 1.0

    cdef void leap(self, Py_ssize_t k) noexcept nogil:
        """Target k surprised twice on the same side: intercepts are wide enough to get there at once."""
        cdef Py_ssize_t e, i
        cdef double width
        for e in range(self.E):
            i = e * self.K + k
            width = min(LEAP, (self.y[k] - self.m[i]) * (self.y[k] - self.m[i]) * self.shape[e] / self.noise[i])
            self.P[e * self.cap * self.cap] += width
            self.Pu[e * self.cap] += width
            self.s[e] += width

    cdef void believe(self) noexcept nogil:
        """The targets as they are learned, in k4: one that surprises everybody is not believed at first."""
        cdef Py_ssize_t e, k, i
        cdef double m, v, gap, side
        for k in range(self.K):
            self.k4[k] = self.y[k]
            if self.clock[LABELLED] < WARY:
                continue
            m = v = 0.0
            for e in range(self.M):
                i = e * self.K + k
                m += self.a[k * self.M + e] * min(FURTHEST, max(-FURTHEST, self.m[i]))
                v += self.a[k * self.M + e] * min(self.noise[i] / self.shape[e] * (1.0 + self.doubt(e, k)),
                                                  FURTHEST * FURTHEST)
            gap, side = self.y[k] - m, 0.0
            if fabs(gap) > SURPRISE * sqrt(v):
                side = 1.0 if gap > 0.0 else -1.0
                if side != self.surprised[k]:
                    self.k4[k] = m + side * SURPRISE * sqrt(v)
            self.surprised[k] = side
