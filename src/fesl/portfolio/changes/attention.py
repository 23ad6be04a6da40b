"""A round of a narrow learner with all that it takes. Before one that is not ordinary: features join, come back,
vanish. After some: a frozen feature is noted, rows are learned anew, other features are paired."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.models import Point
from fesl.portfolio.changes import drift, memory
from fesl.portfolio.changes.lives import Kind, Log, due, overdue, youngest
from fesl.portfolio.changes.priors import whiten
from fesl.portfolio.changes.recalibration import recalibrate, retarget
from fesl.portfolio.changes.renewal import renew
from fesl.portfolio.changes.snapshots import come_back
from fesl.portfolio.constants import (
    AGES,
    EXPERTS,
    FLEETING,
    LABELLED,
    LATE,
    MEASURE,
    OUTAGE,
    PAIR_AT,
    RENEWED,
    ROUND,
    SINCE,
    WATCH,
)
from fesl.portfolio.experts import pairwise
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State


def learn(
    core: Reference, log: Log, x: Point, strangers: dict[Name, float], y: Sequence[float] | Floats | None
) -> None:
    """A round that holds these strangers, too."""
    st = core.state
    late = strangers and not len(x.idx) and st.n > 1 and all(name in st.dead for name in strangers)
    if late and first(st, LATE):
        return  # a sample of an old space: its label came late. Two, not far apart: that space is back
    if strangers or due(st, x.idx):
        known = dict(zip([st.names[j] for j in x.idx.tolist()], x.val.tolist(), strict=True))
        named = {**known, **strangers}
        attend(core, log, list(named))
        x = Point(np.array([st.index[k] for k in named], np.int64), np.array(list(named.values()), np.float64))
    core.learn(x.ordered(), y)


def first(st: State, what: int) -> bool:
    """Whether this has not happened lately; by this place of the clock, where it is noted."""
    t, last = int(st.clock[ROUND]), int(st.clock[what])
    st.clock[what] = t + 1
    return not last or t - last >= OUTAGE


def attend(core: Reference, log: Log, names: list[Name]) -> None:
    """Make the state ready for a round that holds these features."""
    st = core.state
    before = st.version, st.n
    strangers = [name for name in names if name not in st.index]
    if strangers:
        _add(core, log, strangers)
    gone = overdue(st, np.array([st.index[name] for name in names], np.int64))
    known = bool((st.count[gone] >= FLEETING).any())
    if len(gone):
        _note_switch(st, log, gone)
        if known:
            memory.switch(core, gone)
        else:
            memory.forget(core, gone)
    if before != (st.version, st.n):
        _pair(st, _worth(core), anew=False)
    if known:
        renew(core)


def settle(core: Reference, log: Log) -> None:
    """After a round with news: a feature froze, or it is time to measure, learn and pair anew."""
    st = core.state
    core.news = False
    for j in np.flatnonzero((st.still == st.freeze_at) & (st.freeze_at > 0)).tolist():
        if 0 < j < st.n and st.last[j] == st.clock[ROUND] - 1:
            log.add(Kind.FROZE, st.names[j], int(st.clock[ROUND]) - 1, int(st.still[j]))
    age, doubled = int(st.clock[ROUND] - st.clock[SINCE]), bool(st.clock[LABELLED] >= st.clock[PAIR_AT])
    if st.regression and st.clock[ROUND] % WATCH == 0:
        drift.watch(core)
    of_age, anew = age in AGES, doubled or age in RENEWED or youngest(st) in RENEWED
    if of_age or anew or st.clock[ROUND] % MEASURE == 0:
        recalibrate(core)
    if of_age:
        if st.regression:
            retarget(st)
        whiten(core)
        core.relearn(own=True)
    if of_age or anew:
        worth = _worth(core)
        if doubled:
            _pair(st, worth, anew=True)
            st.clock[PAIR_AT] = 2 * st.clock[LABELLED]
    if anew:
        renew(core)


def _worth(core: Reference) -> Floats:
    """What each feature tells about the label by itself; NaN: not known. The neighbours go by it."""
    st, n = core.state, core.state.n
    if st.regression:
        st.fold()
        found = pairwise.moving(st.A[:n], st.q[:n])
    else:
        found = core.telling()
    st.worth[:n] = np.maximum(np.nan_to_num(found), 0.0)
    return found


def _pair(st: State, worth: Floats, *, anew: bool) -> None:
    tie = (st.w[:, :, : st.n] ** 2).sum(axis=(0, 1))
    pairwise.choose(st.paired, st.surface, worth, tie, anew)


def join(core: Reference, log: Log, strangers: list[Name]) -> None:
    """These come, in a round that has not begun yet."""
    _add(core, log, strangers)
    _pair(core.state, _worth(core), anew=False)


def _add(core: Reference, log: Log, strangers: list[Name]) -> None:
    st, prior, t = core.state, arrival_prior(core.state), int(core.state.clock[ROUND])
    back = False
    st.reserve(len(strangers))
    for name in strangers:
        dead = st.dead.get(name)
        back = back or dead is not None
        st.add(name, prior)
        log.add(Kind.APPEARED if dead is None else Kind.CAME_BACK, name, t, int(dead.count) if dead else 0)
    core.bind()
    if back:
        come_back(core)


def arrival_prior(st: State) -> Floats:
    """A new feature is expected to matter as much as those already here: empirical Bayes, at most tau."""
    n = st.n
    if n == 1:
        return st.tau.copy()
    power = np.zeros(len(EXPERTS))
    for e in range(len(EXPERTS)):
        square = (st.w[e, :, 1:n] ** 2).mean(axis=0) if st.outputs else np.zeros(n - 1)
        power[e] = float((square + np.diag(st.P[e, :n, :n])[1:]).mean())
    return np.minimum(st.tau, power)


def _note_switch(st: State, log: Log, gone: Ints) -> None:
    t = int(st.clock[ROUND])
    there = ~np.isnan(st.row_x[st.rows(), : st.n])
    beside = there[:, gone].any(axis=1)
    both = there[beside].sum(axis=0)
    both[gone] = both[0] = 0
    for j in np.flatnonzero(st.newcomers() & (both > 0) & (st.born[: st.n] > st.born[gone].min())).tolist():
        log.add(Kind.OVERLAPPED, st.names[j], t, int(both[j]))
    for j in gone.tolist():
        log.add(Kind.VANISHED, st.names[j], t, int(st.count[j]))
