/* The loops of the local experts: curves, values, surfaces. Two classes, which are the most common, go by themselves. */
#ifndef FESL_LOCAL_H
#define FESL_LOCAL_H

#include "vector.h"

#define FESL_KNOTS 7

/* The knot below u, of those that part [-span, span], and the share of the one above. */
FESL_INLINE static inline double fesl_hats(double u, double span, ptrdiff_t *below) {
    const double last = FESL_KNOTS - 1;
    double at = (u + span) / (2 * span) * last;
    at = at > 0 ? at : 0, at = at < last ? at : last;
    *below = at < last - 1 ? (ptrdiff_t)at : FESL_KNOTS - 2;
    return at - *below;
}

/* The curves of n features j = here_i of value u_j, with their knots over [-span, span]: adds to the K margins m what
   they say, and returns its variance; leaves the `knot` below each value and the share of the one `above`. A feature
   holds FESL_KNOTS numbers a class in A, and their variances in V. */
FESL_WIDE static double fesl_curves(double *restrict m, const double *restrict A, const double *restrict V,
                                    const long long *restrict here, const double *restrict u, ptrdiff_t n, ptrdiff_t K,
                                    double span, long long *restrict knot, double *restrict above) {
    double s = 0, p = 0, q = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const long long j = here[i];
        ptrdiff_t b;
        const double r = fesl_hats(u[j], span, &b), t = 1 - r, *v = V + j * FESL_KNOTS + b, *a = A + j * K * FESL_KNOTS + b;
        knot[i] = b, above[i] = r;
        s += t * t * v[0] + r * r * v[1];
        if (K == 2)
            p += t * a[0] + r * a[1], q += t * a[FESL_KNOTS] + r * a[FESL_KNOTS + 1];
        else
            for (ptrdiff_t k = 0; k < K; k++) m[k] += t * a[k * FESL_KNOTS] + r * a[k * FESL_KNOTS + 1];
    }
    if (K == 2) m[0] += p, m[1] += q;
    return s;
}

/* The same curves take a step: w += V h g and V /= 1 + c V h^2 where the height is h */
FESL_WIDE static void fesl_bend(double *restrict A, double *restrict V, const long long *restrict here,
                                const long long *restrict knot, const double *restrict above, ptrdiff_t n,
                                const double *restrict g, double c, ptrdiff_t K) {
    for (ptrdiff_t i = 0; i < n; i++) {
        const long long j = here[i];
        const double r = above[i], t = 1 - r;
        double *v = V + j * FESL_KNOTS + knot[i], *a = A + j * K * FESL_KNOTS + knot[i];
        const double x = v[0] * t, y = v[1] * r;
        v[0] /= 1 + c * x * t, v[1] /= 1 + c * y * r;
        if (K == 2) {
            a[0] += x * g[0], a[1] += y * g[0];
            a[FESL_KNOTS] += x * g[1], a[FESL_KNOTS + 1] += y * g[1];
        } else
            for (ptrdiff_t k = 0; k < K; k++) a[k * FESL_KNOTS] += x * g[k], a[k * FESL_KNOTS + 1] += y * g[k];
    }
}

/* What is known of n values at the places `at`: a line of width K + 2, sightings, variance and K weights, for each of
   `lines` places of a feature. A value at place 0 lies on the line of its feature, others have a weight of their own.
   Adds to the K margins m what they say, and returns its variance. */
FESL_WIDE static double fesl_valued(double *restrict m, const double *restrict known, const long long *restrict here,
                                    const long long *restrict at, const double *restrict u, ptrdiff_t n,
                                    ptrdiff_t lines, ptrdiff_t K) {
    double s = 0, p = 0, q = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double *w = known + (here[i] * lines + at[i]) * (2 + K), h = at[i] ? 1 : u[here[i]];
        s += h * h * w[1];
        if (K == 2)
            p += h * w[2], q += h * w[3];
        else
            for (ptrdiff_t k = 0; k < K; k++) m[k] += h * w[2 + k];
    }
    if (K == 2) m[0] += p, m[1] += q;
    return s;
}

