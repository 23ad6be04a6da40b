# Half a round: what is said of an event. `fesl.portfolio.rounds` says what each step means.

cdef class Predicting(Arrays):

    cdef void clear(self) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(self.n):
            self.x[j] = NAN

    cdef void gather(self) noexcept nogil:
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
            if self.youngest > self.clock[SINCE] and self.clock[ROUND] - self.youngest == AGES[i]:
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

    cdef void inputs(self, bint ahead, bint recover) noexcept nogil:
        cdef Py_ssize_t i, j
        cdef double n, mean, q
        memset(self.z, 0, self.n * sizeof(double))
        self.u[0] = self.z[0] = 1.0
        for i in range(self.present):
            j = self.here[i]
            n, mean, q = self.count[j], self.mean[j], self.q[j]
            if ahead:
                count_in(self.x[j], &n, &mean, &q)
            q /= max(n, 1.0)
            self.variance[i] = 0.0
            if varies(q, mean):
                self.z[j] = standard(self.x[j], n, mean, q)
                self.variance[i] = q
        fesl_asinhs(self.u + 1, self.z + 1, SQUASH, self.n - 1)
        if not self.regression:
            for j in range(1, self.n):
                self.z[j] = min(CLIP, max(-CLIP, self.z[j]))
        else:
            for i in range(self.present):
                j = self.here[i]
                n, mean = self.count[j], self.mean[j]
                q = self.q[j] / max(n, 1.0)
                self.z[j] = standard(self.reached(j, ahead), n, mean, q) if varies(q, mean) else 0.0
        fesl_find(self.code_at, self.codes, self.x, self.here, self.present, VALUES)
        memcpy(self.full, self.u, self.n * sizeof(double))
        if recover and self.absent:
            self.expect(-1, self.away, self.absent)
        memcpy(self.z_full, self.full, self.n * sizeof(double))
        for i in range(self.present):
            self.z_full[self.here[i]] = self.z[self.here[i]]

    cdef double reached(self, Py_ssize_t j, bint ahead) noexcept nogil:
        """The value as far as a line is followed."""
        cdef double v = self.q[j] / max(self.count[j], 1.0)
        cdef double most = CLIP * sqrt(v) if varies(v, self.mean[j]) else 0.0
        most = max(most, (FURTHER if ahead else 1.0) * self.reach[j])
        return min(self.mean[j] + most, max(self.mean[j] - most, self.x[j]))

    cdef double expect(self, Py_ssize_t without, long long* wanted, Py_ssize_t many) noexcept nogil:
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
            row[i] = (self.S[at[i] * self.cap + at[i]] + nu) / (self.C[at[i] * self.cap + at[i]] + nu) + RIDGE
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

    cdef void hold(self) noexcept nogil:
        """No target counts as further from its mean than it should."""
        cdef Py_ssize_t k
        for k in range(self.K):
            self.y_raw[k] = held(self.y_raw[k], self.clock[LABELLED], self.y_mean[k], self.y_q[k], OFF)

    cdef double* seen(self, Py_ssize_t e) noexcept nogil:
        """What expert e sees."""
        if self.plain[e]:
            return self.z_full if self.recovers[e] else self.z
        return self.full if self.recovers[e] else self.u

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
        fesl_logs(self.L, self.Q, self.B * K)
        self.hear()
        self.stack(self.Q + self.B * K)
        fesl_logs(self.L + self.B * K, self.Q + self.B * K, K)

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

    cdef void alike(self) noexcept nogil:
        """The weights of the rows that the event is compared with."""
        cdef Py_ssize_t i, j, n = 0, rows = min(self.clock[LABELLED], NEAR)
        cdef double total = 0.0, least = INFINITY, q, both
        cdef bint whole = True
        for i in range(self.present):
            j = self.here[i]
            q = self.variance[i]
            if q > VARIES:
                self.near_at[n], self.near_part[n] = j, EACH + self.worth[j]
                self.near_v[n], self.near_top[n] = self.near_part[n] / q, APART * q
                self.b1[n] = self.x[j]
                total += self.near_part[n]
                whole = whole and self.near_gaps[j] == 0
                n += 1
        self.near_sum = 0.0
        if n == 0:
            return
        fesl_apart(self.near_w, self.near_x, NEAR, self.near_at, self.b1, self.near_v, self.near_top, n, rows)
        if whole:
            least = fesl_least(self.near_w, total, rows)
        else:
            memset(self.near_lack, 0, rows * sizeof(double))
            for i in range(n):
                if self.near_gaps[self.near_at[i]]:
                    fesl_lack(self.near_lack, self.near_x + self.near_at[i] * NEAR, self.near_part[i], rows)
            for i in range(rows):
                both = total - self.near_lack[i]
                self.near_w[i] = (max(0.0, self.near_w[i] - APART * self.near_lack[i]) / both
                                  if both >= SHARED * total else INFINITY)
                least = min(least, self.near_w[i])
        if least < INFINITY:
            self.near_sum = fesl_near(self.near_w, NARROW, least, rows)

    cdef void class_alike(self, double* out) noexcept nogil:
        """The neighbours' chances of the classes."""
        cdef Py_ssize_t i, k, K = self.K, rows = min(self.clock[LABELLED], NEAR)
        cdef double often = 0.5 * K, total = 0.0
        self.alike()
        for k in range(K):
            often += self.c[k]
        for k in range(K):
            out[k] = ALONE * (self.c[k] + 0.5) / often
        if self.near_sum > 0.0:
            if K == 2:
                often = fesl_dot(self.near_w, self.near_y, rows)
                out[0] += max(0.0, self.near_sum - often)
                out[1] += often
            else:
                for i in range(rows):
                    out[<Py_ssize_t> self.near_y[i]] += self.near_w[i]
        for k in range(K):
            total += out[k]
        for k in range(K):
            out[k] /= total

    cdef void forecast_alike(self) noexcept nogil:
        """The neighbours' forecasts, about the means from before the targets were counted."""
        cdef Py_ssize_t k, e = self.E + 3, rows = min(self.clock[LABELLED], NEAR)
        cdef double sd, total
        if not self.reuse:
            self.alike()
        total = self.near_sum + ALONE
        self.s[e] = 1.0 / total
        for k in range(self.K):
            sd = deviation(self.clock[LABELLED] + self.moved, self.y_mean[k], self.y_q[k])
            self.m[e * self.K + k] = self.shift[k]
            if self.near_sum > 0.0:
                self.m[e * self.K + k] += fesl_about(self.near_w, self.near_y + k * NEAR,
                                                     self.y_mean[k] + self.shift[k] * sd, rows) / total / sd

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

    cdef double doubt(self, Py_ssize_t e, Py_ssize_t k) noexcept nogil:
        """The variance of the forecast of target k by expert e."""
        return self.stack_s[k] if e == self.B else self.s[e]

    cdef void predict_into(self, double* out) noexcept nogil:
        """Of x as it is gathered."""
        self.reuse = False
        self.inputs(True, True)
        self.margins()
        memcpy(self.x_warm, self.x, self.n * sizeof(double))
        self.warm = not self.news       # before the next round, what the last one left is done
        if self.regression:
            self.mix_numbers(out)
        else:
            self.opine()
            self.mix_chances(out)

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
