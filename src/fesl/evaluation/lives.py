"""When was each feature there: first, last, how often, and in which part of the stream."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.evaluation.bins import counted
from fesl.tables import Table

#: How many features are followed one by one, and of how many more the names are remembered to count them.
FOLLOWED, COUNTED = 4000, 100_000
#: The most bins of time.
BINS = 256


class Lives:
    """The lives of features, from what the rows hold. Features beyond the first 4000 are counted, not followed.

    >>> from fesl.tables import as_table
    >>> lives = Lives()
    >>> lives.see(as_table([[1.0, np.nan], [1.0, 2.0], [np.nan, 3.0]], ["a", "b"]), 0)
    array([1., 2., 1.])
    >>> lives.names, lives.first[:2], lives.last[:2], lives.count[:2]
    (['a', 'b'], array([0, 1]), array([1, 2]), array([2, 2]))
    """

    def __init__(self, followed: int = FOLLOWED) -> None:
        self.followed = followed
        self.names: list[Name] = []
        self.index: dict[Name, int] = {}
        self.others: set[Name] = set()
        self.first, self.last, self.count = (np.zeros(16, np.int64) for _ in range(3))
        self.width, self.used = 1, 0
        self.there = np.zeros((16, BINS), np.int32)
        self._columns: list[Name] = []
        self._slots: Ints = np.zeros(0, np.int64)

    def see(self, table: Table, first: int) -> Floats:
        """Count a table whose first row has this number; returns how many features each row holds."""
        if table.names is not self._columns and table.names != self._columns:
            self._slots = np.array([self.index.get(name, -1) for name in table.names], np.int64)
        self._columns = table.names
        if not table.rows:
            return np.zeros(0)
        while first + table.rows > BINS * self.width:
            self._double()
        bins = np.arange(first // self.width, (first + table.rows - 1) // self.width + 1)
        cuts = np.maximum(bins * self.width - first, 0)
        sight = (_dense if table.dense is not None else _sparse)(table, cuts)
        self._meet(table.names, sight.cols, first + sight.first)
        followed = self._slots[sight.cols] >= 0
        at = self._slots[sight.cols[followed]]
        self.last[at] = first + sight.last[followed]
        self.count[at] += sight.counts[:, followed].sum(axis=0)
        self.there[at[:, np.newaxis], bins] += sight.counts[:, followed].T.astype(np.int32)
        self.used = max(self.used, int(bins[-1]) + 1)
        return sight.held

    def last_seen(self, name: Name) -> int | None:
        """The row that last held a feature; None for one that is not followed."""
        i = self.index.get(name)
        return None if i is None else int(self.last[i])

    def _meet(self, names: list[Name], columns: Ints, begin: Ints) -> None:
        for j, row in zip(columns.tolist(), begin.tolist(), strict=True):
            if self._slots[j] >= 0:
                continue
            if len(self.names) >= self.followed:
                if len(self.others) < COUNTED:
                    self.others.add(names[j])
                continue
            i = len(self.names)
            if i == len(self.first):
                self._grow()
            self.names.append(names[j])
            self.index[names[j]] = self._slots[j] = i
            self.first[i] = row

    def _grow(self) -> None:
        more = len(self.first)
        self.first, self.last, self.count = (np.pad(a, (0, more)) for a in (self.first, self.last, self.count))
        self.there = np.pad(self.there, [(0, more), (0, 0)])

    def _double(self) -> None:
        half = self.there.reshape(len(self.there), BINS // 2, 2).sum(axis=2)
        self.there[:] = 0
        self.there[:, : BINS // 2] = half
        self.width *= 2
        self.used = (self.used + 1) // 2


class Sight(NamedTuple):
    """The columns that a table holds at all: the first and the last row of each, its counts in each part of the
    rows; and how many columns each row holds."""

    cols: Ints
    first: Ints
    last: Ints
    counts: Ints
    held: Floats


def _dense(table: Table, cuts: Ints) -> Sight:
    assert table.dense is not None
    there = ~np.isnan(table.dense)
    n, width = there.shape
    counts = counted(there, cuts)
    total = counts.sum(axis=0)
    first, last = np.zeros(width, np.int64), np.full(width, n - 1, np.int64)
    gaps = np.flatnonzero(total < n)
    if len(gaps):
        some = np.ascontiguousarray(there[:, gaps].T)
        first[gaps], last[gaps] = some.argmax(axis=1), n - 1 - some[:, ::-1].argmax(axis=1)
    held = there.sum(axis=1) if len(gaps) else np.full(n, width)
    cols = np.flatnonzero(total)
    return Sight(cols, first[cols], last[cols], counts[:, cols], held.astype(np.float64))


def _sparse(table: Table, cuts: Ints) -> Sight:
    start, stop = table.ptr[0], table.ptr[-1]
    cols, at = np.unique(table.cols[start:stop], return_inverse=True)
    rows = np.repeat(np.arange(table.rows), np.diff(table.ptr))
    first, last = np.zeros(len(cols), np.int64), np.zeros(len(cols), np.int64)
    first[at[::-1]] = rows[::-1]
    last[at] = rows
    edges = table.ptr[[*cuts.tolist(), table.rows]] - start
    counts = [np.bincount(at[a:b], minlength=len(cols)) for a, b in pairwise(edges)]
    held = np.diff(table.ptr).astype(np.float64)
    return Sight(cols, first, last, np.array(counts, np.int64).reshape(len(cuts), len(cols)), held)
