"""From labels to class numbers, a whole block at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints
from fesl.errors import DataError
from fesl.evolving.labels import unlabelled

#: With more classes than this a dictionary is quicker than one comparison a class.
FEW = 32


def column(y: Any) -> npt.NDArray[Any]:
    """Labels as an array of one dimension, whatever they came in.

    >>> column([["a"], ["b"]])
    array(['a', 'b'], dtype='<U1')
    """
    y = y.to_numpy() if hasattr(y, "to_numpy") else y
    kinds = {type(v) for v in y} if isinstance(y, list | tuple) else set()
    a = np.array(y, dtype=object) if len(kinds) > 1 and kinds & {str, type(None)} else np.asarray(y)
    return a[:, 0] if a.ndim == 2 and a.shape[1] == 1 else a


def codes(y: Any, classes: Sequence[Any]) -> Ints:
    """The place of each label among `classes`; -1 where there is no label, or one that is not among them.

    >>> codes(["a", None, "c", "b"], ["a", "b"])
    array([ 0, -1, -1,  1])
    >>> codes(np.array([1.0, np.nan, -1.0]), [-1, 1])
    array([ 1, -1,  0])
    """
    a = column(y)
    if a.dtype != object and len(classes) <= FEW:
        out = np.full(len(a), -1, np.int64)
        for k, label in enumerate(classes):
            if isinstance(label, str) == (a.dtype.kind == "U"):
                out[a == label] = k
        return out
    place = {label: k for k, label in enumerate(classes)}
    return np.array([-1 if unlabelled(v) else place.get(v, -1) for v in a.tolist()], np.int64)


def labelled(y: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which rows have a label (with several targets: all of them).

    >>> labelled(np.array([1.0, np.nan])), labelled(np.array(["a", None], dtype=object))
    (array([ True, False]), array([ True, False]))
    """
    if y.dtype == object:
        return np.array([not unlabelled(v) for v in y], bool)
    if y.dtype.kind != "f":
        return np.ones(len(y), bool)
    there = ~np.isnan(y)
    return np.asarray(there if y.ndim == 1 else there.all(axis=1))


def same(y: npt.NDArray[Any], p: npt.NDArray[Any]) -> None:
    """Raise where labels and predictions do not go together."""
    if len(y) != len(p):
        raise DataError(f"{len(y)} labels and {len(p)} predictions do not go together")
