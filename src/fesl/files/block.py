"""What a reader gives: rows of one file, ready for a learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy.typing as npt
from scipy import sparse

from fesl._typing import Floats, Ints

Matrix: TypeAlias = "Floats | sparse.csr_array[Any]"


@dataclass(frozen=True)
class Block:
    """Some rows of a file.

    `X` is dense (NaN is not observed) or compressed by row (what is not stored is zero), with one column a name of
    `names`; `y` holds the target, one column each if there are several, None or NaN where there is none; `apart`
    the columns that are no features (ids, times), as they stand; `rows` the numbers of the rows in `source`;
    `times` when they happened, in words, where a column tells.

    >>> import numpy as np
    >>> block = Block(np.zeros((2, 1)), ["a"], np.array([1, 0]), "a.csv", np.array([2, 3]))
    >>> len(block), block[1:].rows
    (2, array([3]))
    """

    X: Matrix
    names: list[str]
    y: npt.NDArray[Any]
    source: str
    rows: Ints
    apart: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    times: npt.NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: slice) -> Block:
        return self.take(at)

    def take(self, at: slice | Ints) -> Block:
        """Some of the rows."""
        apart = {name: values[at] for name, values in self.apart.items()}
        times = None if self.times is None else self.times[at]
        return Block(self.X[at], self.names, self.y[at], self.source, self.rows[at], apart, times)
