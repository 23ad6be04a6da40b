"""From labels to the numbers a loss takes, and from scores back to labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import exp
from typing import Any, Protocol, TypeAlias

import numpy as np

from fesl._missing import unobserved
from fesl.errors import LabelError, shown
from fesl.losses import Loss
from fesl.models import LIMIT

#: Scores or targets of one event, one number an output: plain floats, which are quick to make and to read.
Scores: TypeAlias = tuple[float, ...]


#: What stands for no number, though NumPy would read one.
WORDS = str | bytes | bool | np.bool_


class Codec(Protocol):
    """Translates one kind of label. What it has learned of the labels so far is part of the learner's state."""

    @property
    def outputs(self) -> int:
        """How many outputs the labels so far need."""

    def encode(self, y: Any) -> Scores | None:
        """The target; None where there is more to it: no label (NaN), or one of a kind not met before."""

    def admit(self, y: Any) -> None:
        """Make room for a label that `encode` did not know; raises where there is none."""

    def decode(self, f: Scores) -> Any:
        """The prediction that scores stand for."""

    def probabilities(self, f: Scores) -> dict[Any, float]:
        """Class probabilities by label."""


def unlabelled(y: Any) -> bool:
    """Whether the label was not observed; several targets were not if none of them was.

    >>> unlabelled(None), unlabelled(float("nan")), unlabelled(0), unlabelled([None, None])
    (True, True, False, True)
    """
    if unobserved(y):
        return True
    if isinstance(y, np.ndarray) and not y.ndim:
        return unobserved(y.item())
    if isinstance(y, list | tuple | np.ndarray | Mapping):
        each = list(y.values()) if isinstance(y, Mapping) else list(y)
        return bool(each) and all(unlabelled(v) for v in each)
    return False


class Classes:
    """Labels of classes: declared, or met one after the other. Booleans declare themselves.

    Two classes are -1 and +1 of one output, more have an output each. A third class where there is room for two
    is an error, not a guess.
    """

    def __init__(self, loss: Loss, declared: Iterable[Hashable] | None) -> None:
        self.loss = loss
        self.binary = loss.task == "binary"
        self.open = declared is None
        self.labels: list[Hashable] = []
        self.targets: dict[Hashable, Scores] = {}
        for label in () if declared is None else declared:
            self._declare(label)
        if declared is not None and len(self.labels) < 2:
            raise LabelError(f"classes={self.labels!r}: declare at least two classes, or none to discover them")

    def _declare(self, label: Any) -> None:
        if self.encode(label) is not None:
            raise LabelError(f"the class {label!r} is declared twice")
        self._add(label)

    @property
    def outputs(self) -> int:
        return 1 if self.binary else max(1, len(self.labels))

    def encode(self, y: Any) -> Scores | None:
        try:
            return self.targets.get(y)
        except TypeError:
            raise self._wrong(y) from None

    def admit(self, y: Any) -> None:
        if not isinstance(y, bool | int | float | str | bytes | tuple | np.generic | Hashable):
            raise self._wrong(y)
        if isinstance(y, np.datetime64 | np.timedelta64):
            raise self._wrong(y)
        if isinstance(y, float | np.floating) and abs(float(y)) > LIMIT:
            raise LabelError(f"label {y!r} is not finite: drop it, or pass None for an unlabelled event")
        if not self.open:
            raise LabelError(
                f"label {y!r} is none of the declared classes {self.labels!r}: declare it, or leave classes out"
            )
        if isinstance(y, bool | np.bool_) and not self.labels:
            self._add(False)
            self._add(True)
        else:
            self._add(y)

    def _add(self, label: Any) -> None:
        if self.binary and len(self.labels) == 2:
            raise LabelError(
                f"label {label!r} is a third class beside {self.labels!r}, and the logistic loss has room for two: "
                "use loss=Softmax()"
            )
        label = label.item() if isinstance(label, np.generic) else label
        i = len(self.labels)
        self.labels.append(label)
        self.targets[label] = (2.0 * i - 1.0 if self.binary else float(i),)

    def decode(self, f: Scores) -> Any:
        if not self.labels:
            return None
        best = int(f[0] > 0.0) if self.binary else f.index(max(f))
        return self.labels[min(best, len(self.labels) - 1)]

    def probabilities(self, f: Scores) -> dict[Any, float]:
        labels = self.labels
        if len(labels) < 2:
            return dict.fromkeys(labels, 1.0)
        if self.binary:
            e = exp(-abs(f[0]))
            rare, common = e / (1.0 + e), 1.0 / (1.0 + e)
            if f[0] >= 0.0:
                return {labels[0]: rare, labels[1]: common}
            return {labels[0]: common, labels[1]: rare}
        top = max(f)
        odds = [exp(v - top) for v in f]
        total = sum(odds)
        return {label: v / total for label, v in zip(labels, odds, strict=True)}

    def _wrong(self, y: Any) -> LabelError:
        return LabelError(f"label {y!r} is a {type(y).__name__}: a class label is a number, a string or a boolean")


