"""Random recovery problems, and the matrix M that the library never writes down."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fesl.models import Point
from fesl.recovery import LeastSquares, Overlap


class Problem(NamedTuple):
    """Overlap rows: V vanished features with the ids 0 to V - 1, then d2 present ones."""

    O1: np.ndarray
    O2: np.ndarray

    @property
    def vanished(self):
        return np.arange(self.O1.shape[1])

    @property
    def present(self):
        return np.arange(self.O2.shape[1]) + self.O1.shape[1]

    @property
    def capacity(self):
        return self.O1.shape[1] + self.O2.shape[1]

    def overlap(self, order=None, rows=1000):
        found = Overlap(rows)
        table = np.hstack([self.O1, self.O2])
        for row in table if order is None else table[order]:
            there = np.flatnonzero(~np.isnan(row))
            found.add(Point(there, row[there]))
        return found

    def fit(self, ridge=0.0, order=None, **how):
        return LeastSquares(ridge).fit(self.overlap(order), self.vanished, self.present, self.capacity, **how)

    def wide(self):
        """The same problem with so many features that are always zero that the dual form is the smaller one."""
        return Problem(self.O1, np.hstack([self.O2, np.zeros(self.O2.shape)]))

    def new(self, rng):
        return Point(self.present, rng.normal(size=len(self.present)))


def random_problem(seed, B, V, d2):
    rng = np.random.default_rng(seed)
    return Problem(rng.normal(size=(B, V)), rng.normal(size=(B, d2)))


def minimum_norm(O1, O2):
    return np.linalg.lstsq(O2, O1, rcond=None)[0]


def ridge_map(O1, O2, ridge):
    return np.linalg.solve(O2.T @ O2 + ridge * np.eye(O2.shape[1]), O2.T @ O1)
