# The mathematics of the experts and of running statistics: `fesl.portfolio.experts`, `fesl.portfolio.inputs`.

cdef inline bint varies(double v, double mean) noexcept nogil:
    """Whether a variance is more than rounding."""
    return v > ROUNDING * (mean * mean + 1e-290)


cdef inline double held(double x, double n, double mean, double q, double least) noexcept nogil:
    """x, no further from the mean than it counts: max(n, least) variances."""
    cdef double gap = x - mean, most = max(n, least)
    if gap * gap * n <= most * q or n < 1.0 or not varies(q / n, mean):
        return x
    most = sqrt(most * (q / n))
    return min(mean + most, max(mean - most, x))


cdef inline void count_in(double x, double* n, double* mean, double* q) noexcept nogil:
    """One more value in Welford's sums."""
    cdef double gap
    x = held(x, n[0], mean[0], q[0], OUTLYING)
    gap = x - mean[0]
    n[0] += 1.0
    mean[0] += gap / n[0]
    q[0] += gap * (x - mean[0])


cdef inline double standard(double x, double n, double mean, double v) noexcept nogil:
    """(x - mean) / sd for a variance v, for x as far as it counts."""
    cdef double z = (x - mean) / sqrt(v)
    if z * z > OUTLYING and z * z > n:
        return copysign(sqrt(max(n, OUTLYING)), z)
    return z


cdef void chances(double* p, const double* f, double scale, Py_ssize_t K) noexcept nogil:
    """Softmax of f * scale, floored."""
    cdef double top = f[0] * scale, total = 0.0, v
    cdef Py_ssize_t k
    for k in range(1, K):
        top = max(top, f[k] * scale)
    for k in range(K):
        v = f[k] * scale - top
        p[k] = 1.0 if v == 0.0 else exp(v if v > -FLOOR else -FLOOR)
        total += p[k]
    for k in range(K):
        p[k] /= total


cdef void plain(double* p, const double* f, Py_ssize_t K) noexcept nogil:
    cdef double top = f[0], total = 0.0
    cdef Py_ssize_t k
    for k in range(1, K):
        top = max(top, f[k])
    for k in range(K):
        p[k] = exp(f[k] - top)
        total += p[k]
    for k in range(K):
        p[k] /= total


cdef double other(double d, double s) noexcept nogil:
    """q = 1 / (1 + e^x) at x = d + 2 s q, which lies between d and d + 2 s: Halley's steps, and halves of what is left
    where these leave it or do not become shorter."""
    cdef double low = d, high = d + 2.0 * s, x = d, q, g, w, slope, step, last = INFINITY
    cdef Py_ssize_t i
    for i in range(100):
        q = 1.0 / (1.0 + exp(x))
        g = x - d - 2.0 * s * q
        w = 2.0 * s * q * (1.0 - q)
        slope = 1.0 + w
        step = g * slope / (slope * slope + 0.5 * g * w * (1.0 - 2.0 * q))
        if fabs(step) < 1e-5:       # what is left is the cube of it
            return q + q * (1.0 - q) * step * (1.0 + (0.5 - q) * step)
        if g > 0.0:
            high = x
        else:
            low = x
        x -= step
        if not (low < x < high) or fabs(step) > 0.5 * last:
            x = 0.5 * (low + high)
        last = fabs(step)
    return 1.0 / (1.0 + exp(x))


cdef void mode(double* p, double* f, double* step, const double* m, double s, Py_ssize_t y, Py_ssize_t K) noexcept nogil:
    """p = softmax f at f = m + s (e_y - softmax f)."""
    cdef double most = 4.0, g, up, down, back, long_, cut
    cdef Py_ssize_t k, i
    if K == 2:
        p[1 - y] = other(m[y] - m[1 - y], s)
        p[y] = 1.0 - p[1 - y]
        return
    memcpy(f, m, K * sizeof(double))
    for k in range(K):
        step[k] = 0.0
    for i in range(100):
        plain(p, f, K)
        up = down = back = long_ = 0.0
        for k in range(K):
            g = f[k] - m[k] - s * ((1.0 if k == y else 0.0) - p[k])
            up += p[k] * g / (1.0 + s * p[k])
            down += p[k] / (1.0 + s * p[k])
            back += g * step[k]
        up *= s / down
        for k in range(K):
            g = f[k] - m[k] - s * ((1.0 if k == y else 0.0) - p[k])
            step[k] = (g + p[k] * up) / (1.0 + s * p[k])
            long_ = max(long_, fabs(step[k]))
        if back < 0.0:
            most *= 0.5
        cut = min(1.0, most / max(long_, 1e-300))
        for k in range(K):
            step[k] *= cut
            f[k] -= step[k]
        if long_ * cut < 1e-9:
            break
    plain(p, f, K)


