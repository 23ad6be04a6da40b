# The rule and the ledger as plain C; fesl.rules.base and fesl.regret say what they mean.

cdef void reweigh(double* log_a, const double* losses, Py_ssize_t n, double eta, double eta_next,
                  double delta) noexcept nogil:
    cdef double top = -INFINITY, total = 0.0, least = INFINITY, low, high
    cdef Py_ssize_t i
    for i in range(n):
        least = min(least, losses[i])
    for i in range(n):
        log_a[i] = (eta_next / eta) * log_a[i] - eta_next * (losses[i] - least)
        top = max(top, log_a[i])
    for i in range(n):
        log_a[i] -= top
        total += exp(log_a[i])
    total = log(total)
    for i in range(n):
        log_a[i] -= total
    if delta <= 0.0:
        return
    low = log(delta / n)
    for i in range(n):
        high = log1p(-delta) + log_a[i]
        log_a[i] = max(low, high) + log1p(exp(-fabs(low - high)))


cdef double uniform(unsigned long long seed, unsigned long long round) noexcept nogil:
    cdef unsigned long long z = seed * 0xD1342543DE82EF95ULL + (round + 1) * 0x9E3779B97F4A7C15ULL
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0


cdef Py_ssize_t draw(const double* a, Py_ssize_t n, double u) noexcept nogil:
    cdef double edge = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        edge += a[i]
        if u < edge:
            return i
    return n - 1


cdef void enter(double* sums, Py_ssize_t n, const double* losses, double realised, double expected) noexcept nogil:
    cdef double best = INFINITY
    cdef Py_ssize_t j
    for j in range(n):
        sums[n + j] = min(sums[n + j], best) + losses[j]
        best = min(best, sums[j])
    for j in range(n):
        sums[j] += losses[j]
        sums[2 * n + 2] = min(sums[2 * n + 2], losses[j])
        sums[2 * n + 3] = max(sums[2 * n + 3], losses[j])
    sums[2 * n] += realised
    sums[2 * n + 1] += expected
