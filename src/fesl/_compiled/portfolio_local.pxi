# Naive Bayes, curves, values and surfaces: `fesl.portfolio.experts`, a file each.

cdef extern from "local.h" nogil:
    double fesl_hats(double, double, Py_ssize_t*)
    double fesl_curves(double*, const double*, const double*, const long long*, const double*, Py_ssize_t, Py_ssize_t,
                       double, long long*, double*)
    void fesl_bend(double*, double*, const long long*, const long long*, const double*, Py_ssize_t, const double*,
                   double, Py_ssize_t)
    double fesl_valued(double*, const double*, const long long*, const long long*, const double*, Py_ssize_t,
                       Py_ssize_t, Py_ssize_t)
    void fesl_value(double*, const long long*, const long long*, const double*, Py_ssize_t, Py_ssize_t, const double*,
                    double, Py_ssize_t)
    double fesl_surfaces(double*, const double*, const long long*, const long long*, const double*, Py_ssize_t,
                         Py_ssize_t, long long*, double*)
    void fesl_form(double*, const long long*, const double*, Py_ssize_t, const double*, double, Py_ssize_t)
    void fesl_find(long long*, const double*, const double*, const long long*, Py_ssize_t, Py_ssize_t)


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

    cdef void frequencies(self, double* out) noexcept nogil:
        """How often each class came."""
        cdef Py_ssize_t k
        cdef double total = 0.5 * self.K
        for k in range(self.K):
            total += self.c[k]
        for k in range(self.K):
            out[k] = (self.c[k] + 0.5) / total

    cdef void curves(self) noexcept nogil:
        """The additive expert's margins and their variance."""
        cdef Py_ssize_t k
        for k in range(self.K):
            self.bent[k] = self.A[k * KNOTS]
        self.bent_s = self.V[0] + fesl_curves(self.bent, self.A, self.V, self.here, self.u, self.present, self.K, SPAN,
                                              self.knot, self.above)

    cdef void bend(self, const double* g, double h) noexcept nogil:
        """The additive expert takes a step."""
        cdef Py_ssize_t k
        for k in range(self.K):
            self.A[k * KNOTS] += self.V[0] * g[k]
        self.V[0] /= 1.0 + h * self.V[0]
        fesl_bend(self.A, self.V, self.here, self.knot, self.above, self.present, g, h, self.K)

    cdef inline double* entry(self, Py_ssize_t j, Py_ssize_t at) noexcept nogil:
        """What is known of a value of feature j, or of its line."""
        return self.coded + (j * (1 + VALUES) + at) * (WEIGHTS + self.K)

    cdef void find(self) noexcept nogil:
        """Where the values stand that came before."""
        fesl_find(self.code_at, self.codes, self.x, self.here, self.present, VALUES)

    cdef void look_up(self, double least) noexcept nogil:
        """Where the values stand that were seen so often; the margins of that expert, and their variance."""
        cdef Py_ssize_t i, j, at
        cdef double* level = self.entry(0, 0)
        for i in range(self.present):
            j = self.here[i]
            at = self.code_at[i]
            if at and (self.variance[i] <= 0.0 or self.entry(j, at)[SIGHTINGS] < least):
                at = 0
            self.coded_at[i] = at
        memcpy(self.valued, level + WEIGHTS, self.K * sizeof(double))
        self.valued_s = level[VARIANCE] + fesl_valued(self.valued, self.coded, self.here, self.coded_at, self.u,
                                                      self.present, 1 + VALUES, self.K)

    cdef void value_all(self, const double* g, double c) noexcept nogil:
        """The values take a step."""
        cdef Py_ssize_t k
        cdef double* level = self.entry(0, 0)
        for k in range(self.K):
            level[WEIGHTS + k] += level[VARIANCE] * g[k]
        level[VARIANCE] /= 1.0 + c * level[VARIANCE]
        fesl_value(self.coded, self.here, self.coded_at, self.u, self.present, 1 + VALUES, g, c, self.K)

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
                self.pair_above[n] = fesl_hats(self.u[j], SPAN, &b)
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
        """Curves and values learn a class."""
        self.bend(self.k1, self.pull(self.k1, self.bent, self.bent_s, y))
        self.value_all(self.k1, self.pull(self.k1, self.valued, self.valued_s, y))

    cdef void form_class(self, Py_ssize_t y) noexcept nogil:
        """Surfaces learn a class."""
        self.form(self.k1, self.pull(self.k1, self.rough, self.rough_s, y))

    cdef void bend_numbers(self) noexcept nogil:
        """Curves and values learn the numbers in y."""
        self.gaps(self.k1, self.bent, self.bent_s)
        self.bend(self.k1, 1.0)
        self.gaps(self.k1, self.valued, self.valued_s)
        self.value_all(self.k1, 1.0)

    cdef void form_numbers(self) noexcept nogil:
        """Surfaces learn the numbers in y."""
        self.gaps(self.k1 + 1, self.rough + 1, self.rough_s)
        self.form(self.k1, 1.0)

    cdef void gaps(self, double* g, const double* said, double s) noexcept nogil:
        """How far what was `said`, with variance s, is from the numbers in y, in units, as a step takes it."""
        cdef Py_ssize_t k
        for k in range(self.K):
            g[k] = (self.y[k] - said[k] * self.unit[k]) / (1.0 + s) / self.unit[k]