cdef Py_ssize_t bin_of(double u) noexcept nogil:
    return <Py_ssize_t> min(BINS - 1.0, max(0.0, (u + SPAN) / (2.0 * SPAN) * BINS))


cdef inline double counted(const double* H) noexcept nogil:
    """The sum over the bins: whole numbers, so their order does not matter."""
    return ((H[0] + H[1]) + (H[2] + H[3])) + ((H[4] + H[5]) + H[6])


cdef void stack_learn(double* b, double* V, const double* z, double* p, double* f, double* mean, double* d, double* Vd,
                      Py_ssize_t y, Py_ssize_t S, Py_ssize_t K) noexcept nogil:
    """One Newton step of the stacker; z is S x K."""
    cdef Py_ssize_t i, k
    cdef double c, weight
    for k in range(K):
        f[k] = 0.0
        for i in range(S):
            f[k] += b[i] * z[i * K + k]
    plain(p, f, K)
    for i in range(S):
        mean[i] = 0.0
        for k in range(K):
            mean[i] += z[i * K + k] * p[k]
    for k in range(1 if K == 2 else K):
        weight = p[0] * p[1] if K == 2 else p[k]       # of two classes: both terms at once
        for i in range(S):
            d[i] = z[i * K] - z[i * K + 1] if K == 2 else z[i * K + k] - mean[i]
        fesl_gemv(Vd, V, S, S, d, S)
        c = fesl_dot(d, Vd, S)
        c = sqrt(weight / (1.0 + weight * c))
        for i in range(S):
            Vd[i] *= c
        fesl_downdate(V, Vd, S, S, S)
    for i in range(S):
        d[i] = z[i * K + y] - mean[i]
    fesl_gemv(Vd, V, S, S, d, S)
    for i in range(S):
        b[i] += Vd[i]
        V[i * S + i] += DRIFT / (S - 1)


cdef void conjugate(double* a, const double* R, const double* b, double* r, double* p, double* Rp,
                    Py_ssize_t n) noexcept nogil:
    """R a = b, roughly."""
    cdef double size = fesl_dot(b, b, n), first, curve, step, now
    cdef Py_ssize_t i, it
    first = size
    for i in range(n):
        a[i] = 0.0
        r[i] = p[i] = b[i]
    for it in range(STEPS):
        if size <= 1e-4 * first:
            break
        fesl_gemv(Rp, R, n, n, p, n)
        curve = fesl_dot(Rp, p, n)
        if curve <= 1e-3 * size:
            break
        step = size / curve
        fesl_axpy(a, step, p, n)
        fesl_axpy(r, -step, Rp, n)
        now = fesl_dot(r, r, n)
        for i in range(n):
            p[i] = r[i] + now / size * p[i]
        size = now


cdef long long patience(double rounds, double misses, double usual, double spells) noexcept nogil:
    """The number of absences in a row that means "gone": `fesl.portfolio.changes.lives`."""
    cdef double missed = misses + 0.5, goes_on
    cdef long long chance
    missed = max(missed / (rounds + 1.0), (missed + ALIKE * usual) / (rounds + 1.0 + ALIKE))
    chance = <long long> floor(log(ALARM / rounds) / log(missed)) + 1
    if spells <= 0.0:
        return chance
    goes_on = (max(0.0, misses - spells) + 0.5) / (misses + 2.0)
    return max(chance, <long long> floor(log(ALARM / (rounds * ((spells + 0.5) / (rounds + 1.0)))) / log(goes_on)) + 2)


cdef long long stillness(double repeats, double changes) noexcept nogil:
    """The number of repeats in a row that means "frozen": `fesl.portfolio.changes.lives`."""
    cdef double a = repeats + 0.5, b = repeats + changes + 1.0
    cdef double limit = log(ALARM / b) + lgamma(a) - lgamma(b)
    cdef long long low = STILL - 1, high = STILL, middle
    while lgamma(a + high) - lgamma(b + high) >= limit and high < NEVER:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if lgamma(a + middle) - lgamma(b + middle) >= limit:
            low = middle
        else:
            high = middle
    return high


cdef double deviation(double n, double mean, double q) noexcept nogil:
    cdef double sd = max(sqrt(q / max(n, 1.0)), sqrt(ROUNDING) * fabs(mean))
    return sd if sd > 0.0 else 1.0


cdef double log_density(double y, double m, double s, double a, double b) noexcept nogil:
    cdef double scale = b / a * (1.0 + s), nu = 2.0 * a
    return (lgamma((nu + 1.0) / 2.0) - lgamma(nu / 2.0) - 0.5 * log(nu)
            - 0.5 * log(scale) - (nu + 1.0) / 2.0 * log1p((y - m) * (y - m) / (nu * scale)))
