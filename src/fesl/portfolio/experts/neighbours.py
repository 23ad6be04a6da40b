"""Rows alike: what was said of events like this one.

The last NEAR labelled rows are remembered as they came, a line a feature. Two rows are as far apart as their
values are on average, over the features that both hold:

    d = sum_j v_j min((x_j - r_j)^2 / q_j, APART) / sum_j v_j

with q_j the variance of the feature now, so that the first rows are measured by what is known today; no feature
alone puts two rows further apart than APART. One that tells about the label by itself counts for more: v_j = EACH +
what `attention` found it to be worth. A row that holds less than SHARED of what this one does is not heard. The
others have the weight

    w = (1 + NARROW (d - least d))^-4

so that the one most alike has 1. A class has the chance (w in that class + ALONE f) / (w in all + ALONE), f its
frequency; a number is forecast as the mean of its values by w, with ALONE for their plain mean, and the variance of
that is 1 / (w in all + ALONE) noises.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.constants import ALONE, APART, EACH, NARROW, SHARED
from fesl.portfolio.experts.naive_bayes import frequencies

#: A variance below this is none: one by it would be too large a number.
VARIES = 1e-300


def weights(X: Floats, present: Ints, x: Floats, q: Floats, worth: Floats) -> Floats:
    """Of the remembered rows, the columns of X: the values of `present` are x, with the variances q.

    >>> X = np.array([[0.0, 0.3, 3.0, np.inf], [0.0, 0.0, 0.0, 0.0]])    # the last row lacks the first feature
    >>> weights(X, np.array([0, 1]), np.zeros(2), np.ones(2), np.zeros(2)).round(3)
    array([1.   , 0.178, 0.   , 1.   ])
    """
    v = np.where(q > VARIES, EACH + worth, 0.0)
    there = X[present] < np.inf
    gaps = np.minimum((x[:, None] - np.where(there, X[present], 0.0)) ** 2, APART * q[:, None])
    far = (v / np.maximum(q, VARIES)) @ np.where(there, gaps, 0.0)
    both = v @ there
    heard = (both >= SHARED * v.sum()) & (both > 0.0)
    d = far[heard] / both[heard]
    out = np.zeros(len(far))
    out[heard] = (1.0 + NARROW * (d - d.min(initial=np.inf))) ** -4.0
    return out


def chances(w: Floats, y: Floats, counts: Floats) -> Floats:
    """Of the classes, given how often each was seen.

    >>> chances(np.array([1.0, 0.5]), np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    array([0.625, 0.375])
    """
    out = np.bincount(y.astype(np.int64), w, minlength=len(counts)) + ALONE * frequencies(counts)
    return np.asarray(out / out.sum())


def forecast(w: Floats, gaps: Floats) -> tuple[Floats, float]:
    """Of each target, how far it will be from its mean, given how far it was (K x rows); and the variance.

    >>> forecast(np.array([1.0, 0.5]), np.array([[3.0, -2.0]]))
    (array([1.]), 0.5)
    """
    total = float(w.sum()) + ALONE
    return gaps @ w / total, 1.0 / total
