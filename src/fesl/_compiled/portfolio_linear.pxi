# The second-order experts: `fesl.portfolio.experts.laplace`, `student`.

cdef class Linear(Inputs):

    cdef double* seen(self, Py_ssize_t e) noexcept nogil:
        """What expert e sees."""
        if self.plain[e]:
            return self.z_full if self.recovers[e] else self.z
        return self.full if self.recovers[e] else self.u

    cdef void project(self, Py_ssize_t e, double* u) noexcept nogil:
        cdef double* Pu = self.Pu + e * self.cap
        cdef double* P = self.P + e * self.cap * self.cap
        cdef Py_ssize_t j
        if self.diagonal[e]:
            for j in range(self.n):
                Pu[j] = P[j * self.cap + j] * u[j]
        elif self.n <= CACHED:      # P is symmetric
            fesl_mix(Pu, P, self.n, self.padded, self.cap, u)
        else:
            fesl_gemv(Pu, P, self.n, self.cap, u, self.padded)
        self.s[e] = max(0.0, fesl_dot(u, Pu, self.padded))
        if self.K:
            fesl_gemv(self.m + e * self.K, self.w + e * self.K * self.cap, self.K, self.cap, u, self.padded)

    cdef double pull(self, double* g, const double* m, double s, Py_ssize_t y) noexcept nogil:
        """g = e_y - p at the mode for the margins m of variance s; returns h = sum p (1 - p) / (K - 1)."""
        cdef Py_ssize_t k
        cdef double h = 0.0
        mode(g, self.k2, self.k3, m, s, y, self.K)
        for k in range(self.K):
            h += g[k] * (1.0 - g[k])
            g[k] = (1.0 if k == y else 0.0) - g[k]
        return h / max(1, self.K - 1)

    cdef double doubt(self, Py_ssize_t e, Py_ssize_t k) noexcept nogil:
        """The variance of the forecast of target k by expert e."""
        return self.stack_s[k] if e == self.B else self.s[e]

    cdef void note(self, Py_ssize_t e) noexcept nogil:
        """Expert e of a regression was wrong by so much, and noise is as large as that tells."""
        cdef Py_ssize_t k, i
        cdef double gap
        self.shape[e] = FADE * self.shape[e] + 0.5
        for k in range(self.K):
            i = e * self.K + k
            gap = self.y[k] - self.m[i]
            self.noise[i] = max(FADE * self.noise[i] + 0.5 * (gap * gap) / (1.0 + self.doubt(e, k)), LEAST)

    cdef void step(self, Py_ssize_t e) noexcept nogil:
        """Expert e learns the label in y, given its projection."""
        cdef Py_ssize_t k, j, n = self.n, K = self.K
        cdef double s = self.s[e], h
        cdef double* Pu = self.Pu + e * self.cap
        cdef double* P = self.P + e * self.cap * self.cap
        cdef double* m = self.m + e * K
        cdef double* v
        if self.regression:
            self.note(e)
            h = 1.0
            for k in range(K):
                self.k1[k] = (self.y[k] - m[k]) / (1.0 + s)
        else:
            h = self.pull(self.k1, m, s, <Py_ssize_t> self.y[0])
        for k in range(K):
            fesl_axpy(self.w + (e * K + k) * self.cap, self.k1[k], Pu, self.padded)
        if self.diagonal[e]:
            for j in range(n):
                v = P + j * self.cap + j
                v[0] = v[0] * v[0] / (v[0] + h * Pu[j] * Pu[j])
        else:
            self.downdate(e, h / (1.0 + h * s))
        if self.keep[e] < 1.0:
            for j in range(n):
                if P[j * self.cap + j] < self.tau[e]:
                    P[j * self.cap + j] += (1.0 - self.keep[e]) * self.tau[e]

    cdef void kalman(self, Py_ssize_t e, const double* y, double r, double q) noexcept nogil:
        """The noise is r for the weights, q for the covariance."""
        cdef Py_ssize_t k, K = self.K
        cdef double* Pu = self.Pu + e * self.cap
        for k in range(K):
            fesl_axpy(self.w + (e * K + k) * self.cap, (y[k] - self.m[e * K + k]) / (self.s[e] + r), Pu, self.padded)
        self.downdate(e, 1.0 / (self.s[e] + q))

    cdef void downdate(self, Py_ssize_t e, double c) noexcept nogil:
        """P -= c Pu Pu', exactly symmetric."""
        cdef double root = sqrt(c)
        cdef Py_ssize_t i
        for i in range(self.padded):
            self.v[i] = root * self.Pu[e * self.cap + i]
        fesl_downdate(self.P + e * self.cap * self.cap, self.v, self.n, self.padded, self.cap)
