"""The bulk doors: a table, row by row, with the same numbers as event by event.

A sparse table says that what it does not store is zero; one of few columns is therefore run as if it were dense.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fesl._typing import Floats, Ints, Name
from fesl.errors import DataError
from fesl.evolving.encoding import encode
from fesl.evolving.run import Run
from fesl.models import Point
from fesl.portfolio.constants import WIDE
from fesl.portfolio.wide.core import Wide
from fesl.tables import Table, as_table

if TYPE_CHECKING:
    from fesl.portfolio.learner import Portfolio


def run(model: Portfolio, X: Any, y: Any, features: Sequence[Name] | None, *, detail: bool) -> Run:
    """Predict, then learn, row by row."""
    table = _table(model, X, features)
    Y, arrivals, outputs = _encode(model, y, table.rows)
    if table.dense is None and table.rows:
        model.widen()
    return _Pass(model, table, outputs, detail).run(Y, arrivals, predicts=True)


def learn(model: Portfolio, X: Any, y: Any, features: Sequence[Name] | None) -> None:
    """Learn, row by row."""
    table = _table(model, X, features)
    Y, arrivals, outputs = _encode(model, y, table.rows)
    if table.dense is None and table.rows:
        model.widen()
    _Pass(model, table, outputs, False).run(Y, arrivals, predicts=False)


def predict(model: Portfolio, X: Any, features: Sequence[Name] | None) -> Run:
    """Predict, changing nothing."""
    return _Pass(model, _table(model, X, features), model.codec.outputs, False).run(None, {}, predicts=True)


def _encode(model: Portfolio, y: Any, rows: int) -> tuple[Floats, dict[int, Any], int]:
    return encode(model.codec, model.codec.outputs, y, rows)


def filled(X: Any) -> Any:
    """A sparse table of few columns as a dense one, anything else as it is.

    >>> filled(sparse.csr_array([[0.0, 2.0]]))
    array([[0., 2.]])
    """
    return X.toarray() if sparse.issparse(X) and X.shape[1] <= WIDE else X  # type: ignore[attr-defined]


def _table(model: Portfolio, X: Any, features: Sequence[Name] | None) -> Table:
    table = as_table(filled(X), features)
    if model.aliases:
        table = _renamed(table, model.aliases)
    return table


def _renamed(table: Table, aliases: dict[Name, Name]) -> Table:
    """Columns under the names of the roles; where the role has a column of its own, that comes first."""
    names = [aliases.get(name, name) for name in table.names]
    if len(set(names)) == len(names):
        return Table(names, table.rows, table.dense, table.ptr, table.cols, table.vals)
    if table.dense is None:
        raise DataError("a wide sparse table may not hold a feature beside its alias: sum the columns, or drop one")
    columns: dict[Name, Floats] = {role: np.full(table.rows, np.nan) for role in names}
    for own in (True, False):
        for j, name in enumerate(table.names):
            if (name not in aliases) == own:
                role, x = names[j], table.dense[:, j]
                columns[role] = np.where(np.isnan(columns[role]), x, columns[role])
    return as_table(np.column_stack(list(columns.values())), list(columns))


def _logs(p: Floats) -> Floats:
    """As the compiled core takes them: NumPy's may differ in the last digit."""
    return np.array([log(v) if v > 0.0 else -inf for v in p.ravel().tolist()]).reshape(p.shape)


