# Small work on whole arrays that has nothing to do with learning.

def top(const double[::1] values):
    """The largest absolute value; NaN does not count."""
    return fesl_top(&values[0], values.shape[0]) if values.shape[0] else 0.0


def odd(const double[::1] values, double limit):
    """Whether any value is NaN or beyond the limit."""
    return values.shape[0] > 0 and fesl_odd(&values[0], values.shape[0], limit) > 0


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
