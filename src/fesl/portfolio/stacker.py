"""One more expert: the others, weighted by powers instead of chances.

With z_ik = log p_i(k) of the B other experts, cut at log(CALM / K), p = softmax(b'z). It starts at the geometric
mean, b = 1/B, with covariance V = START/B I, takes a Newton step a round, and its covariance grows by DRIFT/B I, so
that it never stops learning. It recalibrates the others, and a power may become negative: that is what makes a flip
of all labels harmless. At a switch the powers of those that start anew pass to those that inherit.

    predict   p = softmax(b'z / sqrt(1 + pi/4 v)),  v = mean over k of c_k'V c_k,  c = z minus its mean over classes
    learn     H = sum_k p_k (z_k - zbar)(z_k - zbar)',  V <- (V^-1 + H)^-1 by K rank-one steps,
              b += V (z_y - zbar)
"""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.laplace import softmax

#: B times the variance of a power: at first, added a round, and added at a switch.
START, DRIFT, SHAKEN = 1.0, 0.0015, 0.3
#: Nobody is heard to call a class less likely than CALM / K: one who is too sure would drown the others.
CALM = 0.04


def predict(b: Floats, V: Floats, z: Floats) -> Floats:
    """z is B x K.

    >>> z = np.log([[0.8, 0.2], [0.6, 0.4]])
    >>> predict(np.full(2, 0.5), np.zeros((2, 2)), z).round(3)
    array([0.71, 0.29])
    """
    z = np.maximum(z, log(CALM / z.shape[1]))
    c = z - z.mean(axis=1, keepdims=True)
    v = max(0.0, float((c * (V @ c)).sum()) / z.shape[1])
    return softmax(b @ z / sqrt(1.0 + pi / 4.0 * v))


def inherit(b: Floats, V: Floats, part: float, heirs: Ints, anew: Floats) -> None:
    """A part of the powers of those that start `anew` (one share an expert) passes to the heirs, evenly, in place.

    >>> b, V = np.full(4, 0.25), np.zeros((4, 4))
    >>> inherit(b, V, 1.0, np.array([1, 2]), np.array([1.0, 0.0, 0.0, 0.0])); b
    array([0.   , 0.375, 0.375, 0.25 ])
    """
    passed = part * anew * b
    b -= passed
    b[heirs] += passed.sum() / len(heirs)
    V[np.diag_indices(len(b))] += part * SHAKEN / len(b)


def learn(b: Floats, V: Floats, z: Floats, y: int) -> None:
    """One step, in place."""
    B, z = len(b), np.maximum(z, log(CALM / z.shape[1]))
    f = b @ z
    p = np.exp(f - f.max())
    p /= p.sum()
    mean = z @ p
    for k in range(z.shape[1]):
        v = z[:, k] - mean
        Vv = V @ v
        Vv *= sqrt(p[k] / (1.0 + p[k] * float(v @ Vv)))
        V -= np.multiply.outer(Vv, Vv)
    b += V @ (z[:, y] - mean)
    V[np.diag_indices(B)] += DRIFT / B
