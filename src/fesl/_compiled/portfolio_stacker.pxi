# The stacker: `fesl.portfolio.experts.stacker`.

cdef class Stacker(Targets):

    cdef void hear(self) noexcept nogil:
        """What the stacker hears, into Z: a row an expert, then the frequencies of the classes."""
        cdef Py_ssize_t i, k, K = self.K
        cdef double least = log(CALM / K), total = 0.0
        cdef double* often = self.Z + self.B * K
        for k in range(K):
            often[k] = self.c[k] + 0.5
            total += often[k]
        for k in range(K):
            often[k] = max(log(often[k] / total), least)
        for i in range(self.B):
            for k in range(K):
                self.Z[i * K + k] = max(self.L[i * K + k], least) - often[k]

    cdef void stack(self, double* out) noexcept nogil:
        cdef Py_ssize_t i, j, k, S = self.B + 1, K = self.K
        cdef double total = 0.0, mean
        cdef double* c = self.k1
        for k in range(K):
            self.k2[k] = 0.0
        for i in range(S):
            for k in range(K):
                self.k2[k] += self.stack_b[i] * self.Z[i * K + k]
        for k in range(1 if K == 2 else K):      # of two classes the second is the first, turned round
            for i in range(S):
                mean = 0.0
                for j in range(K):
                    mean += self.Z[i * K + j]
                c[i] = self.Z[i * K + k] - mean / K
            fesl_gemv(self.k3, self.stack_V, S, S, c, S)
            total += fesl_dot(c, self.k3, S)
        if K != 2:
            total /= K
        chances(out, self.k2, 1.0 / sqrt(1.0 + PI / 4.0 * max(0.0, total)), K)

    cdef void learn_stack(self, Py_ssize_t y) noexcept nogil:
        """The stacker learns a class."""
        stack_learn(self.stack_b, self.stack_V, self.Z, self.k1, self.k2, self.b1, self.b2, self.b3, y, self.B + 1,
                    self.K)

    cdef double then(self, double m, Py_ssize_t k) noexcept nogil:
        """A number in the deviations from before its target was counted."""
        return min(FAR, max(-FAR, (m - self.shift[k]) / self.ratio[k]))

    cdef void listen(self, Py_ssize_t k) noexcept nogil:
        """What the stacker hears of target k, into b1, and its product with the covariance, into b2."""
        cdef Py_ssize_t i, B = self.B
        for i in range(B):
            self.b1[i] = self.then(self.m[i * self.K + k], k)
        fesl_gemv(self.b2, self.stack_V + k * B * B, B, B, self.b1, B)

    cdef void combine(self) noexcept nogil:
        """The stacker's forecasts."""
        cdef Py_ssize_t k, B = self.B
        for k in range(self.K):
            self.listen(k)
            self.m[B * self.K + k] = self.ratio[k] * fesl_dot(self.stack_b + k * B, self.b1, B) + self.shift[k]
            self.stack_s[k] = max(0.0, fesl_dot(self.b1, self.b2, B))

    cdef void fit_stack(self) noexcept nogil:
        """The stacker learns the numbers in y."""
        cdef Py_ssize_t i, k, B = self.B
        cdef double* V
        cdef double room, gap
        for k in range(self.K):
            self.listen(k)
            V, room = self.stack_V + k * B * B, 1.0 + self.stack_s[k]
            gap = self.then(self.y[k], k) - fesl_dot(self.stack_b + k * B, self.b1, B)
            fesl_axpy(self.stack_b + k * B, gap / room, self.b2, B)
            for i in range(B):
                self.b2[i] *= sqrt(1.0 / room)
            fesl_downdate(V, self.b2, B, B, B)
            for i in range(B):
                if V[i * B + i] < START:
                    V[i * B + i] += DRIFT / B
