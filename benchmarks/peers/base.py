"""What every adapter is given and what it gives back.

An adapter is a module with

- `PACKAGE`, the distribution whose version and size count;
- `IMPORT` and `FIRST`, code that imports what is needed, and that then predicts and learns one event;
- `events(table)`, the rows as the contestant's users have them (made before the clock starts);
- `MODELS`, by name a function of the table that makes a fresh `Model`;
- `TABLES`, by name a function of the table that gives a callable: the whole table, in one call.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Csr(NamedTuple):
    """A sparse table, as three arrays."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class Table(NamedTuple):
    """A stream on disk: X with NaN where not observed (or CSR), labels 0, 1, ..., and the number of classes."""

    X: Any
    y: np.ndarray
    classes: int
    columns: int

    @property
    def names(self) -> list[str]:
        return [f"x{j}" for j in range(self.columns)]


class Model(NamedTuple):
    """Two callables that are timed, and how to read a class number off what `predict` gives (not timed)."""

    predict: Callable[[Any], Any]
    learn: Callable[[Any, int], Any]
    answer: Callable[[Any], Any] = lambda found: found


def save(path: str | Path, X: Any, y: Any, classes: int) -> None:
    """Write a table where a worker can read it; X dense or a SciPy CSR matrix."""
    parts = {"X": X} if isinstance(X, np.ndarray) else {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    np.savez(path, y=np.asarray(y), classes=classes, columns=X.shape[1], **parts)


def load(path: str | Path) -> Table:
    """Read what `save` wrote."""
    with np.load(path) as found:
        X = found["X"] if "X" in found else Csr(found["data"], found["indices"], found["indptr"])
        return Table(X, found["y"], int(found["classes"]), int(found["columns"]))


def dicts(table: Table) -> list[dict[str, float]]:
    """Each row as a dict of what is observed (of a sparse row: what is stored)."""
    names = np.array(table.names, dtype=object)
    if isinstance(table.X, Csr):
        data, indices, ptr = table.X
        cuts = [slice(a, b) for a, b in pairwise(ptr.tolist())]
        return [dict(zip(names[indices[c]].tolist(), data[c].tolist(), strict=True)) for c in cuts]
    seen = ~np.isnan(table.X)
    return [
        dict(zip(names[m].tolist(), row[m].tolist(), strict=True)) for row, m in zip(table.X, seen, strict=True)
    ]


def likeliest(probabilities: dict[int, float] | None) -> int | None:
    """The class with the highest probability; none before any is known."""
    return max(probabilities, key=lambda c: probabilities[c]) if probabilities else None
