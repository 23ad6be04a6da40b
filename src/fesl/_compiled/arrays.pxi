# Small work on whole arrays that has nothing to do with learning.

def top(const double[::1] values):
    """The largest absolute value; NaN does not count."""
    return fesl_top(&values[0], values.shape[0]) if values.shape[0] else 0.0


def odd(const double[::1] values, double limit):
    """Whether any value is NaN or beyond the limit."""
    return values.shape[0] > 0 and fesl_odd(&values[0], values.shape[0], limit) > 0


def middle(const double[:, :] X):
    """`fesl.portfolio.changes.recalibration.middle`."""
    cdef Py_ssize_t rows = X.shape[0], n = X.shape[1], i, j
    count, mean, v = np.zeros(n), np.zeros(n), np.zeros(n)
    cdef double[::1] m = count, s = mean, q = v
    cdef long long[:, ::1] end = np.full((2, n), -1, np.int64)
    for i in range(rows):
        for j in range(n):
            if X[i, j] == X[i, j]:
                m[j] += 1.0
                if end[0, j] < 0 or X[i, j] < X[end[0, j], j]:
                    end[0, j] = i
                if end[1, j] < 0 or X[i, j] >= X[end[1, j], j]:
                    end[1, j] = i
    for i in range(rows):
        for j in range(n):
            if X[i, j] == X[i, j] and i != end[0, j] and i != end[1, j]:
                s[j] += X[i, j]
    for j in range(n):
        s[j] /= max(m[j] - 2.0, 1.0)
    for i in range(rows):
        for j in range(n):
            if X[i, j] == X[i, j] and i != end[0, j] and i != end[1, j]:
                q[j] += (X[i, j] - s[j]) * (X[i, j] - s[j])
    for j in range(n):
        q[j] /= max(m[j] - 2.0, 1.0)
    return count, mean, v


def padded(matrix, Py_ssize_t width):
    """A copy with zeros appended to each row up to the width."""
    out = np.zeros((len(matrix), width))
    out[:, : matrix.shape[1]] = matrix
    return out


def mark(cols, seen):
    """seen[c] = 1 for every column c of 32 or 64 bits."""
    cdef const long long[::1] wide
    cdef const int[::1] narrow
    cdef unsigned char[::1] out = seen
    cdef Py_ssize_t i
    if cols.dtype.itemsize == 4:
        narrow = cols
        for i in range(narrow.shape[0]):
            out[narrow[i]] = 1
    else:
        wide = cols
        for i in range(wide.shape[0]):
            out[wide[i]] = 1


cdef class Scratch:
    """Zeroed numbers, freed with the object."""
    cdef double* at

    def __cinit__(self, Py_ssize_t n):
        self.at = <double*> calloc(max(n, 1), sizeof(double))
        if self.at == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.at)
