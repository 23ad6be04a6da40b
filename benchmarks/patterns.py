"""The patterns of absence: a table becomes a stream whose features come and go.

`OpenMOA's ...` are made by that package itself, with its defaults, where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.contestants import Worker
from benchmarks.sets import Data
from fesl import streams

WINDOW = 200


class Cell(NamedTuple):
    """One stream: rows with NaN where not observed, labels, and the rows from which old features are gone."""

    X: np.ndarray
    y: np.ndarray
    classes: int
    switches: tuple[int, ...] = ()

    def around(self) -> np.ndarray:
        """The rows within 200 of a switch."""
        near = np.zeros(len(self.y), bool)
        for row in self.switches:
            near[row : row + WINDOW] = True
        return near


def _cell(data: Data, stream: streams.Stream) -> Cell:
    return Cell(np.asarray(stream.X), np.asarray(stream.y), data.classes, stream.switches)


PATTERNS: dict[str, Callable[[Data, int], Cell]] = {
    "evolvable": lambda data, run: _cell(data, streams.evolve(data.X, data.y, overlap=1.0, order=data.order(run))),
    "trapezoidal": lambda data, run: _cell(
        data, streams.trapezoidal(data.X, data.y, seed=run, order=data.order(run))
    ),
    "capricious": lambda data, run: _cell(
        data, streams.capricious(data.X, data.y, seed=run, order=data.order(run))
    ),
    "staggered": lambda data, run: _cell(
        data, streams.staggered(data.X, data.X2, data.y, overlap=10, order=data.order(run))
    ),
    "paper": lambda data, run: _cell(
        data, streams.two_spaces(data.X, data.X2, data.y, overlap=10, order=data.order(run))
    ),
}

#: `OpenMOA's evolvable` is `evolvable` above, cell by cell.
OPENMOA = ("trapezoidal", "capricious")


def openmoa(worker: Worker, pattern: str, data: Data, run: int) -> Cell:
    """The same data under OpenMOA's own stream maker."""
    order = data.order(run)
    rows, columns = data.X.shape
    reply = worker.ask("masks", pattern=pattern, rows=rows, columns=columns)
    if "error" in reply:
        raise RuntimeError(reply["error"])
    seen = np.array([[*map(int, row)] for row in reply["mask"]], bool)
    return Cell(np.where(seen, data.X[order], np.nan), data.y[order], data.classes)
