"""Logistic loss, in bits, for two classes."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log1p
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.losses.base import Task, rows

LN2 = log(2.0)


@dataclass(frozen=True)
class Logistic:
    r"""l(f, y) = ln(1 + exp(-y f)) / ln 2, with y = -1 or +1 and one output.

    The factor 1/ln 2 is the paper's: an undecided score of zero costs exactly one bit. It is part of the
    gradient, -y / (1 + exp(y f)) / ln 2, too.

    >>> loss = Logistic()
    >>> float(loss.value(0.0, +1)), float(loss.value(-1e4, +1))
    (1.0, 14426.950408889634)
    >>> loss.gradient(0.0, +1).round(4)
    array([-0.7213])
    >>> loss.probability(0.0), loss.decide(2.5)
    (array([0.5, 0.5]), array(1))

    References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017, section 3.
    """

    name: ClassVar[str] = "logistic"
    task: ClassVar[Task] = "binary"

    def value(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        return np.asarray(np.logaddexp(0.0, -(rows(y) * rows(f))[..., 0]) / LN2)

    def gradient(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        y = rows(y)
        return np.asarray(-y * sigmoid(-y * rows(f)) / LN2)

    def range(self) -> tuple[float, float]:
        return 0.0, np.inf

    def ceiling(self, radius: float, outputs: int) -> float:
        return (max(radius, 0.0) + log1p(np.exp(-abs(radius)))) / LN2

    def probability(self, f: npt.ArrayLike) -> Floats:
        f = rows(f)
        return np.concatenate([sigmoid(-f), sigmoid(f)], axis=-1)

    def decide(self, f: npt.ArrayLike) -> Ints:
        return np.asarray(rows(f)[..., 0] > 0.0, dtype=np.int64)


def sigmoid(f: Floats) -> Floats:
    """1 / (1 + exp(-f)) without overflow at either end.

    >>> sigmoid(np.array([-1e4, 0.0, 1e4]))
    array([0. , 0.5, 1. ])
    """
    e = np.exp(-np.abs(f))
    return np.where(f >= 0.0, 1.0 / (1.0 + e), e / (1.0 + e))
