# Naive Bayes, curves, values and surfaces: `fesl.portfolio.experts`, a file each.

cdef class Local(Linear):

    cdef void bayes(self, double* out) noexcept nogil:
        cdef Py_ssize_t i, j, k, K = self.K, bin
        cdef double hit, total, pbar
        cdef double* H
        cdef double* own = self.k2
        cdef double* odds = self.k3       # of up to eight features: one logarithm for all of them
        cdef double* against = self.k4
        for k in range(K):
            out[k] = 0.0
            odds[k], against[k] = self.c[k] + 0.5, 1.0
        for i in range(self.present):
            j = self.here[i]
            bin = self.bin[i] = bin_of(self.u[j])
            H = self.H + j * K * NBINS
            hit = total = 0.0
            for k in range(K):
                own[k] = counted(H + k * NBINS)
                hit += H[k * NBINS + bin]
                total += own[k]
            pbar = 4.0 * (hit + 1.0) / (total + BINS)
            for k in range(K):
                odds[k] *= H[k * NBINS + bin] + pbar
                against[k] *= own[k] + 4.0
            if i % 8 == 7:
                for k in range(K):
                    out[k] += log(odds[k] / against[k])
                    odds[k] = against[k] = 1.0
        for k in range(K):
            out[k] += log(odds[k] / against[k])

    cdef void curves(self) noexcept nogil:
        """The additive expert's margins and their variance."""
        cdef Py_ssize_t i, j, k, b, K = self.K
        cdef double r, s = self.V[0]
        cdef double* A
        for k in range(K):
            self.bent[k] = self.A[k * KNOTS]
        for i in range(self.present):
            j = self.here[i]
            r = self.above[i] = hats(self.u[j], &b)
            self.knot[i] = b
            s += (1.0 - r) * (1.0 - r) * self.V[j * KNOTS + b] + r * r * self.V[j * KNOTS + b + 1]
            A = self.A + j * K * KNOTS + b
            for k in range(K):
                self.bent[k] += (1.0 - r) * A[k * KNOTS] + r * A[k * KNOTS + 1]
        self.bent_s = s

    cdef void bend(self, const double* g, double h) noexcept nogil:
        """The additive expert takes a step."""
        cdef Py_ssize_t i, j, K = self.K
        cdef double* A
        cdef double* V
        hat_learn(self.A, self.V, 1.0, g, h, K)
        for i in range(self.present):
            j = self.here[i]
            A, V = self.A + j * K * KNOTS + self.knot[i], self.V + j * KNOTS + self.knot[i]
            hat_learn(A, V, 1.0 - self.above[i], g, h, K)
            hat_learn(A + 1, V + 1, self.above[i], g, h, K)

    cdef inline double* entry(self, Py_ssize_t j, Py_ssize_t at) noexcept nogil:
        """What is known of a value of feature j, or of its line."""
        return self.coded + (j * (1 + VALUES) + at) * (WEIGHTS + self.K)

    cdef void look_up(self, double least) noexcept nogil:
        """Where the values stand that were seen so often; the margins of that expert, and their variance."""
        cdef Py_ssize_t i, j, k, at, K = self.K
        cdef double h
        cdef double* known = self.entry(0, 0)
        memcpy(self.valued, known + WEIGHTS, K * sizeof(double))
        self.valued_s = known[VARIANCE]
        for i in range(self.present):
            j = self.here[i]
            at = self.code_at[i]
            if self.variance[i] <= 0.0 or self.entry(j, at)[SIGHTINGS] < least:
                at = 0
            self.coded_at[i] = at
            known, h = self.entry(j, at), 1.0 if at else self.u[j]
            for k in range(K):
                self.valued[k] += h * known[WEIGHTS + k]
            self.valued_s += h * h * known[VARIANCE]

    cdef void value_all(self, const double* g, double c) noexcept nogil:
        """The values take a step."""
        cdef Py_ssize_t i, at
        self.value_one(self.entry(0, 0), 1.0, g, c)
        for i in range(self.present):
            at = self.coded_at[i]
            self.value_one(self.entry(self.here[i], at), 1.0 if at else self.u[self.here[i]], g, c)

    cdef inline void value_one(self, double* known, double h, const double* g, double c) noexcept nogil:
        cdef Py_ssize_t k
        cdef double v = known[VARIANCE] * h
        for k in range(self.K):
            known[WEIGHTS + k] += v * g[k]
        known[VARIANCE] /= 1.0 + c * v * h

    cdef void notice(self) noexcept nogil:
        """The values that came."""
        cdef Py_ssize_t i, j, at
        cdef double* turn
        cdef double* known
        for i in range(self.present):
            j = self.here[i]
            if self.code_at[i]:
                self.entry(j, self.code_at[i])[SIGHTINGS] += 1.0
                continue
            turn = self.entry(j, 0)
            at = <Py_ssize_t> turn[SIGHTINGS]
            turn[SIGHTINGS] = (at + 1) % VALUES
            known = self.entry(j, 1 + at)
            if known[SIGHTINGS] < 2.0:
                self.codes[j * VALUES + at] = self.x[j]
                known[SIGHTINGS], known[VARIANCE] = 1.0, VALUED
                memset(known + WEIGHTS, 0, self.K * sizeof(double))
            else:
                known[SIGHTINGS] *= FADED

    cdef void surfaces(self) noexcept nogil:
        """What the pairwise expert says from place 1 on, and its variance."""
        cdef Py_ssize_t a, b, n = 0
        cdef long long j
        for a in range(PAIRED):
            j = self.paired[a]
            if j and self.x[j] == self.x[j]:
                self.slot[n] = a
                self.pair_above[n] = hats(self.u[j], &b)
                self.pair_knot[n] = b
                n += 1
        self.pairing = n
        memcpy(self.rough, self.surface, self.sheet * sizeof(double))
        self.rough_s = self.surface[0] + fesl_surfaces(self.rough, self.surface, self.slot, self.pair_knot,
                                                       self.pair_above, n, self.sheet, self.pair_at, self.pair_height)

    cdef void balance(self) noexcept nogil:
        """The margin of the first class: they sum to zero."""
        cdef Py_ssize_t k
        self.rough[0] = 0.0
        for k in range(1, self.K):
            self.rough[0] -= self.rough[k]

    cdef void form(self, const double* g, double h) noexcept nogil:
        """The pairwise expert takes a step; g from place 1 on."""
        cdef Py_ssize_t k
        for k in range(1, self.sheet):
            self.surface[k] += self.surface[0] * g[k]
        self.surface[0] /= 1.0 + h * self.surface[0]
        fesl_form(self.surface, self.pair_at, self.pair_height, self.pairing, g, h, self.sheet)

    cdef void bend_class(self, Py_ssize_t y) noexcept nogil:
        """Curves, values and surfaces learn a class."""
        self.bend(self.k1, self.pull(self.k1, self.bent, self.bent_s, y))
        self.value_all(self.k1, self.pull(self.k1, self.valued, self.valued_s, y))
        self.form(self.k1, self.pull(self.k1, self.rough, self.rough_s, y))

    cdef void bend_numbers(self) noexcept nogil:
        """Curves, values and surfaces learn the numbers in y."""
        cdef Py_ssize_t k
        for k in range(self.K):
            self.k1[k] = (self.y[k] - self.bent[k] * self.unit[k]) / (1.0 + self.bent_s) / self.unit[k]
        self.bend(self.k1, 1.0)
        for k in range(self.K):
            self.k1[k] = (self.y[k] - self.valued[k] * self.unit[k]) / (1.0 + self.valued_s) / self.unit[k]
        self.value_all(self.k1, 1.0)
        for k in range(self.K):
            self.k1[k + 1] = (self.y[k] - self.rough[k + 1] * self.unit[k]) / (1.0 + self.rough_s) / self.unit[k]
        self.form(self.k1, 1.0)
