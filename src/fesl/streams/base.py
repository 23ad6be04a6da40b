"""What a stream is: a table of events whose features come and go, and the calendar of their going.

In a dense stream NaN means *not observed*. A CSR stream cannot say so cell by cell, for there an
entry that is not stored is a zero: which columns are observed follows from `spaces` and `spans`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.errors import DataError

#: A dense array or a SciPy CSR matrix.
Matrix: TypeAlias = Any
Label: TypeAlias = Any
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Stream:
    """A stream of events, in order. Iterating yields `(event, label)` pairs.

    An event is a dict of the features observed at that row (of a CSR stream: those stored, the
    other features of the living spaces being zero). A label that is NaN comes as None.

    Parameters
    ----------
    X
        n x d, NaN where not observed; or CSR.
    y
        n labels, or n x k targets.
    features
        The d names.
    spaces
        The columns of each feature space, in order of appearance; one may come again.
    spans
        The rows `[start, stop)` in which each space lives.
    overlaps
        The rows `[start, stop)` in which a space that is about to go and the next are both there:
        what `fesl.spaces.Periods` asks.
    switches
        The rows from which on old features are gone.
    name
        For reports.

    Examples
    --------
    >>> from fesl.streams import two_spaces
    >>> stream = two_spaces([[1.0], [2.0], [3.0], [4.0]], [[5.0], [6.0], [7.0], [8.0]],
    ...                     [1, -1, 1, -1], overlap=1)
    >>> for event, label in stream:
    ...     print(event, label)
    {'s1x0': 1.0} 1
    {'s1x0': 2.0, 's2x0': 6.0} -1
    {'s2x0': 7.0} 1
    {'s2x0': 8.0} -1
    >>> stream.overlaps, stream.switches
    (((1, 2),), (2,))
    """

    X: Matrix
    y: npt.NDArray[Any]
    features: tuple[str, ...]
    spaces: tuple[Ints, ...]
    spans: tuple[Span, ...]
    overlaps: tuple[Span, ...] = ()
    switches: tuple[int, ...] = ()
    name: str = "stream"

    def __post_init__(self) -> None:
        n, d = self.X.shape
        if len(self.y) != n:
            raise DataError(f"{self.name}: {n} rows but {len(self.y)} labels")
        if len(self.features) != d or len(set(self.features)) != d:
            raise DataError(f"{self.name}: {d} columns need as many different feature names")

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __iter__(self) -> Iterator[tuple[dict[str, float], Label]]:
        rows = self._sparse_rows() if is_sparse(self.X) else self._dense_rows()
        return zip(rows, self._labels(), strict=True)

    def _dense_rows(self) -> Iterator[dict[str, float]]:
        names = np.array(self.features, dtype=object)
        mask: npt.NDArray[np.bool_] = np.isnan([])
        present: list[str] = []
        for row in self.X:
            observed = ~np.isnan(row)
            # The same features are there for long stretches: look their names up once.
            if not np.array_equal(observed, mask):
                mask, present = observed, names[observed].tolist()
            yield dict(zip(present, row[mask].tolist(), strict=True))

    def _sparse_rows(self) -> Iterator[dict[str, float]]:
        names, X = self.features, self.X
        for start, stop in pairwise(X.indptr):
            columns, values = X.indices[start:stop].tolist(), X.data[start:stop].tolist()
            yield {names[j]: value for j, value in zip(columns, values, strict=True)}

    def _labels(self) -> Iterator[Label]:
        if self.y.ndim == 1 and self.y.dtype.kind != "f":
            yield from self.y.tolist()
        else:
            for label in self.y:
                yield None if np.isnan(label).any() else label if label.ndim else float(label)

    def living(self, row: int) -> list[int]:
        """The numbers of the spaces that live at a row.

        >>> from fesl.streams import two_spaces
        >>> stream = two_spaces(np.ones((6, 2)), np.ones((6, 3)), np.ones(6), overlap=2)
        >>> [stream.living(row) for row in (0, 1, 2, 3)]
        [[0], [0, 1], [0, 1], [1]]
        """
        return [k for k, (start, stop) in enumerate(self.spans) if start <= row < stop]

    def segments(self) -> list[tuple[int, int, list[int]]]:
        """The stream cut where a space comes or goes: (start, stop, numbers of the living spaces).

        >>> from fesl.streams import two_spaces
        >>> two_spaces(np.ones((6, 2)), np.ones((6, 3)), np.ones(6), overlap=1).segments()
        [(0, 2, [0]), (2, 3, [0, 1]), (3, 6, [1])]
        """
        cuts = sorted({0, len(self), *(edge for span in self.spans for edge in span)})
        return [(a, b, self.living(a)) for a, b in pairwise(cuts)]

    def space_of(self) -> dict[str, int]:
        """The space that each feature first belongs to, as `fesl.spaces.Declared` asks.

        >>> from fesl.streams import two_spaces
        >>> two_spaces(np.ones((4, 1)), np.ones((4, 2)), np.ones(4), overlap=1).space_of()
        {'s1x0': 0, 's2x0': 1, 's2x1': 1}
        """
        latest_first = reversed(list(enumerate(self.spaces)))
        owner = {self.features[j]: k for k, columns in latest_first for j in columns}
        return {name: owner[name] for name in self.features}

    def mask(self) -> npt.NDArray[np.bool_]:
        """n x d, True where observed.

        >>> from fesl.streams import two_spaces
        >>> two_spaces(np.ones((4, 1)), np.ones((4, 1)), np.ones(4), overlap=1).mask().astype(int).T
        array([[1, 1, 0, 0],
               [0, 1, 1, 1]])
        """
        if not is_sparse(self.X):
            return np.asarray(~np.isnan(self.X))
        observed = np.zeros(self.X.shape, dtype=np.bool_)
        for columns, (start, stop) in zip(self.spaces, self.spans, strict=True):
            observed[start:stop, columns] = True
        return observed


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array."""
    return bool(sparse.issparse(X))


