"""The bulk door: a table runs through the core in as few calls as the coming and going of features allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.evolving.encoding import encode
from fesl.evolving.run import Run
from fesl.evolving.trace import Trace
from fesl.models import Point
from fesl.spaces import CURRENT, NEWCOMER, SURVIVOR, VANISHED
from fesl.tables import Table, as_table

if TYPE_CHECKING:
    from fesl.evolving.learner import EvolvingLearner

#: So many rows are looked through at first for strangers to come, then four times as many, and so on.
AHEAD = 16384


def run(model: EvolvingLearner, X: Any, y: Any, features: Sequence[Name] | None, *, detail: bool) -> Run:
    """Predict, then learn, row by row."""
    table = as_table(X, features)
    Y, arrivals, outputs = encode(model.codec, model.state.outputs, y, table.rows)
    trace = Trace(table.rows, outputs, _experts(model) if detail else 0)
    return _Pass(model, table, Y, trace).run(arrivals)


def learn(model: EvolvingLearner, X: Any, y: Any, features: Sequence[Name] | None) -> None:
    """Learn, row by row."""
    table = as_table(X, features)
    Y, arrivals, _ = encode(model.codec, model.state.outputs, y, table.rows)
    _Pass(model, table, Y, None).run(arrivals)


def predict(model: EvolvingLearner, X: Any, features: Sequence[Name] | None) -> Run:
    """Predict, changing nothing."""
    table = as_table(X, features)
    trace = Trace(table.rows, model.state.outputs)
    return _Pass(model, table, None, trace).run({})


class _Pass:
    """One pass over a table. `ids` are the ids of its columns, -1 for a stranger."""

    def __init__(self, model: EvolvingLearner, table: Table, Y: Floats | None, trace: Trace | None) -> None:
        self.model, self.table, self.Y, self.trace = model, table, Y, trace
        self.known = np.full(table.rows, len(model.classes), np.int64)
        self._look_up()

    def run(self, arrivals: dict[int, Any]) -> Run:
        """The whole table; `arrivals` are the rows whose label is the first of its kind."""
        row = 0
        for stop in [*sorted(arrivals), self.table.rows]:
            while row < stop:
                row = self._side_by_side(self._ordinary(row, stop), stop)
                if row < stop:
                    self._attend(row, None if self.Y is None or np.isnan(self.Y[row, 0]) else self.Y[row])
                    row += 1
            if stop in arrivals:
                self._attend(row, None, arrivals[stop])
                row += 1
                self.known[row:] = len(self.model.classes)
        trace = self.trace or Trace(0, 1)
        parts = self.model.parts
        return Run(parts.loss, trace.scores, trace.experts, trace.weights, self.model.classes, self.known)

    def _ordinary(self, row: int, stop: int) -> int:
        """Run the core from this row on; returns the row that needs attention, or `stop`."""
        core, t = self.model._core, self.table
        Y = None if self.Y is None else self.Y[:stop]
        if t.dense is not None:
            return core.run_dense(t.dense[:stop], self.ids, Y, self.trace, row)
        return core.run_sparse(t.ptr[: stop + 1], t.cols, t.vals, self.ids, Y, self.trace, row)

    def _side_by_side(self, row: int, stop: int) -> int:
        """Run the core over rows of an overlap whose end is told: their newcomers are kept, and passed over.
        Returns the row that needs attention, or `stop`."""
        t, state, spaces = self.table, self.model.state, self.model.parts.spaces
        stop = min(stop, row + spaces.overlapping(state.round))
        if self.Y is None or t.dense is not None or stop <= row:
            return row
        cols = t.columns(row, stop)
        known = cols[self.ids[cols] >= 0]
        gone = known[state.registry.role[self.ids[known]] == VANISHED]
        if len(gone):
            stop = t.first_with(gone, row, stop)
            cols = t.columns(row, stop)
        fresh = cols[self.ids[cols] < 0]
        self.ids[fresh] = state.registry.add(self._names(fresh), NEWCOMER, state.round)
        self.model._fit_capacity()
        here, ends = slice(t.ptr[row], t.ptr[stop]), t.ptr[row : stop + 1] - t.ptr[row]
        cols, vals = t.cols[here], t.vals[here]
        ids = self.ids[cols]
        beside = state.registry.role[ids] == NEWCOMER
        ptr = np.zeros(stop + 1, np.int64)
        ptr[row:] = np.concatenate([[0], np.cumsum(~beside)])[ends]
        core, Y = self.model._core, self.Y[:stop]
        done = core.run_sparse(ptr, cols[~beside], vals[~beside], self.ids, Y, self.trace, row)
        for i in range(done - row):
            at = slice(ends[i], ends[i + 1])
            if beside[at].any():
                state.overlap.add(Point(ids[at], vals[at]))
        return done

    def _attend(self, row: int, y: Floats | None, label: Any = None) -> None:
        """One row that is not ordinary, or whose label is the first of its kind."""
        model = self.model
        cols, vals = self.table.row(row)
        ids = self.ids[cols]
        x = Point(ids[ids >= 0], vals[ids >= 0])
        if self.trace is not None:
            self._put(row, x)
        if self.Y is None:
            return
        target = y if label is None else model._target(label)
        if len(cols):
            self._learn(row, cols, vals, target)

    def _learn(self, row: int, cols: Ints, vals: Floats, target: Sequence[float] | Floats | None) -> None:
        model, ids, known = self.model, self.ids[cols], len(self.model.state.registry.index)
        strange = ids < 0
        fresh, there = cols[strange], ~strange
        strangers = dict(zip(self._names(fresh), vals[strange].tolist(), strict=True))
        joined = model._attend(Point(ids[there], vals[there]), strangers, target)
        registry = model.state.registry
        if len(registry.index) < known + len(joined):  # some were forgotten, and their ids may live on
            self._look_up()
        if len(joined):
            self.ids[fresh] = joined
            if (registry.role[joined] == CURRENT).any():
                self._introduce_ahead(row + 1)

    def _introduce_ahead(self, row: int) -> None:
        """Register at once the strangers of the rows to come that will simply join the space: a feature that was
        not seen yet has no weight, so this changes no number and saves attention. It ends before the first row
        with a feature of any other space: such a row may be late, or bring a switch."""
        model, ahead = self.model, AHEAD
        steady = model.parts.spaces.steady(model.state.round)
        if steady == 1:
            return
        last = self.table.rows if steady is None else min(self.table.rows, row + steady)
        while row < last:
            stop = min(last, row + ahead)
            if self._introduce_until(row, stop) < stop:
                return
            row, ahead = stop, 4 * ahead

    def _introduce_until(self, row: int, stop: int) -> int:
        """The same for these rows; returns the row it ended before."""
        spaces, state = self.model.parts.spaces, self.model.state
        registry = state.registry
        cols = self.table.columns(row, stop)
        ids = self.ids[cols]
        fresh = cols[ids < 0]
        names = self._names(fresh)
        joins = spaces.joins(names, registry, state.round)
        role = registry.role[ids[ids >= 0]]
        apart = np.concatenate([fresh[~joins], cols[ids >= 0][(role != CURRENT) & (role != SURVIVOR)]])
        if len(apart):
            stop = self.table.first_with(apart, row, stop)
            fresh = self.table.columns(row, stop)
            fresh = fresh[self.ids[fresh] < 0]
            names = self._names(fresh)
        if len(fresh):
            self.ids[fresh] = registry.add(names, CURRENT, state.round)
            self.model._fit_capacity()
        return stop

    def _names(self, cols: Ints) -> list[Name]:
        return list(map(self.table.names.__getitem__, cols.tolist()))

    def _put(self, row: int, x: Point) -> None:
        model, trace = self.model, self.trace
        assert trace is not None
        f = model._score_slowly(x)
        if model.parts.loss.task == "regression":
            trace.scores[row] = 0.0  # before the first label nobody knows how many targets there are
        trace.scores[row, : len(f)] = f
        if trace.detailed:
            model._detail(x, trace, row)

    def _look_up(self) -> None:
        index = self.model.state.registry.index
        known = [index.get(name, -1) for name in self.table.names] if index else -1
        self.ids = np.full(len(self.table.names), known, np.int64)


def _experts(model: EvolvingLearner) -> int:
    return max(len(model.parts.experts), len(model.state.experts))
