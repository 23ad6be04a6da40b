"""The overlap rows: the few events in which old and new features were seen side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.models import Point


class Overlap:
    """The last `rows` events that held newcomers, labelled or not: all that psi is learned from.

    Memory is bounded by `rows` events; `seen` counts all that came.

    >>> o = Overlap(rows=2)
    >>> for v in 1.0, 2.0, 3.0:
    ...     o.add(Point(np.array([0, 3]), np.array([v, 10 * v])))
    >>> o.seen, len(o), o.matrix(capacity=4).toarray()[:, 3]
    (3, 2, array([20., 30.]))
    """

    __slots__ = ("_points", "rows", "seen")

    def __init__(self, rows: int) -> None:
        self.rows = int(rows)
        self.seen = 0
        self._points: deque[Point] = deque(maxlen=self.rows)

    def add(self, x: Point) -> None:
        self.take(Point(x.idx.copy(), x.val.copy()))

    def take(self, x: Point) -> None:
        """The same without copying: nobody may write to the arrays any more."""
        self._points.append(x)
        self.seen += 1

    def __len__(self) -> int:
        return len(self._points)

    @property
    def last(self) -> Point:
        """The latest row."""
        return self._points[-1]

    @property
    def alike(self) -> bool:
        """Whether the last two rows hold the same features."""
        return len(self) > 1 and np.array_equal(self._points[-1].idx, self._points[-2].idx)

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def matrix(self, capacity: int) -> sparse.csr_array:
        """The rows as a sparse matrix with one column a feature id; what was not observed is not stored."""
        ends = np.cumsum([0] + [len(p.idx) for p in self._points])
        val = np.concatenate([p.val for p in self._points] or [np.empty(0)])
        return sparse.csr_array((val, self._ids(), ends), shape=(len(self._points), capacity))

    def table(self) -> tuple[Ints, Floats] | None:
        """The features and their values (a row each) where every row holds the same ones, if there are any."""
        if not self._points:
            return None
        ids, orders = np.sort(self._points[0].idx), dict[bytes, Ints]()
        for p in self._points:
            key = p.idx.tobytes()
            if key not in orders:
                orders[key] = np.argsort(p.idx)
                if not np.array_equal(p.idx[orders[key]], ids):
                    return None
        if len(orders) > 1:
            return ids, np.array([p.val[orders[p.idx.tobytes()]] for p in self._points])
        values = np.array([p.val for p in self._points])
        return ids, values if np.array_equal(p.idx, ids) else values[:, orders[key]]

    def observed(self, capacity: int) -> Ints:
        """In how many of the rows each feature was observed."""
        return np.bincount(self._ids(), minlength=capacity)

    def _ids(self) -> Ints:
        return np.concatenate([p.idx for p in self._points] or [np.empty(0, np.int64)])
