"""Fine detail around every change: the rows before and after features vanished."""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Name
from fesl.evaluation.bins import Bins
from fesl.evaluation.blocks import widened

#: Rows kept before and after a change, and the width of a bin of them.
BEFORE, AFTER, WIDTH = 300, 500, 10
#: Features that vanish within so many rows of each other make one change.
TOGETHER = 50
#: The most changes that are kept: beyond it one whose features are all back goes first, then the oldest.
KEPT = 50
#: The most names kept of one.
NAMES = 100


class Around:
    """One change: its row, what vanished, and the rows around it."""

    def __init__(self, row: int, columns: int) -> None:
        self.row, self.time = row, ""
        self.features: list[Name] = []
        self.total = 0
        self.gone: set[Name] = set()
        self.bins = Bins(columns, limit=(BEFORE + AFTER) // WIDTH, width=WIDTH, origin=row - BEFORE, grows=False)

    def lose(self, name: Name) -> None:
        """A feature may vanish more than once in a change: it counts once."""
        if name in self.gone or name in self.features:
            self.gone.add(name)
            return
        self.total += 1
        if len(self.features) < NAMES:
            self.features.append(name)
            self.gone.add(name)


class Changes:
    """The changes of a stream with what happened around them.

    >>> changes = Changes()
    >>> changes.add(0, np.ones((400, 1)), [(350, "a"), (352, "b")], [])
    >>> [(c.row, c.features, c.bins.means()[:2, 0].tolist()) for c in changes.kept]
    [(350, ['a', 'b'], [1.0, 1.0])]
    """

    def __init__(self) -> None:
        self.kept: list[Around] = []
        self.total = 0
        self.tail: Floats = np.zeros((0, 0))

    def add(self, first: int, rows: Floats, lost: list[tuple[int, Name]], back: list[Name]) -> None:
        """Rows, the first of which has this number; what vanished in which row, and what came back."""
        for change in self.kept:
            change.bins.add(first, rows)
            change.gone.difference_update(back)
        keep = BEFORE + TOGETHER  # an absence is noticed some rows after it began
        if lost or len(rows) < keep:
            self.tail = np.vstack([widened(self.tail, rows.shape[1]), rows]) if len(self.tail) else rows
        else:
            self.tail = rows
        for row, name in lost:
            self._at(row, first + len(rows), rows.shape[1]).lose(name)
        self.tail = self.tail[-keep:].copy()

    def _at(self, row: int, end: int, columns: int) -> Around:
        near = next((c for c in reversed(self.kept) if 0 <= row - c.row <= TOGETHER), None)
        if near is not None:
            return near
        change = Around(row, columns)
        change.bins.add(end - len(self.tail), self.tail)
        self.kept.append(change)
        self.total += 1
        if len(self.kept) > KEPT:
            healed = next((c for c in self.kept[:-1] if not c.gone), self.kept[0])
            self.kept.remove(healed)
        return change
