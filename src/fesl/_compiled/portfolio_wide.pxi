# One round of a wide learner, over the places that an event holds: `fesl.portfolio.wide.core` says what it means.

cdef struct Entry:
    long long place
    double value


cdef int by_place(const void* a, const void* b) noexcept nogil:
    cdef long long d = (<const Entry*> a).place - (<const Entry*> b).place
    return 1 if d > 0 else (-1 if d < 0 else 0)


cdef class WideRound(Round):
    """The mixture is that of `Round`; the experts are other arrays. An event is n entries, the intercept's first."""
    cdef bint centred
    cdef Py_ssize_t room, E_K
    cdef unsigned char* asleep
    cdef unsigned char* steady
    cdef object entries, warm_entries, inputs_, scaled
    cdef Entry* event
    cdef Entry* last_event
    cdef Doubles g, h
    cdef Py_ssize_t last_n

    cpdef bind(self):
        cdef list keep = []
        cdef unsigned char[::1] asleep, steady
        st = self.state
        self.bind_mixture(keep)
        self.centred, self.E_K, self.cap = st.centred, self.E * self.K, len(st.mean)
        self.mean, self.q, self.count = doubles(st.mean, keep), doubles(st.q, keep), doubles(st.count, keep)
        self.born, self.last = integers(st.born, keep), integers(st.last, keep)
        asleep, steady = st.asleep.view(np.uint8), st.steady.view(np.uint8)
        keep.extend((asleep, steady))
        self.asleep, self.steady = &asleep[0], &steady[0]
        self.w, self.P, self.H = doubles(st.w, keep), doubles(st.P, keep), doubles(st.H, keep)
        self.g, self.h = room(self.E_K, keep), room(self.E, keep)
        self.b1, self.b2, self.b3 = room(self.M, keep), room(self.M, keep), room(self.M, keep)
        self.inside, self.told = st.inner is not None, room(self.K, keep)
        self.kept, self.warm = keep, False
        self.fit(64)

    cdef fit(self, Py_ssize_t n):
        """Scratch for an event of n entries. While NumPy finds room other threads may run: nothing of a round may
        have begun, and they may have done the same."""
        if n <= self.room:
            return
        entries, warm = np.zeros(4 * n, np.int64), np.zeros(4 * n, np.int64)
        inputs, scaled = np.zeros(6 * n), np.zeros(2 * n * self.E)
        if n <= self.room:
            return
        self.room = 2 * n
        self.entries, self.warm_entries, self.inputs_, self.scaled = entries, warm, inputs, scaled
        self.event, self.last_event = <Entry*> integers(entries, []), <Entry*> integers(warm, [])
        self.u, self.Pu, self.warm = doubles(inputs, []), doubles(scaled, []), False

    def take(self, const long long[::1] idx, const double[::1] val):
        """An event, in the order of its places."""
        cdef Py_ssize_t i
        self.fit(idx.shape[0] + 1)
        for i in range(idx.shape[0]):
            self.event[i + 1].place, self.event[i + 1].value = idx[i], val[i]
        self.n = idx.shape[0] + 1
        self.order()

    cdef void order(self) noexcept nogil:
        cdef Py_ssize_t i
        self.event[0].place, self.event[0].value = 0, 1.0
        for i in range(1, self.n):
            if self.event[i].place < self.event[i - 1].place:
                qsort(self.event, self.n, sizeof(Entry), by_place)
                return

    cdef bint ordinary(self) except -1:
        """Whether the round needs no attention; it is counted then."""
        cdef Py_ssize_t i, old = 0
        cdef long long t = self.clock[ROUND], since = t - min(ROWS, t // 2)
        st = self.state
        if t % MEASURE == 0 or t == st.look:
            return False
        if st.centred and t < st.settle and 2 * (self.n - 1) < len(st.index):
            return False
        for i in range(1, self.n):
            if self.asleep[self.event[i].place]:
                return False
            old += self.born[self.event[i].place] < since
        if self.n == 1:
            return True
        if st.missed or old < FEW * <double> st.expect:
            return False
        st.expect = st.expect + (old - st.expect) / 16.0
        return True

    cdef bint same(self) noexcept nogil:
        """Whether the event is the one that was predicted last."""
        return self.warm and self.n == self.last_n and memcmp(
            self.event, self.last_event, self.n * sizeof(Entry)) == 0

    # One round

    cdef void scale(self, bint ahead) noexcept nogil:
        """The inputs by threes: for the others, for those that are central, for those that are plain; `ahead`: the
        event is not yet counted in the statistics."""
        cdef Py_ssize_t i
        cdef long long j
        cdef double n, mean, q, v, plain, mild
        cdef double* u
        self.u[0] = self.u[1] = self.u[2] = 1.0
        for i in range(1, self.n):
            j, v = self.event[i].place, self.event[i].value
            n, mean, q = self.count[j], self.mean[j], self.q[j]
            if ahead:
                count_in(v, &n, &mean, &q)
            q /= max(n, 1.0)
            u = self.u + 3 * i
            plain = standard(v, n, mean, q) if varies(q, mean) else 0.0
            mild = SQUASH * asinh(plain / SQUASH)
            u[1] = plain if self.regression else mild
            if self.centred or self.steady[j]:
                u[0], u[2] = mild, u[1]
            else:
                u[0] = u[2] = standard(v, n, 0.0, q + mean * mean) if q + mean * mean > 0.0 else 0.0

    cdef void margins(self) noexcept nogil:
        """m = sum_j w_j u_j (E x K), s = sum_j P_j u_j^2 (E), Pu = P_j u_j (n x E); of a regression also what the
        narrow learner inside told."""
        cdef Py_ssize_t i, e, k
        cdef double v
        cdef double* w
        cdef double* P
        cdef double* Pu
        memset(self.m, 0, self.E_K * sizeof(double))
        memset(self.s, 0, self.E * sizeof(double))
        for i in range(self.n):
            w = self.w + self.event[i].place * self.E_K
            P, Pu = self.P + self.event[i].place * self.E, self.Pu + i * self.E
            fesl_axpy(self.m, self.u[3 * i], w, self.E_K)
            for e in range(self.E):
                v = self.u[3 * i + self.sort[e]]
                Pu[e] = P[e] * v
                self.s[e] += Pu[e] * v
                if v != self.u[3 * i]:
                    fesl_axpy(self.m + e * self.K, v - self.u[3 * i], w + e * self.K, self.K)
        if self.regression:
            for e in range(self.E):
                for k in range(self.K):
                    self.m[e * self.K + k] *= self.unit[k]
            if self.inside:
                self.s[self.E] = 0.0
                for k in range(self.K):
                    v = deviation(self.clock[LABELLED] + self.moved, self.y_mean[k], self.y_q[k])
                    self.m[self.E * self.K + k] = (self.told[k] - self.y_mean[k]) / v

    cdef void bayes(self, double* out) noexcept nogil:
        cdef Py_ssize_t i, k, K = self.K
        cdef double seen = 0.0, pbar
        cdef double* H
        cdef double* odds = self.k3       # of up to eight features: one logarithm for all of them
        for k in range(K):
            seen += self.c[k]
            out[k], odds[k] = 0.0, 1.0
        for i in range(1, self.n):
            H = self.H + self.event[i].place * K
            pbar = 0.5
            for k in range(K):
                pbar += H[k]
            pbar *= 2.0 / (seen + 1.0)
            for k in range(K):
                odds[k] *= (H[k] + pbar) / (self.c[k] + 2.0)
            if i % 8 == 0:
                for k in range(K):
                    out[k] += log(odds[k])
                    odds[k] = 1.0
        for k in range(K):
            out[k] = log(self.c[k] + 0.5) + (out[k] + log(odds[k])) / sqrt(<double> self.n)

    cdef void advance(self) noexcept nogil:
        """w_j += Pu g, P_j /= 1 + h P_j u_j^2, then what forgets widens."""
        cdef Py_ssize_t i, e, k
        cdef double v, u
        cdef double* w
        cdef double* P
        cdef double* Pu
        for i in range(self.n):
            w, P = self.w + self.event[i].place * self.E_K, self.P + self.event[i].place * self.E
            Pu = self.Pu + i * self.E
            for e in range(self.E):
                for k in range(self.K):
                    w[e * self.K + k] += Pu[e] * self.g[e * self.K + k]
                u = self.u[3 * i + self.sort[e]]
                v = P[e] / (1.0 + self.h[e] * P[e] * u * u)
                P[e] = v + (1.0 - self.keep[e]) * self.tau[e] if self.tau[e] > v else v

    cdef void guess(self) noexcept nogil:
        """Everyone's prediction of the event as it is taken."""
        self.scale(True)
        self.margins()
        if self.regression:
            self.combine()
        else:
            self.opine()
            memcpy(self.last_event, self.event, self.n * sizeof(Entry))
            self.last_n, self.warm = self.n, True

    cdef void mix_into(self, double* out) noexcept nogil:
        if self.regression:
            self.mix_numbers(out)
        else:
            self.mix_chances(out)

    cdef void learn_event_(self, bint labelled) noexcept nogil:
        """One round of the event as it is taken, with the label in y_raw."""
        cdef Py_ssize_t i
        cdef long long j
        self.reuse = labelled and self.same()
        self.warm = False
        for i in range(1, self.n):
            j = self.event[i].place
            count_in(self.event[i].value, self.count + j, self.mean + j, self.q + j)
            self.last[j] = self.clock[ROUND]
        if labelled:
            if not self.reuse:
                self.scale(False)
            if self.regression:
                self.hold()
                memcpy(self.y, self.y_raw, self.K * sizeof(double))
                self.learn_targets()
            else:
                self.learn_label(<Py_ssize_t> self.y_raw[0])
            self.clock[LABELLED] += 1
        self.clock[ROUND] += 1

    cdef void learn_label(self, Py_ssize_t y) noexcept nogil:
        cdef Py_ssize_t e, i, K = self.K
        if not self.reuse:
            self.margins()
            self.opine()
        self.weigh_class(y)
        self.learn_stack(y)
        self.learn_council(y)
        for e in range(self.E):
            self.h[e] = self.pull(self.g + e * K, self.m + e * K, self.s[e], y)
        self.advance()
        for i in range(1, self.n):
            self.H[self.event[i].place * K + y] += 1.0
        self.c[y] += 1.0

    cdef void learn_targets(self) noexcept nogil:
        cdef Py_ssize_t e, k, K = self.K
        self.rescale()
        self.margins()
        self.combine()
        self.believe()
        self.weigh_targets()
        memcpy(self.y, self.k4, K * sizeof(double))
        for e in range(self.E):
            self.h[e] = 1.0
            for k in range(K):
                self.g[e * K + k] = (self.y[k] - self.m[e * K + k]) / (1.0 + self.s[e]) / self.unit[k]
        for e in range(self.M):
            self.note(e)
        self.fit_stack()
        self.settle()
        self.advance()

    cdef void move_weights(self, Py_ssize_t k, double ratio, double shift) noexcept nogil:
        cdef Py_ssize_t e
        for e in range(self.E):
            self.w[e * self.K + k] += shift / self.unit[k]

    cdef void fold(self, Py_ssize_t k) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(self.cap * self.E):
            self.w[j * self.K + k] *= self.unit[k]
        self.unit[k] = 1.0
