"""Metrics of a stream: blocks go in, the value so far comes out.

Each takes `update(y, p)` and gives `value` (NaN before the first label). Rows without a label (None, NaN) are not
counted. `Windowed` turns any of them into the same metric over the last rows.

=====================  =================================================  ==========================
`Accuracy`             the part of the labels predicted                   p: predicted labels
`BalancedAccuracy`     the mean over classes of the part predicted        p: predicted labels
`LogLoss`              bits a row: -log2 of the chance given to the label p: chances, rows x classes
`RocAuc`               area under the ROC curve over the last rows        p: chances, rows x classes
`MAE`, `RMSE`          absolute, root mean square error                   p: predicted numbers
=====================  =================================================  ==========================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.errors import DataError
from fesl.evaluation.labels import codes, column, labelled, same
from fesl.evaluation.window import Tail

#: No chance counts as smaller than this: a label said to be impossible costs 52 bits, not infinitely many.
LEAST = float(np.finfo(np.float64).eps)


class Accuracy:
    """The part of the labels that was predicted.

    >>> Accuracy().update(["a", "b", None], ["a", "a", "b"]).value
    0.5
    """

    name, rising = "accuracy", True

    def __init__(self) -> None:
        self.rows, self.right = 0, 0

    def update(self, y: Any, p: Any) -> Self:
        y, p = _paired(y, p)
        self.rows += len(y)
        self.right += int(np.count_nonzero(y == p))
        return self

    @property
    def value(self) -> float:
        return self.right / self.rows if self.rows else np.nan


class BalancedAccuracy:
    """The mean over the classes met of the part of each that was predicted: a rare class counts like a common one.

    >>> BalancedAccuracy().update([0, 0, 0, 1], [0, 0, 0, 0]).value
    0.5
    """

    name, rising = "balanced_accuracy", True

    def __init__(self) -> None:
        self.rows: dict[Any, int] = {}
        self.right: dict[Any, int] = {}

    def update(self, y: Any, p: Any) -> Self:
        y, p = _paired(y, p)
        right = _counts(y[y == p])
        for label, n in _counts(y).items():
            self.rows[label] = self.rows.get(label, 0) + n
            self.right[label] = self.right.get(label, 0) + right.get(label, 0)
        return self

    @property
    def value(self) -> float:
        return float(np.mean([self.right[k] / n for k, n in self.rows.items()])) if self.rows else np.nan


class LogLoss:
    """Bits a row: the mean of -log2 of the chance that was given to the label.

    `classes` are the labels of the columns of p; without them labels are the numbers of the columns. A vector p is
    the chance of the second of two classes.

    >>> LogLoss().update([1, 0], [0.5, 0.75]).value
    1.5
    >>> LogLoss(["no", "yes"]).update(["yes"], [[0.5, 0.5]]).value
    1.0
    """

    name, rising = "log_loss", False

    def __init__(self, classes: Sequence[Any] | None = None) -> None:
        self.classes = classes
        self.rows, self.bits = 0, 0.0

    def update(self, y: Any, p: Any) -> Self:
        k, P = _chances(y, p, self.classes)
        given = P[np.arange(len(k)), k]
        self.rows += len(k)
        self.bits -= float(np.log2(np.clip(given, LEAST, 1.0 - LEAST)).sum())
        return self

    @property
    def value(self) -> float:
        return self.bits / self.rows if self.rows else np.nan


class RocAuc:
    """The area under the ROC curve over the last `window` labelled rows: the chance that a row of a class is given
    more of it than a row of another. With more than two classes the mean of one against the rest, over those
    met in the window. p and `classes` as for `LogLoss`.

    >>> RocAuc().update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value
    0.75
    """

    name, rising = "roc_auc", True

    def __init__(self, window: int = 500, classes: Sequence[Any] | None = None) -> None:
        self.classes = classes
        self.tail = Tail(window)

    def update(self, y: Any, p: Any) -> Self:
        self.tail.add(*_chances(y, p, self.classes))
        return self

    @property
    def value(self) -> float:
        if not len(self.tail):
            return np.nan
        y, P = self.tail.rows()
        if P.shape[1] == 2:
            return _area(y == 1, P[:, 1])
        areas = [_area(y == k, P[:, k]) for k in np.unique(y)]
        return float(np.mean(areas))


class MAE:
    """The mean absolute error; with several targets the mean over them.

    >>> MAE().update([1.0, 2.0, None], [1.0, 4.0, 9.0]).value
    1.0
    """

    name, rising = "mae", False

    def __init__(self) -> None:
        self.rows, self.sums = 0, np.zeros(1)

    def update(self, y: Any, p: Any) -> Self:
        errors = _errors(y, p)
        self.rows += len(errors)
        self.sums = self.sums + np.abs(errors).sum(axis=0)
        return self

    @property
    def value(self) -> float:
        return float(self.sums.mean()) / self.rows if self.rows else np.nan


class RMSE:
    """The root of the mean squared error; with several targets the mean over them.

    >>> RMSE().update([1.0, 2.0], [1.0, 4.0]).value ** 2
    2.0000000000000004
    """

    name, rising = "rmse", False

    def __init__(self) -> None:
        self.rows, self.sums = 0, np.zeros(1)

    def update(self, y: Any, p: Any) -> Self:
        errors = _errors(y, p)
        self.rows += len(errors)
        self.sums = self.sums + (errors**2).sum(axis=0)
        return self

    @property
    def value(self) -> float:
        return float(np.sqrt(self.sums / self.rows).mean()) if self.rows else np.nan


def _counts(y: npt.NDArray[Any]) -> dict[Any, int]:
    """How often each label is there.

    >>> _counts(np.array([2, 0, 2])), _counts(np.array(["a", "b", "a"]))
    ({0: 1, 2: 2}, {'a': 2, 'b': 1})
    """
    if y.dtype == object:
        return Counter(y.tolist())
    if y.dtype.kind == "i" and len(y) and y.min() >= 0 and y.max() < len(y):
        n = np.bincount(y)
        return {k: n_k for k, n_k in enumerate(n.tolist()) if n_k}
    labels, n = np.unique(y, return_counts=True)
    return dict(zip(labels.tolist(), n.tolist(), strict=True))


def _paired(y: Any, p: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    y, p = column(y), column(p)
    same(y, p)
    there = labelled(y)
    return (y, p) if there.all() else (y[there], p[there])


def _chances(y: Any, p: Any, classes: Sequence[Any] | None) -> tuple[Ints, Floats]:
    """Class numbers and chances of the labelled rows."""
    P = np.asarray(p, np.float64)
    P = np.column_stack([1.0 - P, P]) if P.ndim == 1 else P
    labels = column(y)
    same(labels, P)
    there = labelled(labels)
    k = codes(labels[there], classes if classes is not None else range(P.shape[1]))
    if len(k) and k.min() < 0:
        strange = labels[there][k < 0].tolist()[0]
        raise DataError(f"label {strange!r} is none of the {P.shape[1]} classes of the chances: pass classes=")
    return k, P[there]


def _area(positive: npt.NDArray[np.bool_], score: Floats) -> float:
    """By the ranks of the positive rows; ties count half."""
    n = int(np.count_nonzero(positive))
    m = len(score) - n
    if not n or not m:
        return np.nan
    mine, ordered = score[positive], np.sort(score)
    below, upto = np.searchsorted(ordered, mine, "left"), np.searchsorted(ordered, mine, "right")
    ranks = 0.5 * float((below + upto + 1).sum())
    return (ranks - n * (n + 1) / 2) / (n * m)


def _errors(y: Any, p: Any) -> Floats:
    """Label minus prediction of the labelled rows, rows x targets."""
    y, p = np.asarray(column(y), np.float64), np.asarray(column(p), np.float64)
    same(y, p)
    y, p = (a[:, np.newaxis] if a.ndim == 1 else a for a in (y, p))
    return np.asarray((y - p)[~np.isnan(y).any(axis=1)])
