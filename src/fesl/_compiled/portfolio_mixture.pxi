# What everyone says, mixed, and how they are weighed: `fesl.portfolio.mixture`.

cdef class Mixture(Council):

    cdef void margins(self) noexcept nogil:
        cdef Py_ssize_t e
        for e in range(self.E):
            self.project(e, self.seen(e))
        if self.regression:
            self.curves()
            self.look_up(1.0)
            self.surfaces()
            for e in range(self.K):
                self.m[self.E * self.K + e] = self.bent[e] * self.unit[e]
                self.m[(self.E + 1) * self.K + e] = self.valued[e] * self.unit[e]
                self.m[(self.E + 2) * self.K + e] = self.rough[e + 1] * self.unit[e]
            self.s[self.E], self.s[self.E + 1], self.s[self.E + 2] = self.bent_s, self.valued_s, self.rough_s
            self.forecast_alike()
            self.combine()

    cdef void opine(self) noexcept nogil:
        """Everyone's class probabilities, into Q, and their logarithms, into L."""
        cdef Py_ssize_t e, K = self.K
        for e in range(self.E):
            chances(self.Q + e * K, self.m + e * K, 1.0 / sqrt(1.0 + PI / 4.0 * self.s[e]), K)
        self.bayes(self.k1)
        chances(self.Q + self.E * K, self.k1, 1.0, K)
        if self.A != NULL:
            self.curves()
            chances(self.Q + (self.E + 1) * K, self.bent, 1.0 / sqrt(1.0 + PI / 4.0 * self.bent_s), K)
            self.look_up(1.0)
            chances(self.Q + (self.E + 2) * K, self.valued, 1.0 / sqrt(1.0 + PI / 4.0 * self.valued_s), K)
            self.surfaces()
            self.balance()
            chances(self.Q + (self.E + 3) * K, self.rough, 1.0 / sqrt(1.0 + PI / 4.0 * self.rough_s), K)
            self.class_alike(self.Q + (self.E + 4) * K)
        elif self.inside:
            memcpy(self.Q + (self.E + 1) * K, self.told, K * sizeof(double))
        fesl_logs(self.L, self.Q, self.B * K)
        self.hear()
        self.stack(self.Q + self.B * K)
        self.confer(self.Q + (self.B + 1) * K)
        self.frequencies(self.Q + (self.B + 2) * K)
        fesl_logs(self.L + self.B * K, self.Q + self.B * K, 3 * K)

    cdef void mix_chances(self, double* out) noexcept nogil:
        """They sum to one but for rounding, and none may be above it."""
        cdef Py_ssize_t e, k
        cdef double total = 0.0
        for k in range(self.K):
            out[k] = 0.0
            for e in range(self.M):
                out[k] += self.a[e] * self.Q[e * self.K + k]
            total += out[k]
        for k in range(self.K):
            out[k] /= total

    cdef void mix_numbers(self, double* out) noexcept nogil:
        cdef Py_ssize_t e, k
        cdef double sd, most
        for k in range(self.K):
            sd, most = deviation(self.clock[LABELLED], self.y_mean[k], self.y_q[k]), FURTHEST
            if self.clock[LABELLED] >= WARY:
                most = min(most, FURTHER * self.y_reach[k] / sd)
            out[k] = 0.0
            for e in range(self.M):
                out[k] += self.a[k * self.M + e] * min(most, max(-most, self.m[e * self.K + k]))
            out[k] = self.y_mean[k] + sd * out[k]

    cdef void weigh(self, Py_ssize_t g, const double* log_p) noexcept nogil:
        """Weigh the experts by the densities of target g."""
        cdef double* a = self.a + g * self.M
        cdef double top = log_p[0]
        cdef Py_ssize_t i
        for i in range(1, self.M):
            top = max(top, log_p[i])
        for i in range(self.M):
            a[i] *= exp(log_p[i] - top)
            self.bits[g * self.M + i] -= log_p[i] / LN2
        self.share(g, top)

    cdef void weigh_class(self, Py_ssize_t y) noexcept nogil:
        """Weigh the experts by what they gave to the class."""
        cdef Py_ssize_t i
        for i in range(self.M):
            self.a[i] *= self.Q[i * self.K + y]
            self.bits[i] -= self.L[i * self.K + y] / LN2
        self.share(0, 0.0)

    cdef void weigh_targets(self) noexcept nogil:
        """Weigh the experts, target by target."""
        cdef Py_ssize_t e, k
        for k in range(self.K):
            for e in range(self.M):
                self.k2[e] = log_density(self.y[k], self.m[e * self.K + k], self.doubt(e, k), self.shape[e],
                                         self.noise[e * self.K + k])
            self.weigh(k, self.k2)

    cdef void share(self, Py_ssize_t g, double top) noexcept nogil:
        """Weights that sum to e^-top of what the mixture gave: let them sum to one, and share."""
        cdef double* a = self.a + g * self.M
        cdef double q = 0.0, d
        cdef Py_ssize_t i
        for i in range(self.M):
            q += a[i]
        self.mixed[g] -= (log(q) + top) / LN2
        d = max(1.0 / (self.clock[LABELLED] + 2.0), SHARE)
        for i in range(self.M):
            a[i] = a[i] / q * (1.0 - d) + d * self.voices[i]
        if g == 0:
            self.slack[0] -= log2(1.0 - d + d * self.least)
