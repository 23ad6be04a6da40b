# A round: `fesl.portfolio.rounds` says what each step means.

cdef class Round(Mixture):

    cdef void predict_into(self, double* out) noexcept nogil:
        """Of x as it is gathered."""
        self.reuse = False
        self.inputs(True, True)
        self.find()
        self.margins()
        memcpy(self.x_warm, self.x, self.n * sizeof(double))
        self.warm = not self.news       # before the next round, what the last one left is done
        if self.regression:
            self.mix_numbers(out)
        else:
            self.opine()
            self.mix_chances(out)

    cdef void learn_x(self, bint labelled) noexcept nogil:
        """One round of x as it is gathered, with the label in y_raw."""
        if self.regression and labelled:
            self.hold()
        memcpy(self.y, self.y_raw, (self.K + 1) * sizeof(double))
        self.reuse = self.warm and labelled and memcmp(self.x, self.x_warm, self.n * sizeof(double)) == 0
        self.warm = False
        self.observe()
        if self.regression or not self.reuse:
            self.inputs(False, labelled)
        if not self.reuse:
            self.find()
        if labelled:
            if self.regression:
                self.learn_numbers()
            else:
                self.learn_class(<Py_ssize_t> self.y[0])
            self.clock[LABELLED] += 1
        self.notice()
        self.check()
        self.store(labelled)
        self.relate()
        self.clock[ROUND] += 1
        self.news = self.news or self.aged()

    cdef void learn_class(self, Py_ssize_t y) noexcept nogil:
        cdef Py_ssize_t e, i, K = self.K
        if not self.reuse:
            self.margins()
            self.opine()
        self.weigh_class(y)
        self.learn_stack(y)
        self.learn_council(y)
        for e in range(self.E):
            self.step(e)
        for i in range(self.present):
            self.H[(self.here[i] * K + y) * NBINS + self.bin[i]] += 1.0
        self.c[y] += 1.0
        self.bend_class(y)
        self.form_class(y)

    cdef void learn_numbers(self) noexcept nogil:
        cdef Py_ssize_t e, k
        self.rescale()
        self.margins()
        memcpy(self.k1, self.surprised, self.K * sizeof(double))
        self.believe()
        self.weigh_targets()
        for k in range(self.K):
            if self.surprised[k] != 0.0 and self.surprised[k] == self.k1[k]:
                self.leap(k)
        memcpy(self.y, self.k4, self.K * sizeof(double))
        for e in range(self.E):
            self.step(e)
        for e in range(self.E, self.M):
            self.note(e)
        self.fit_stack()
        self.settle()
        self.bend_numbers()
        self.form_numbers()

    cdef void store(self, bint labelled) noexcept nogil:
        cdef Py_ssize_t i = self.clock[KEPT] % ROWS, j, wide = max(1, self.K if self.regression else 1)
        for j in range(self.cap):
            self.row_x[i * self.cap + j] = NAN
        for j in range(self.present):
            self.row_x[i * self.cap + self.here[j]] = self.x[self.here[j]]
        for j in range(wide):
            self.row_y[i * wide + j] = self.y_raw[j] if labelled else NAN
        self.row_kind[i] = OWN
        self.clock[KEPT] += 1
        if labelled:
            self.remember()

    cdef bint due(self) noexcept nogil:
        """Whether this round needs attention: an absence is too long."""
        cdef long long t = self.clock[ROUND], j
        cdef Py_ssize_t i
        cdef double rounds, usual = -1.0
        for i in range(self.absent):
            j = self.away[i]
            if t >= self.gone_at[j]:
                rounds = self.last[j] - self.born[j] + 1
                if usual < 0.0:
                    usual = self.usual_misses()
                self.gone_at[j] = self.last[j] + patience(rounds, max(0.0, rounds - self.count[j]), usual, self.spells[j])
            if t >= self.gone_at[j]:
                return True
        return False

    cdef bint aged(self) noexcept nogil:
        """Whether it is time to measure, learn or pair anew."""
        cdef Py_ssize_t i
        for i in range(NAGES):
            if self.clock[ROUND] - self.clock[SINCE] == AGES[i]:
                return True
        for i in range(NRENEWED):
            if self.youngest > self.clock[SINCE] and self.clock[ROUND] - self.youngest == RENEWED[i]:
                return True
        return self.clock[LABELLED] >= self.clock[PAIR_AT] or self.clock[ROUND] % (WATCH if self.regression else MEASURE) == 0

    cdef double usual_misses(self) noexcept nogil:
        """The share of their rounds that the live features missed."""
        cdef Py_ssize_t j
        cdef double lived = 0.0, missed = 0.0, rounds
        for j in range(1, self.n):
            rounds = self.last[j] - self.born[j] + 1
            lived += rounds
            missed += max(0.0, rounds - self.count[j])
        return missed / max(1.0, lived)
