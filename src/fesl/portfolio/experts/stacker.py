"""One more expert: the others, combined by powers of their chances, or by shares of their forecasts.

Classes. It hears, of the B other experts, by how much each calls a class more likely than it is frequent, z_ik =
log p_i(k) - log f_k, and the frequencies themselves, z_Bk = log f_k = log((c_k + 1/2) / (n + K/2)); no p or f
counts as less than CALM / K. Then p = softmax(b'z). It starts at the geometric mean, 1 for f and 1/B for each
expert, with covariance V = START/B I; and whoever is trusted less leaves the frequencies, not even chances. It
recalibrates the others, and a power may become negative: that is what makes a flip of all labels harmless.

    predict   p = softmax(b'z / sqrt(1 + pi/4 v)),  v = mean over k of c_k'V c_k,  c = z minus its mean over classes
    learn     H = sum_k p_k (z_k - zbar)(z_k - zbar)',  V <- (V^-1 + H)^-1 by K rank-one steps,
              b += V (z_y - zbar)

Numbers. It hears the forecasts themselves, in deviations of the target from its mean and at most FAR of them. Then
m = b'z, from the plain mean, b = 1/B, on, with the steps of `student`; whoever is trusted less leaves the mean.

Either covariance grows by DRIFT/B I a round, so that it never stops learning; that of shares up to START, since
forecasts may be alike for long and then part. At a switch the powers of those that
start anew pass to those that inherit.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.experts import student
from fesl.portfolio.experts.laplace import chances, predictive
from fesl.portfolio.experts.naive_bayes import frequencies

#: B times the variance of a power (of a share: in noises): at first, added a round, and added at a switch.
START, DRIFT, SHAKEN = 1.0, 0.0015, 0.2
#: Nobody is heard to call a class less likely than CALM / K: one who is too sure would drown the others.
CALM = 0.04
#: No forecast, and no number, counts as further from the mean than so many deviations.
FAR = 10.0


def start(B: int, frequencies: bool) -> tuple[Floats, Floats]:
    """Powers of B experts, and of the class frequencies if they are heard, and their covariance.

    >>> start(2, True)[0], start(2, False)[0]
    (array([0.5, 0.5, 1. ]), array([0.5, 0.5]))
    """
    b = np.append(np.full(B, 1.0 / B), np.ones(int(frequencies)))
    return b, np.eye(len(b)) * (START / B)


def inherit(b: Floats, V: Floats, part: float, heirs: Ints, anew: Floats) -> None:
    """A part of the powers of those that start `anew` (one share an expert) passes to the heirs, evenly, in place.

    >>> b, V = start(4, True)
    >>> inherit(b, V, 1.0, np.array([1, 2]), np.array([1.0, 0.0, 0.0, 0.0])); b
    array([0.   , 0.375, 0.375, 0.25 , 1.   ])
    """
    B = len(anew)
    passed = part * anew * b[:B]
    b[:B] -= passed
    b[heirs] += passed.sum() / len(heirs)
    V[np.diag_indices(len(b))] += part * SHAKEN / B


# Classes


def heard(log_p: Floats, counts: Floats) -> Floats:
    """z of the log-probabilities of the experts, B x K, and of how often each class was seen.

    >>> heard(np.log([[0.8, 0.2], [0.6, 0.4]]), np.array([2.5, 1.5])).round(2)
    array([[ 0.29, -0.69],
           [ 0.  ,  0.  ],
           [-0.51, -0.92]])
    """
    z: Floats = np.maximum(np.vstack([log_p, np.log(frequencies(counts))]), log(CALM / len(counts)))
    z[:-1] -= z[-1]
    return z


def predict(b: Floats, V: Floats, z: Floats) -> Floats:
    """z is (B + 1) x K.

    >>> z = heard(np.log([[0.8, 0.2], [0.6, 0.4]]), np.array([5, 3]))
    >>> predict(start(2, True)[0], np.zeros((3, 3)), z).round(3)
    array([0.71, 0.29])
    """
    c = z - z.mean(axis=1, keepdims=True)
    v = max(0.0, float((c * (V @ c)).sum()) / z.shape[1])
    return predictive(b @ z, v)


def learn(b: Floats, V: Floats, z: Floats, y: int) -> None:
    """One step, in place."""
    B = len(b) - 1
    p = chances(b @ z)
    mean = z @ p
    for k in range(z.shape[1]):
        v = z[:, k] - mean
        Vv = V @ v
        Vv *= sqrt(p[k] / (1.0 + p[k] * float(v @ Vv)))
        V -= np.multiply.outer(Vv, Vv)
    b += V @ (z[:, y] - mean)
    V[np.diag_indices(B + 1)] += DRIFT / B


# Numbers

#: Forecasts are heard in the deviations from before their target was counted: m now is ratio m then + shift.
Moved = tuple[Floats | float, Floats | float]
AS_IT_WAS: Moved = (1.0, 0.0)


def _then(m: Floats, moved: Moved) -> Floats:
    ratio, shift = moved
    return np.clip((m - shift) / ratio, -FAR, FAR)


def joined(b: Floats, V: Floats, m: Floats, s: Floats, moved: Moved = AS_IT_WAS) -> tuple[Floats, Floats]:
    """The forecasts of the experts, B x K, and their variances in noises, B, with its own: (B + 1) x K each. b is
    K x B, V is K x B x B.

    >>> b, V = start(2, False)
    >>> joined(b[None], V[None], np.array([[1.0], [3.0]]), np.array([0.5, 0.5]))[0].T
    array([[1., 3., 2.]])
    """
    z, (ratio, shift) = _then(m, moved).T, moved
    found = ratio * (b * z).sum(axis=1) + shift
    v = np.maximum(0.0, (z * (V @ z[:, :, None])[:, :, 0]).sum(axis=1))
    return np.vstack([m, found]), np.vstack([np.repeat(s[:, None], len(found), axis=1), v])


def fit(b: Floats, V: Floats, m: Floats, y: Floats, moved: Moved = AS_IT_WAS) -> None:
    """One step, in place, given the forecasts of the experts, B x K."""
    target = _then(y, moved)
    for g, z in enumerate(_then(m, moved).T):
        one, Vz = slice(g, g + 1), V[g] @ z
        student.learn(b[one], V[g], b[one] @ z, max(0.0, float(z @ Vz)), Vz, target[one], 1.0, 1.0)
        low = np.flatnonzero(np.diagonal(V[g]) < START)
        V[g, low, low] += DRIFT / len(z)
