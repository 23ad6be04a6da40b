"""Naive Bayes on binned inputs: the one expert that only counts.

H[j, k, b] counts the rows of class k with u_j in bin b, BINS equal bins of [-SPAN, SPAN]; absent features are left
out. The score of class k is log(c_k + 1/2) + sum_j log((H_jkb + 4 pbar_b) / (n_jk + 4)), with pbar_b the frequency
of the bin whatever the class, smoothed by one.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.constants import BINS, SPAN


def frequencies(c: Floats) -> Floats:
    """Of the classes, given how often each was seen.

    >>> frequencies(np.array([2.5, 0.5]))
    array([0.75, 0.25])
    """
    return np.asarray((c + 0.5) / (c.sum() + 0.5 * len(c)))


def bins(u: Floats) -> Ints:
    """
    >>> bins(np.array([-9.0, 0.0, 0.3, 9.0]))
    array([0, 3, 4, 6])
    """
    return np.clip(np.floor((u + SPAN) / (2.0 * SPAN) * BINS), 0, BINS - 1).astype(np.int64)


def score(H: Floats, c: Floats, present: Ints, u: Floats) -> Floats:
    """One number a class."""
    b = bins(u)
    at = H[present]
    hit = at[np.arange(len(present)), :, b]
    pbar = (hit.sum(axis=1) + 1.0) / (at.sum(axis=(1, 2)) + BINS)
    out: Floats = np.log(c + 0.5) + np.log((hit + 4.0 * pbar[:, None]) / (at.sum(axis=2) + 4.0)).sum(axis=0)
    return out


def count(H: Floats, c: Floats, present: Ints, u: Floats, y: int) -> None:
    H[present, y, bins(u)] += 1.0
    c[y] += 1.0
