"""Statistics that do not fit what is seen: a feature's mean and deviation never forget, so a wild value among the
very first ones, or a sensor that reports in other units from now on, would leave it all but constant for good.

Every MEASURE rounds, and when rows are learned anew, each feature is compared with itself in the last MEASURE rows
(in all rows as long as all are kept), the smallest and the largest value left out. If its variance is more than
MISFIT times the one found there, that one is the truth. Values are as many deviations from the mean as before the
units changed, so all that was learned fits again; but for the lines of a regressor, which begin anew.

Units change once, and from one row to the next. What trends, wanders, has seasons or is set to one level after the
other looks like that, too, and its statistics are right as they are: so a feature whose level, the mean of MEASURE
rows, has moved by more than STEP deviations more than MOVES times is left alone, and so are one that was measured
anew and one that came to its new level bit by bit.

The first targets of a regression are measured likewise, as long as all of them are kept; the linear experts are
learned anew then, from nothing.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from fesl._native import native
from fesl._typing import Bools, Floats
from fesl.portfolio.constants import EXPERTS, KEPT, LABELLED, MEASURE, MISFIT, OFF, ROUND, ROWS, SINCE
from fesl.portfolio.inputs.scaling import held, variance
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State

#: Of each feature the number of values, and the mean and variance of all but the ends.
Middle: TypeAlias = tuple[Floats, Floats, Floats]
#: Values that tell a deviation.
TELL = 8
#: Deviations of the last rows: a level that is further than that from the one before has moved...
STEP = 2.0
#: ... as other units make it do: with rows of both between, twice.
MOVES = 2
#: Values on either side of a change that tell whether it was sudden: beyond FAR variances of the new level before
#: it, within NEAR deviations after it.
SIDE, FAR, NEAR = 8, 100.0, 4.0


def recalibrate(core: Reference) -> None:
    """Measure the features anew where their statistics do not fit."""
    if core.as_usual():
        return
    st = core.state
    n, kept = st.n, int(st.clock[KEPT])
    X = st.row_x[st.rows(), :n]
    lately = middle(X[recent(kept) :])
    if st.clock[ROUND] % MEASURE == 0:
        watch(X, lately if kept > ROWS else middle(X[-MEASURE:]), st.level[:n], st.moves[:n])
    st.mean[:n], st.q[:n], wrong = fitting(lately, st.count[:n], st.mean[:n], st.q[:n], st.moves[:n])
    st.reach[:n][wrong] = 0.0
    if st.regression and kept > ROWS:
        for e in [e for e, expert in enumerate(EXPERTS) if expert.plain]:
            st.begin_anew(e, np.flatnonzero(wrong))


def recent(kept: int) -> int:
    """From which one on the kept rows count: all as long as none is gone, then the last MEASURE."""
    return -MEASURE if kept > ROWS else 0


def watch(X: Floats, lately: Middle, level: Floats, moves: Floats) -> None:
    """Note the levels in the last of the kept rows X, and which have moved: `moves` is one more than how often, 0
    if that was never looked at; to a far level bit by bit counts as too often.

    >>> level, moves, old = np.zeros(1), np.zeros(1), np.arange(100.0)[:, None] % 10.0
    >>> for X in (old, old + 1.0, np.vstack([old, old + 900.0])):
    ...     watch(X, middle(X[-MEASURE:]), level, moves)
    >>> moves
    array([2.])
    """
    count, mean, v = lately
    told, way = count >= TELL, (mean - level) ** 2
    for j in np.flatnonzero(told & (moves > 0.0) & (way > FAR * v)).tolist():
        if not sudden(X[:, j], float(mean[j]), float(v[j])):
            moves[j] += MOVES
    moves += np.where(moves > 0.0, told & (way > STEP**2 * v), told)
    level[told] = mean[told]


def fitting(lately: Middle, n: Floats, mean: Floats, q: Floats, moves: Floats) -> tuple[Floats, Floats, Bools]:
    """Means and sums of squares that fit the last rows, and which had not."""
    count, there, v = lately
    late = n > count
    wrong = _wrong(variance(n, mean, q), count, there, v) & ~(late & (moves > 1 + MOVES))
    moves[wrong & late] = 2 + MOVES
    return np.where(wrong, there, mean), np.where(wrong, v * n, q), wrong


def sudden(x: Floats, mean: float, v: float) -> bool:
    """Whether the values came to a level of this mean and variance from one to the next.

    >>> new = [5.0, 5.1, 4.9] * 4
    >>> sudden(np.array([1.0, 2.0, *new]), 5.0, 0.01), sudden(np.array([1.0, 3.9, 4.4, 4.5, *new]), 5.0, 0.01)
    (True, False)
    """
    apart = (x[~np.isnan(x)] - mean) ** 2
    far = apart > FAR * v
    if not far.any():
        return False
    change = len(far) - int(np.argmax(far[::-1]))
    after = apart[change : change + SIDE] <= NEAR**2 * v
    return bool(far[max(0, change - SIDE) : change].mean() > 0.75 and len(after) and after.mean() > 0.75)


def retarget(st: State) -> None:
    """The same for the targets, as long as all of them are kept: the experts are to learn them anew."""
    labelled = float(st.clock[LABELLED])
    if not st.outputs or st.clock[SINCE] or st.clock[KEPT] > ROWS:
        return
    count, mean, v = middle(st.row_y)
    wrong = _wrong(st.y_q / max(labelled, 1.0), count, mean, v)
    if not wrong.any():
        return
    st.y_mean[wrong], st.y_q[wrong] = mean[wrong], v[wrong] * labelled
    st.row_y[:] = held(st.row_y, np.full(st.outputs, labelled), st.y_mean, st.y_q, OFF)
    st.near_y[:] = held(st.near_y.T, np.full(st.outputs, labelled), st.y_mean, st.y_q, OFF).T
    st.y_reach[wrong] = np.nanmax(np.abs(st.row_y[:, wrong] - st.y_mean[wrong]), axis=0)
    st.w[:, wrong], st.w0[:, wrong], st.noise[:, wrong] = 0.0, 0.0, 1.0


def middle(X: Floats) -> Middle:
    """Of each column the number of values that are not NaN, and the mean and variance of all but the ends.

    >>> middle(np.array([[1.0], [3.0], [1e9], [np.nan], [-5.0], [2.0]]))
    (array([5.]), array([2.]), array([0.66666667]))
    """
    module = native()
    if module is not None:
        found: Middle = module.middle(X)
        return found
    count = (~np.isnan(X)).sum(axis=0).astype(np.float64)
    place = np.arange(len(X))[:, None]
    inner = (place >= 1) & (place < count - 1)
    x = np.where(inner, np.sort(X, axis=0), 0.0)
    number = np.maximum(inner.sum(axis=0), 1)
    mean = x.sum(axis=0) / number
    return count, mean, (np.where(inner, x - mean, 0.0) ** 2).sum(axis=0) / number


def _wrong(now: Floats, count: Floats, mean: Floats, v: Floats) -> Bools:
    """Which variances of now do not fit, of features kept `count` times with this mean and v."""
    told = variance(np.ones(len(v)), mean, v) > 0.0
    return np.asarray((count >= TELL) & told & (now > MISFIT * v))
