"""When the features of a wide learner come and go, and when events turn out to be other than they were taken for.

Sparse features cannot be told to have vanished one by one, so spaces are told apart as a whole: a wave of strangers
begins a new one, and the old one is gone when events stop to hold any of its features, for longer than short events
explain (`lives`: it is absent like a feature). Then the kept rows teach, more simply than in `memory`: what the
experts, as they were, say of a row by all that it holds is what those that inherit learn from the features that
stay, with noise WIDE_TEACH and the score's variance.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Ints, Name
from fesl.models import Point
from fesl.portfolio import mixture
from fesl.portfolio.changes import recalibration
from fesl.portfolio.changes.lives import Kind, Log, patience
from fesl.portfolio.constants import (
    FEW,
    GAMMA,
    MEASURE,
    NOTICED,
    ROUND,
    ROWS,
    SINCE,
    SURE,
    WIDE_EXPERTS,
    WIDE_TEACH,
    YOUNG,
)
from fesl.portfolio.wide import choice, seats, steady
from fesl.portfolio.wide.core import Wide
from fesl.portfolio.wide.seats import Seat
from fesl.portfolio.wide.state import WideRow, WideState

HEIRS = np.array([e.central or e.inherits for e in WIDE_EXPERTS])


def attend(core: Wide, log: Log, x: Point, strangers: dict[Name, float]) -> Point:
    """Before every round: strangers join, waves begin and end."""
    st, t = core.state, int(core.state.clock[ROUND])
    if t and t % MEASURE == 0:
        _measure(core)
        _follow(core, log)
    if t and t == st.look:
        _welcome(core)
    here = len(x.idx) + len(strangers)
    if st.centred and t < st.settle and 0 < 2 * max([here, *st.lately()]) < len(st.index):
        steady.part_with_means(st)
        _follow(core, log)
        core.bind()
    _wake(core, log, x.idx)
    known = x.idx
    if strangers:
        x = _join(core, log, x, strangers)
    _watch(core, log, known, here)
    return x


def _wake(core: Wide, log: Log, here: Ints) -> None:
    """These are in the event: some are back. Of those that wait for a seat inside then, it is seen later whether
    they stay."""
    st, t = core.state, int(core.state.clock[ROUND])
    back, woken = seats.back(st, here), here[st.asleep[here]]
    if not len(back) and not len(woken):
        return
    st.asleep[woken] = False
    st.born[woken] = t
    inside = {} if st.inner is None else st.inner.index  # of these nobody had noted yet that they were gone
    for place in np.union1d(back, woken).tolist():
        if st.names[place] not in inside:
            log.add(Kind.CAME_BACK, st.names[place], t, int(st.count[place]))
    if len(back):
        _look_soon(st)


def _join(core: Wide, log: Log, x: Point, strangers: dict[Name, float]) -> Point:
    """The event with these, who have a place from now on."""
    st, t, room = core.state, int(core.state.clock[ROUND]), len(core.state.mean)
    dead = {} if st.inner is None else st.inner.dead
    for name in strangers:
        if name in dead:
            log.add(Kind.CAME_BACK, name, t, int(dead[name].count))
        else:
            log.add(Kind.APPEARED, name, t, 0)
    new = st.add(list(strangers), st.tau, x.idx)
    if len(st.mean) > room:
        core.bind()
    if st.inner is not None and (not st.centred or any(name in dead for name in strangers)):
        _look_soon(st)
    return Point(np.concatenate([x.idx, new]), np.concatenate([x.val, list(strangers.values())]))


def _look_soon(st: WideState) -> None:
    if st.look <= st.clock[ROUND]:
        st.look = int(st.clock[ROUND]) + NOTICED


def _follow(core: Wide, log: Log) -> None:
    """Readings, as many as there are seats inside."""
    if core.readings is not None:
        core.readings.review(core.state)
        core.bind()
    elif choice.fill(core.state):
        core.begin(log)


def _welcome(core: Wide) -> None:
    """Which of the newcomers are readings? One that replaces another should be known before that is gone."""
    st, t = core.state, int(core.state.clock[ROUND])
    st.look, new = 0, np.zeros(0, np.int64)
    if not st.centred:
        rows = list(st.rows)[-NOTICED:]
        new = steady.found(st, rows)
        new = new[st.born[new] >= t - 2 * NOTICED]
        here = np.concatenate([row.idx for row in rows])
        if (st.born[np.setdiff1d(here[~st.steady[here]], new)] > t - NOTICED).any():
            _look_soon(st)
    if len(new) or seats.waited(st):
        steady.take(st, new)
        if core.readings is not None:
            core.readings.welcome(st)
        core.bind()


def _measure(core: Wide) -> None:
    """Find out which features are steady, if not all are taken to be; and measure those anew whose statistics
    do not fit the last rows."""
    st = core.state
    rows, since = list(st.rows), recalibration.recent(int(st.clock[ROUND]))
    if not st.centred:
        steady.take(st, steady.found(st, rows[since:]))
        steady.drop(st, steady.lost(st, rows[-MEASURE:]))
    places = st.places() if st.centred else np.flatnonzero(st.steady)
    if not len(places):
        return
    X = st.table(rows, places)
    level, moves = st.level[places], st.moves[places]
    lately = recalibration.middle(X[since:])
    recalibration.watch(X, lately if since else recalibration.middle(X[-MEASURE:]), level, moves)
    known = st.count[places], st.mean[places], st.q[places]
    st.mean[places], st.q[places], _ = recalibration.fitting(lately, *known, moves)
    st.level[places], st.moves[places] = level, moves
    core.bind()  # what was said of the event so far was said in other units


def _watch(core: Wide, log: Log, known: Ints, here: int) -> None:
    """Has the space gone that the features of old belong to? An event that holds hardly any of them beside
    others says so; one that is short as a whole does not."""
    st, t = core.state, int(core.state.clock[ROUND])
    old = int((st.born[known] < t - min(ROWS, t // 2)).sum())
    if not here:
        return
    if FEW * st.expect >= 1.0 and old < min(FEW * st.expect, 0.5 * here):
        st.missed += 1
        lived = float(t - max(0, int(st.clock[SINCE])))
        if st.missed >= patience(lived, st.misses, spells=st.spells) and st.missed * st.expect >= SURE:
            _switch(core, log)
        return
    st.misses, st.spells, st.missed = st.misses + st.missed, st.spells + (st.missed > 0), 0
    st.expect += (old - st.expect) / 16.0


def _switch(core: Wide, log: Log) -> None:
    """The new space began when the first of those features came that the last events hold; what is older than
    that, and not in these events, is gone."""
    st, t = core.state, int(core.state.clock[ROUND])
    places = st.places()
    since = t - st.missed + 1
    here = places[(st.last[places] >= since) & (st.born[places] >= t - min(ROWS, t // 2))]
    start = int(st.born[here].min()) if len(here) else since
    gone = places[(st.born[places] < start) & (st.last[places] < since) & ~st.asleep[places]]
    st.missed, st.misses, st.spells, st.expect = 0, 0, 0, 0.0
    if not len(gone):
        return
    st.asleep[gone] = True
    _teach(core)
    _note(st, log, gone)
    young = places[~st.asleep[places] & (st.count[places] < YOUNG)]
    for e in np.flatnonzero(HEIRS).tolist():
        st.w[young, e], st.P[young, e] = 0.0, st.tau[e]
        st.P[0, e] += st.prior[e]
    mixture.share(st.a, GAMMA, st.account, st.voices)
    for row in st.rows:
        if row.F is not None:
            _learn_taught(core, row)
    st.clock[SINCE] = t
    core.bind()  # what was said of the event so far was said by the experts before


def _note(st: WideState, log: Log, gone: Ints) -> None:
    """These have vanished; of the readings the narrow learner inside finds it out by itself, or has."""
    for place in gone.tolist():
        if seats.seat(st, place) not in (Seat.INSIDE, Seat.GONE):
            log.add(Kind.VANISHED, st.names[place], int(st.clock[ROUND]), int(st.count[place]))


def _teach(core: Wide) -> None:
    """What the experts, as they are, say of every kept row that holds what has gone."""
    st, E = core.state, len(WIDE_EXPERTS)
    trust = mixture.trusted(st.a, E)
    for row in st.rows:
        row.F = None
        gone = st.asleep[row.idx]
        if not st.outputs or not gone.any() or gone.all():
            continue
        j, u = core.inputs(Point(row.idx, row.val), False)
        m, s, _ = core.project(j, u)
        row.F = np.asarray(trust @ m)
        row.S = float(trust @ s) + max(0.0, float((trust @ (m * m) - row.F**2).mean()))


def _learn_taught(core: Wide, row: WideRow) -> None:
    st = core.state
    assert row.F is not None
    stays = ~st.asleep[row.idx]
    j, u = core.inputs(Point(row.idx[stays], row.val[stays]), False)
    m, s, Pu = core.project(j, u)
    r = WIDE_TEACH + row.S
    g = np.where(HEIRS[:, None], (row.F - m) / (r + s)[:, None], 0.0)
    if st.regression:
        g /= st.unit
    st.w[j] += Pu[:, :, None] * g
    P = st.P[j]
    st.P[j] = np.where(HEIRS, P / (1.0 + P * u * u / r), P)
