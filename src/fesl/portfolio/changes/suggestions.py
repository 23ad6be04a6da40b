"""Which new feature could be an old one under another name: they stood side by side and agree in value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.portfolio.state import State


@dataclass(frozen=True)
class Suggestion:
    """`new` could be the `role` under another name: their `agreement` (Lin's concordance: 1 is the same number in
    every row) over the `rows` that show both."""

    new: Name
    role: Name
    agreement: float
    rows: int


def suggestions(st: State, rows: list[int]) -> list[Suggestion]:
    """Pairs of a newer and an older live feature that agree in the kept rows; and what switches left behind."""
    found, new = [*st.suggested], st.newcomers()
    for i in range(1, st.n):
        newer = np.flatnonzero(new & (st.born[: st.n] > st.born[i]))
        found.extend(_pairs(st, rows, i, newer[newer > 0]))
    return sorted(found, key=lambda s: -s.agreement)


def leave_suggestions(st: State, rows: list[int], gone: Ints) -> None:
    """At a switch: who could take the roles of those that vanish? The best for each is remembered."""
    stays = np.setdiff1d(np.arange(1, st.n), gone)
    newer = stays[st.newcomers()[stays]]
    at = np.array(rows, np.int64)
    beside = at[~np.isnan(st.row_x[np.ix_(at, newer)]).all(axis=1)].tolist()
    for i in gone.tolist():
        pairs = _pairs(st, beside, i, newer)
        if pairs:
            st.suggested.append(max(pairs, key=lambda s: s.agreement))


def _pairs(st: State, rows: list[int], i: int, newer: Ints) -> list[Suggestion]:
    """Which of the newer features agree with feature i?"""
    at = np.array(rows, np.int64)
    at = at[~np.isnan(st.row_x[at, i])]
    if not len(newer) or len(at) < 2:
        return []
    x = st.row_x[np.ix_(at, newer)]
    size = max(float(np.nanmax(np.abs(x), initial=0.0)), float(np.abs(st.row_x[at, i]).max())) or 1.0
    agreement, both = concordance(x / size, st.row_x[at, i] / size)
    return [
        Suggestion(st.names[newer[k]], st.names[i], float(agreement[k]), int(both[k]))
        for k in np.flatnonzero((both >= 2) & (agreement > 0.5)).tolist()
    ]


def concordance(x: Floats, b: Floats) -> tuple[Floats, Ints]:
    """Lin's coefficient 2 cov / (var a + var b + (mean a - mean b)^2) of each column of x with b, over the rows
    where the column is not NaN; and their number.

    >>> concordance(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, np.nan]]), np.array([1.0, 2.0, 3.0]))
    (array([ 1.        , -0.33333333]), array([3, 2]))
    """
    there = ~np.isnan(x)
    n = there.sum(axis=0)
    many = np.maximum(n, 1)
    a, b = np.where(there, x, 0.0), np.where(there, b[:, None], 0.0)
    a_mean, b_mean = a.sum(axis=0) / many, b.sum(axis=0) / many
    a, b = np.where(there, a - a_mean, 0.0), np.where(there, b - b_mean, 0.0)
    below = ((a * a).sum(axis=0) + (b * b).sum(axis=0)) / many + (a_mean - b_mean) ** 2
    above = 2.0 * (a * b).sum(axis=0) / many
    return np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), 0.0), n
