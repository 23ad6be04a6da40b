"""The second-order expert of a classifier: sequential Laplace approximation of Bayesian softmax regression.

Belief about the weights of each class: N(w_k, P), one covariance P for all classes. With Pu = P u, s = u'Pu and the
margins m_k = w_k.u:

    predict   p = softmax(m / sqrt(1 + pi s / 4)), no log-probability further than FLOOR below the largest
    learn     f = m + s (e_y - softmax f)                  the mode, by safeguarded Newton steps
              p = softmax f,  h = sum p_k (1 - p_k) / (K - 1)
              w_k += (e_y - p)_k Pu
              P   -= h / (1 + h s) Pu Pu'

For two classes this is exactly the binary Laplace step with twice the prior variance. P is never inverted.
"""

from __future__ import annotations

from math import log, pi, sqrt
from typing import Any

import numpy as np

from fesl._typing import Floats
from fesl.portfolio.constants import FLOOR


def softmax(f: Floats) -> Floats:
    """Over the last axis, floored.

    >>> softmax(np.array([0.0, 0.0, -99.0])).round(3)
    array([0.5, 0.5, 0. ])
    """
    e = np.exp(np.maximum(f - f.max(axis=-1, keepdims=True), -FLOOR))
    out: Floats = e / e.sum(axis=-1, keepdims=True)
    return out


def predictive(m: Floats, s: float | Floats) -> Floats:
    """Class probabilities of margins m, over the last axis, whose variance is s."""
    return softmax(m / np.sqrt(1.0 + pi / 4.0 * np.asarray(s))[..., None])


def late(labelled: int) -> float:
    """How far below the mean of the others a class starts that comes after so many labels: half the logarithm of
    the odds against it.

    >>> late(0), round(late(100), 2)
    (0.0, 2.31)
    """
    return 0.5 * log(labelled + 1.0)


def mode(m: Floats, s: float | Floats, y: int) -> Floats:
    """p = softmax f at f = m + s (e_y - softmax f), over the last axis of m.

    A Newton step is (I + s (diag p - p p'))^-1 g with g = f - m - s (e_y - p): a diagonal and a rank-one matrix.
    Where s is large and m far out plain Newton steps would go to and fro: they are cut to a length of 4, and to
    half of that whenever one has gone too far.

    >>> mode(np.zeros(2), 2.0, 0).round(4)
    array([0.7394, 0.2606])
    """
    e = np.zeros(m.shape[-1])
    e[y] = 1.0
    f = m.copy()
    s = np.asarray(s)[..., None]
    step, most = np.zeros(m.shape), np.full((*m.shape[:-1], 1), 4.0)
    for _ in range(100):
        p = chances(f)
        g = f - m - s * (e - p)
        d = 1.0 / (1.0 + s * p)
        pull = s * (p * d * g).sum(axis=-1, keepdims=True) / (p * d).sum(axis=-1, keepdims=True)
        most = np.where((g * step).sum(axis=-1, keepdims=True) < 0.0, 0.5 * most, most)
        step = d * (g + p * pull)
        step *= np.minimum(1.0, most / np.maximum(np.abs(step).max(axis=-1, keepdims=True), 1e-300))
        f -= step
        if np.abs(step).max() < 1e-9:
            break
    return chances(f)


def pull(m: Floats, s: float | Floats, y: int) -> tuple[Floats, Any]:
    """e_y - p at the mode, and h, over the last axis of m."""
    p = mode(m, s, y)
    h = (p * (1.0 - p)).sum(axis=-1) / max(1, m.shape[-1] - 1)
    g = -p
    g[..., y] += 1.0
    return g, h


def learn(w: Floats, P: Floats, m: Floats, s: float, Pu: Floats, y: int) -> None:
    """One step; w (K x n) and P (n x n) in place."""
    g, h = pull(m, s, y)
    w += np.multiply.outer(g, Pu)
    v = sqrt(h / (1.0 + h * s)) * Pu
    P -= np.multiply.outer(v, v)


def chances(f: Floats) -> Floats:
    """Softmax over the last axis, not floored."""
    e = np.exp(f - f.max(axis=-1, keepdims=True))
    out: Floats = e / e.sum(axis=-1, keepdims=True)
    return out
