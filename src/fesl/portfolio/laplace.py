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

from math import pi, sqrt

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


def predictive(m: Floats, s: float) -> Floats:
    """Class probabilities of margins m whose variance is s."""
    return softmax(m / sqrt(1.0 + pi / 4.0 * s))


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
        p = _plain(f)
        g = f - m - s * (e - p)
        d = 1.0 / (1.0 + s * p)
        pull = s * (p * d * g).sum(axis=-1, keepdims=True) / (p * d).sum(axis=-1, keepdims=True)
        most = np.where((g * step).sum(axis=-1, keepdims=True) < 0.0, 0.5 * most, most)
        step = d * (g + p * pull)
        step *= np.minimum(1.0, most / np.maximum(np.abs(step).max(axis=-1, keepdims=True), 1e-300))
        f -= step
        if np.abs(step).max() < 1e-9:
            break
    return _plain(f)


def pull(m: Floats, s: float, y: int) -> tuple[Floats, float]:
    """e_y - p at the mode, and h."""
    p = mode(m, s, y)
    h = float((p * (1.0 - p)).sum()) / max(1, len(m) - 1)
    g = -p
    g[y] += 1.0
    return g, h


def learn(w: Floats, P: Floats, m: Floats, s: float, Pu: Floats, y: int) -> None:
    """One step; w (K x n) and P (n x n) in place."""
    g, h = pull(m, s, y)
    w += np.multiply.outer(g, Pu)
    v = sqrt(h / (1.0 + h * s)) * Pu
    P -= np.multiply.outer(v, v)


def _plain(f: Floats) -> Floats:
    e = np.exp(f - f.max(axis=-1, keepdims=True))
    out: Floats = e / e.sum(axis=-1, keepdims=True)
    return out
