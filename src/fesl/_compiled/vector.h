/* The few loops over plain vectors that everything else is made of, written so that a compiler vectorises them:
   sums go through many accumulators, since the order of a floating-point sum is part of its meaning. */
#ifndef FESL_VECTOR_H
#define FESL_VECTOR_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__)
#if __GNUC__ >= 12
#define FESL_WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FESL_WIDE __attribute__((target_clones("avx2", "default")))
#endif
#define FESL_INLINE __attribute__((always_inline)) /* or it would not be cloned with its callers */
#else
#define FESL_WIDE
#define FESL_INLINE
#endif

/* a . b, the body of every sum of products */
FESL_INLINE static inline double fesl_sum(const double *a, const double *b, ptrdiff_t n) {
    double s[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, t = 0;
    ptrdiff_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int j = 0; j < 16; j++) s[j] += a[i + j] * b[i + j];
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) s[j] += a[i + j] * b[i + j];
    for (; i < n; i++) t += a[i] * b[i];
    for (int j = 0; j < 8; j++) s[j] += s[j + 8];
    return t + (((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])));
}

/* a . b */
FESL_WIDE static double fesl_dot(const double *a, const double *b, ptrdiff_t n) { return fesl_sum(a, b, n); }

/* y += c x */
FESL_WIDE static void fesl_axpy(double *y, double c, const double *x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) y[i] += c * x[i];
}

/* out_b = M_b . x for the rows b of M, a row every `stride` numbers */
FESL_WIDE static void fesl_gemv(double *out, const double *M, ptrdiff_t rows, ptrdiff_t stride,
                                const double *x, ptrdiff_t n) {
    for (ptrdiff_t b = 0; b < rows; b++) out[b] = fesl_sum(M + b * stride, x, n);
}

/* out = M' x for the n rows of M, each of m numbers, a row every `stride`: four rows at a time, so that `out` is read
   and written less */
FESL_WIDE static void fesl_mix(double *restrict out, const double *restrict M, ptrdiff_t n, ptrdiff_t m, ptrdiff_t stride,
                               const double *restrict x) {
    ptrdiff_t i = 0;
    for (ptrdiff_t j = 0; j < m; j++) out[j] = 0;
    for (; i + 4 <= n; i += 4) {
        const double *a = M + i * stride, *b = a + stride, *c = b + stride, *d = c + stride;
        double p = x[i], q = x[i + 1], r = x[i + 2], s = x[i + 3];
        for (ptrdiff_t j = 0; j < m; j++) out[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * d[j]);
    }
    for (; i < n; i++)
        for (ptrdiff_t j = 0; j < m; j++) out[j] += x[i] * M[i * stride + j];
}

/* P -= v v' in the first n rows and m columns of P, its rows a `stride` apart */
FESL_WIDE static void fesl_downdate(double *restrict P, const double *restrict v, ptrdiff_t n, ptrdiff_t m,
                                    ptrdiff_t stride) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double c = v[i], *row = P + i * stride;
        for (ptrdiff_t j = 0; j < m; j++) row[j] -= c * v[j];
    }
}

/* S += u u' and C += 1 */
FESL_WIDE static void fesl_relate(double *restrict S, double *restrict C, const double *restrict u, ptrdiff_t n,
                                  ptrdiff_t stride) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double c = u[i], *s = S + i * stride, *t = C + i * stride;
        for (ptrdiff_t j = 0; j < n; j++) s[j] += c * u[j];
        for (ptrdiff_t j = 0; j < n; j++) t[j] += 1.0;
    }
}

/* log x of a positive normal number, without a branch, so that loops over it are vectorised: x = 2^k m with m between
   sqrt(1/2) and sqrt(2), and log m = 2 atanh f with f = (m - 1) / (m + 1), |f| < .172, by its power series */
FESL_INLINE static inline double fesl_log(double x) {
    const unsigned long long root = 0x3fe6a09e667f3bcdULL, bias = 1023ULL << 52; /* the bits of sqrt(1/2); of 2^0 */
    unsigned long long bits, k;
    double m, power, f, g, sum = 2.0 / 25;
    memcpy(&bits, &x, sizeof x);
    k = (bits - root + bias) >> 52;
    bits -= (k << 52) - bias;
    memcpy(&m, &bits, sizeof m);
    k |= 0x4330000000000000ULL; /* 2^52 + k, as a number */
    memcpy(&power, &k, sizeof power);
    power -= 4503599627370496.0 + 1023.0;
    f = (m - 1.0) / (m + 1.0);
    g = f * f;
    for (int i = 23; i >= 1; i -= 2) sum = sum * g + 2.0 / i;
    return power * 0.6931471805599453 + f * sum;
}

/* out = log x of positive normal numbers */
FESL_WIDE static void fesl_logs(double *out, const double *x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) out[i] = fesl_log(x[i]);
}

/* out = c asinh(x / c) for |x| < 1e150 c: with v = x / c, asinh v = sign(v) log(1 + a), a = |v| + v^2 / (1 + sqrt(1 + v^2)).
   What 1 + a loses to rounding is added again. */
FESL_WIDE static void fesl_asinhs(double *out, const double *x, double c, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double v = x[i] / c, a = fabs(v) + v * v / (1.0 + sqrt(1.0 + v * v)), t = 1.0 + a;
        out[i] = c * copysign(fesl_log(t) + (a - (t - 1.0)) / t, v);
    }
}

/* What feature j adds to how far row i is from x: v_j min((x_j - r_ji)^2, top_j), so v_j top_j where the row lacks it,
   which is told by r_ji = infinity. The rows are the columns of X; line j begins at X + at_j stride. */
