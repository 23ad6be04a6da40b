# One expert as plain C: pointers into the arrays of a LinearModel or a RecoveredModel, and its scratch space.

cdef struct Event:            # the observed features of one event
    Py_ssize_t n
    const long long* idx
    const double* val
    Py_ssize_t base           # the first id where ids are consecutive, else -1


cdef Py_ssize_t run_of(const long long* idx, Py_ssize_t n) noexcept nogil:
    """The first of the ids where they are consecutive, else -1."""
    cdef Py_ssize_t i
    for i in range(1, n):
        if idx[i] != idx[0] + i:
            return -1
    return idx[0] if n else -1


cdef struct Omega:            # the projection
    double radius, low, high

cdef struct Expert:
    double* W                 # (capacity x k): weights of observed features
    double* num               # scale, squared norm
    bint learns
    bint direct               # whether W counts: always, but for a recovered model without survivors
    # a recovered model has a lens
    bint recovered
    Py_ssize_t m              # coordinates of phi
    Py_ssize_t B              # coordinates of P x; 0: nothing can be recovered, phi is zero
    double* C                 # (m x k)
    double* q                 # (m x k)
    double* passes            # (capacity): 1 for survivors
    Py_ssize_t padded         # m, rounded up to whole vectors: rows of H and lift are as long
    double* H                 # (m x padded), NULL: the identity
    Py_ssize_t width          # B, rounded up likewise
    double* P                 # (capacity x width), NULL: sparse columns
    long long* ptr
    long long* rows
    double* vals
    double* lift              # (B x padded), NULL: the identity
    double* z                 # scratch
    double* phi
    double* h


cdef double dot_at(const double* W, Event* x, Py_ssize_t k, Py_ssize_t j) noexcept nogil:
    """Output j of W'x."""
    cdef double s0 = 0.0, s1 = 0.0
    cdef Py_ssize_t i = 0, n = x.n
    cdef const long long* idx = x.idx
    cdef const double* val = x.val
    if k == 1:
        if x.base >= 0:
            return fesl_dot(W + x.base, val, n)
        while i + 2 <= n:
            s0 += W[idx[i]] * val[i]
            s1 += W[idx[i + 1]] * val[i + 1]
            i += 2
        if i < n:
            s0 += W[idx[i]] * val[i]
        return s0 + s1
    for i in range(n):
        s0 += W[idx[i] * k + j] * val[i]
    return s0


cdef void add_at(double* W, Event* x, Py_ssize_t k, Py_ssize_t j, double c) noexcept nogil:
    """W_j += c x."""
    cdef Py_ssize_t i, n = x.n
    cdef const long long* idx = x.idx
    cdef const double* val = x.val
    if k == 1:
        if x.base >= 0:
            fesl_axpy(W + x.base, c, val, n)
        else:
            for i in range(n):
                W[idx[i]] += c * val[i]
        return
    for i in range(n):
        W[idx[i] * k + j] += c * val[i]


cdef void look(Expert* e, Event* x) noexcept nogil:
    """phi = P x, lifted where P is not phi itself."""
    cdef Py_ssize_t i, p, stop, n = x.n
    cdef double v
    cdef const long long* ptr = e.ptr
    cdef const long long* rows = e.rows
    cdef const double* vals = e.vals
    cdef double* z = e.z if e.lift != NULL else e.phi
    if e.P != NULL and x.base >= 0:
        fesl_mix(z, e.P + x.base * e.width, n, e.width, e.width, x.val)
    else:
        memset(z, 0, e.width * sizeof(double))
        if e.P != NULL:
            for i in range(n):
                fesl_axpy(z, x.val[i], e.P + x.idx[i] * e.width, e.width)
        else:
            for i in range(n):
                v = x.val[i]
                stop = ptr[x.idx[i] + 1]
                for p in range(ptr[x.idx[i]], stop):
                    z[rows[p]] += v * vals[p]
    if e.lift != NULL:
        fesl_mix(e.phi, e.lift, e.B, e.padded, e.padded, z)


