"""The bulk door: a table runs through the core in as few calls as the coming and going of features allows."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.errors import DataError, LabelError
from fesl.evolving.labels import Classes, Targets, unlabelled
from fesl.evolving.run import Run
from fesl.evolving.trace import Trace
from fesl.models import LIMIT, Point
from fesl.spaces import CURRENT
from fesl.tables import Table, as_table

if TYPE_CHECKING:
    from fesl.evolving.learner import EvolvingLearner


def run(model: EvolvingLearner, X: Any, y: Any, features: Sequence[Name] | None, *, detail: bool) -> Run:
    """Predict, then learn, row by row."""
    table = as_table(X, features)
    Y, arrivals, outputs = encode(model, y, table.rows)
    trace = Trace(table.rows, outputs, _experts(model) if detail else 0)
    return _Pass(model, table, Y, trace).run(arrivals)


def learn(model: EvolvingLearner, X: Any, y: Any, features: Sequence[Name] | None) -> None:
    """Learn, row by row."""
    table = as_table(X, features)
    Y, arrivals, _ = encode(model, y, table.rows)
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
                row = self._ordinary(row, stop)
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
        strangers = {self.table.names[j]: v for j, v in zip(cols[strange], vals[strange].tolist(), strict=True)}
        model._attend(Point(ids[~strange], vals[~strange]), strangers, target)
        registry = model.state.registry
        if len(registry.index) < known + len(strangers):  # some were forgotten, and their ids may live on
            self._look_up()
        else:
            self.ids[cols[strange]] = [registry.index.get(name, -1) for name in strangers]
        joined = self.ids[cols[strange]]
        if (registry.role[joined[joined >= 0]] == CURRENT).any():
            self._introduce_ahead(row + 1)

    def _introduce_ahead(self, row: int) -> None:
        """Register at once all strangers of the rows to come that will simply join the space: a feature that was
        not seen yet has no weight, so this changes no number and saves attention."""
        model = self.model
        steady = model.parts.spaces.steady(model.state.round)
        if steady == 1:
            return
        stop = self.table.rows if steady is None else min(self.table.rows, row + steady)
        cols = self.table.columns(row, stop)
        cols = cols[self.ids[cols] < 0]
        names = list(map(self.table.names.__getitem__, cols.tolist()))
        state = model.state
        joins = model.parts.spaces.joins(names, state.registry, state.round)
        if joins.any():
            self.ids[cols[joins]] = state.registry.add(compress(names, joins), CURRENT, state.round)
            model._fit_capacity()

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


def encode(model: EvolvingLearner, y: Any, rows: int) -> tuple[Floats, dict[int, Any], int]:
    """The targets of a block (NaN where there is no label), the rows that bring a label of a new kind, and the
    number of outputs needed in the end. Raises before anything is learned."""
    if y is None:
        return np.full((rows, 1), np.nan), {}, model.state.outputs
    y = y.to_numpy() if hasattr(y, "to_numpy") else y
    if isinstance(model.codec, Classes):
        return _encode_classes(model.codec, y, rows)
    assert isinstance(model.codec, Targets)
    return _encode_targets(model.codec, y, rows)


def _encode_classes(codec: Classes, y: Any, rows: int) -> tuple[Floats, dict[int, Any], int]:
    labels = _labels(y, rows)
    trial = copy.deepcopy(codec)
    targets: dict[Any, float] = {}
    arrivals: dict[int, Any] = {}
    Y = np.full((rows, 1), np.nan)
    for label, at in _first_seen(labels):
        target = trial.encode(label)
        if target is None:
            trial.admit(label)
            target = trial.encode(label)
            arrivals[at] = label
        assert target is not None
        targets[label] = float(target[0])
    if isinstance(labels, np.ndarray):
        for label, value in targets.items():
            Y[labels == label, 0] = value
    else:
        Y[:, 0] = [np.nan if unlabelled(label) else targets[label] for label in labels]
    return Y, arrivals, trial.outputs


def _labels(y: Any, rows: int) -> Any:
    """Labels as a typed array where that is possible (fast), as a list otherwise."""
    try:
        array = np.asarray(y)
    except ValueError:
        raise LabelError("the labels differ in shape: a class label is a number, a string or a boolean") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or len(array) != rows:
        raise DataError(f"labels of shape {array.shape} for {rows} rows: give one label a row")
    if array.dtype == object or (array.dtype.kind in "US" and not isinstance(y, np.ndarray)):
        return list(y)
    return array


def _first_seen(labels: Any) -> list[tuple[Any, int]]:
    """Each label with the row that brings it first, in the order of the rows."""
    if isinstance(labels, np.ndarray):
        found, first = np.unique(labels, return_index=True)
        pairs = [(v.item(), int(i)) for v, i in zip(found, first, strict=True) if v == v]
        return sorted(pairs, key=lambda pair: pair[1])
    seen: dict[Any, int] = {}
    for i, label in enumerate(labels):
        try:
            if not unlabelled(label):
                seen.setdefault(label, i)
        except TypeError:
            raise LabelError(f"row {i}: label {label!r} is a {type(label).__name__}, not a class label") from None
    return list(seen.items())


def _encode_targets(codec: Targets, y: Any, rows: int) -> tuple[Floats, dict[int, Any], int]:
    try:
        raw = np.asarray(y)
        if raw.dtype.kind in "OUSb" and any(isinstance(v, str | bytes | bool | np.bool_) for v in raw.flat):
            raise ValueError
        Y = np.array(raw, dtype=np.float64, ndmin=1)
    except (TypeError, ValueError):
        raise LabelError("the labels of a regression must be numbers (NaN where there is no label)") from None
    flat = Y.ndim == 1
    Y = np.ascontiguousarray(Y[:, np.newaxis] if flat else Y)
    if Y.ndim != 2 or len(Y) != rows or Y.shape[1] == 0:
        raise DataError(f"labels of shape {np.shape(y)} for {rows} rows: give one row of targets a row")
    if codec.count is not None and Y.shape[1] != codec.count:
        raise LabelError(f"{Y.shape[1]} target(s) in a row, {codec.count} before: the number must not change")
    if (np.abs(Y) > LIMIT).any():
        raise LabelError("a target is not finite: drop the row, or use NaN for an unlabelled one")
    missing = np.isnan(Y)
    if (missing.any(axis=1) != missing.all(axis=1)).any():
        raise LabelError("a row has some targets but not all of them: give all, or NaN for all")
    arrivals: dict[int, Any] = {}
    labelled = np.flatnonzero(~missing[:, 0])
    if codec.count is None and len(labelled):
        first = int(labelled[0])
        arrivals[first] = float(Y[first, 0]) if flat else Y[first]
    return Y, arrivals, Y.shape[1]
