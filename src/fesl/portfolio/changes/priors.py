"""What is expected of weights before anything was learned, where features go together.

Sensors of one thing rise and fall together, and what tells the classes apart is often the little by which they
differ. A prior that gives every weight the same variance does not expect that: it takes large weights of opposite
sign for unlikely. So one expert `whitens`: it expects the same of every *direction* of its inputs, however little
they vary in it,

    P = tau D^1/2 G D^1/2,    G proportional to (R + r I)^-1,    tr(G R) = tr(R),

with R the second moments of the inputs in the N kept rows, r = EVEN (1 + d / N) for d features (few rows see some
directions not at all), and D the variances, in priors, with which the weights of the features began. That is done
whenever the kept rows are about to be learned anew, for the features that have begun since the last start or
switch (`fresh` holds D; 0: what it knows is no longer a prior).
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats
from fesl.portfolio.constants import CLIP, EVEN, EXPERTS
from fesl.portfolio.inputs.scaling import standard
from fesl.portfolio.state import State


def whiten(st: State) -> None:
    """The prior of the features that begin, by what the kept rows show of them."""
    ids = np.flatnonzero(st.fresh[: st.n] > 0.0)
    x = st.row_x[np.ix_(np.array(st.rows(), np.int64), ids)]
    there = ~np.isnan(x)
    rows = int(there.any(axis=1).sum())
    if len(ids) < 2 or not rows:
        return
    z = standard(np.where(there, x, 0.0), st.count[ids], st.mean[ids], st.q[ids])
    G = even(np.where(there, np.clip(z, -CLIP, CLIP), 0.0), there.sum(axis=0), EVEN * (1.0 + len(ids) / rows))
    D = np.sqrt(st.fresh[ids])
    for e, expert in enumerate(EXPERTS):
        if expert.whitens:
            st.P0[e][np.ix_(ids, ids)] = st.tau[e] * D[:, None] * G * D


def even(Z: Floats, seen: Floats, r: float) -> Floats:
    """G of the inputs Z (zero where absent), each seen so often. What has not varied is taken to go its own way.

    >>> Z = np.array([[1.0, 1.1], [-1.0, -1.1], [1.0, 0.9], [-1.0, -0.9]])
    >>> G = even(Z, np.full(2, 4.0), 0.01)
    >>> d = np.array([1.0, -1.0]); s = np.array([1.0, 1.0])
    >>> bool(d @ G @ d > 50.0 * (s @ G @ s))     # they hardly differ: if that matters, it does by much
    True
    """
    scale = 1.0 / np.sqrt(np.maximum(seen, 1.0))
    R = scale[:, None] * (Z.T @ Z) * scale
    still = R.diagonal() <= 0.0
    R[still, still] = 1.0
    G = np.linalg.inv(R + r * np.eye(len(R)))
    return np.asarray((G + G.T) * (0.5 * np.trace(R) / (G * R).sum()))
