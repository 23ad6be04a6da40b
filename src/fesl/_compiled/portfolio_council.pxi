# The council: `fesl.portfolio.experts.council`.

cdef class Council(Stacker):

    cdef void confer(self, double* out) noexcept nogil:
        """The council's chances of the classes, of what everybody says, in Q."""
        cdef Py_ssize_t i, k, C = self.B + 1, K = self.K
        cdef double least = self.wrong[0], weight = 0.0, trust = 0.0, square, v
        cdef double* p
        cdef double* usual = self.k1
        for i in range(1, C):
            least = min(least, self.wrong[i])
        for k in range(K):
            out[k] = usual[k] = 0.0
        for i in range(C):
            p, square = self.Q + i * K, 0.0
            v = exp(RUE * (least - self.wrong[i]))
            weight += self.a[i]
            trust += v
            for k in range(K):
                square += p[k] * p[k]
            v /= square
            for k in range(K):
                usual[k] += self.a[i] * p[k]
                out[k] += v * p[k] * p[k]
        for k in range(K):
            out[k] = 0.5 * usual[k] / weight + 0.5 * out[k] / trust

    cdef void learn_council(self, Py_ssize_t y) noexcept nogil:
        """The class was y: how wrong was everybody?"""
        cdef Py_ssize_t i, k, K = self.K
        cdef double square
        cdef double* p
        for i in range(self.B + 1):
            p, square = self.Q + i * K, 0.0
            for k in range(K):
                square += p[k] * p[k]
            self.wrong[i] = MEMORY * self.wrong[i] + (0.5 * square - p[y] + 0.5)