cdef void score_one(Expert* e, Event* x, Py_ssize_t k, double* f) noexcept nogil:
    """f = w'x; leaves phi behind for the step."""
    cdef Py_ssize_t i, j
    for j in range(k):
        f[j] = dot_at(e.W, x, k, j) if e.direct else 0.0
    if e.recovered and e.B > 0:
        look(e, x)
        if k == 1:
            f[0] += fesl_dot(e.phi, e.C, e.m)
        else:
            for i in range(e.m):
                for j in range(k):
                    f[j] += e.phi[i] * e.C[i * k + j]
    for j in range(k):
        f[j] *= e.num[0]
        if not (fabs(f[j]) <= LIMIT):
            f[j] = 0.0 if f[j] != f[j] else (LIMIT if f[j] > 0.0 else -LIMIT)


cdef double squared_norm(const double* v, Py_ssize_t n) noexcept nogil:
    return fesl_dot(v, v, n)


cdef double survivors(Expert* e, Event* x, Py_ssize_t k, const double* r) noexcept nogil:
    """Step what passes through; returns its squared norm."""
    cdef Py_ssize_t i, j
    cdef double v, x2 = 0.0
    for i in range(x.n):
        if e.passes[x.idx[i]] != 0.0:
            v = x.val[i]
            x2 += v * v
            for j in range(k):
                e.W[x.idx[i] * k + j] -= v * r[j]
    return x2


cdef bint through_lens(Expert* e, Py_ssize_t k, const double* r, double ss) noexcept nogil:
    """c -= s H phi, q += s phi; leaves h = H phi behind. False: the step would be too large, and is not taken."""
    cdef Py_ssize_t i, j
    cdef double size = 0.0
    if e.B == 0:
        return True
    for j in range(k):
        size = max(size, fabs(r[j]))
    if e.H != NULL:
        fesl_mix(e.h, e.H, e.m, e.padded, e.padded, e.phi)    # H is symmetric
    else:
        memcpy(e.h, e.phi, e.m * sizeof(double))
    if not (size * max(fesl_top(e.h, e.m), fesl_top(e.phi, e.m)) <= LIMIT):
        return False
    if not (ss * fesl_dot(e.phi, e.h, e.m) <= LIMIT):
        return False
    if k == 1:
        fesl_axpy(e.C, -r[0], e.h, e.m)
        fesl_axpy(e.q, r[0], e.phi, e.m)
        return True
    for i in range(e.m):
        for j in range(k):
            e.C[i * k + j] -= e.h[i] * r[j]
            e.q[i * k + j] += e.phi[i] * r[j]
    return True


cdef void onto_box(Expert* e, Event* x, Py_ssize_t k, Omega* o) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(x.n):
        for j in range(k):
            e.W[x.idx[i] * k + j] = min(max(e.W[x.idx[i] * k + j], o.low), o.high)
    for i in range(e.m * k):
        e.C[i] = min(max(e.C[i], o.low), o.high)


cdef bint descend(Expert* e, Event* x, Py_ssize_t k, const double* f, double* s, Omega* o) noexcept nogil:
    """w <- Proj(w - s x'), after `score_one` of the same event. Overwrites s by s / scale. True: the scale has become
    tiny and must be folded back."""
    cdef Py_ssize_t j
    cdef double x2, sf = 0.0, ss = 0.0
    for j in range(k):
        sf += s[j] * f[j]
        ss += s[j] * s[j]
        s[j] /= e.num[0]
    if e.recovered:
        if not through_lens(e, k, s, ss):
            return False
        x2 = fesl_dot(e.phi, e.h, e.m)
        if e.direct:
            x2 += survivors(e, x, k, s)
    else:
        for j in range(k):
            add_at(e.W, x, k, j, -s[j])
        x2 = squared_norm(x.val, x.n) if o.radius < INFINITY else 0.0
    if o.radius < INFINITY:
        e.num[1] += -2.0 * sf + ss * x2
        if e.num[1] > o.radius * o.radius:
            e.num[0] *= o.radius / sqrt(e.num[1])
            e.num[1] = o.radius * o.radius
    if o.low > -INFINITY or o.high < INFINITY:
        onto_box(e, x, k, o)
    return e.num[0] < 1e-100
