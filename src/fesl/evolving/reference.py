"""The core in plain NumPy: the readable reference, and what runs where nothing could be compiled.

One round of Algorithms 2 and 3: score every expert, combine or draw, suffer the loss, reweigh, step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fesl._typing import Event, Floats, Ints
from fesl.evolving.events import read
from fesl.evolving.labels import Codec
from fesl.evolving.parts import Parts
from fesl.evolving.rates import Rates
from fesl.evolving.state import State
from fesl.evolving.trace import Trace
from fesl.models import LIMIT, Point
from fesl.rules import draw, reweigh
from fesl.spaces import CURRENT, SURVIVOR, Quiet


class ReferenceCore:
    """Predicts and learns on ordinary events, and says of the others that they need attention.

    Ordinary is an event that holds at least one feature, current ones only, and every survivor that is watched.
    """

    busy = False
    compiled = False

    def __init__(self, parts: Parts, state: State, codec: Codec) -> None:
        self.parts, self.codec = parts, codec
        self.rates = Rates(parts.step, parts.rule)
        self.bind(state)

    def bind(self, state: State) -> None:
        """Work on this state from now on (again after each turn, and when its arrays were replaced)."""
        self.state = state
        self.watched = np.empty(0, np.int64) if self.parts.spaces.sparse else state.registry.ids(SURVIVOR)
        self.scale = 1.0
        if self.parts.clip is not None:
            self.scale = 1.0 / self.parts.loss.ceiling(self.parts.clip, state.outputs)

    def side_by_side(self, quiet: Quiet | None) -> None:
        """An overlap is open, and goes on with such events without a turn: a core may take them itself from now on.
        This one leaves them to the learner."""

    # One event

    def score_event(self, x: Event) -> tuple[float, ...] | None:
        """The ensemble's scores; None: the event needs attention."""
        point, strangers = read(x, self.state.registry.index)
        return None if strangers or not self._ordinary(point) else tuple(self.score(point).tolist())

    def proba_event(self, x: Event) -> dict[Any, float] | None:
        """Class probabilities by label; None: the event needs attention."""
        f = self.score_event(x)
        return None if f is None else self.codec.probabilities(f)

    def learn_event(self, x: Event, y: Any) -> bool:
        """Learn; False: the event or its label needs attention, and nothing was changed."""
        target = None if y is None else self.codec.encode(y)
        point, strangers = read(x, self.state.registry.index)
        if strangers or not self._ordinary(point) or (target is None and y is not None):
            return False
        self._see(point)
        self.learn(point, target)
        return True

    # Blocks: return the number of rows done; the next one needs attention

    def run_dense(self, X: Floats, ids: Ints, Y: Floats | None, trace: Trace | None, start: int) -> int:
        """Rows of X from `start` on. NaN is not observed; ids[j] is the id of column j, -1 for a stranger."""
        for i in range(start, len(X)):
            there = np.flatnonzero(~np.isnan(X[i]))
            if not self._round(Point(ids[there], X[i, there]), None if Y is None else Y[i], trace, i):
                return i
        return len(X)

    def run_sparse(
        self, ptr: Ints, cols: Ints, vals: Floats, ids: Ints, Y: Floats | None, trace: Trace | None, start: int
    ) -> int:
        """The same for compressed rows: row i is cols[ptr[i]:ptr[i + 1]]."""
        for i in range(start, len(ptr) - 1):
            at = slice(ptr[i], ptr[i + 1])
            there = ~np.isnan(vals[at])
            point = Point(ids[cols[at][there]], vals[at][there])
            if not self._round(point, None if Y is None else Y[i], trace, i):
                return i
        return len(ptr) - 1

    def _round(self, x: Point, y: Floats | None, trace: Trace | None, row: int) -> bool:
        """Predict row `row` into the trace, then learn from it where there are labels."""
        if (x.idx < 0).any() or not self._ordinary(x):
            return False
        if trace is not None:
            self._put(trace, row, x)
        if y is not None:
            self._see(x)
            self.learn(x, None if np.isnan(y[0]) else y)
        return True

    # The mathematics

    @np.errstate(over="ignore", invalid="ignore")
    def score(self, x: Point) -> Floats:
        """p = sum a_i f_i, or the f_i of the expert drawn."""
        return self._ensemble(self._scores(x))

    def learn(self, x: Point, y: Sequence[float] | Floats | None) -> None:
        """One round, given the features of the current space that were observed."""
        state = self.state
        if y is not None:
            self._learn(x, np.asarray(y))
            state.clock[0] += 1
        state.clock[1] += 1

    @np.errstate(over="ignore", invalid="ignore")
    def _learn(self, x: Point, y: Floats) -> None:
        state, loss, omega = self.state, self.parts.loss, self.parts.omega
        n, t = len(state.experts), int(state.clock[0])
        self.rates.cover(t, n)
        at = t - self.rates.first
        F = self._scores(x)
        losses = self._losses(F, y)
        a = np.exp(state.log_a)
        realised = float(self._losses(self._ensemble(F)[np.newaxis], y)[0])
        state.ledger.add(losses, realised, float(a @ losses) if self.parts.rule.draws else realised)
        if n > 1:
            eta, delta = self.rates.eta, self.rates.delta
            state.log_a[:] = reweigh(state.log_a, losses, eta[at], eta[at + 1], delta[at])
        top = float(np.abs(x.val).max(initial=0.0))
        for expert, f in zip(state.experts, F, strict=True):
            if expert.learns:
                s = self.rates.tau[at] * loss.gradient(f, y)
                if float(np.abs(s).max()) * top <= LIMIT:
                    expert.descend(x, f, s, omega)
                else:
                    state.skipped[0] += 1

    def _scores(self, x: Point) -> Floats:
        F = np.array([expert.score(x) for expert in self.state.experts])
        return np.asarray(np.clip(np.nan_to_num(F, nan=0.0), -LIMIT, LIMIT))

    def _clipped(self, F: Floats) -> Floats:
        return F if self.parts.clip is None else np.clip(F, -self.parts.clip, self.parts.clip)

    def _losses(self, F: Floats, y: Floats) -> Floats:
        values = self.parts.loss.value(self._clipped(F), np.broadcast_to(y, (len(F), len(y))))
        return np.asarray(np.minimum(values, LIMIT) * self.scale)

    def _ensemble(self, F: Floats) -> Floats:
        F = self._clipped(F)
        if self.parts.rule.draws and len(F) > 1:
            return np.asarray(F[draw(self.state.log_a, self.parts.seed, self.state.round)])
        return np.asarray(np.exp(self.state.log_a) @ F)

    @np.errstate(over="ignore", invalid="ignore")
    def _put(self, trace: Trace, row: int, x: Point) -> None:
        F = self._scores(x)
        trace.put(row, self._ensemble(F), F, np.exp(self.state.log_a))

    def _see(self, x: Point) -> None:
        """Count the sightings, where the spaces look at them."""
        if not self.parts.spaces.sparse:
            self.state.registry.see(x.idx, self.state.round)

    def _ordinary(self, x: Point) -> bool:
        roles = self.state.registry.role[x.idx]
        known = (roles == CURRENT) | (roles == SURVIVOR)
        return bool(len(roles) and known.all() and (roles == SURVIVOR).sum() >= len(self.watched))
