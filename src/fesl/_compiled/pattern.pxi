# Blocks of rows: where the labels come from, where the predictions go, and which columns are observed.

cdef class Block:
    """The labels (n x width; NaN: none) and the trace of a block, as plain memory."""
    cdef const double* Y
    cdef Py_ssize_t width, outputs, most
    cdef bint learns, traces, details
    cdef double* scores
    cdef double* experts
    cdef double* weights
    cdef list keep

    def __init__(self, Y, trace, Py_ssize_t k):
        cdef const double[:, ::1] labels
        self.keep = [Y, trace]
        self.learns, self.traces = Y is not None and len(Y) > 0, trace is not None and len(trace.scores) > 0
        self.details = self.traces and trace.detailed
        if self.learns:
            labels = Y
            self.Y, self.width = &labels[0, 0], labels.shape[1]
        if self.traces:
            self.scores, self.outputs = doubles(trace.scores, self.keep), trace.scores.shape[1]
        if self.details:
            self.experts, self.weights = doubles(trace.experts, self.keep), doubles(trace.weights, self.keep)
            self.most = trace.weights.shape[1]

    cdef void put(self, Py_ssize_t i, const double* p, const double* F, const double* a, Py_ssize_t n,
                  Py_ssize_t k) noexcept nogil:
        cdef Py_ssize_t e, j
        for j in range(k):
            self.scores[i * self.outputs + j] = p[j]
        if self.details:
            for e in range(n):
                self.weights[i * self.most + e] = a[e]
                for j in range(k):
                    self.experts[(i * self.most + e) * self.outputs + j] = F[e * k + j]


cdef class Pattern:
    """Which columns of a dense block are observed. Rows in a row usually share it, and then two passes over the
    row (no NaN inside, nothing but NaN outside) replace looking at every column."""
    cdef Py_ssize_t d, n, base, pending, segments
    cdef long long* cols
    cdef long long* idx
    cdef double* val
    cdef Py_ssize_t[16] begin, end
    cdef bint direct
    cdef object keep_cols, keep_idx, keep_val

    def __init__(self, Py_ssize_t d):
        self.d = d
        self.keep_cols, self.keep_idx, self.keep_val = np.zeros(d, np.int64), np.zeros(d, np.int64), np.zeros(d)
        self.cols, self.idx = integers(self.keep_cols, []), integers(self.keep_idx, [])
        self.val = doubles(self.keep_val, [])

    cdef void settle(self, Py_ssize_t n) noexcept nogil:
        """The first n entries of `cols` and `idx` are the pattern: find its runs of columns."""
        cdef Py_ssize_t j
        cdef bint run = True
        self.n, self.segments = n, 0
        for j in range(n):
            run = run and self.idx[j] == self.idx[0] + j
            if j == 0 or self.cols[j] != self.cols[j - 1] + 1:
                if self.segments == 16:
                    self.segments = 17
                    break
                self.begin[self.segments] = self.cols[j]
                self.segments += 1
            self.end[self.segments - 1] = self.cols[j] + 1
        if self.segments > 16:
            for j in range(n):
                run = run and self.idx[j] == self.idx[0] + j
        self.base = self.idx[0] if run else -1
        self.direct = self.segments == 1

    cdef bint fits(self, const double* row) noexcept nogil:
        cdef Py_ssize_t s, at = 0
        if self.segments > 16:
            return False
        for s in range(self.segments):
            if fesl_nans(row + at, self.begin[s] - at) != self.begin[s] - at:
                return False
            if fesl_nans(row + self.begin[s], self.end[s] - self.begin[s]) != 0:
                return False
            at = self.end[s]
        return fesl_nans(row + at, self.d - at) == self.d - at

    cdef const double* gather(self, const double* row) noexcept nogil:
        cdef Py_ssize_t j
        if self.direct:
            return row + self.begin[0]
        for j in range(self.n):
            self.val[j] = row[self.cols[j]]
        return self.val
