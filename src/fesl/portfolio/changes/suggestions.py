"""Which new feature could be an old one under another name: they stood side by side and agree in value, and no
other old one goes better with it (a sensor in other units agrees by chance with one that it is not)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fesl._typing import Bools, Floats, Ints, Name
from fesl.portfolio.state import State

#: Pairs that are compared at once: columns that are alike make very many.
AT_ONCE = 1000


@dataclass(frozen=True)
class Suggestion:
    """`new` could be the `role` under another name: their `agreement` (Lin's concordance: 1 is the same number in
    every row) over the `rows` that show both."""

    new: Name
    role: Name
    agreement: float
    rows: int


def ranked(st: State) -> list[Suggestion]:
    """Pairs of a newer and an older live feature that agree in the kept rows; and what switches left behind."""
    newer, rows = np.flatnonzero(st.newcomers())[1:], st.rows()
    closest = _closest(st, rows, newer)
    old, new = np.nonzero(closest)
    return sorted([*st.suggested, *_agreeing(st, rows, old, newer[new])], key=lambda s: -s.agreement)


def leave_suggestions(st: State, gone: Ints) -> None:
    """At a switch: who could take the roles of those that vanish? The best for each is remembered."""
    stays = np.setdiff1d(np.arange(1, st.n), gone)
    newer, rows = stays[st.newcomers()[stays]], st.rows()
    beside = rows[~np.isnan(st.row_x[np.ix_(rows, newer)]).all(axis=1)]
    closest = _closest(st, beside, newer)
    old, new = np.nonzero(closest[gone])
    best: dict[Name, Suggestion] = {}
    for pair in _agreeing(st, beside, gone[old], newer[new]):
        if pair.role not in best or pair.agreement > best[pair.role].agreement:
            best[pair.role] = pair
    st.suggested.extend(best.values())


def _closest(st: State, rows: Ints, newer: Ints) -> Bools:
    """Of each position, which of the newer features go with no other older one better (n x newer)."""
    X = st.row_x[rows, : st.n]
    found = correlation(X, X[:, newer]) ** 2
    found[st.born[: st.n, None] >= st.born[newer]] = -1.0
    found[0] = -1.0
    return np.asarray((found >= found.max(axis=0, initial=0.0)) & (found > 0.0))


def correlation(A: Floats, B: Floats) -> Floats:
    """Of each column of A with each of B, over the rows that hold both; 0 where that says nothing.

    >>> correlation(np.array([[1.0], [2.0], [3.0]]), np.array([[2.0, 3.0], [4.0, 2.0], [6.0, np.nan]])).round(2)
    array([[ 1., -1.]])
    """
    (a, u), (b, v) = _centred(A), _centred(B)
    n = np.maximum(u.T @ v, 1.0)
    cov = a.T @ b - (a.T @ v) * (u.T @ b) / n
    below = ((a * a).T @ v - (a.T @ v) ** 2 / n) * (u.T @ (b * b) - (u.T @ b) ** 2 / n)
    return np.where(below > 0.0, cov / np.sqrt(np.where(below > 0.0, below, 1.0)), 0.0)


def _centred(A: Floats) -> tuple[Floats, Floats]:
    """Columns about their means, in units of the largest value, with 0 for NaN; and where they hold anything."""
    there = ~np.isnan(A)
    a = np.where(there, A, 0.0)
    a /= np.maximum(np.abs(a).max(axis=0, initial=0.0), np.finfo(float).tiny)
    return np.where(there, a - a.sum(axis=0) / np.maximum(there.sum(axis=0), 1), 0.0), there.astype(float)


def _agreeing(st: State, rows: Ints, old: Ints, new: Ints) -> list[Suggestion]:
    """Which of these newer features agree with the older one of the same place, in the rows that hold both?"""
    found = []
    for start in range(0, len(old), AT_ONCE):
        these = slice(start, start + AT_ONCE)
        agreement, both = concordance(st.row_x[np.ix_(rows, new[these])], st.row_x[np.ix_(rows, old[these])])
        found += [
            Suggestion(st.names[new[start + k]], st.names[old[start + k]], float(agreement[k]), int(both[k]))
            for k in np.flatnonzero((both >= 2) & (agreement > 0.5)).tolist()
        ]
    return found


def concordance(A: Floats, B: Floats) -> tuple[Floats, Ints]:
    """Lin's coefficient 2 cov / (var a + var b + (mean a - mean b)^2) of each column of A with that of B, over the
    rows that hold both; and their number.

    >>> A, B = [[1.0, 3.0], [2.0, 2.0], [3.0, np.nan]], [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    >>> concordance(np.array(A), np.array(B))
    (array([ 1.        , -0.33333333]), array([3, 2]))
    """
    there = ~(np.isnan(A) | np.isnan(B))
    n = there.sum(axis=0)
    a, b = np.where(there, A, 0.0), np.where(there, B, 0.0)
    size = np.maximum(np.abs(a).max(axis=0, initial=0.0), np.abs(b).max(axis=0, initial=0.0))
    many, size = np.maximum(n, 1), np.where(size > 0.0, size, 1.0)
    a, b = a / size, b / size
    a_mean, b_mean = a.sum(axis=0) / many, b.sum(axis=0) / many
    a, b = np.where(there, a - a_mean, 0.0), np.where(there, b - b_mean, 0.0)
    below = ((a * a).sum(axis=0) + (b * b).sum(axis=0)) / many + (a_mean - b_mean) ** 2
    above = 2.0 * (a * b).sum(axis=0) / many
    return np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), 0.0), n
