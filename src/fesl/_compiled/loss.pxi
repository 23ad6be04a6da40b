# The losses as plain C: value and gradient at one score vector.

ctypedef double (*Value)(const double* f, const double* y, Py_ssize_t k) noexcept nogil
ctypedef void (*Gradient)(const double* f, const double* y, double* g, Py_ssize_t k) noexcept nogil

cdef double LN2 = 0.6931471805599453


cdef double logistic_value(const double* f, const double* y, Py_ssize_t k) noexcept nogil:
    cdef double m = -y[0] * f[0]
    return (max(m, 0.0) + log1p(exp(-fabs(m)))) / LN2


cdef void logistic_gradient(const double* f, const double* y, double* g, Py_ssize_t k) noexcept nogil:
    cdef double m = -y[0] * f[0], e = exp(-fabs(m))
    g[0] = -y[0] * (1.0 / (1.0 + e) if m >= 0.0 else e / (1.0 + e)) / LN2


cdef double squared_value(const double* f, const double* y, Py_ssize_t k) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t j
    for j in range(k):
        total += (y[j] - f[j]) * (y[j] - f[j])
    return total


cdef void squared_gradient(const double* f, const double* y, double* g, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(k):
        g[j] = 2.0 * (f[j] - y[j])


cdef double softmax_value(const double* f, const double* y, Py_ssize_t k) noexcept nogil:
    cdef double top = f[0], total = 0.0
    cdef Py_ssize_t j
    for j in range(1, k):
        top = max(top, f[j])
    for j in range(k):
        total += exp(f[j] - top)
    return (top + log(total) - f[<Py_ssize_t>y[0]]) / LN2


cdef void softmax_gradient(const double* f, const double* y, double* g, Py_ssize_t k) noexcept nogil:
    cdef double top = f[0], total = 0.0
    cdef Py_ssize_t j
    for j in range(1, k):
        top = max(top, f[j])
    for j in range(k):
        g[j] = exp(f[j] - top)
        total += g[j]
    for j in range(k):
        g[j] /= total
    g[<Py_ssize_t>y[0]] -= 1.0
    for j in range(k):
        g[j] /= LN2