FESL_INLINE static inline double fesl_gap(double x, double r, double v, double top) {
    double gap = (x - r) * (x - r);
    return v * (gap < top ? gap : top);
}

/* far_i = the sum of that over the features, four at a time */
FESL_WIDE static void fesl_apart(double *restrict far, const double *restrict X, ptrdiff_t stride, const long long *at,
                                 const double *x, const double *v, const double *top, ptrdiff_t n, ptrdiff_t rows) {
    ptrdiff_t j = 0;
    memset(far, 0, rows * sizeof *far);
    for (; j + 4 <= n; j += 4) {
        const double *a = X + at[j] * stride, *b = X + at[j + 1] * stride, *c = X + at[j + 2] * stride,
                     *d = X + at[j + 3] * stride;
        double xa = x[j], xb = x[j + 1], xc = x[j + 2], xd = x[j + 3], va = v[j], vb = v[j + 1], vc = v[j + 2],
               vd = v[j + 3], ta = top[j], tb = top[j + 1], tc = top[j + 2], td = top[j + 3];
        for (ptrdiff_t i = 0; i < rows; i++)
            far[i] += (fesl_gap(xa, a[i], va, ta) + fesl_gap(xb, b[i], vb, tb)) +
                      (fesl_gap(xc, c[i], vc, tc) + fesl_gap(xd, d[i], vd, td));
    }
    for (; j < n; j++) {
        const double *a = X + at[j] * stride, xa = x[j], va = v[j], ta = top[j];
        for (ptrdiff_t i = 0; i < rows; i++) far[i] += fesl_gap(xa, a[i], va, ta);
    }
}

/* lack_i += part where row i lacks the feature with this line */
FESL_WIDE static void fesl_lack(double *restrict lack, const double *restrict line, double part, ptrdiff_t rows) {
    for (ptrdiff_t i = 0; i < rows; i++) lack[i] += line[i] < 1e150 ? 0 : part;
}

/* w_i = (1 + c (w_i - least))^-4, and the sum of it; for w_i = infinity that is 0 */
FESL_WIDE static double fesl_near(double *restrict w, double c, double least, ptrdiff_t rows) {
    double s[4] = {0, 0, 0, 0};
    ptrdiff_t i = 0;
    for (; i < rows; i++) {
        double t = 1 / (1 + c * (w[i] - least));
        t *= t;
        w[i] = t * t;
    }
    for (i = 0; i + 4 <= rows; i += 4)
        for (int j = 0; j < 4; j++) s[j] += w[i + j];
    for (; i < rows; i++) s[0] += w[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* d_i = far_i / whole, and the least of them */
FESL_WIDE static double fesl_least(double *restrict d, double whole, ptrdiff_t rows) {
    double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, share = 1 / whole;
    ptrdiff_t i = 0;
    for (; i + 4 <= rows; i += 4)
        for (int j = 0; j < 4; j++) {
            d[i + j] *= share;
            least[j] = d[i + j] < least[j] ? d[i + j] : least[j];
        }
    for (; i < rows; i++) {
        d[i] *= share;
        least[0] = d[i] < least[0] ? d[i] : least[0];
    }
    for (int j = 1; j < 4; j++) least[0] = least[j] < least[0] ? least[j] : least[0];
    return least[0];
}

/* The sum of w_i (y_i - mean) */
FESL_WIDE static double fesl_about(const double *w, const double *y, double mean, ptrdiff_t rows) {
    double s[4] = {0, 0, 0, 0};
    ptrdiff_t i = 0;
    for (; i + 4 <= rows; i += 4)
        for (int j = 0; j < 4; j++) s[j] += w[i + j] * (y[i + j] - mean);
    for (; i < rows; i++) s[0] += w[i] * (y[i] - mean);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* how many of the numbers are NaN */
FESL_WIDE static double fesl_nans(const double *a, ptrdiff_t n) {
    double c = 0;
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) s[j] += a[i + j] != a[i + j] ? 1.0 : 0.0;
    for (; i < n; i++) c += a[i] != a[i] ? 1.0 : 0.0;
    for (int j = 0; j < 8; j++) c += s[j];
    return c;
}

/* the largest absolute value; NaN does not count */
FESL_WIDE static double fesl_top(const double *a, ptrdiff_t n) {
    double m[8] = {0, 0, 0, 0, 0, 0, 0, 0}, top = 0;
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) {
            double v = fabs(a[i + j]);
            m[j] = v > m[j] ? v : m[j];
        }
    for (; i < n; i++) top = fabs(a[i]) > top ? fabs(a[i]) : top;
    for (int j = 0; j < 8; j++) top = m[j] > top ? m[j] : top;
    return top;
}

/* how many of the numbers are NaN or beyond the limit */
FESL_WIDE static double fesl_odd(const double *a, ptrdiff_t n, double limit) {
    double c = 0;
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) s[j] += fabs(a[i + j]) <= limit ? 0.0 : 1.0;
    for (; i < n; i++) c += fabs(a[i]) <= limit ? 0.0 : 1.0;
    for (int j = 0; j < 8; j++) c += s[j];
    return c;
}

/* one more sighting for each of a run of features */
FESL_WIDE static void fesl_see(long long *count, long long *last, ptrdiff_t n, long long times, long long round) {
    for (ptrdiff_t i = 0; i < n; i++) count[i] += times;
    for (ptrdiff_t i = 0; i < n; i++) last[i] = round;
}

#endif
