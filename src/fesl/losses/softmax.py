"""Softmax cross-entropy, in bits: the logistic loss for any number of classes."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log1p
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.losses.base import Task, rows
from fesl.losses.logistic import LN2


@dataclass(frozen=True)
class Softmax:
    """l(f, y) = (ln sum_j exp(f_j) - f_y) / ln 2, with y the number of the class and one output a class.

    >>> loss = Softmax()
    >>> float(loss.value([0.0, 0.0, 0.0, 0.0], 2))
    2.0
    >>> loss.gradient([0.0, 0.0], 1).round(4)
    array([ 0.7213, -0.7213])
    >>> loss.decide([0.1, 0.9, 0.3])
    array(1)

    Not in the paper, which has two classes only; with two classes and scores (0, f) it is the logistic loss.
    """

    name: ClassVar[str] = "softmax"
    task: ClassVar[Task] = "multiclass"

    def value(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        f = rows(f)
        top = f.max(axis=-1)
        total = top + np.log(np.exp(f - top[..., np.newaxis]).sum(axis=-1))
        return np.asarray((total - _at(f, y)) / LN2)

    def gradient(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        g = self.probability(f)
        np.put_along_axis(g, _index(y), _at(g, y)[..., np.newaxis] - 1.0, axis=-1)
        return g / LN2

    def range(self) -> tuple[float, float]:
        return 0.0, np.inf

    def ceiling(self, radius: float, outputs: int) -> float:
        return (2.0 * radius + log1p((outputs - 2) + np.exp(-2.0 * radius))) / LN2 if outputs > 1 else log(2.0)

    def probability(self, f: npt.ArrayLike) -> Floats:
        f = rows(f)
        e = np.exp(f - f.max(axis=-1, keepdims=True))
        return np.asarray(e / e.sum(axis=-1, keepdims=True))

    def decide(self, f: npt.ArrayLike) -> Ints:
        return np.asarray(rows(f).argmax(axis=-1), dtype=np.int64)


def _index(y: npt.ArrayLike) -> Ints:
    return rows(y).astype(np.int64)


def _at(f: Floats, y: npt.ArrayLike) -> Floats:
    """f_y, the score of the true class."""
    return np.asarray(np.take_along_axis(f, _index(y), axis=-1)[..., 0])
