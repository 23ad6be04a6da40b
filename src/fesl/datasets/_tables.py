"""Readers of the few raw formats, and the encodings that the recipes are made of."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.streams.base import Matrix, is_sparse

Cells = list[list[str]]


def cells(path: Path, sep: str = ",") -> Cells:
    """The data rows of a CSV, ARFF or KEEL file: comments, declarations and blank lines are left
    out."""
    text = path.read_text(encoding="utf-8", errors="replace").splitlines()
    lines = [line for line in text if line.strip() and line.lstrip()[0] not in "%@"]
    reader = csv.reader(lines, delimiter=sep, quotechar="'", skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in reader]


def declared(path: Path) -> list[list[str]]:
    """The values that an ARFF file declares for each attribute (none for a numeric one)."""
    text = path.read_text(encoding="utf-8", errors="replace").splitlines()
    lines = [line for line in text if line.lower().startswith("@attribute")]
    inner = [line.partition("{")[2].rpartition("}")[0] for line in lines]
    reader = (next(csv.reader([part], quotechar="'", skipinitialspace=True), []) for part in inner)
    return [[value.strip() for value in row] for row in reader]


def libsvm(path: Path) -> tuple[list[str], Matrix]:
    """Labels and CSR matrix of a file of `label index:value ...` lines, indices from 1."""
    pairs = [line.partition(" ")[::2] for line in path.read_text().splitlines() if line.strip()]
    counts = [rest.count(":") for _, rest in pairs]
    flat = np.array(" ".join(rest for _, rest in pairs).replace(":", " ").split(), dtype=np.float64)
    columns = flat[::2].astype(np.int64) - 1
    indptr = np.concatenate([[0], np.cumsum(counts)])
    width = int(columns.max()) + 1 if len(columns) else 0
    matrix = sparse.csr_matrix((flat[1::2], columns, indptr), shape=(len(pairs), width))
    return [label for label, _ in pairs], matrix


def min_max(X: npt.ArrayLike) -> Floats:
    """Every column to [0, 1]; a constant one to 0.

    >>> min_max([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]]).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]
    """
    table: Floats = np.asarray(X, dtype=np.float64)
    low, high = table.min(axis=0), table.max(axis=0)
    return np.asarray((table - low) / np.where(high > low, high - low, 1.0))


def one_hot(column: Sequence[str], values: Sequence[str]) -> Floats:
    """One column a value; a two-valued attribute is one column (its second value = 1).

    >>> one_hot(["a", "b", "a"], ["a", "b"]).tolist()
    [[0.0], [1.0], [0.0]]
    """
    table = np.array([[float(cell == value) for value in values] for cell in column])
    return table[:, 1:] if len(values) == 2 else table


def one_hot_names(name: str, values: Sequence[str]) -> list[str]:
    """The names of those columns.

    >>> one_hot_names("A1", ["b", "a"]), one_hot_names("A5", ["g", "p", "gg"])
    (['A1=a'], ['A5=g', 'A5=p', 'A5=gg'])
    """
    kept = values[1:] if len(values) == 2 else values
    return [f"{name}={value}" for value in kept]


def signs(labels: Sequence[str], positive: str) -> Ints:
    """+1 where the label is `positive`, -1 elsewhere.

    >>> signs(["won", "nowin"], positive="nowin").tolist()
    [-1, 1]
    """
    return np.where(np.array(labels) == positive, 1, -1).astype(np.int64)


def fingerprint(X1: Matrix, y: npt.NDArray[Any], *, any_order: bool = False) -> str:
    """sha256 of the cells, to six decimals; with `any_order` the order of the rows does not count.

    >>> a, y = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([1, -1])
    >>> fingerprint(a, y) == fingerprint(a[::-1], y[::-1])
    False
    >>> fingerprint(a, y, any_order=True) == fingerprint(a[::-1], y[::-1], any_order=True)
    True
    """
    if is_sparse(X1):
        parts = [X1.indptr, X1.indices, X1.data, y]
        return hashlib.sha256(b"".join(_canonical(part).tobytes() for part in parts)).hexdigest()
    rows = [row.tobytes() for row in _canonical(np.column_stack([X1, y]))]
    return hashlib.sha256(b"".join(sorted(rows) if any_order else rows)).hexdigest()


def _canonical(part: npt.ArrayLike) -> Floats:
    """One bit pattern a number: little-endian, no minus zero, one NaN."""
    table = np.round(np.asarray(part, dtype="<f8"), 6) + 0.0
    table[np.isnan(table)] = np.nan
    return np.ascontiguousarray(table)
