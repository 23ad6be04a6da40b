"""Running standardisation: z = (x - mean) / sd, squashed: c asinh(z / c) with c = SQUASH, which is z where it is
small and a logarithm where it is large.

Welford's sums per feature: n, mu, q = sum (x - mu)^2. A value counts in its own statistics, when predicting too
(then the state is left as it was). It counts as no further from the mean than max(n, OUTLYING) variances: so one
value, however wild, at most doubles the variance (or, at first, is forty deviations away), and if it was no
mistake but a new level the variance is there in a few rounds. Hence |z| <= sqrt(max(n, OUTLYING)). What does not
vary is zero. Scaling or shifting a feature changes nothing but rounding.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats
from fesl.portfolio.constants import OUTLYING, SQUASH

#: A variance below this times the squared mean is rounding.
ROUNDING = 1e-26


def held(x: Floats, n: Floats, mean: Floats, q: Floats, least: float = OUTLYING) -> Floats:
    """x, no further from the mean than it counts: max(n, least) variances.

    >>> held(np.array([3.0, 1e9]), np.full(2, 100.0), np.zeros(2), np.full(2, 100.0))
    array([ 3., 40.])
    """
    v = variance(n, mean, q)
    most = np.sqrt(np.maximum(n, least) * v)
    return np.where(v > 0.0, np.clip(x, mean - most, mean + most), x)


def counted(x: Floats, n: Floats, mean: Floats, q: Floats) -> tuple[Floats, Floats, Floats]:
    """The sums with x in them.

    >>> counted(np.array([3.0]), np.ones(1), np.ones(1), np.zeros(1))
    (array([2.]), array([2.]), array([2.]))
    """
    x = held(x, n, mean, q)
    n = n + 1.0
    gap = x - mean
    mean = mean + gap / n
    return n, mean, q + gap * (x - mean)


def variance(n: Floats, mean: Floats, q: Floats) -> Floats:
    """Zero where it is but rounding.

    >>> variance(np.array([2.0, 2.0]), np.array([2.0, 1e9]), np.array([2.0, 1e-9]))
    array([1., 0.])
    """
    v = q / np.maximum(n, 1.0)
    return np.where(v > ROUNDING * (mean * mean + 1e-290), v, 0.0)


def standard(x: Floats, n: Floats, mean: Floats, q: Floats) -> Floats:
    """(x - mean) / sd, for x as far as it counts.

    >>> standard(np.array([3.0]), np.array([2.0]), np.array([2.0]), np.array([2.0]))
    array([1.])
    """
    v, most = variance(n, mean, q), np.sqrt(np.maximum(n, OUTLYING))
    return np.where(v > 0.0, np.clip((x - mean) / np.sqrt(np.where(v > 0.0, v, 1.0)), -most, most), 0.0)


def squash(z: Floats) -> Floats:
    """
    >>> squash(np.array([0.1, 1.0, 10.0])).round(3)
    array([0.1  , 0.938, 3.894])
    """
    return np.asarray(SQUASH * np.arcsinh(z / SQUASH))


def squashed(x: Floats, n: Floats, mean: Floats, q: Floats) -> Floats:
    """(x - mean) / sd, squashed.

    >>> squashed(np.array([3.0]), np.array([2.0]), np.array([2.0]), np.array([2.0])).round(3)
    array([0.938])
    """
    return squash(standard(x, n, mean, q))
