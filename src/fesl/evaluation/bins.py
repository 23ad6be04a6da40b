"""Means over time in a bounded number of bins: when they run out, neighbours are merged."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints


def summed(rows: Floats, cuts: Ints) -> Floats:
    """The sums of the rows between the cuts, the first of which is 0. Few long parts are quicker one by one.

    >>> summed(np.array([[1.0], [2.0], [4.0]]), np.array([0, 2]))
    array([[3.],
           [4.]])
    """
    if 16 * len(cuts) > len(rows):
        return np.asarray(np.add.reduceat(rows, cuts, axis=0))
    return np.array([rows[a:b].sum(axis=0) for a, b in pairwise([*cuts.tolist(), len(rows)])])


def counted(there: npt.NDArray[np.bool_], cuts: Ints) -> Ints:
    """How many rows there are between the cuts, a column; as a rule all.

    >>> counted(np.array([[True], [False], [True]]), np.array([0, 2]))
    array([[1],
           [1]])
    """
    if there.all():
        rows = np.diff(cuts, append=len(there))
        return np.repeat(rows[:, np.newaxis], there.shape[1], axis=1)
    return np.asarray(np.add.reduceat(there, cuts, axis=0, dtype=np.int64))


class Bins:
    """Sums and counts of the columns of a stream of rows; NaN is not counted.

    With `grows` the bins start at row `origin` and double their width when there are more than `limit`; without,
    rows outside of them are left out.

    >>> bins = Bins(columns=1, limit=2)
    >>> bins.add(0, np.array([[1.0], [2.0], [np.nan], [4.0]]))
    >>> bins.width, bins.means()[:, 0]
    (2, array([1.5, 4. ]))
    """

    def __init__(
        self, columns: int, *, limit: int = 2000, width: int = 1, origin: int = 0, grows: bool = True
    ) -> None:
        self.limit, self.width, self.origin, self.grows = limit, width, origin, grows
        self.used = 0
        self.sums: Floats = np.zeros((limit, columns))
        self.counts: Floats = np.zeros((limit, columns))

    @property
    def starts(self) -> Floats:
        """The first row of each bin in use."""
        return np.asarray(self.origin + self.width * np.arange(self.used, dtype=np.float64))

    def add(self, first: int, rows: Floats) -> None:
        """Count rows, the first of which has this number."""
        low, high = first - self.origin, first - self.origin + len(rows)
        if self.grows:
            while high > self.limit * self.width:
                self._double()
        else:
            rows = rows[max(0, -low) : max(0, self.limit * self.width - low)]
            low = max(low, 0)
            high = low + len(rows)
        if not len(rows):
            return
        self._fit(rows.shape[1])
        a, b = low // self.width, (high - 1) // self.width + 1
        cuts = np.maximum(np.arange(a, b) * self.width - low, 0)
        there = ~np.isnan(rows)
        c = slice(rows.shape[1])
        self.sums[a:b, c] += summed(rows if there.all() else np.where(there, rows, 0.0), cuts)
        self.counts[a:b, c] += counted(there, cuts)
        self.used = max(self.used, b)

    def means(self, columns: int = 0) -> Floats:
        """Bins x columns, at least so many; NaN where nothing was counted."""
        self._fit(columns)
        n = self.counts[: self.used]
        return np.where(n > 0, self.sums[: self.used] / np.maximum(n, 1.0), np.nan)

    def _double(self) -> None:
        for a in (self.sums, self.counts):
            whole = a[: self.limit // 2 * 2].reshape(self.limit // 2, 2, -1).sum(axis=1)
            rest = a[self.limit // 2 * 2 :].copy()
            a[:] = 0.0
            a[: len(whole)] = whole
            a[len(whole) : len(whole) + len(rest)] = rest
        self.width *= 2
        self.used = (self.used + 1) // 2

    def _fit(self, columns: int) -> None:
        more = columns - self.sums.shape[1]
        if more > 0:
            self.sums, self.counts = (np.pad(a, [(0, 0), (0, more)]) for a in (self.sums, self.counts))
