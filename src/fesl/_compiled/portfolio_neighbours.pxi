# Rows alike: `fesl.portfolio.experts.neighbours`.

cdef class Neighbours(Local):

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
