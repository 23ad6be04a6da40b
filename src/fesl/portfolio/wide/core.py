"""One round of a wide learner, in time proportional to what the event holds.

Covariances are diagonal, P_j a feature and expert. Dense events (many sensors): u_j as in `scaling`. Sparse ones
(words, clicks; sensors that report now and then): the same to experts that are `central`, to whom a feature says by
how much it differs from what it usually is, and what is absent nothing; to the others u_j = x_j / rms_j over its
occurrences, and what is absent is zero. Which of the two is meant the weights tell. A feature that is steady, as
good as always there with ever other values, is to all as in dense events. Of numbers, central and plain experts see
such inputs before the squashing: lines. With s = sum P_j u_j^2, Pu = P_j u_j:

    Laplace   w_k += (e_y - p)_k Pu,           P_j /= 1 + h P_j u_j^2
    Kalman    w_k += (y_k - m_k) / (r + s) Pu,  P_j /= 1 + P_j u_j^2 / r

Naive Bayes counts presence. `spaces` tells what happens when features come and go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from fesl._typing import Event, Floats, Ints
from fesl.evolving.labels import Codec
from fesl.models import Point
from fesl.portfolio import classes, mixture, targets
from fesl.portfolio.changes.lives import Log
from fesl.portfolio.constants import LABELLED, OFF, ROUND, WIDE_EXPERTS
from fesl.portfolio.experts import laplace, stacker, student
from fesl.portfolio.inputs.scaling import counted, held, squashed, standard
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State
from fesl.portfolio.wide.readings import Readings
from fesl.portfolio.wide.state import WideRow, WideState
from fesl.portfolio.wide.steady import CENTRAL
from fesl.tables import Table

KEEP = np.array([e.keep for e in WIDE_EXPERTS])
PLAIN = np.array([e.plain for e in WIDE_EXPERTS])


class Wide:
    """The core of a wide learner; the same doors as `Reference`. `narrow` makes the core of a narrow state."""

    def __init__(
        self, state: WideState, codec: Codec, native: ModuleType | None, narrow: Callable[[State], Reference]
    ) -> None:
        self.state, self.narrow = state, narrow
        self.fast: Any = None if native is None else native.WideDoors(state, codec, WideRow)
        self.readings: Readings | None = None
        self._bind_inside()

    @property
    def compiled(self) -> bool:
        """Whether the rounds are compiled."""
        return self.fast is not None

    @property
    def news(self) -> bool:
        """Whether the last round left something to be done: inside, if anywhere."""
        return self.readings is not None and self.readings.core.news

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
        if self.readings is not None:
            self.readings.core.bind()
        self._bind_inside()

    def _bind_inside(self) -> None:
        inner = self.state.inner
        if inner is not None and self.readings is None:
            self.readings = Readings(self.narrow(inner))
            if self.fast is not None:
                self.fast.take_in(self.readings.core)

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
        attention; the one before may have brought news."""
        if self.fast is None:
            return start
        at = (table.ptr, cols, table.vals, places)
        return int(self.fast.run_rows(*at, Y, scores, experts, weights, start, stop))

    # Predicting

    def _told(self, x: Point) -> Floats | None:
        """What the narrow learner inside says, if there is one."""
        return None if self.readings is None else self.readings.say(self.state, x)

    def predict(self, x: Point) -> Floats:
        st = self.state
        if st.regression and not st.clock[LABELLED]:
            return np.zeros(st.outputs)
        if self.fast is not None and st.outputs:
            return np.asarray(self.fast.predict(x, self._told(x)))
        found = self.opinions(x)
        if st.regression:
            return targets.mixed(st, (found - st.y_mean) / st.y_sd)
        return mixture.mixed(st.a[0], found)

    def opinions(self, x: Point) -> Floats:
        st, told = self.state, self._told(x)
        if self.fast is not None and st.outputs:
            return np.asarray(self.fast.opinions(x, told))
        j, u = self.inputs(x, True)
        m, s, _ = self.project(j, u)
        if st.regression:
            found = stacker.joined(st.stack_b, st.stack_V, *self._with(m, s, told, st.y_sd))[0]
            return np.asarray(st.y_mean + st.y_sd * found)
        return self._chances(x.idx, m, s, told)

    def inputs(self, x: Point, ahead: bool) -> tuple[Ints, Floats]:
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
        return np.concatenate([[0], j]), np.vstack([np.ones(len(WIDE_EXPERTS)), u])

    def project(self, j: Ints, u: Floats) -> tuple[Floats, Floats, Floats]:
        """m (E x K), s (E) and P_j u_j (n x E)."""
        st = self.state
        Pu = st.P[j] * u
        m = np.einsum("jek,je->ek", st.w[j], u)
        return m * st.unit if st.regression else m, (Pu * u).sum(axis=0), Pu

    def _with(self, m: Floats, s: Floats, told: Floats | None, sd: Floats) -> tuple[Floats, Floats]:
        """Forecasts and their variances, and what the narrow learner inside told, in these deviations."""
        if told is None:
            return m, s
        return np.vstack([m, (told - self.state.y_mean) / sd]), np.append(s, 0.0)

    def _chances(self, j: Ints, m: Floats, s: Floats, told: Floats | None) -> Floats:
        st = self.state
        p = np.vstack([laplace.predictive(m, s), laplace.softmax(self._bayes(j))])
        p = p if told is None else np.vstack([p, told])
        return classes.joined(st, p)

    def _bayes(self, j: Ints) -> Floats:
        st = self.state
        H, seen = st.H[j], float(st.c.sum())
        pbar = (H.sum(axis=1) + 0.5) / (seen + 1.0)
        told = np.log((H + 2.0 * pbar[:, None]) / (st.c + 2.0)).sum(axis=0)
        return np.asarray(np.log(st.c + 0.5) + told / np.sqrt(len(j) + 1.0))

    # Learning

    def learn(self, x: Point, y: Sequence[float] | Floats | None, log: Log) -> None:
        if self.readings is not None:
            self.readings.attend(self.state, x, log)
        told = None if y is None else self._told(x)
        if self.fast is not None:
            self.fast.learn(x, y, told)
        else:
            self._learn(x, y, told)
        if self.readings is not None:
            self.readings.learn(self.state, x, y)
            if self.fast is not None and self.readings.moved(self.state):
                self.fast.follow()

    def settle(self, log: Log) -> None:
        """What the last round left to be done."""
        if self.readings is not None:
            self.readings.settle(log)

    def begin(self, log: Log) -> None:
        """A narrow learner begins inside, of those that are followed."""
        self.state.begin_inside()
        self.bind()
        if self.readings is not None:
            self.readings.begin(self.state, log)
        self.bind()

    def _learn(self, x: Point, y: Sequence[float] | Floats | None, told: Floats | None) -> None:
        st = self.state
        at = x.idx
        st.count[at], st.mean[at], st.q[at] = counted(x.val, st.count[at], st.mean[at], st.q[at])
        st.last[at] = st.clock[ROUND]
        if y is not None:
            j, u = self.inputs(x, False)
            if st.regression:
                self._learn_numbers(j, u, np.asarray(y, np.float64), told)
            else:
                self._learn_class(j, u, int(y[0]), told)
            st.clock[LABELLED] += 1
        st.rows.append(WideRow(at, x.val, y))
        st.clock[ROUND] += 1

    def _learn_class(self, j: Ints, u: Floats, y: int, told: Floats | None) -> None:
        st = self.state
        m, s, Pu = self.project(j, u)
        classes.weigh(st, self._chances(j[1:], m, s, told), y)
        g, h = laplace.pull(m, s, y)
        self._step(j, u, g, Pu, h)
        st.H[j[1:], y] += 1.0
        st.c[y] += 1.0

    def _learn_numbers(self, j: Ints, u: Floats, y: Floats, told: Floats | None) -> None:
        st, E = self.state, len(WIDE_EXPERTS)
        y, moved = self._scaled(y)
        m, s, Pu = self.project(j, u)
        sd = student.deviation(float(st.clock[LABELLED] + 1), st.y_mean, st.y_q)
        m, s = stacker.joined(st.stack_b, st.stack_V, *self._with(m, s, told, sd), moved)
        taken = targets.weigh(st, y, m, s)
        st.shape, st.noise = student.noted(st.shape, st.noise, taken - m, s)
        stacker.fit(st.stack_b, st.stack_V, m[:-1], taken, moved)
        self._step(j, u, ((taken - m) / (1.0 + s) / st.unit)[:E], Pu, np.ones(E))

    def _scaled(self, y: Floats) -> tuple[Floats, stacker.Moved]:
        """Count y in its own statistics; the unit of the weights and the noise move with them, so that no
        prediction changes."""
        st, n = self.state, float(self.state.clock[LABELLED])
        y = held(y, np.full(len(y), n), st.y_mean, st.y_q, OFF)
        y, ratio, shift = targets.count(st, y)
        st.w[0] += shift / st.unit
        return y, (ratio, shift)

    def _step(self, j: Ints, u: Floats, g: Floats, Pu: Floats, h: Floats) -> None:
        """w_j += Pu g, P_j /= 1 + h P_j u_j^2; the forgetting expert's then widen."""
        st = self.state
        st.w[j] += Pu[:, :, None] * g
        P = st.P[j]
        P = P / (1.0 + h * P * u * u)
        st.P[j] = np.where(st.tau > P, P + (1.0 - KEEP) * st.tau, P)
