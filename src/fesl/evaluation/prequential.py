"""The prequential loop: every row is predicted, scored, then learned."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fesl._typing import Floats, Name
from fesl.errors import ConfigError
from fesl.evaluation import watch
from fesl.evaluation.bins import Bins
from fesl.evaluation.blocks import joined, part
from fesl.evaluation.changes import Changes
from fesl.evaluation.history import History
from fesl.evaluation.lives import Lives
from fesl.evaluation.record import build
from fesl.evaluation.scoring import FIRST, OF_EACH, Scores, judge, records, truth
from fesl.evolving import Run
from fesl.evolving.encoding import encode
from fesl.tables import Table, as_table

#: Feature events, and snapshots of the regret, that are remembered.
EVENTS, SNAPSHOTS = 1000, 2000
#: Times of rows that are kept: those of a part, and of some rows before it.
TIMES = 8192


class Prequential:
    """Runs a learner over blocks of a stream and keeps what there is to know of it, in bounded memory.

    Parameters
    ----------
    model
        `fesl.Classifier`, `fesl.Regressor` or one of `fesl.paper`; anything with their `run`.
    every
        The regret is noted after every so many rows; by default more and more seldom.
    window
        The number of labelled rows that `recent` and the ROC AUC look back on.
    settings
        What else a report should tell: arguments, the seed, where the data came from.

    Examples
    --------
    >>> import numpy as np
    >>> import fesl
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> loop = Prequential(fesl.Classifier())
    >>> run = loop.feed(X, X[:, 0] > X[:, 1], features=["left", "right"])
    >>> len(run.predictions), loop.scores["accuracy"] > 0.9
    (300, True)
    >>> loop.history.lives[0].name
    'left'
    """

    def __init__(
        self,
        model: Any,
        *,
        every: int | None = None,
        window: int = 500,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if every is not None and every < 1:
            raise ConfigError(f"every={every!r}: a number of rows, at least 1")
        self.model, self.every, self.window = model, every, window
        self.settings = dict(settings or {})
        self.rows, self.labelled, self.seconds = 0, 0, 0.0
        self.experts = watch.experts(model)
        self.lives, self.changes = Lives(), Changes()
        self.bins = Bins(FIRST + OF_EACH * len(self.experts))
        self.events: list[watch.Happening] = []
        self.counts: dict[str, int] = {}
        self.regret: list[dict[str, float]] = []
        self._watch = watch.Watch(model)
        self._scores: Scores | None = None
        self._times: deque[Any] = deque(maxlen=TIMES)
        #: How many features the last row held.
        self.live = 0

    def feed(
        self, X: Any, y: Any, *, features: Sequence[Name] | None = None, times: Sequence[Any] | None = None
    ) -> Run:
        """Predict a block, then learn it, row by row; X and y as in `model.run`. Rows without a label are predicted
        and not scored, nor is the first target of a regression, which nobody could forecast. `times` are what a
        report should call the rows beside their numbers: dates as a rule. Gives the predictions back."""
        start = time.perf_counter()
        table = as_table(X, features)
        y = y.to_numpy() if hasattr(y, "to_numpy") else y
        if y is not None and hasattr(self.model, "codec") and table.rows > self._step():
            encode(self.model.codec, 1, y, table.rows)  # raises before any part of the block is learned
        runs: list[Run] = []
        row = 0
        while row < table.rows or not runs:
            stop = min(table.rows, row + self._step())
            self._times.extend(() if times is None else times[row:stop])
            runs.append(self._part(part(table, row, stop), None if y is None else y[row:stop]))
            row = stop
        self.seconds += time.perf_counter() - start
        return joined(runs)

    @property
    def scores(self) -> dict[str, float]:
        """Every metric over the whole stream (the ROC AUC: over the window)."""
        return {} if self._scores is None else self._scores.overall()

    @property
    def recent(self) -> dict[str, float]:
        """Every metric over the window."""
        return {} if self._scores is None else self._scores.recent()

    @property
    def task(self) -> str:
        """ "binary", "multiclass" or "regression"; two classes are binary, however they are learned."""
        if self._scores is None or self._scores.task == "regression":
            return "regression" if self._scores else ""
        return "multiclass" if len(getattr(self.model, "classes", ())) > 2 else "binary"

    @property
    def history(self) -> History:
        """All that a report needs, as of now."""
        return build(self)

    def _step(self) -> int:
        return self.every or min(4096, max(256, self.rows // 16))

    def _part(self, table: Table, y: Any) -> Run:
        first = getattr(getattr(self.model, "codec", None), "count", 0) is None
        with self._watch.look(self.rows):
            run: Run = self.model.run(table, y, detail=True)
        live = self.lives.see(table, self.rows)
        true = truth(run, y, first=first)
        if self._scores is None:
            self._scores = Scores(run.loss.task, self.window)
        judged = judge(run, true)
        self._scores.add(run, true, judged)
        self.experts += [name for name in run.names if name not in self.experts]
        rows = records(judged, run, true, live, self.experts)
        self.bins.add(self.rows, rows)
        self._note(rows)
        self.rows += table.rows
        self.labelled += true.labels
        self.live = int(live[-1]) if len(live) else self.live
        self._snapshot()
        return run

    def _note(self, rows: Floats) -> None:
        end = self.rows + len(rows)
        happened = [replace(h, time=self._time(h.row, end)) for h in self._watch.found(self.lives)]
        for h in happened:
            self.counts[h.kind] = self.counts.get(h.kind, 0) + 1
        self.events = [*self.events, *happened][-EVENTS:]
        lost = [(h.row, h.feature) for h in happened if h.kind == "vanished"]
        self.changes.add(self.rows, rows, lost, [h.feature for h in happened if h.kind == "came back"])
        for change in self.changes.kept:
            change.time = change.time or self._time(change.row, end)

    def _time(self, row: int, end: int) -> str:
        """What the stream calls a row, if it is among the last ones; the last row is the one before `end`."""
        back = end - row
        return str(self._times[-back]) if 0 < back <= len(self._times) else ""

    def _snapshot(self) -> None:
        found = watch.regret(self.model)
        if found is None:
            return
        self.regret.append({"row": float(self.rows), **found})
        if len(self.regret) > SNAPSHOTS:
            self.regret = [*self.regret[::2], self.regret[-1]]