class _Pass:
    """One pass over a table. `places` are the positions of its columns, 0 for a stranger."""

    def __init__(self, model: Portfolio, table: Table, outputs: int, detail: bool) -> None:
        self.model, self.table = model, table
        n, self.classes = table.rows, model.loss.task != "regression"
        self.scores = np.full((n, outputs), np.nan if self.classes else 0.0)
        self.names = model.state.experts
        M = len(self.names) if detail else 0
        self.experts = np.full((n if M else 0, M, outputs), np.nan)
        self.weights = np.full((n if M else 0, M), np.nan)
        self.known = np.full(n, len(model.classes), np.int64)
        self.version = self.looked_up = -1
        self.cols = np.asarray(table.cols, np.int64)

    def run(self, Y: Floats | None, arrivals: dict[int, Any], *, predicts: bool) -> Run:
        """The whole table; `arrivals` are the rows whose label is the first of its kind."""
        model, i = self.model, 0
        for stop in [*sorted(arrivals), self.table.rows]:
            while i < stop:
                i = self._ordinary(i, stop, Y, predicts)
                if i < stop:
                    self._attend(i, None if Y is None or np.isnan(Y[i, 0]) else Y[i], Y is not None, predicts)
                    i += 1
            if stop in arrivals:
                self._attend(i, arrivals[stop], True, predicts, encoded=False)
                i += 1
                self.known[i:] = len(model.classes)
        found = (self.scores, self.experts, self.weights, model.classes, self.known)
        return Run(model.loss, *found, normal=self.classes, names=self.names)

    def _ordinary(self, i: int, stop: int, Y: Floats | None, predicts: bool) -> int:
        """Run the core from this row on; returns the row that needs attention, or `stop`."""
        core, t = self.model._core, self.table
        scores = self.scores if predicts else self.scores[:0]
        told = len(self.experts) and self.names != self.model.state.experts  # in other columns: row by row
        if told or isinstance(core, Wide) != (t.dense is None):
            return i
        done = i
        while i < stop:
            if isinstance(core, Wide):
                self._follow()
                done = core.run_rows(t, self.cols, self.places, Y, scores, self.experts, self.weights, i, stop)
            elif t.dense is not None:
                self._look_up()
                done = core.run_block(t.dense, self.places, Y, scores, self.experts, self.weights, i, stop)
            if core.news and Y is not None:
                self.model._settle()
                self.model.log.tell()
            elif done < stop:
                return done
            i = done
        return i

    def _attend(self, i: int, y: Any, learns: bool, predicts: bool, *, encoded: bool = True) -> None:
        """One row that is not ordinary, or whose label is the first of its kind."""
        cols, vals = self.table.row(i)
        if predicts:
            self._predict(i, cols, vals)
        if learns:
            self._learn(cols, vals, y if encoded else self.model._target(y))

    def _predict(self, i: int, cols: Any, vals: Floats) -> None:
        model = self.model
        x = self._point(cols, vals)[0]
        K = model.state.outputs
        if not K:
            self.scores[i] = 0.0
            return
        p = model._core.predict(x)
        self.scores[i, :K] = _logs(p) if self.classes else p
        if len(self.experts):
            found = model._core.opinions(x)
            who = self._who()
            self.experts[i, who, :K] = _logs(found) if self.classes else found
            self.weights[i, who] = model.state.a.mean(axis=0)

    def _who(self) -> list[int]:
        """The columns of those who speak now: some fall silent once the table proves wide, and one may join."""
        more = tuple(name for name in self.model.state.experts if name not in self.names)
        if more:
            self.names += more
            self.experts = np.pad(self.experts, [(0, 0), (0, len(more)), (0, 0)], constant_values=np.nan)
            self.weights = np.pad(self.weights, [(0, 0), (0, len(more))], constant_values=np.nan)
        return [self.names.index(name) for name in self.model.state.experts]

    def _learn(self, cols: Any, vals: Floats, y: Any) -> None:
        model = self.model
        x, strange = self._point(cols, vals)
        core = model._core
        if isinstance(core, Wide) or strange.any() or not core.learn_ordinary(x, y):
            strangers = {self.table.names[j]: v for j, v in zip(cols[strange], vals[strange].tolist(), strict=True)}
            model._learn_point(x, strangers, y)
            self._find(cols[strange])
        if model._core.news:
            model._settle()
        model.log.tell()

    def _look_up(self) -> None:
        """The positions of all columns, where any may have moved."""
        st = self.model.state
        if (self.version, self.looked_up) != (st.version, st.n):
            self.version, self.looked_up = st.version, st.n
            self.places = np.array([st.index.get(name, 0) for name in self.table.names], np.int64)

    def _follow(self) -> None:
        """Forget positions that have moved; each is looked up again when it is next needed."""
        if self.version != self.model.state.version:
            self.version, self.looked_up = self.model.state.version, -1
            self.places = np.zeros(len(self.table.names), np.int64)

    def _find(self, cols: Ints) -> None:
        self._follow()
        index, names = self.model.state.index, self.table.names
        self.places[cols] = [index.get(names[j], 0) for j in cols.tolist()]

    def _point(self, cols: Any, vals: Floats) -> tuple[Point, Any]:
        self._follow()
        at = self.places[cols]
        if not at.all():
            self._find(cols[at == 0])
            at = self.places[cols]
        strange = at == 0
        at, vals = at[~strange], vals[~strange]
        order = np.argsort(at)
        return Point(at[order], vals[order]), strange
