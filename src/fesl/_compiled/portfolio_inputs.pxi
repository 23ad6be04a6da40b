# What the experts see of an event, and what is counted of it: `fesl.portfolio.inputs`, `fesl.portfolio.views`.

cdef class Inputs(Arrays):

    cdef void clear(self) noexcept nogil:
        cdef Py_ssize_t j
        self.content = 0
        for j in range(self.n):
            self.x[j] = NAN

    cdef void gather(self) noexcept nogil:
        """The positions of what x holds, and of what it does not."""
        cdef Py_ssize_t j
        self.present = self.absent = 0
        self.content = 0
        for j in range(1, self.n):
            if self.x[j] == self.x[j]:
                self.here[self.present] = j
                self.present += 1
            else:
                self.away[self.absent] = j
                self.absent += 1

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
