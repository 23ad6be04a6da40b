# The other half: what is learned of it. `fesl.portfolio.rounds` says what each step means.

cdef class Round(Predicting):

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

    cdef void observe(self) noexcept nogil:
        cdef Py_ssize_t i, j
        cdef double v, mean, q
        self.news = False
        for i in range(self.present):
            j = self.here[i]
            v = self.x[j]
            if v == self.value[j] and self.count[j] > 0.0:
                self.still[j] += 1
                self.repeats[j] += 1.0
                if self.still[j] == STILL:
                    self.freeze_at[j] = stillness(self.repeats[j] - STILL, self.count[j] - self.repeats[j])
                if self.still[j] >= STILL and self.still[j] == self.freeze_at[j]:
                    self.news = True
            else:
                self.still[j] = 0
            self.spells[j] += self.count[j] > 0.0 and self.last[j] < self.clock[ROUND] - 1
            self.value[j] = v
            if self.regression:
                self.reach[j] = max(self.reach[j], fabs(self.reached(j, True) - self.mean[j]))
            mean, q = self.mean[j], self.q[j] / max(self.count[j], 1.0)
            count_in(v, self.count + j, self.mean + j, self.q + j)
            if self.regression and varies(q, mean):
                self.move(j, mean, q)
            self.last[j] = self.clock[ROUND]
            self.gone_at[j] = 0

    cdef void move(self, Py_ssize_t j, double mean, double v) noexcept nogil:
        """The mean and the variance of feature j were such; plain weights move with them."""
        cdef double now = self.q[j] / self.count[j], ratio, shift
        cdef Py_ssize_t e, k, i
        if not varies(now, self.mean[j]):
            return
        ratio, shift = sqrt(now / v), (self.mean[j] - mean) / sqrt(v)
        for e in range(self.E):
            if self.plain[e]:
                for k in range(self.K):
                    i = (e * self.K + k) * self.cap
                    self.w[i] += self.w[i + j] * shift
                    self.w[i + j] *= ratio
                    self.w0[i] += self.w0[i + j] * shift
                    self.w0[i + j] *= ratio

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

    cdef void weigh_targets(self) noexcept nogil:
        """Weigh the experts, target by target."""
        cdef Py_ssize_t e, k
        for k in range(self.K):
            for e in range(self.M):
                self.k2[e] = log_density(self.y[k], self.m[e * self.K + k], self.doubt(e, k), self.shape[e],
                                         self.noise[e * self.K + k])
            self.weigh(k, self.k2)

    cdef void weigh_class(self, Py_ssize_t y) noexcept nogil:
        """Weigh the experts by what they gave to the class."""
        cdef Py_ssize_t i
        for i in range(self.M):
            self.a[i] *= self.Q[i * self.K + y]
            self.bits[i] -= self.L[i * self.K + y] / LN2
        self.share(0, 0.0)

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

    cdef void learn_class(self, Py_ssize_t y) noexcept nogil:
        cdef Py_ssize_t e, i, K = self.K
        if not self.reuse:
            self.margins()
            self.opine()
        self.weigh_class(y)
        self.learn_stack(y)
        for e in range(self.E):
            self.step(e)
        for i in range(self.present):
            self.H[(self.here[i] * K + y) * NBINS + self.bin[i]] += 1.0
        self.c[y] += 1.0
        self.bend_class(y)

    cdef void bend_class(self, Py_ssize_t y) noexcept nogil:
        """Curves, values and surfaces learn a class."""
        self.bend(self.k1, self.pull(self.k1, self.bent, self.bent_s, y))
        self.value_all(self.k1, self.pull(self.k1, self.valued, self.valued_s, y))
        self.form(self.k1, self.pull(self.k1, self.rough, self.rough_s, y))

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

    cdef void form(self, const double* g, double h) noexcept nogil:
        """The pairwise expert takes a step; g from place 1 on."""
        cdef Py_ssize_t k
        for k in range(1, self.sheet):
            self.surface[k] += self.surface[0] * g[k]
        self.surface[0] /= 1.0 + h * self.surface[0]
        fesl_form(self.surface, self.pair_at, self.pair_height, self.pairing, g, h, self.sheet)

    cdef double pull(self, double* g, const double* m, double s, Py_ssize_t y) noexcept nogil:
        """g = e_y - p at the mode for the margins m of variance s; returns h = sum p (1 - p) / (K - 1)."""
        cdef Py_ssize_t k
        cdef double h = 0.0
        mode(g, self.k2, self.k3, m, s, y, self.K)
        for k in range(self.K):
            h += g[k] * (1.0 - g[k])
            g[k] = (1.0 if k == y else 0.0) - g[k]
        return h / max(1, self.K - 1)

    cdef void learn_numbers(self) noexcept nogil:
        cdef Py_ssize_t e
        self.rescale()
        self.margins()
        self.believe()
        self.weigh_targets()
        memcpy(self.y, self.k4, self.K * sizeof(double))
        for e in range(self.E):
            self.step(e)
        for e in range(self.E, self.M):
            self.note(e)
        self.fit_stack()
        self.settle()
        self.bend_numbers()

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

    cdef void learn_stack(self, Py_ssize_t y) noexcept nogil:
        """The stacker learns a class."""
        stack_learn(self.stack_b, self.stack_V, self.Z, self.k1, self.k2, self.b1, self.b2, self.b3, y, self.B + 1,
                    self.K)

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

    cdef void note(self, Py_ssize_t e) noexcept nogil:
        """Expert e of a regression was wrong by so much, and noise is as large as that tells."""
        cdef Py_ssize_t k, i
        cdef double gap
        self.shape[e] = FADE * self.shape[e] + 0.5
        for k in range(self.K):
            i = e * self.K + k
            gap = self.y[k] - self.m[i]
            self.noise[i] = max(FADE * self.noise[i] + 0.5 * (gap * gap) / (1.0 + self.doubt(e, k)), LEAST)

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

    cdef void check(self) noexcept nogil:
        """Now and then, how well is a present feature recovered from the others?"""
        cdef long long t = self.clock[ROUND], j
        cdef double gap
        if t % CHECK or self.n < 3:
            return
        j = 1 + t // CHECK % (self.n - 1)
        if self.x[j] == self.x[j]:
            gap = self.u[j] - self.expect(j, &j, 1)
            self.error[j] += gap * gap
            self.checks[j] += 1.0

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

    cdef void remember(self) noexcept nogil:
        """Later events are compared with this one."""
        cdef Py_ssize_t j, i = (self.clock[LABELLED] - 1) % NEAR
        cdef bint old = self.clock[LABELLED] > NEAR
        cdef double* at
        for j in range(1, self.n):
            at = self.near_x + j * NEAR + i
            self.near_gaps[j] += (self.x[j] != self.x[j]) - (old and at[0] == INFINITY)
            at[0] = self.x[j] if self.x[j] == self.x[j] else INFINITY
        for j in range(self.K if self.regression else 1):
            self.near_y[j * NEAR + i] = self.y_raw[j]

    cdef void relate(self) noexcept nogil:
        cdef Py_ssize_t i, k
        cdef long long j
        if self.absent == 0 and self.n > 1:
            fesl_relate(self.S + self.cap + 1, self.C + self.cap + 1, self.u + 1, self.n - 1, self.cap)
            return
        for i in range(self.present):
            j = self.here[i]
            for k in range(self.present):
                self.S[j * self.cap + self.here[k]] += self.u[j] * self.u[self.here[k]]
                self.C[j * self.cap + self.here[k]] += 1.0
