# The kept rows: taught at a switch, learned anew at the ages.

cdef class Rows(Round):

    cdef list rows(self):
        return self.state.rows().tolist()

    cdef void load(self, Py_ssize_t i, bint recover) noexcept nogil:
        memcpy(self.x, self.row_x + i * self.cap, self.n * sizeof(double))
        self.gather()
        self.warm = False
        self.inputs(False, recover)

    def teach(self, long long[::1] gone):
        """Write down what the experts, as they are, say of every kept row that holds what is gone."""
        cdef Py_ssize_t i, e, k, g, K = self.K
        cdef double total, spread, square
        cdef bint holds
        cdef list trust = self.state.a.mean(axis=0)[: self.E].tolist()
        cdef double[::1] share = np.array(trust) / sum(trust)
        for i in self.rows():
            holds = False
            for g in range(gone.shape[0]):
                holds = holds or self.row_x[i * self.cap + gone[g]] == self.row_x[i * self.cap + gone[g]]
            if not holds:
                self.row_kind[i] = NOT_USED
                continue
            self.load(i, False)
            total = spread = 0.0
            for e in range(self.E):
                self.project(e, self.seen(e))
                total += share[e] * self.s[e]
            for k in range(K):
                self.row_F[i * K + k] = square = 0.0
                for e in range(self.E):
                    self.row_F[i * K + k] += share[e] * self.m[e * K + k]
                    square += share[e] * self.m[e * K + k] * self.m[e * K + k]
                spread += square - self.row_F[i * K + k] * self.row_F[i * K + k]
            self.row_kind[i] = TAUGHT
            self.row_S[i] = total + max(0.0, spread / max(1, K))

    def relearn(self, bint own):
        """From the saved start through the kept rows."""
        cdef Py_ssize_t i, e, k, wide = max(1, self.K if self.regression else 1)
        cdef size_t outputs = self.K * self.cap * sizeof(double), square = self.cap * self.cap * sizeof(double)
        for e in range(self.E):
            if own or self.recovers[e]:
                if self.K:
                    memcpy(self.w + e * self.K * self.cap, self.w0 + e * self.K * self.cap, outputs)
                memcpy(self.P + e * self.cap * self.cap, self.P0 + e * self.cap * self.cap, square)
                if own and self.regression:
                    self.shape[e] = 1.0
                    for k in range(self.K):
                        self.noise[e * self.K + k] = 1.0
        for i in self.rows():
            if self.row_kind[i] == TAUGHT:
                self.relearn_taught(i)
            elif own and self.row_kind[i] == OWN and self.row_y[i * wide] == self.row_y[i * wide]:
                self.relearn_own(i, wide)

    cdef void relearn_taught(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t e, j
        cdef double r
        self.load(i, False)
        for e in range(self.E):
            if self.recovers[e]:
                self.project(e, self.seen(e))
                r = 0.0
                for j in range(self.absent):
                    r += self.P[(e * self.cap + self.away[j]) * self.cap + self.away[j]]
                r = TEACH + max(0.0, r)
                self.kalman(e, self.row_F + i * self.K, r + HEED * self.row_S[i], r + DOUBT * self.row_S[i])

    cdef void relearn_own(self, Py_ssize_t i, Py_ssize_t wide) noexcept nogil:
        cdef Py_ssize_t e
        self.load(i, True)
        self.label_of(i, wide)
        for e in range(self.E):
            self.project(e, self.seen(e))
            self.step(e)

    cdef void label_of(self, Py_ssize_t i, Py_ssize_t wide) noexcept nogil:
        """The label of a kept row: a class, or numbers in deviations of now."""
        cdef Py_ssize_t k
        for k in range(wide):
            self.y[k] = self.row_y[i * wide + k]
            if self.regression:
                self.y[k] = (self.y[k] - self.y_mean[k]) / deviation(self.clock[LABELLED], self.y_mean[k], self.y_q[k])

    def inverse(self, const double[:, ::1] Z, const double[::1] ridge):
        """(Z'Z + diag ridge)^-1, by one step a row of Z, whoever has how many threads."""
        cdef Py_ssize_t i, j, d = ridge.shape[0]
        cdef double root
        out, scratch = np.diag(1.0 / np.asarray(ridge)), np.zeros(d)
        cdef double[:, ::1] G = out
        cdef double[::1] Gz = scratch
        for i in range(Z.shape[0]):
            fesl_gemv(&Gz[0], &G[0, 0], d, d, &Z[i, 0], d)
            root = 1.0 / sqrt(1.0 + fesl_dot(&Z[i, 0], &Gz[0], d))
            for j in range(d):
                Gz[j] *= root
            fesl_downdate(&G[0, 0], &Gz[0], d, d, d)
        return out

    def misses(self, long long[::1] gone, rows):
        """The squared errors of what remains about these features, in these rows, and in how many it tells each."""
        cdef Py_ssize_t i, g, many
        cdef long long j
        square, count = np.zeros(gone.shape[0]), np.zeros(gone.shape[0], np.int64)
        cdef double[::1] off = square, was = np.zeros(gone.shape[0])
        cdef long long[::1] times = count, held = np.zeros(gone.shape[0], np.int64)
        for i in rows.tolist():
            self.load(i, False)
            many = 0
            for g in range(gone.shape[0]):
                j = gone[g]
                if self.x[j] == self.x[j]:
                    held[many], was[many] = g, self.u[j]
                    self.x[j] = NAN
                    many += 1
            self.gather()
            if not self.present:
                continue
            self.inputs(False, True)
            for g in range(many):
                off[held[g]] += (was[g] - self.full[gone[held[g]]]) ** 2
                times[held[g]] += 1
        return square, count
