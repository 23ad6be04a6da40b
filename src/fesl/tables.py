"""From what people pass to what the core sees: whole tables.

NumPy arrays, SciPy sparse matrices and data frames become one `Table`. Data frames of any make go through
narwhals (the extra `frames`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fesl._missing import unobserved
from fesl._native import native
from fesl._typing import Floats, Ints, Name
from fesl.errors import DataError, FeatureError, FeslError, MissingExtraError, shown
from fesl.models import LIMIT


@dataclass(frozen=True)
class Table:
    """Rows of numbers with named columns, either dense (NaN is not observed) or compressed by row.

    Compressed rows store no NaN; `cols` keeps the width that SciPy gave it, 32 or 64 bits.
    """

    names: list[Name]
    rows: int
    dense: Floats | None
    ptr: Ints
    cols: npt.NDArray[np.signedinteger[Any]]
    vals: Floats

    def row(self, i: int) -> tuple[npt.NDArray[np.signedinteger[Any]], Floats]:
        """The observed columns of row i and their values."""
        if self.dense is not None:
            there = np.flatnonzero(~np.isnan(self.dense[i]))
            return there, self.dense[i, there]
        at = slice(self.ptr[i], self.ptr[i + 1])
        return self.cols[at], self.vals[at]

    def columns(self, start: int, stop: int) -> Ints:
        """The columns observed anywhere in these rows."""
        if self.dense is not None:
            return np.flatnonzero(~np.isnan(self.dense[start:stop]).all(axis=0))
        cols, module = self.cols[self.ptr[start] : self.ptr[stop]], native()
        seen = np.zeros(len(self.names), np.uint8)
        if module is None:
            seen[cols] = 1
        else:
            module.mark(cols, seen)
        return np.flatnonzero(seen)

    def first_with(self, columns: Ints, start: int, stop: int) -> int:
        """The first of these rows that holds one of the columns; `stop` if none does."""
        if self.dense is not None:
            held = ~np.isnan(self.dense[start:stop, columns]).all(axis=1)
            return start + int(held.argmax()) if held.any() else stop
        wanted = np.zeros(len(self.names), bool)
        wanted[columns] = True
        at = slice(self.ptr[start], self.ptr[stop])
        found = wanted[self.cols[at]]
        if not found.any():
            return stop
        return int(np.searchsorted(self.ptr, self.ptr[start] + found.argmax(), side="right")) - 1


def as_table(X: Any, features: Sequence[Name] | None = None) -> Table:
    """A table from an array, a sparse matrix or a data frame.

    >>> as_table([[1.0, 2.0]], ["a", "b"]).row(0)
    (array([0, 1]), array([1., 2.]))
    """
    if isinstance(X, Table):
        return X
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan) if X.dtype.kind in "biuf" else unmasked(X)
    if sparse.issparse(X):
        return _sparse(X, features)
    if _is_frame(X):
        names, X = _frame(X)
        features = names if features is None else features
    return _dense(X, features)


def unmasked(X: Any) -> Any:
    """A masked array, with None for what is masked.

    >>> unmasked(np.ma.masked_array([1, 2], [False, True]))
    array([1, None], dtype=object)
    """
    found = np.array(X.data, dtype=object)
    found[np.ma.getmaskarray(X)] = None
    return found


def _dense(X: Any, features: Sequence[Name] | None) -> Table:
    try:
        cells = _told(np.asarray(X))
        if not _numeric(cells):
            raise _culprit(X, features)
        dense = np.ascontiguousarray(cells, dtype=np.float64)
    except FeslError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise _culprit(X, features) from None
    if dense.ndim != 2:
        raise DataError(f"a table has two dimensions, this has {dense.ndim}: reshape it to (rows, features)")
    names = _names(features, dense.shape[1])
    if len(dense) and not _all_within(dense):
        i, j = np.argwhere(np.abs(dense) > LIMIT)[0]
        raise _not_finite(names[j], int(i), float(dense[i, j]))
    none = np.zeros(0, np.int64)
    return Table(names, len(dense), dense, none, none, np.zeros(0))


def _sparse(X: Any, features: Sequence[Name] | None) -> Table:
    csr = sparse.csr_array(X)
    if csr.dtype.kind not in "biuf":
        raise DataError(f"a sparse table of {csr.dtype} holds no real numbers: convert it")
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    names = _names(features, csr.shape[1])
    ptr, cols = csr.indptr.astype(np.int64), np.ascontiguousarray(csr.indices)
    vals = np.ascontiguousarray(csr.data, dtype=np.float64)
    if _any_odd(vals):
        beyond = np.flatnonzero(np.abs(vals) > LIMIT)
        if len(beyond):
            at = int(beyond[0])
            row = int(np.searchsorted(ptr, at, side="right")) - 1
            raise _not_finite(names[cols[at]], row, float(vals[at]))
        there = ~np.isnan(vals)
        ptr, cols, vals = np.concatenate([[0], np.cumsum(there)])[ptr], cols[there], vals[there]
    return Table(names, csr.shape[0], None, ptr, cols, vals)


def _told(a: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Objects, with NaN for what was not observed."""
    if a.dtype != object:
        return a
    return np.where(np.frompyfunc(unobserved, 1, 1)(a).astype(bool), np.nan, a)


