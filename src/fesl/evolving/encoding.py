"""From what people pass to what the core sees: the labels of a table."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from fesl._typing import Floats
from fesl.errors import DataError, LabelError
from fesl.evolving.labels import Classes, Codec, Targets, unlabelled
from fesl.models import LIMIT
from fesl.tables import unmasked


def encode(codec: Codec, outputs: int, y: Any, rows: int) -> tuple[Floats, dict[int, Any], int]:
    """The targets of a block (NaN where there is no label), the rows that bring a label of a new kind, and the
    number of outputs needed in the end (`outputs` where there are no labels). Raises before anything is learned."""
    if y is None:
        return np.full((rows, 1), np.nan), {}, outputs
    names = [*y.columns] if hasattr(y, "columns") else None
    y = unmasked(y) if isinstance(y, np.ma.MaskedArray) else y.to_numpy() if hasattr(y, "to_numpy") else y
    if isinstance(codec, Classes):
        return _encode_classes(codec, y, rows)
    assert isinstance(codec, Targets)
    if names is not None and codec.names is not None:
        if set(names) != set(codec.names):
            raise LabelError(f"targets {names!r} do not match {codec.names!r} so far: name the columns like them")
        y = np.asarray(y)[:, [names.index(name) for name in codec.names]]
    return _encode_targets(codec, y, rows)


def _encode_classes(codec: Classes, y: Any, rows: int) -> tuple[Floats, dict[int, Any], int]:
    labels = _labels(y, rows)
    trial = codec  # a copy of it, once there is a label to admit
    targets: dict[Any, float] = {}
    arrivals: dict[int, Any] = {}
    Y = np.full((rows, 1), np.nan)
    for label, at in _first_seen(labels):
        target = trial.encode(label)
        if target is None:
            trial = copy.deepcopy(codec) if trial is codec else trial
            trial.admit(label)
            target = trial.encode(label)
            arrivals[at] = label
        assert target is not None
        targets[label] = float(target[0])
    if isinstance(labels, np.ndarray):
        for label, value in targets.items():
            Y[labels == label, 0] = value
    else:
        Y[:, 0] = [np.nan if unlabelled(label) else targets[label] for label in labels]
    return Y, arrivals, trial.outputs


def _labels(y: Any, rows: int) -> Any:
    """Labels as a typed array where that is possible (fast), as a list otherwise."""
    try:
        array = np.asarray(y)
    except ValueError:
        raise LabelError("the labels differ in shape: a class label is a number, a string or a boolean") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or len(array) != rows:
        raise DataError(f"labels of shape {array.shape} for {rows} rows: give one label a row")
    if array.dtype.kind in "mM":
        raise LabelError(f"labels of {array.dtype}: a class label is a number, a string or a boolean")
    if array.dtype == object or (array.dtype.kind in "US" and not isinstance(y, np.ndarray)):
        return list(y)
    return array


def _first_seen(labels: Any) -> list[tuple[Any, int]]:
    """Each label with the row that brings it first, in the order of the rows."""
    if isinstance(labels, np.ndarray):
        found, first = np.unique(labels, return_index=True)
        pairs = [(v.item(), int(i)) for v, i in zip(found, first, strict=True) if v == v]
        return sorted(pairs, key=lambda pair: pair[1])
    seen: dict[Any, int] = {}
    for i, label in enumerate(labels):
        try:
            if not unlabelled(label):
                seen.setdefault(label, i)
        except TypeError:
            raise LabelError(f"row {i}: label {label!r} is a {type(label).__name__}, not a class label") from None
    return list(seen.items())


def _encode_targets(codec: Targets, y: Any, rows: int) -> tuple[Floats, dict[int, Any], int]:
    try:
        raw = np.asarray(y)
        odd = str | bytes | bool | np.bool_ | complex
        if raw.dtype.kind not in "iufO" or (raw.dtype == object and any(isinstance(v, odd) for v in raw.flat)):
            raise ValueError
        Y = np.array(raw, dtype=np.float64, ndmin=1)
    except OverflowError:
        raise _beyond() from None
    except (TypeError, ValueError):
        raise LabelError("the labels of a regression must be numbers (NaN where there is no label)") from None
    flat = Y.ndim == 1
    Y = np.ascontiguousarray(Y[:, np.newaxis] if flat else Y)
    if Y.ndim != 2 or len(Y) != rows or Y.shape[1] == 0:
        raise DataError(f"labels of shape {np.shape(y)} for {rows} rows: give one row of targets a row")
    if codec.count is not None and Y.shape[1] != codec.count:
        raise LabelError(f"{Y.shape[1]} target(s) in a row, {codec.count} before: the number must not change")
    if (np.abs(Y) > LIMIT).any():
        raise _beyond()
    missing = np.isnan(Y)
    if (missing.any(axis=1) != missing.all(axis=1)).any():
        raise LabelError("a row has some targets but not all of them: give all, or NaN for all")
    arrivals: dict[int, Any] = {}
    labelled = np.flatnonzero(~missing[:, 0])
    if codec.count is None and len(labelled):
        first = int(labelled[0])
        arrivals[first] = float(Y[first, 0]) if flat else Y[first]
    return Y, arrivals, Y.shape[1]


def _beyond() -> LabelError:
    return LabelError(f"a target is not finite (up to {LIMIT:g}): drop the row, or use NaN for an unlabelled one")
