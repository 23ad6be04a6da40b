"""One round of a wide learner, in time proportional to what the event holds.

Covariances are diagonal, P_j a feature and expert. Dense events (many sensors): u_j as in `scaling`. Sparse ones
(words, clicks; sensors that report now and then): the same to experts that are `central`, to whom a feature says by
how much it differs from what it usually is, and what is absent nothing; to the others u_j = x_j / rms_j over its
occurrences, and what is absent is zero. Which of the two is meant the weights tell. A feature that is steady, as
good as always there with ever other values, is to all as in dense events. Of numbers, central and plain experts see
such inputs before the squashing: lines. With s = sum P_j u_j^2, Pu = P_j u_j:

    Laplace   w_k += (e_y - p)_k Pu,           P_j /= 1 + h P_j u_j^2
    Kalman    w_k += (y_k - m_k) / (r + s) Pu,  P_j /= 1 + P_j u_j^2 / r

Naive Bayes counts presence. Sparse features cannot be told to have vanished one by one, so spaces are told apart as
a whole: a wave of strangers begins a new one, and the old one is gone when events stop to hold any of its features,
for longer than short events explain (`lives`: it is absent like a feature).
Then the kept rows teach, more simply than in `memory`: what the experts, as they were, say of a row by all that it
holds is what those that inherit learn from the features that stay, with noise WIDE_TEACH and the score's variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from fesl._typing import Event, Floats, Ints, Name
from fesl.evolving.labels import Codec
from fesl.models import Point
from fesl.portfolio import laplace, mixture, recalibration, stacker, student
from fesl.portfolio.constants import (
    EXPERTS,
    FEW,
    GAMMA,
    LABELLED,
    MEASURE,
    OFF,
    ROUND,
    ROWS,
    SINCE,
    SURE,
    TOLD,
    WIDE_TEACH,
    YOUNG,
)
from fesl.portfolio.lives import Kind, Log, patience
from fesl.portfolio.scaling import counted, held, squashed, standard
from fesl.portfolio.wide_state import CENTRAL, WideRow, WideState
from fesl.tables import Table

KEEP = np.array([e.keep for e in EXPERTS])
PLAIN = np.array([e.plain for e in EXPERTS])
TAUGHT = np.array([e.central or e.inherits for e in EXPERTS])


class Wide:
    """The core of a wide learner; the same doors as `Reference`."""

    news = False

    def __init__(self, state: WideState, codec: Codec, native: ModuleType | None = None) -> None:
        self.state = state
        self.fast: Any = None if native is None else native.WideDoors(state, codec, WideRow)

    @property
    def compiled(self) -> bool:
        """Whether the rounds are compiled."""
        return self.fast is not None

    @property
    def busy(self) -> bool:
        """Whether events are declined."""
        return self.fast is not None and bool(self.fast.busy)

    @busy.setter
    def busy(self, busy: bool) -> None:
        if self.fast is not None:
            self.fast.busy = busy

    def bind(self) -> None:
        """The arrays of the state were replaced."""
        if self.fast is not None:
            self.fast.bind()

    def learn_event(self, x: Event, y: Any) -> bool:
        """Learn from an ordinary event; False: it needs attention, and nothing was changed."""
        return self.fast is not None and bool(self.fast.learn_event(x, y))

    def predict_event(self, x: Event) -> list[float] | None:
        """The prediction for an ordinary event; None: it needs attention."""
        found: list[float] | None = None if self.fast is None else self.fast.predict_event(x)
        return found

    def run_rows(
        self,
        table: Table,
        cols: Ints,
        places: Ints,
        Y: Floats | None,
        scores: Floats,
        experts: Floats,
        weights: Floats,
        start: int,
        stop: int,
    ) -> int:
        """Compressed rows in a single call; `cols` are their columns in 64 bits. Returns the row that needs
        attention."""
        if self.fast is None:
            return start
        at = (table.ptr, cols, table.vals, places)
        return int(self.fast.run_rows(*at, Y, scores, experts, weights, start, stop))

    # Predicting

    def predict(self, x: Point) -> Floats:
        st = self.state
        if st.regression and not st.clock[LABELLED]:
            return np.zeros(st.outputs)
        found = self.opinions(x)
        return np.asarray(np.einsum("ge,eg->g", st.a, found)) if st.regression else mixture.mixed(st.a[0], found)

    def opinions(self, x: Point) -> Floats:
        st = self.state
        if self.fast is not None and st.outputs:
            return np.asarray(self.fast.opinions(x))
        j, u = self._inputs(x, True)
        m, s, _ = self._project(j, u)
        if st.regression:
            return np.asarray(st.y_mean + st.y_sd * stacker.joined(st.stack_b, st.stack_V, m, s)[0])
        return self._chances(x.idx, m, s)

    def _inputs(self, x: Point, ahead: bool) -> tuple[Ints, Floats]:
        """Places and inputs (n x E), the intercept's first."""
        st, j = self.state, x.idx
        n, mean, q = st.count[j], st.mean[j], st.q[j]
        if ahead:
            n, mean, q = counted(x.val, n, mean, q)
        power = q / np.maximum(n, 1.0) + mean * mean
        as_it_is = standard(x.val, n, np.zeros(len(n)), power * np.maximum(n, 1.0))
        mild = squashed(x.val, n, mean, q)
        known = st.centred | st.steady[j]
        central = standard(x.val, n, mean, q) if st.regression else mild
        others = np.where(known, mild, as_it_is)
        u = np.where(CENTRAL | (PLAIN & known[:, None]), central[:, None], others[:, None])
        return np.concatenate([[0], j]), np.vstack([np.ones(len(EXPERTS)), u])

    def _project(self, j: Ints, u: Floats) -> tuple[Floats, Floats, Floats]:
        """m (E x K), s (E) and P_j u_j (n x E)."""
        st = self.state
        Pu = st.P[j] * u
        m = np.einsum("jek,je->ek", st.w[j], u)
        return m * st.unit if st.regression else m, (Pu * u).sum(axis=0), Pu

    def _chances(self, j: Ints, m: Floats, s: Floats) -> Floats:
        st = self.state
        p = np.vstack([laplace.predictive(m, s), laplace.softmax(self._bayes(j))])
        return np.vstack([p, stacker.predict(st.stack_b[0], st.stack_V[0], stacker.heard(np.log(p), st.c))])

    def _bayes(self, j: Ints) -> Floats:
        st = self.state
        H, seen = st.H[j], float(st.c.sum())
        pbar = (H.sum(axis=1) + 0.5) / (seen + 1.0)
        told = np.log((H + 2.0 * pbar[:, None]) / (st.c + 2.0)).sum(axis=0)
        return np.asarray(np.log(st.c + 0.5) + told / np.sqrt(len(j) + 1.0))

    # Learning

    def learn(self, x: Point, y: Sequence[float] | Floats | None) -> None:
        st = self.state
        if self.fast is not None:
            self.fast.learn(x, y)
            return
        at = x.idx
        st.count[at], st.mean[at], st.q[at] = counted(x.val, st.count[at], st.mean[at], st.q[at])
        st.last[at] = st.clock[ROUND]
        if y is not None:
            j, u = self._inputs(x, False)
            if st.regression:
                self._learn_numbers(j, u, np.asarray(y, np.float64))
            else:
                self._learn_class(j, u, int(y[0]))
            st.clock[LABELLED] += 1
        st.rows.append(WideRow(at, x.val))
        st.clock[ROUND] += 1

    def _learn_class(self, j: Ints, u: Floats, y: int) -> None:
        st = self.state
        m, s, Pu = self._project(j, u)
        log_p = np.log(self._chances(j[1:], m, s))
        mixture.weigh(st.a, log_p[None, :, y], st.account)
        mixture.share(st.a, mixture.rate(int(st.clock[LABELLED])), st.account, st.voices)
        stacker.learn(st.stack_b[0], st.stack_V[0], stacker.heard(log_p[:-1], st.c), y)
        g, h = laplace.pull(m, s, y)
        self._step(j, u, g, Pu, h)
        st.H[j[1:], y] += 1.0
        st.c[y] += 1.0

    def _learn_numbers(self, j: Ints, u: Floats, y: Floats) -> None:
        st = self.state
        y, moved = self._scaled(y)
        m, s, Pu = self._project(j, u)
        m, s = stacker.joined(st.stack_b, st.stack_V, m, s, moved)
        log_p = [student.log_density(y, m[e], s[e], float(st.shape[e]), st.noise[e]) for e in range(len(m))]
        taken = y
        if st.clock[LABELLED] >= TOLD:
            forecast = student.forecast(st.a, m, s, st.shape, st.noise)
            taken, st.surprised[:] = student.believed(y, *forecast, st.surprised)
        mixture.weigh(st.a, np.array(log_p).T, st.account)
        mixture.share(st.a, mixture.rate(int(st.clock[LABELLED])), st.account, st.voices)
        st.shape, st.noise = student.noted(st.shape, st.noise, taken - m, s)
        stacker.fit(st.stack_b, st.stack_V, m[:-1], taken, moved)
        self._step(j, u, ((taken - m) / (1.0 + s) / st.unit)[:-1], Pu, np.ones(len(EXPERTS)))

    def _scaled(self, y: Floats) -> tuple[Floats, stacker.Moved]:
        """Count y in its own statistics; the unit of the weights and the noise move with them, so that no
        prediction changes."""
        st, n = self.state, float(self.state.clock[LABELLED])
        y = held(y, np.full(len(y), n), st.y_mean, st.y_q, OFF)
        y, st.y_mean, st.y_q, ratio, shift = student.counted(y, n, st.y_mean, st.y_q)
        st.noise = np.maximum(st.noise * ratio**2, student.LEAST)
        st.unit *= ratio
        if not ((st.unit > 0.5) & (st.unit < 2.0)).all():
            st.fold()
        st.w[0] += shift / st.unit
        return y, (ratio, shift)

    def _step(self, j: Ints, u: Floats, g: Floats, Pu: Floats, h: Floats) -> None:
        """w_j += Pu g, P_j /= 1 + h P_j u_j^2; the forgetting expert's then widen."""
        st = self.state
        st.w[j] += Pu[:, :, None] * g
        P = st.P[j]
        P = P / (1.0 + h * P * u * u)
        st.P[j] = np.where(st.tau > P, P + (1.0 - KEEP) * st.tau, P)

    # Features come and go

    def attend(self, log: Log, x: Point, strangers: dict[Name, float]) -> Point:
        """Before every round: strangers join, waves begin and end."""
        st, t = self.state, int(self.state.clock[ROUND])
        if t and t % MEASURE == 0:
            self._recalibrate()
        here = len(x.idx) + len(strangers)
        if st.centred and t < st.settle and 0 < 2 * max([here, *st.lately()]) < len(st.index):
            st.part_with_means()
            self.bind()
        woken = x.idx[st.asleep[x.idx]]
        st.asleep[woken] = False
        st.born[woken] = t
        for place in woken.tolist():
            log.add(Kind.CAME_BACK, st.names[place], t, int(st.count[place]))
        known = x.idx
        if strangers:
            for name in strangers:
                log.add(Kind.APPEARED, name, t, 0)
            room = len(st.mean)
            new = st.add(list(strangers), st.tau, x.idx)
            if len(st.mean) > room:
                self.bind()
            x = Point(np.concatenate([x.idx, new]), np.concatenate([x.val, list(strangers.values())]))
        self._watch(log, known, here)
        return x

    def _recalibrate(self) -> None:
        """Find out which features are steady, if not all are taken to be; and measure those anew whose statistics
        do not fit the last rows."""
        st = self.state
        rows = list(st.rows)[recalibration.recent(int(st.clock[ROUND])) :]
        if not st.centred:
            new = st.readings(rows)
            st.shift_back(new)
            st.steady[new] = True
        places = np.array(list(st.index.values()), np.int64) if st.centred else np.flatnonzero(st.steady)
        if not len(places):
            return
        idx = np.concatenate([row.idx for row in rows])
        column = np.full(len(st.mean), -1)
        column[places] = np.arange(len(places))
        at, wanted = np.repeat(np.arange(len(rows)), [len(row.idx) for row in rows]), column[idx] >= 0
        X = np.full((len(rows), len(places)), np.nan)
        X[at[wanted], column[idx][wanted]] = np.concatenate([row.val for row in rows])[wanted]
        st.mean[places], st.q[places], _ = recalibration.fitting(X, st.count[places], st.mean[places], st.q[places])
        self.bind()  # what was said of the event so far was said in other units

    def _watch(self, log: Log, known: Ints, here: int) -> None:
        """Has the space gone that the features of old belong to? An event that holds hardly any of them beside
        others says so; one that is short as a whole does not."""
        st, t = self.state, int(self.state.clock[ROUND])
        old = int((st.born[known] < t - min(ROWS, t // 2)).sum())
        if not here:
            return
        if FEW * st.expect >= 1.0 and old < min(FEW * st.expect, 0.5 * here):
            st.missed += 1
            lived = float(t - max(0, int(st.clock[SINCE])))
            if st.missed >= patience(lived, st.misses, spells=st.spells) and st.missed * st.expect >= SURE:
                self._switch(log)
            return
        st.misses, st.spells, st.missed = st.misses + st.missed, st.spells + (st.missed > 0), 0
        st.expect += (old - st.expect) / 16.0

    def _switch(self, log: Log) -> None:
        """The new space began when the first of those features came that the last events hold; what is older than
        that, and not in these events, is gone."""
        st, t = self.state, int(self.state.clock[ROUND])
        places = np.array(list(st.index.values()), np.int64)
        since = t - st.missed + 1
        here = places[(st.last[places] >= since) & (st.born[places] >= t - min(ROWS, t // 2))]
        start = int(st.born[here].min()) if len(here) else since
        gone = places[(st.born[places] < start) & (st.last[places] < since) & ~st.asleep[places]]
        st.missed, st.misses, st.spells, st.expect = 0, 0, 0, 0.0
        if not len(gone):
            return
        st.asleep[gone] = True
        self._teach()
        for place in gone.tolist():
            log.add(Kind.VANISHED, st.names[place], t, int(st.count[place]))
        young = places[~st.asleep[places] & (st.count[places] < YOUNG)]
        for e in np.flatnonzero(TAUGHT).tolist():
            st.w[young, e], st.P[young, e] = 0.0, st.tau[e]
            st.P[0, e] += st.prior[e]
        mixture.share(st.a, GAMMA, st.account, st.voices)
        for row in st.rows:
            if row.F is not None:
                self._learn_taught(row)
        st.clock[SINCE] = t
        self.bind()  # what was said of the event so far was said by the experts before

    def _teach(self) -> None:
        """What the experts, as they are, say of every kept row that holds what has gone."""
        st, E = self.state, len(EXPERTS)
        trust = mixture.trusted(st.a, E)
        for row in st.rows:
            row.F = None
            gone = st.asleep[row.idx]
            if not st.outputs or not gone.any() or gone.all():
                continue
            j, u = self._inputs(Point(row.idx, row.val), False)
            m, s, _ = self._project(j, u)
            row.F = np.asarray(trust @ m)
            row.S = float(trust @ s) + max(0.0, float((trust @ (m * m) - row.F**2).mean()))

    def _learn_taught(self, row: WideRow) -> None:
        st = self.state
        assert row.F is not None
        stays = ~st.asleep[row.idx]
        j, u = self._inputs(Point(row.idx[stays], row.val[stays]), False)
        m, s, Pu = self._project(j, u)
        r = WIDE_TEACH + row.S
        g = np.where(TAUGHT[:, None], (row.F - m) / (r + s)[:, None], 0.0)
        if st.regression:
            g /= st.unit
        st.w[j] += Pu[:, :, None] * g
        P = st.P[j]
        st.P[j] = np.where(TAUGHT, P / (1.0 + P * u * u / r), P)
