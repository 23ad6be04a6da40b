/* The few loops over plain vectors that everything else is made of, written so that a compiler vectorises them:
   sums go through eight accumulators, since the order of a floating-point sum is part of its meaning. */
#ifndef FESL_VECTOR_H
#define FESL_VECTOR_H

#include <stddef.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__)
#define FESL_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define FESL_WIDE
#endif

/* a . b */
FESL_WIDE static double fesl_dot(const double *a, const double *b, ptrdiff_t n) {
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) s[j] += a[i + j] * b[i + j];
    for (; i < n; i++) s[0] += a[i] * b[i];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

/* y += c x */
FESL_WIDE static void fesl_axpy(double *y, double c, const double *x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) y[i] += c * x[i];
}

/* out_b = M_b . x for the rows b of M, a row every `stride` numbers */
FESL_WIDE static void fesl_gemv(double *out, const double *M, ptrdiff_t rows, ptrdiff_t stride,
                                const double *x, ptrdiff_t n) {
    for (ptrdiff_t b = 0; b < rows; b++) {
        const double *a = M + b * stride;
        double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        ptrdiff_t i = 0;
        for (; i + 8 <= n; i += 8)
            for (int j = 0; j < 8; j++) s[j] += a[i + j] * x[i + j];
        for (; i < n; i++) s[0] += a[i] * x[i];
        out[b] = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    }
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

/* the largest absolute value */
FESL_WIDE static double fesl_top(const double *a, ptrdiff_t n) {
    double m = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double v = a[i] < 0 ? -a[i] : a[i];
        m = v > m ? v : m;
    }
    return m;
}

/* one more sighting for each of a run of features */
FESL_WIDE static void fesl_see(long long *count, long long *last, ptrdiff_t n, long long times, long long round) {
    for (ptrdiff_t i = 0; i < n; i++) count[i] += times;
    for (ptrdiff_t i = 0; i < n; i++) last[i] = round;
}

#endif
