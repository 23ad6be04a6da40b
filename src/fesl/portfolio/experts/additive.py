"""A curve a feature, learned together.

f_k(x) = w_k0 + sum over present j of c_jk(u_j); a curve is a broken line between KNOTS knots that part
[-SPAN, SPAN] evenly, flat outside. A value between two knots is (1 - r) of the lower hat and r of the upper one:
A[j, k, b] are the weights of the hats and V[j, b] their variances, N(0, CURVE) at first, each on its own. Place 0
is the intercept, with a single hat. The step is that of `laplace`, or for numbers of `student`, with a diagonal
covariance and s = sum V h^2:

    w_k += (e_y - p)_k V h,           V /= 1 + c V h^2,   c = sum p_k (1 - p_k) / (K - 1)
    w_k += (y_k - m_k) / (1 + s) V h, V /= 1 + V h^2

so a round costs time proportional to features times classes. Absent features are left out.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.constants import KNOTS, SPAN


def hats(u: Floats) -> tuple[Ints, Floats]:
    """The knot below each value, and the share of the one above.

    >>> below, r = hats(np.array([-9.0, 0.0, 1.0, 9.0]))
    >>> below, r
    (array([0, 3, 4, 5]), array([0. , 0. , 0.5, 1. ]))
    """
    at = np.clip((u + SPAN) / (2.0 * SPAN) * (KNOTS - 1), 0.0, KNOTS - 1.0)
    below = np.minimum(np.floor(at), KNOTS - 2.0)
    return below.astype(np.int64), at - below


def project(A: Floats, V: Floats, present: Ints, u: Floats) -> tuple[Floats, float]:
    """The margins (one a class or target) and their variance."""
    b, r = hats(u)
    m = A[0, :, 0] + ((1.0 - r) * A[present, :, b].T + r * A[present, :, b + 1].T).sum(axis=1)
    s = V[0, 0] + ((1.0 - r) ** 2 * V[present, b] + r**2 * V[present, b + 1]).sum()
    return m, float(s)


def learn(A: Floats, V: Floats, present: Ints, u: Floats, g: Floats, c: float) -> None:
    """One step, in place: w_k += g_k V h, V /= 1 + c V h^2."""
    b, r = hats(u)
    for places, knots, h in (
        (np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1)),
        (present, b, 1.0 - r),
        (present, b + 1, r),
    ):
        v = V[places, knots]
        A[places, :, knots] += np.multiply.outer(v * h, g)
        V[places, knots] = v / (1.0 + c * v * h * h)