def matrix(X: Matrix) -> Matrix:
    """X as float64, dense or CSR; two-dimensional, or an error that says so."""
    table = sparse.csr_matrix(X, dtype=np.float64) if is_sparse(X) else np.asarray(X, float)
    if table.ndim != 2:
        raise DataError(f"a stream needs a table of rows by features, not of shape {table.shape}")
    return table


def paired(X: Matrix, y: npt.ArrayLike) -> tuple[Floats, npt.NDArray[Any]]:
    """A dense table and its labels, or an error that says what is wrong with them."""
    if is_sparse(X):
        raise DataError("this maker marks absent cells, which a sparse matrix cannot: X.toarray()")
    table, labels = matrix(X), np.asarray(y)
    if len(table) != len(labels):
        raise DataError(f"{len(table)} rows and {len(labels)} labels do not go together")
    return table, labels


def named(prefix: str, X: Matrix) -> list[str]:
    """`prefix0`, `prefix1`, ... for each column."""
    return [f"{prefix}{j}" for j in range(X.shape[1])]


def columns(views: Sequence[Matrix]) -> list[Ints]:
    """The columns that each view takes when all stand side by side."""
    edges = np.cumsum([0, *(view.shape[1] for view in views)])
    return [np.arange(a, b, dtype=np.int64) for a, b in pairwise(edges)]


def frozen(X: Any) -> Any:
    """X itself, its arrays read-only from now on: streams and data sets are values."""
    for part in (X.data, X.indices, X.indptr) if is_sparse(X) else (X,):
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
    return X


def observed_only(X: Floats, alive: npt.NDArray[np.bool_]) -> Floats:
    """A copy of X with NaN wherever `alive` is False."""
    return np.asarray(frozen(np.where(alive, X, np.nan)))