class Targets:
    """One or several numbers to predict: a number, a sequence, or a mapping from names to numbers.

    The first label says which; predictions come back in the same form.
    """

    def __init__(self) -> None:
        self.names: list[Hashable] | None = None
        self.count: int | None = None
        self.scalar = True

    @property
    def outputs(self) -> int:
        return self.count or 1

    def encode(self, y: Any) -> Scores | None:
        if self.count is None:
            return None
        if type(y) is float and self.scalar and abs(y) <= LIMIT:
            return (y,)
        return None if unlabelled(y) else self._numbers(y)

    def admit(self, y: Any) -> None:
        if isinstance(y, Mapping):
            self.names = list(y)
        try:
            target = self._numbers(y)
        except LabelError:
            self.names = None
            raise
        self.scalar = np.ndim(y) == 0 and self.names is None
        self.count = len(target)

    def decode(self, f: Scores) -> Any:
        if self.names is not None:
            return dict(zip(self.names, f, strict=True))
        return f[0] if self.scalar else list(f)

    def probabilities(self, f: Scores) -> dict[Any, float]:
        raise LabelError("a regression has no class probabilities: use predict_one or predict_many")

    def _numbers(self, y: Any) -> Scores:
        """The target as an array; a clear error for anything else."""
        if isinstance(y, Mapping):
            if self.names is None or set(y) != set(self.names):
                raise LabelError(f"targets {list(y)!r} do not match {self.names or self.count!r} so far")
            y = [y[name] for name in self.names]
        elif self.names is not None:
            raise LabelError(f"label {y!r} should be a mapping with the targets {self.names!r}")
        if any(unlabelled(v) for v in _items(y)):
            raise LabelError(f"label {shown(y)} holds some targets but not all of them: give all, or None")
        if isinstance(y, WORDS) or any(isinstance(v, WORDS) for v in _items(y)):
            raise LabelError(f"label {y!r} is not a number: regression targets are numbers")
        try:
            raw = np.atleast_1d(np.asarray(y))
            if raw.dtype.kind not in "biufO" or any(isinstance(v, complex) for v in raw.flat):
                raise TypeError
            target = raw.astype(np.float64)
        except OverflowError:
            target = np.full(1 if self.count is None else self.count, np.inf)
        except (TypeError, ValueError):
            raise LabelError(f"label {shown(y)} is not a number: regression targets are numbers") from None
        if target.ndim != 1 or len(target) == 0 or (self.count is not None and len(target) != self.count):
            raise LabelError(f"label {y!r} does not hold {self.count or 'one or more'} target(s), as before")
        if not (np.abs(target) <= LIMIT).all():
            raise LabelError(
                f"label {shown(y)} is not finite (up to {LIMIT:g}): drop it, or pass None for an unlabelled event"
            )
        return tuple(target.tolist())


def _items(y: Any) -> list[Any]:
    return list(y) if isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.ndim) else [y]
