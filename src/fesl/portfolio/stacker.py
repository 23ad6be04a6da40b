"""One more expert: the others, weighted by powers instead of chances.

It hears, of the B other experts, by how much each calls a class more likely than it is frequent, z_ik = log p_i(k)
- log f_k, and the frequencies themselves, z_Bk = log f_k = log((c_k + 1/2) / (n + K/2)); no p or f counts as less
than CALM / K. Then p = softmax(b'z). It starts at the geometric mean, 1 for f and 1/B for each expert, with
covariance V = START/B I; and whoever is trusted less leaves the frequencies, not even chances. It takes a Newton
step a round, and its covariance grows by DRIFT/B I, so that it never stops learning. It recalibrates the others,
and a power may become negative: that is what makes a flip of all labels harmless. At a switch the powers of those
that start anew pass to those that inherit.

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


def start(B: int) -> tuple[Floats, Floats]:
    """Powers of B experts and of the frequencies, and their covariance.

    >>> start(2)[0]
    array([0.5, 0.5, 1. ])
    """
    return np.append(np.full(B, 1.0 / B), 1.0), np.eye(B + 1) * (START / B)


def heard(log_p: Floats, counts: Floats) -> Floats:
    """z of the log-probabilities of the experts, B x K, and of how often each class was seen.

    >>> heard(np.log([[0.8, 0.2], [0.6, 0.4]]), np.array([2.5, 1.5])).round(2)
    array([[ 0.29, -0.69],
           [ 0.  ,  0.  ],
           [-0.51, -0.92]])
    """
    often = np.log((counts + 0.5) / (counts.sum() + 0.5 * len(counts)))
    z: Floats = np.maximum(np.vstack([log_p, often]), log(CALM / len(counts)))
    z[:-1] -= z[-1]
    return z


def predict(b: Floats, V: Floats, z: Floats) -> Floats:
    """z is (B + 1) x K.

    >>> z = heard(np.log([[0.8, 0.2], [0.6, 0.4]]), np.array([5, 3]))
    >>> predict(start(2)[0], np.zeros((3, 3)), z).round(3)
    array([0.71, 0.29])
    """
    c = z - z.mean(axis=1, keepdims=True)
    v = max(0.0, float((c * (V @ c)).sum()) / z.shape[1])
    return softmax(b @ z / sqrt(1.0 + pi / 4.0 * v))


def inherit(b: Floats, V: Floats, part: float, heirs: Ints, anew: Floats) -> None:
    """A part of the powers of those that start `anew` (one share an expert) passes to the heirs, evenly, in place.

    >>> b, V = start(4)
    >>> inherit(b, V, 1.0, np.array([1, 2]), np.array([1.0, 0.0, 0.0, 0.0])); b
    array([0.   , 0.375, 0.375, 0.25 , 1.   ])
    """
    B = len(b) - 1
    passed = part * anew * b[:B]
    b[:B] -= passed
    b[heirs] += passed.sum() / len(heirs)
    V[np.diag_indices(B + 1)] += part * SHAKEN / B


def learn(b: Floats, V: Floats, z: Floats, y: int) -> None:
    """One step, in place."""
    B = len(b) - 1
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
    V[np.diag_indices(B + 1)] += DRIFT / B