def _numeric(a: np.ndarray[Any, np.dtype[Any]]) -> bool:
    """Whether NumPy may be asked for floats: it would read a string, a date or a complex number as one, too."""
    if a.dtype != object:
        return a.dtype.kind in "biuf"
    return not any(isinstance(v, str | bytes | complex) for v in a.flat)


def _all_within(a: Floats) -> bool:
    """Whether every number is finite and within bounds; NaN is no number and passes."""
    module = native()
    if module is not None:
        return bool(module.top(a.reshape(-1)) <= LIMIT)
    return not a.size or bool(
        not np.fmax.reduce(a, axis=None) > LIMIT and not np.fmin.reduce(a, axis=None) < -LIMIT
    )


def _any_odd(a: Floats) -> bool:
    """Whether any number is NaN or beyond bounds."""
    module = native()
    return bool(module.odd(a, LIMIT) if module is not None else not (np.abs(a) <= LIMIT).all())


def _names(features: Sequence[Name] | None, width: int) -> list[Name]:
    if features is None:
        return list(range(width))
    names = list(features)
    if len(names) != width:
        raise DataError(f"{len(names)} feature names for {width} columns: give one name a column")
    try:
        different = len(set(names))
    except TypeError:
        odd = next(name for name in names if not isinstance(name, Hashable))
        raise DataError(f"the feature name {odd!r} is a {type(odd).__name__}: use strings or numbers") from None
    if different != width:
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the feature name {twice!r} stands twice: names must differ")
    return names


def _is_frame(X: Any) -> bool:
    kind = type(X)  # asking the object itself may compute something
    return not isinstance(X, np.ndarray | list | tuple) and (
        hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "columns") or hasattr(kind, "column_names")
    )


def _frame(X: Any) -> tuple[list[Name], Any]:
    try:
        import narwhals.stable.v2 as nw
    except ImportError:
        raise MissingExtraError("narwhals", "frames") from None
    try:
        frame = nw.from_native(X, eager_only=True)
        names: list[Name] = list(frame.columns)
        series = list(frame.iter_columns())
    except (TypeError, nw.exceptions.NarwhalsError) as reason:
        raise DataError(f"the data frame cannot be read: {reason}") from None
    columns = []
    for name, s in zip(names, series, strict=True):
        if s.dtype.is_numeric() or s.dtype in (nw.Boolean, nw.Unknown, nw.Object):
            columns.append(_column(s.cast(nw.Float64) if s.dtype == nw.Boolean else s, name))
        elif s.is_null().all():  # nothing was observed: there is no telling what it would have been
            columns.append(np.full(len(frame), np.nan))
        else:
            raise FeatureError(
                f"column {name!r} holds {s.dtype}, not numbers: convert it (one-hot for categories) or drop it"
            )
    return names, np.column_stack(columns) if columns else np.zeros((len(frame), 0))


def _column(series: Any, name: Name) -> Floats:
    try:
        values = _told(series.to_numpy())
        if _numeric(values):
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise FeatureError(f"column {name!r} holds something that is not a number: convert it or drop it")


def _culprit(X: Any, features: Sequence[Name] | None) -> Exception:
    """Name the first cell that is not a number."""
    try:
        cells = np.asarray(X, dtype=object)
    except ValueError:
        return DataError("the rows of a table must have the same length")
    if cells.ndim != 2:
        return DataError(f"a table has two dimensions, this has {cells.ndim}: reshape it to (rows, features)")
    names = _names(features, cells.shape[1])
    for (i, j), v in np.ndenumerate(cells):
        name = names[j]
        if isinstance(v, int) and abs(v) > LIMIT:
            return _not_finite(name, i, v)
        if not unobserved(v) and not _is_number(v):
            return FeatureError(f"row {i}, feature {name!r} is {v!r}, not a number: convert it or use NaN")
    return DataError("the table cannot be read as numbers")


def _is_number(v: Any) -> bool:
    try:
        return v is None or (not isinstance(v, str | bytes | complex) and isinstance(float(v), float))
    except (TypeError, ValueError):
        return False


def _not_finite(name: Name, row: int, v: float) -> FeatureError:
    return FeatureError(
        f"row {row}, feature {name!r} is {shown(v)}: values must be finite (up to {LIMIT:g}); "
        "use NaN where nothing was observed"
    )
