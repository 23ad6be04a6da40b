"""The same learner, started from scratch whenever sensors are replaced: what one would do without carrying over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from fesl._typing import Name
from fesl.evaluation.blocks import joined, part
from fesl.evolving import Run
from fesl.tables import as_table


class Restarted:
    """Told in which rows to start anew.

    >>> import numpy as np
    >>> import fesl
    >>> model = Restarted(lambda: fesl.Classifier([False, True]), [2])
    >>> run = model.run(np.ones((4, 1)), [True, True, True, True])
    >>> bool((run.scores[2:] == run.scores[:2]).all()), bool(run.scores[1, 1] > run.scores[0, 1])
    (True, True)
    """

    name = "restarted from scratch"

    def __init__(self, make: Callable[[], Any], rows: Sequence[int]) -> None:
        self.make, self.rows = make, list(rows)
        self.model = make()
        self.round = 0

    @property
    def classes(self) -> list[Any]:
        """Those of the present learner."""
        return list(self.model.classes)

    @property
    def features(self) -> dict[Name, str]:
        """Those of the present learner: it knows of no others."""
        return dict(self.model.features)

    def run(self, X: Any, y: Any, *, features: Sequence[Name] | None = None, detail: bool = False) -> Run:
        """Predict, then learn, row by row; the detail is left out."""
        table = as_table(X, features)
        first, stop = self.round, self.round + table.rows
        edges = sorted({first, stop, *(row for row in self.rows if first <= row < stop)})
        runs = []
        for a, b in pairwise(edges):
            if a in self.rows:
                self.model = self.make()
            runs.append(self.model.run(part(table, a - first, b - first), y[a - first : b - first]))
        self.round = stop
        return joined(runs or [self.model.run(table, y)])
