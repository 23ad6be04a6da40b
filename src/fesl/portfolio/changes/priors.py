"""What is expected of weights before anything was learned, where features go together.

Sensors of one thing rise and fall together, and what tells the classes apart is often the little by which they
differ. A prior that gives every weight the same variance does not expect that: it takes large weights of opposite
sign for unlikely. So one expert `whitens`: it expects the same of every *direction* of its inputs, however little
they vary in it,

    P = tau D^1/2 G D^1/2,    G proportional to (R + diag r)^-1,    tr(G R) = tr(R),

with R the second moments of the inputs, cut at CLIP, in the kept rows, r_j = EVEN (1 + d / N_j) N / N_j for d
features, of which this one was seen in N_j rows and the one seen most often in N (few rows see some directions not
at all, least of all those of features that joined late), and D the variances, in priors, with which the weights of
the features began. That is done whenever the kept rows are about to be learned anew, for the features that have
begun since the last start or switch (`fresh` holds D; 0: what it knows is no longer a prior).
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.constants import EVEN, EXPERTS
from fesl.portfolio.reference import Reference

#: A second moment below this, of values in deviations, is rounding.
LITTLE = 1e-9


def whiten(core: Reference) -> None:
    """The prior of the features that begin, by what the kept rows show of them."""
    st = core.state
    ids = np.flatnonzero(st.fresh[: st.n] > 0.0)
    G = _even_of(core, ids)
    D = np.sqrt(st.fresh[ids])
    for e, expert in enumerate(EXPERTS):
        if expert.whitens and G is not None:
            st.P0[e][np.ix_(ids, ids)] = st.tau[e] * D[:, None] * G * D


def begin(core: Reference, e: int) -> None:
    """The covariance of an expert as it is before anything was learned."""
    st, n = core.state, core.state.n
    ids = np.arange(1, n)
    G = _even_of(core, ids) if EXPERTS[e].whitens else None
    st.P[e] = 0.0
    st.P[e, 0, 0] = st.prior[e]
    st.P[e][np.ix_(ids, ids)] = st.tau[e] * (np.eye(n - 1) if G is None else G)


def _even_of(core: Reference, ids: Ints) -> Floats | None:
    """G of these features, by the kept rows; None where these tell nothing."""
    if len(ids) < 2:
        return None
    Z, seen = core.cut(ids)
    if not seen.any():
        return None
    seen = np.maximum(seen, 1.0)
    Z /= np.sqrt(seen)
    return even(core, Z, EVEN * (1.0 + len(ids) / seen) * (seen.max() / seen))


def even(core: Reference, Z: Floats, r: Floats) -> Floats:
    """G of the inputs Z, for which R = Z'Z. What has hardly varied is taken to go its own way, R_jj = 1.

    >>> from fesl.portfolio.state import State
    >>> Z = np.array([[1.0, 1.1], [-1.0, -1.1], [1.0, 0.9], [-1.0, -0.9]]) / 2.0
    >>> G = even(Reference(State(False)), Z, np.full(2, 0.01))
    >>> d = np.array([1.0, -1.0]); s = np.array([1.0, 1.0])
    >>> bool(d @ G @ d > 50.0 * (s @ G @ s))     # they hardly differ: if that matters, it does by much
    True
    """
    power = (Z**2).sum(axis=0)
    still = np.where(power > LITTLE, 0.0, 1.0)
    G = core.inverse(Z, r + still)
    known = len(r) - float(r @ G.diagonal())  # tr(G R), since G R = 1 - G diag r
    return np.asarray(G * (float((power + still).sum()) / known))
