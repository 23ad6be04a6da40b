"""The neighbours' rows of old, told in the features that stay.

When features vanish, a remembered row that holds little of what remains would not be heard any more, though its
label is as true as ever. So it is given what the features that it holds let expect of those that it lacks. With Z,
Y what the kept rows show of both, in squashed deviations about their means in these rows, a row z is expected to
hold

    z (Z'Z + r I)^-1 Z' Y,    r = SLACK times the mean of |Z_i|^2,

which is the paper's recovery map the other way round, from old to new, on at most ROWS rows. A row that is heard
anyway stays as it is.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Bools, Floats, Ints
from fesl.portfolio.constants import CLIP, EACH, LABELLED, NEAR, SHARED, SLACK, SQUASH
from fesl.portfolio.inputs.scaling import squashed, variance
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State

#: The power of rows that hardly vary: they tell nothing.
LITTLE = 1e-6


def translate(core: Reference, gone: Ints) -> bool:
    """These features are about to go: fill the rows that would fall silent. Whether there was anything to tell."""
    st = core.state
    stays = np.setdiff1d(np.arange(1, st.n), gone)
    silent = _silent(st, stays)
    if not len(silent):
        return False
    new = stays[(st.near_x[np.ix_(stays, silent)] < np.inf).mean(axis=1) < 0.5]
    old = np.setdiff1d(np.arange(1, st.n), new)
    rows = _showing(st, old, new)
    if len(rows) < 2:
        return False
    Z, Y = _inputs(st, st.row_x[np.ix_(rows, old)], old), _inputs(st, st.row_x[np.ix_(rows, new)], new)
    told = _inputs(st, st.near_x[np.ix_(old, silent)].T, old)
    u = np.clip(expected(core, Z, Y, told), -CLIP, CLIP)
    sd = np.sqrt(variance(st.count[new], st.mean[new], st.q[new]))
    values = st.mean[new] + sd * SQUASH * np.sinh(u / SQUASH)
    place = np.ix_(new, silent)
    st.near_x[place] = np.where(st.near_x[place] < np.inf, st.near_x[place], values.T)
    return True


def expected(core: Reference, Z: Floats, Y: Floats, z: Floats) -> Floats:
    """What rows z let expect, by the rows Z that went with Y.

    >>> Z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> expected(Reference(State(False)), Z, Z @ np.array([[2.0], [0.5]]), np.array([[1.0, 1.0]])).round(1)
    array([[2.4]])
    """
    about, level = Z.mean(axis=0), Y.mean(axis=0)
    Z = Z - about
    r = SLACK * max(float((Z**2).mean(axis=0).sum()), LITTLE)
    K = core.inverse(Z, np.full(len(about), r))
    # plain loops: products of a linear algebra library depend on its threads in the last digits
    map_ = np.einsum("ij,jk->ik", K, np.einsum("ij,ik->jk", Z, Y - level))
    return np.asarray(level + np.einsum("ij,jk->ik", z - about, map_))


def _silent(st: State, stays: Ints) -> Ints:
    """The remembered rows that hold something, but too little of what stays."""
    x = st.near_x[: st.n, : min(int(st.clock[LABELLED]), NEAR)] < np.inf
    v = EACH + st.worth[stays]
    return np.flatnonzero((v @ x[stays] < SHARED * v.sum()) & x.any(axis=0))


def _showing(st: State, old: Ints, new: Ints) -> Ints:
    """The kept rows that hold something of both."""
    rows = st.rows()

    def some(ids: Ints) -> Bools:
        return np.asarray((~np.isnan(st.row_x[np.ix_(rows, ids)])).any(axis=1))

    return rows[some(old) & some(new)]


def _inputs(st: State, x: Floats, ids: Ints) -> Floats:
    """In squashed deviations; what is absent, NaN or infinite, as its mean."""
    there = np.isfinite(x)
    u = squashed(np.where(there, x, 0.0), st.count[ids], st.mean[ids], st.q[ids])
    return np.where(there, np.clip(u, -CLIP, CLIP), 0.0)
