# One round of a wide classifier, over the places that an event holds: `fesl.portfolio.wide` says what it means.

def wide_margins(const long long[::1] j, const double[::1] u, const double[:, :, ::1] w, const double[:, ::1] P,
                 double[:, ::1] m, double[::1] s, double[:, ::1] Pu):
    """m = sum_j w_j u_j (E x K), s = sum_j P_j u_j^2 (E), Pu = P_j u_j (n x E)."""
    cdef Py_ssize_t i, e, k, E = w.shape[1], K = w.shape[2]
    cdef double v
    for i in range(j.shape[0]):
        v = u[i]
        for e in range(E):
            Pu[i, e] = P[j[i], e] * v
            s[e] += Pu[i, e] * v
            for k in range(K):
                m[e, k] += w[j[i], e, k] * v


def wide_step(const long long[::1] j, const double[::1] u, double[:, :, ::1] w, double[:, ::1] P,
              const double[:, ::1] g, const double[:, ::1] Pu, const double[::1] h, const double[::1] tau,
              const double[::1] keep):
    """w_j += Pu g, P_j /= 1 + h P_j u_j^2, then what forgets widens."""
    cdef Py_ssize_t i, e, k, E = w.shape[1], K = w.shape[2]
    cdef double v
    for i in range(j.shape[0]):
        for e in range(E):
            for k in range(K):
                w[j[i], e, k] += Pu[i, e] * g[e, k]
            v = P[j[i], e]
            v = v / (1.0 + h[e] * v * (u[i] * u[i]))
            P[j[i], e] = v + (1.0 - keep[e]) * tau[e] if tau[e] > v else v


def modes(const double[:, ::1] m, const double[::1] s, Py_ssize_t y):
    """p = softmax f at f = m + s (e_y - softmax f), one row an expert."""
    cdef Py_ssize_t e, E = m.shape[0], K = m.shape[1]
    out, scratch = np.empty((E, K)), np.empty((2, K))
    cdef double[:, ::1] p = out, f = scratch
    for e in range(E):
        mode(&p[e, 0], &f[0, 0], &f[1, 0], &m[e, 0], s[e], y, K)
    return out