/* The same values take a step */
FESL_WIDE static void fesl_value(double *restrict known, const long long *restrict here, const long long *restrict at,
                                 const double *restrict u, ptrdiff_t n, ptrdiff_t lines, const double *restrict g,
                                 double c, ptrdiff_t K) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double *w = known + (here[i] * lines + at[i]) * (2 + K), h = at[i] ? 1 : u[here[i]], v = w[1] * h;
        w[1] /= 1 + c * v * h;
        for (ptrdiff_t k = 0; k < K; k++) w[2 + k] += v * g[k];
    }
}

/* The surfaces of all pairs of n features that are there: each has a slot (ascending), the knot below its value and the
   share r of the one above. Slots a > b meet in table 1 + a (a - 1) / 2 + b of FESL_KNOTS^2 knots; a knot holds K
   numbers, its variance and K - 1 weights. Adds to m, from place 1 on, what the surfaces say, and returns its variance;
   leaves where each pair is, `at`, and the `height` at its four knots, for the step. */
FESL_WIDE static double fesl_surfaces(double *restrict m, const double *restrict G, const long long *slot,
                                      const long long *knot, const double *r, ptrdiff_t n, ptrdiff_t K,
                                      long long *restrict at, double *restrict height) {
    const ptrdiff_t table = FESL_KNOTS * FESL_KNOTS * K, row = FESL_KNOTS * K;
    double s = 0, t = 0, p = 0, q = 0;
    for (ptrdiff_t i = 1; i < n; i++) {
        ptrdiff_t first = (1 + slot[i] * (slot[i] - 1) / 2) * table + knot[i] * row;
        for (ptrdiff_t j = 0; j < i; j++, height += 4) {
            double *h = height, both = r[i] * r[j];
            const double *x = G + (*at++ = first + slot[j] * table + knot[j] * K), *y = x + row;
            h[0] = 1 - r[i] - r[j] + both, h[1] = r[j] - both, h[2] = r[i] - both, h[3] = both;
            s += h[0] * h[0] * x[0] + h[1] * h[1] * x[K];
            t += h[2] * h[2] * y[0] + h[3] * h[3] * y[K];
            if (K == 2)
                p += h[0] * x[1] + h[1] * x[3], q += h[2] * y[1] + h[3] * y[3];
            else
                for (ptrdiff_t k = 1; k < K; k++)
                    m[k] += (h[0] * x[k] + h[1] * x[K + k]) + (h[2] * y[k] + h[3] * y[K + k]);
        }
    }
    if (K == 2) m[1] += p + q;
    return s + t;
}

/* The same surfaces take a step: w += V h g and V /= 1 + c V h^2 where the height is h */
FESL_WIDE static void fesl_form(double *restrict G, const long long *restrict at, const double *restrict height,
                                ptrdiff_t n, const double *restrict g, double c, ptrdiff_t K) {
    for (ptrdiff_t i = 0; i < n * (n - 1) / 2; i++, height += 4) {
        double *x = G + at[i], *y = x + FESL_KNOTS * K, V[4] = {x[0], x[K], y[0], y[K]}, step[4];
        for (int t = 0; t < 4; t++) step[t] = V[t] * height[t];
        for (int t = 0; t < 4; t++) V[t] /= 1 + c * step[t] * height[t];
        x[0] = V[0], x[K] = V[1], y[0] = V[2], y[K] = V[3];
        if (K == 2)
            x[1] += step[0] * g[1], x[3] += step[1] * g[1], y[1] += step[2] * g[1], y[3] += step[3] * g[1];
        else
            for (ptrdiff_t k = 1; k < K; k++) {
                x[k] += step[0] * g[k], x[K + k] += step[1] * g[k];
                y[k] += step[2] * g[k], y[K + k] += step[3] * g[k];
            }
    }
}

/* at_i: where the value x_j of each feature j = here_i stands in its line of n numbers, no two of them equal:
   from 1 on, 0 if it does not */
FESL_WIDE static void fesl_find(long long *restrict at, const double *restrict lines, const double *restrict x,
                                const long long *restrict here, ptrdiff_t present, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < present; i++) {
        const double *a = lines + here[i] * n, v = x[here[i]];
        long long hit = 0; /* there is one at most */
        for (long long k = 0; k < n; k++) hit += a[k] == v ? k + 1 : 0;
        at[i] = hit;
    }
}

#endif
