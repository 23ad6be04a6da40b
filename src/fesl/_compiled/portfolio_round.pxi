# One round over the arrays of a `fesl.portfolio.state.State`: `fesl.portfolio.rounds` says what each step means.

cdef class Round:
    """The arrays, by pointer, and scratch."""
    cdef readonly object state
    cdef list kept
    cdef bint regression
    cdef bint recovers[MOST]
    cdef bint plain[MOST]
    cdef Py_ssize_t n, cap, K, E, B, M, G, present, absent
    cdef double keep[MOST]
    cdef Doubles mean, q, count, value, repeats, error, checks
    cdef Longs born, last, still, gone_at, freeze_at, clock, row_kind
    cdef Doubles w, w0, P, P0, S, C, H, c, A, V, bent, row_x, row_y, row_F, row_S, tau
    cdef Doubles a, bits, mixed, slack, stack_b, stack_V, shape, noise, y_mean, y_q
    cdef Doubles x, x_warm, u, full, z, z_full, m, s, Pu, Q, Z, v, R, b1, b2, b3, b4, b5, k1, k2, k3, y, y_raw, out
    cdef Longs here, away
    cdef public bint froze
    cdef double bent_s
    cdef bint warm, reuse     # what was computed for the last prediction serves to learn the same event

    def __init__(self, state, experts):
        cdef Py_ssize_t e
        self.state, self.E = state, len(experts)
        if self.E > MOST:
            raise ValueError("too many experts")
        for e in range(self.E):
            self.keep[e], self.recovers[e] = experts[e].keep, experts[e].recovers
            self.plain[e] = experts[e].plain
        self.bind()

    cpdef bind(self):
        """The arrays of the state were replaced."""
        st, keep = self.state, []
        account = st.account
        self.regression, self.n, self.cap, self.K = st.regression, st.n, st.capacity, st.outputs
        self.B, self.M, self.G = st.base, st.a.shape[1], st.a.shape[0]
        self.mean, self.q, self.count = doubles(st.mean, keep), doubles(st.q, keep), doubles(st.count, keep)
        self.value, self.repeats = doubles(st.value, keep), doubles(st.repeats, keep)
        self.error, self.checks = doubles(st.error, keep), doubles(st.checks, keep)
        self.born, self.last, self.still = integers(st.born, keep), integers(st.last, keep), integers(st.still, keep)
        self.gone_at, self.freeze_at = integers(st.gone_at, keep), integers(st.freeze_at, keep)
        self.clock, self.row_kind = integers(st.clock, keep), integers(st.row_kind, keep)
        self.w, self.w0, self.P, self.P0 = (doubles(st.w, keep), doubles(st.w0, keep), doubles(st.P, keep),
                                            doubles(st.P0, keep))
        self.S, self.C = doubles(st.S, keep), doubles(st.C, keep)
        self.H, self.c = doubles(st.H, keep), doubles(st.c, keep)
        self.A, self.V, self.bent = doubles(st.A, keep), doubles(st.V, keep), room(self.K, keep)
        self.row_x, self.row_y = doubles(st.row_x, keep), doubles(st.row_y, keep)
        self.row_F, self.row_S = doubles(st.row_F, keep), doubles(st.row_S, keep)
        self.tau, self.a = doubles(st.tau, keep), doubles(st.a, keep)
        self.bits, self.mixed = doubles(account.experts, keep), doubles(account.mixture, keep)
        self.slack = doubles(account.slack, keep)
        self.stack_b, self.stack_V = doubles(st.stack_b, keep), doubles(st.stack_V, keep)
        self.shape, self.noise = doubles(st.shape, keep), doubles(st.noise, keep)
        self.y_mean, self.y_q = doubles(st.y_mean, keep), doubles(st.y_q, keep)
        self.x, self.u, self.full = room(self.cap, keep), room(self.cap, keep), room(self.cap, keep)
        self.x_warm, self.warm = room(self.cap, keep), False
        self.z, self.z_full = room(self.cap, keep), room(self.cap, keep)
        self.m, self.s, self.Pu = room(self.E * self.K, keep), room(self.E, keep), room(self.E * self.cap, keep)
        self.Q, self.Z = room(self.M * self.K, keep), room(self.M * max(self.K, 1), keep)
        self.v, self.R = room(self.cap, keep), room(self.cap * self.cap, keep)
        self.b1, self.b2, self.b3 = room(self.cap, keep), room(self.cap, keep), room(self.cap, keep)
        self.b4, self.b5 = room(self.cap, keep), room(self.cap, keep)
        self.k1, self.k2, self.k3 = (room(self.K + self.M, keep), room(self.K + self.M, keep),
                                     room(self.K + self.M, keep))
        self.y, self.y_raw, self.out = room(self.K + 1, keep), room(self.K + 1, keep), room(self.K + 1, keep)
        self.here, self.away = integers(np.zeros(self.cap, np.int64), keep), integers(np.zeros(self.cap, np.int64), keep)
        self.kept = keep

    cdef void clear(self) noexcept:
        cdef Py_ssize_t j
        for j in range(self.n):
            self.x[j] = NAN

    cdef void gather(self) noexcept:
        """The positions of what x holds, and of what it does not."""
        cdef Py_ssize_t j
        self.present = self.absent = 0
        for j in range(1, self.n):
            if self.x[j] == self.x[j]:
                self.here[self.present] = j
                self.present += 1
            else:
                self.away[self.absent] = j
                self.absent += 1

    cdef bint due(self) noexcept:
        """Whether this round needs attention: an age for learning anew, or an absence that is too long."""
        cdef long long t = self.clock[0], age = t - self.clock[2], j
        cdef Py_ssize_t i
        cdef double rounds, misses
        for i in range(NAGES):
            if age == AGES[i]:
                return True
        for i in range(self.absent):
            j = self.away[i]
            if self.gone_at[j] == 0:
                rounds = self.last[j] - self.born[j] + 1
                misses = max(0.0, rounds - self.count[j])
                self.gone_at[j] = self.last[j] + <long long> floor(log(ALARM / rounds) / log((misses + 0.5) / (rounds + 1.0))) + 1
            if t >= self.gone_at[j]:
                return True
        return False

    cdef void inputs(self, bint ahead, bint recover) noexcept:
        cdef Py_ssize_t i, j
        cdef double n, mean, q, gap
        for j in range(self.n):
            self.u[j] = self.z[j] = 0.0
        self.u[0] = self.z[0] = 1.0
        for i in range(self.present):
            j = self.here[i]
            n, mean, q = self.count[j], self.mean[j], self.q[j]
            if ahead:
                n += 1.0
                gap = self.x[j] - mean
                mean += gap / n
                q += gap * (self.x[j] - mean)
            q /= max(n, 1.0)
            if q > 1e-18 * (mean * mean + 1e-290):
                gap = (self.x[j] - mean) / sqrt(q)
                self.u[j] = asinh(gap)
                self.z[j] = min(CLIP, max(-CLIP, gap))
        memcpy(self.full, self.u, self.n * sizeof(double))
        if recover and self.absent:
            self.expect(-1, self.away, self.absent)
        memcpy(self.z_full, self.full, self.n * sizeof(double))
        for i in range(self.present):
            self.z_full[self.here[i]] = self.z[self.here[i]]

    cdef double expect(self, Py_ssize_t without, long long* wanted, Py_ssize_t many) noexcept:
        """E[wanted | present but for `without`] into `full`; returns the last of them."""
        cdef Py_ssize_t i, k, p = 0
        cdef long long j
        cdef double nu, z = 0.0
        cdef double* row
        cdef long long* at = <long long*> self.b5
        for i in range(self.present):
            j = self.here[i]
            if j != without and self.u[j] != 0.0:
                at[p] = j
                self.b1[p] = self.u[j]
                p += 1
        if p == 0:
            return 0.0
        nu = p + 1.0
        for i in range(p):
            row = self.R + i * p
            for k in range(p):
                row[k] = self.S[at[i] * self.cap + at[k]] / (self.C[at[i] * self.cap + at[k]] + nu)
            row[i] = 1.0
        conjugate(self.b4, self.R, self.b1, self.b2, self.b3, self.v, p)
        for i in range(many):
            j = wanted[i]
            z = 0.0
            for k in range(p):
                z += self.S[j * self.cap + at[k]] / (self.C[j * self.cap + at[k]] + nu) * self.b4[k]
            z = min(CLIP, max(-CLIP, z))
            if without < 0:
                self.full[j] = z
        return z

    cdef void project(self, Py_ssize_t e, double* u) noexcept:
        cdef double* Pu = self.Pu + e * self.cap
        fesl_gemv(Pu, self.P + e * self.cap * self.cap, self.n, self.cap, u, self.n)
        self.s[e] = max(0.0, fesl_dot(u, Pu, self.n))
        if self.K:
            fesl_gemv(self.m + e * self.K, self.w + e * self.K * self.cap, self.K, self.cap, u, self.n)

    cdef double* seen(self, Py_ssize_t e) noexcept:
        """What expert e sees."""
        if self.plain[e]:
            return self.z_full if self.recovers[e] else self.z
        return self.full if self.recovers[e] else self.u

    cdef void margins(self) noexcept:
        cdef Py_ssize_t e
        for e in range(self.E):
            self.project(e, self.seen(e))

    cdef void opine(self) noexcept:
        """Everyone's class probabilities, into Q."""
        cdef Py_ssize_t e, k, K = self.K
        cdef double least = log(CALM / K)
        for e in range(self.E):
            chances(self.Q + e * K, self.m + e * K, 1.0 / sqrt(1.0 + PI / 4.0 * self.s[e]), K)
        self.bayes(self.k1)
        chances(self.Q + self.E * K, self.k1, 1.0, K)
        self.curves()
        chances(self.Q + (self.E + 1) * K, self.bent, 1.0 / sqrt(1.0 + PI / 4.0 * self.bent_s), K)
        for k in range(self.B * K):
            self.Z[k] = max(log(self.Q[k]), least)
        self.stack(self.Q + self.B * K)

    cdef void bayes(self, double* out) noexcept:
        cdef Py_ssize_t i, j, k, b, K = self.K, bin
        cdef double hit, total, pbar, own
        cdef double* H
        for k in range(K):
            out[k] = log(self.c[k] + 0.5)
        for i in range(self.present):
            j = self.here[i]
            bin = bin_of(self.u[j])
            H = self.H + j * K * NBINS
            hit = total = 0.0
            for k in range(K):
                hit += H[k * NBINS + bin]
                for b in range(NBINS):
                    total += H[k * NBINS + b]
            pbar = (hit + 1.0) / (total + BINS)
            for k in range(K):
                own = 0.0
                for b in range(NBINS):
                    own += H[k * NBINS + b]
                out[k] += log((H[k * NBINS + bin] + 4.0 * pbar) / (own + 4.0))

    cdef void curves(self) noexcept:
        """The additive expert's margins and their variance."""
        cdef Py_ssize_t i, j, k, b, K = self.K
        cdef double r, s = self.V[0]
        cdef double* A
        for k in range(K):
            self.bent[k] = self.A[k * KNOTS]
        for i in range(self.present):
            j = self.here[i]
            r = hats(self.u[j], &b)
            s += (1.0 - r) * (1.0 - r) * self.V[j * KNOTS + b] + r * r * self.V[j * KNOTS + b + 1]
            A = self.A + j * K * KNOTS + b
            for k in range(K):
                self.bent[k] += (1.0 - r) * A[k * KNOTS] + r * A[k * KNOTS + 1]
        self.bent_s = s

    cdef void bend(self, Py_ssize_t y) noexcept:
        """The additive expert learns."""
        cdef Py_ssize_t i, j, k, b, K = self.K
        cdef double r, h = 0.0
        cdef double* g = self.k1
        mode(g, self.k2, self.k3, self.bent, self.bent_s, y, K)
        for k in range(K):
            h += g[k] * (1.0 - g[k])
            g[k] = (1.0 if k == y else 0.0) - g[k]
        h /= max(1, K - 1)
        self.hat(0, 0, 1.0, g, h)
        for i in range(self.present):
            j = self.here[i]
            r = hats(self.u[j], &b)
            self.hat(j, b, 1.0 - r, g, h)
            self.hat(j, b + 1, r, g, h)

    cdef void hat(self, Py_ssize_t j, Py_ssize_t b, double r, const double* g, double h) noexcept:
        cdef Py_ssize_t k
        cdef double* A = self.A + j * self.K * KNOTS + b
        cdef double v = self.V[j * KNOTS + b]
        for k in range(self.K):
            A[k * KNOTS] += v * r * g[k]
        self.V[j * KNOTS + b] = v / (1.0 + h * v * r * r)

    cdef void stack(self, double* out) noexcept:
        cdef Py_ssize_t i, j, k, B = self.B, K = self.K
        cdef double total = 0.0, part, mean
        cdef double* c = self.k1
        for k in range(K):
            self.k2[k] = 0.0
        for i in range(B):
            for k in range(K):
                self.k2[k] += self.stack_b[i] * self.Z[i * K + k]
        for k in range(K):
            for i in range(B):
                mean = 0.0
                for j in range(K):
                    mean += self.Z[i * K + j]
                c[i] = self.Z[i * K + k] - mean / K
            for i in range(B):
                part = 0.0
                for j in range(B):
                    part += self.stack_V[i * B + j] * c[j]
                total += c[i] * part
        chances(out, self.k2, 1.0 / sqrt(1.0 + PI / 4.0 * max(0.0, total / K)), K)

    cdef void predict_into(self, double* out) noexcept:
        """Of x as it is gathered."""
        cdef Py_ssize_t e, k
        self.inputs(True, True)
        self.margins()
        if self.regression:
            for k in range(self.K):
                out[k] = 0.0
                for e in range(self.E):
                    out[k] += self.a[k * self.M + e] * self.m[e * self.K + k]
                out[k] = self.y_mean[k] + deviation(self.clock[1], self.y_mean[k], self.y_q[k]) * out[k]
            return
        self.opine()
        memcpy(self.x_warm, self.x, self.n * sizeof(double))
        self.warm = True
        for k in range(self.K):
            out[k] = 0.0
            for e in range(self.M):
                out[k] += self.a[e] * self.Q[e * self.K + k]

    # Learning

    cdef void learn_x(self, bint labelled) noexcept:
        """One round of x as it is gathered, with the label in y_raw."""
        memcpy(self.y, self.y_raw, (self.K + 1) * sizeof(double))
        self.reuse = (self.warm and labelled and not self.regression
                      and memcmp(self.x, self.x_warm, self.n * sizeof(double)) == 0)
        self.warm = False
        self.observe()
        if not self.reuse:
            self.inputs(False, labelled)
        if labelled:
            if self.regression:
                self.learn_numbers()
            else:
                self.learn_class(<Py_ssize_t> self.y[0])
            self.clock[1] += 1
        self.check()
        self.store(labelled)
        self.relate()
        self.clock[0] += 1
        self.clock[4] = 0

    cdef void observe(self) noexcept:
        cdef Py_ssize_t i, j
        cdef double gap, v
        self.froze = False
        for i in range(self.present):
            j = self.here[i]
            v = self.x[j]
            if v == self.value[j] and self.count[j] > 0.0:
                self.still[j] += 1
                self.repeats[j] += 1.0
                if self.still[j] == STILL:
                    self.freeze_at[j] = max(STILL, <long long> (log(ALARM / self.count[j]) / log(
                        (self.repeats[j] - STILL + 0.5) / (self.count[j] - STILL + 1.0))) + 1)
                if self.still[j] >= STILL and self.still[j] == self.freeze_at[j]:
                    self.froze = True
            else:
                self.still[j] = 0
            self.value[j] = v
            self.count[j] += 1.0
            gap = v - self.mean[j]
            self.mean[j] += gap / self.count[j]
            self.q[j] += gap * (v - self.mean[j])
            self.last[j] = self.clock[0]
            self.gone_at[j] = 0

    cdef void weigh(self, Py_ssize_t g, const double* log_p) noexcept:
        cdef double* a = self.a + g * self.M
        cdef double top = log_p[0], q = 0.0, d
        cdef Py_ssize_t i
        for i in range(1, self.M):
            top = max(top, log_p[i])
        for i in range(self.M):
            a[i] *= exp(log_p[i] - top)
            q += a[i]
            self.bits[g * self.M + i] -= log_p[i] / LN2
        self.mixed[g] -= (log(q) + top) / LN2
        d = max(1.0 / (self.clock[1] + 2.0), SHARE)
        for i in range(self.M):
            a[i] = a[i] / q * (1.0 - d) + d / self.M
        if g == 0:
            self.slack[0] -= log2(1.0 - d + d / self.M)

    cdef void learn_class(self, Py_ssize_t y) noexcept:
        cdef Py_ssize_t e, i, K = self.K
        if not self.reuse:
            self.margins()
            self.opine()
        for e in range(self.M):
            self.k2[e] = log(self.Q[e * K + y])
        self.weigh(0, self.k2)
        stack_learn(self.stack_b, self.stack_V, self.Z, self.k1, self.k2, self.b1, self.b2, self.b3, y, self.B, K)
        for e in range(self.E):
            self.step(e)
        for i in range(self.present):
            self.H[(self.here[i] * K + y) * NBINS + bin_of(self.u[self.here[i]])] += 1.0
        self.c[y] += 1.0
        self.bend(y)

    cdef void learn_numbers(self) noexcept:
        cdef Py_ssize_t e, k
        self.rescale()
        self.margins()
        for k in range(self.K):
            for e in range(self.E):
                self.k2[e] = log_density(self.y[k], self.m[e * self.K + k], self.s[e], self.shape[e],
                                         self.noise[e * self.K + k])
            self.weigh(k, self.k2)
        for e in range(self.E):
            self.step(e)

    cdef void rescale(self) noexcept:
        """Count y in its own statistics; weights and noise move with them."""
        cdef Py_ssize_t e, k, j, i
        cdef double n = self.clock[1], before, mean, gap, sd, ratio, shift
        cdef double* w
        for k in range(self.K):
            before, mean = deviation(n, self.y_mean[k], self.y_q[k]), self.y_mean[k]
            ratio = 1.0 if self.y_q[k] <= 0.0 else before
            gap = self.y[k] - mean
            self.y_mean[k] += gap / (n + 1.0)
            before = self.y_q[k]
            self.y_q[k] += gap * (self.y[k] - self.y_mean[k])
            sd = deviation(n + 1.0, self.y_mean[k], self.y_q[k])
            ratio = 1.0 if before <= 0.0 else ratio / sd
            shift = (mean - self.y_mean[k]) / sd if n > 0.0 else 0.0
            for e in range(self.E):
                i = (e * self.K + k) * self.cap
                for j in range(self.n):
                    self.w[i + j] *= ratio
                    self.w0[i + j] *= ratio
                self.w[i] += shift
                self.w0[i] += shift
                self.noise[e * self.K + k] = max(self.noise[e * self.K + k] * (ratio * ratio), LEAST)
            for i in range(ROWS):
                self.row_F[i * self.K + k] = self.row_F[i * self.K + k] * ratio + shift
            self.y[k] = (self.y[k] - self.y_mean[k]) / sd

    cdef void step(self, Py_ssize_t e) noexcept:
        """Expert e learns the label in y, given its projection."""
        cdef Py_ssize_t k, j, n = self.n, K = self.K
        cdef double s = self.s[e], h = 0.0, g
        cdef double* Pu = self.Pu + e * self.cap
        cdef double* P = self.P + e * self.cap * self.cap
        cdef double* m = self.m + e * K
        if self.regression:
            self.shape[e] = self.keep[e] * self.shape[e] + 0.5
            for k in range(K):
                g = self.y[k] - m[k]
                self.noise[e * K + k] = max(self.keep[e] * self.noise[e * K + k] + 0.5 * (g * g) / (1.0 + s), LEAST)
            self.kalman(e, self.y, 1.0)
        else:
            mode(self.k1, self.k2, self.k3, m, s, <Py_ssize_t> self.y[0], K)
            for k in range(K):
                h += self.k1[k] * (1.0 - self.k1[k])
                g = (1.0 if k == <Py_ssize_t> self.y[0] else 0.0) - self.k1[k]
                fesl_axpy(self.w + (e * K + k) * self.cap, g, Pu, n)
            h /= max(1, K - 1)
            downdate(P, Pu, h / (1.0 + h * s), self.v, n, self.cap)
        if self.keep[e] < 1.0:
            for j in range(n):
                if P[j * self.cap + j] < self.tau[e]:
                    P[j * self.cap + j] += (1.0 - self.keep[e]) * self.tau[e]

    cdef void kalman(self, Py_ssize_t e, const double* y, double r) noexcept:
        cdef Py_ssize_t k, K = self.K
        cdef double* Pu = self.Pu + e * self.cap
        for k in range(K):
            fesl_axpy(self.w + (e * K + k) * self.cap, (y[k] - self.m[e * K + k]) / (self.s[e] + r), Pu, self.n)
        downdate(self.P + e * self.cap * self.cap, Pu, 1.0 / (self.s[e] + r), self.v, self.n, self.cap)

    cdef void check(self) noexcept:
        """Now and then, how well is a present feature recovered from the others?"""
        cdef long long t = self.clock[0], j
        cdef double gap
        if t % CHECK or self.n < 3:
            return
        j = 1 + t // CHECK % (self.n - 1)
        if self.x[j] == self.x[j]:
            gap = self.u[j] - self.expect(j, &j, 1)
            self.error[j] += gap * gap
            self.checks[j] += 1.0

    cdef void store(self, bint labelled) noexcept:
        cdef Py_ssize_t i = self.clock[3] % ROWS, j, wide = max(1, self.K if self.regression else 1)
        for j in range(self.cap):
            self.row_x[i * self.cap + j] = NAN
        for j in range(self.present):
            self.row_x[i * self.cap + self.here[j]] = self.x[self.here[j]]
        for j in range(wide):
            self.row_y[i * wide + j] = self.y_raw[j] if labelled else NAN
        self.row_kind[i] = OWN
        self.clock[3] += 1

    cdef void relate(self) noexcept:
        cdef Py_ssize_t i, k
        cdef long long j
        if self.absent == 0 and self.n > 1:
            for j in range(1, self.n):
                fesl_axpy(self.S + j * self.cap + 1, self.u[j], self.u + 1, self.n - 1)
                for k in range(1, self.n):
                    self.C[j * self.cap + k] += 1.0
            return
        for i in range(self.present):
            j = self.here[i]
            for k in range(self.present):
                self.S[j * self.cap + self.here[k]] += self.u[j] * self.u[self.here[k]]
                self.C[j * self.cap + self.here[k]] += 1.0
