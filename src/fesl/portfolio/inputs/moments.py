"""What is absent, given what is present.

Sums over the rows that hold both features, S_ij = sum u_i u_j and C_ij their number, make shrunk second moments,
for p features present,

    R_ij = S_ij / (C_ij + p + 1),   R_ii = (S_ii + p + 1) / (C_ii + p + 1) + ridge,

and E[u_j | present] = R_jP a with R_PP a = u_P.

R comes from different rows in different places, so it need not be positive definite: conjugate gradients from zero
are stopped before they meet a direction that is not, and after a few steps anyway, which shrinks once more.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.constants import CLIP, RIDGE, STEPS


def expected(u: Floats, present: Ints, wanted: Ints, S: Floats, C: Floats, ridge: float = RIDGE) -> Floats:
    """E[u_wanted | u_present], clipped.

    >>> S, C = np.array([[99.0, 90.0], [90.0, 99.0]]), np.full((2, 2), 99.0)
    >>> expected(np.array([1.0, 0.0]), np.array([0]), np.array([1]), S, C).round(3)
    array([0.81])
    """
    present = present[u[present] != 0.0]
    if not len(present) or not len(wanted):
        return np.zeros(len(wanted))
    nu = len(present) + 1.0
    R = S[np.ix_(present, present)] / (C[np.ix_(present, present)] + nu)
    np.fill_diagonal(R, (S[present, present] + nu) / (C[present, present] + nu) + ridge)
    a = solve(R, u[present])
    cross = S[np.ix_(wanted, present)] / (C[np.ix_(wanted, present)] + nu)
    return np.clip(cross @ a, -CLIP, CLIP)


def solve(R: Floats, b: Floats) -> Floats:
    """R a = b, roughly, by conjugate gradients."""
    a, r, p = np.zeros(len(b)), b.copy(), b.copy()
    size = first = float(r @ r)
    for _ in range(STEPS):
        if size <= 1e-4 * first:
            break
        Rp = R @ p
        curve = float(Rp @ p)
        if curve <= 1e-3 * size:
            break
        step = size / curve
        a += step * p
        r -= step * Rp
        now = float(r @ r)
        p = r + now / size * p
        size = now
    return a
