# A block of a table in one call.

cdef class Block(Renewal):

    def run_block(self, const double[:, ::1] X, const long long[::1] places, Y, double[:, ::1] scores,
                  double[:, :, ::1] experts, double[:, ::1] weights, Py_ssize_t start, Py_ssize_t stop):
        """Predict into `scores` (and what everyone says into `experts`, `weights`) where they have rows, then learn
        where there are labels. Returns the row that needs attention; the one before may have brought news.
        """
        cdef const double[:, ::1] labels
        cdef const double* y = NULL
        cdef bint learns = Y is not None, labelled
        cdef Py_ssize_t i = start, k, K = self.K, wide = max(1, K if self.regression else 1)
        if learns:
            labels = Y
        if X.shape[1] == 0 or self.mute():
            return start
        with nogil:
            while i < stop and not (learns and self.news):
                if not self.take_row(&X[i, 0], &places[0], X.shape[1]):
                    break
                if scores.shape[0]:
                    self.predict_into(&scores[i, 0])
                    if not self.regression:
                        for k in range(K):
                            scores[i, k] = log(scores[i, k])
                    if experts.shape[0]:
                        self.tell(&experts[i, 0, 0], experts.shape[2], &weights[i, 0])
                if learns:
                    if self.due():
                        break
                    y = &labels[i, 0]
                    labelled = y[0] == y[0]
                    if labelled:
                        memcpy(self.y_raw, y, wide * sizeof(double))
                    self.learn_x(labelled)
                i += 1
        return i

    cdef bint take_row(self, const double* row, const long long* places, Py_ssize_t d) noexcept nogil:
        """The row by position; False: it holds a stranger."""
        cdef Py_ssize_t j
        self.clear()
        for j in range(d):
            if row[j] == row[j]:
                if places[j] == 0:
                    return False
                self.x[places[j]] = row[j]
        self.gather()
        return True

    cdef void tell(self, double* out, Py_ssize_t stride, double* weights) noexcept nogil:
        """What everyone said of the row just predicted, and how much each is trusted."""
        cdef Py_ssize_t e, k, g
        cdef double v
        for e in range(self.M):
            for k in range(self.K):
                if self.regression:
                    v = self.y_mean[k] + deviation(self.clock[LABELLED], self.y_mean[k], self.y_q[k]) * self.m[e * self.K + k]
                else:
                    v = self.L[e * self.K + k]
                out[e * stride + k] = v
            weights[e] = 0.0
            for g in range(self.G):
                weights[e] += self.a[g * self.M + e]
            weights[e] /= self.G
