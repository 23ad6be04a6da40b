"""What is to be predicted: labels or numbers, and which of the two a column holds.

The task is guessed from the first thousand labels: words, true and false are classes; numbers are classes if all
are -1, 0 or 1, or if they are whole, at most ten different ones, and each comes twice or more on average. Anything
else, and several targets, is a regression.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats
from fesl.files import text
from fesl.files.columns import SAMPLE, Columns, Raw, plain, typed_kind
from fesl.files.settings import Task

FEW = 10


def guess(values: npt.NDArray[Any]) -> Task:
    """The task, from labels without gaps.

    >>> guess(np.array(["a", "b"])), guess(np.array([0, 1, 1])), guess(np.array([1.5, 2.0])), guess(np.arange(99))
    ('classification', 'classification', 'regression', 'regression')
    """
    if values.dtype.kind not in "iuf":
        return "classification"
    values = values[:SAMPLE]
    different = np.unique(values)
    if np.isin(different, (-1, 0, 1)).all():
        return "classification"
    few = len(different) <= FEW and 2 * len(different) <= len(values)
    return "classification" if few and (different == np.floor(different)).all() else "regression"


class Targets:
    """The target column(s) of a stream. `task` and `kind` ("number", "flag" or "words") are fixed by the first
    labels that are met, if they are not told.

    >>> import pyarrow as pa
    >>> from fesl.files import Notes, Settings
    >>> raw = Raw(["y"], [pa.array(["1", "0", None])], np.arange(3), "a.csv")
    >>> targets = Targets(("y",), "auto")
    >>> targets.read(raw, Columns(Settings(), Notes())), targets.task, targets.kind
    (array([1, 0, None], dtype=object), 'classification', 'number')
    """

    def __init__(self, names: tuple[str, ...], task: Task, kind: str | None = None) -> None:
        self.names, self.task, self.kind = names, task, kind

    def read(self, raw: Raw, columns: Columns) -> npt.NDArray[Any]:
        """The labels of a block."""
        at = [raw.columns[raw.names.index(name)] for name in self.names]
        if len(at) > 1:
            self.task, self.kind = "regression", "number"
            return self._whole(
                raw,
                columns,
                np.column_stack([self._numbers(raw, columns, *p) for p in zip(self.names, at, strict=True)]),
            )
        array = plain(at[0])
        self._meet(raw, array)
        if self.kind == "words":
            missing = set(columns.settings.missing)
            words = [w if w is None else w.strip() for w in array.cast("string").to_pylist()]
            return np.array([None if not w or w in missing else w for w in words], dtype=object)
        if self.kind == "flag":
            return self._flags(array)
        values = self._numbers(raw, columns, self.names[0], array)
        return _whole_numbers(values) if self.task == "classification" else values

    def _meet(self, raw: Raw, array: Any) -> None:
        """Settle what the labels are, at the first block that has any."""
        if self.task == "regression":
            self.kind = "number"
        if self.kind is None and array.null_count < len(array):
            sample = array.drop_null()[:SAMPLE]
            typed = typed_kind(array.type)
            values: Floats | None = None
            if typed == "text":
                values, bad = text.numbers(sample, raw.decimal)
                values = None if bad is not None and bad.any() else values
            elif typed == "number":
                values = text.floats(sample.cast("float64", safe=False))
            self.kind = "flag" if typed == "flag" else "words" if values is None else "number"
            if self.task == "auto":
                self.task = "classification" if values is None else guess(values[~np.isnan(values)])

    def _numbers(self, raw: Raw, columns: Columns, name: str, array: Any) -> Floats:
        return columns.numbers(raw, name, array, "no number, as a target must be")

    def _whole(self, raw: Raw, columns: Columns, Y: Floats) -> Floats:
        """Rows that have some targets but not all have none."""
        gaps = np.isnan(Y)
        some = gaps.any(axis=1) & ~gaps.all(axis=1)
        if some.any():
            first = int(np.argmax(some))
            columns.notes.add(
                "row has some targets but not all: taken as unlabelled",
                f"{raw.source}, row {raw.rows[first]}",
                int(some.sum()),
            )
            Y[some] = np.nan
        return Y

    def _flags(self, array: Any) -> npt.NDArray[Any]:
        if typed_kind(array.type) == "flag" and not array.null_count:
            return text.bools(array)
        if typed_kind(array.type) == "flag":
            return np.array(array.to_pylist(), dtype=object)
        values = text.flags(array.cast("string"))[0]
        return np.array([None if v != v else bool(v) for v in values.tolist()], dtype=object)


def _whole_numbers(values: Floats) -> npt.NDArray[Any]:
    """Classes that are numbers, as integers where all of them are.

    >>> _whole_numbers(np.array([1.0, 0.0])), _whole_numbers(np.array([1.0, np.nan]))
    (array([1, 0]), array([1, None], dtype=object))
    """
    gaps = np.isnan(values)
    there = values[~gaps]
    if (there != np.floor(there)).any() or (np.abs(there) > 2.0**53).any():
        return values
    if not gaps.any():
        return values.astype(np.int64)
    return np.array([None if v != v else int(v) for v in values.tolist()], dtype=object)
