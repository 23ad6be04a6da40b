"""Squared loss, for one or several regression targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats
from fesl.losses.base import Task, rows


@dataclass(frozen=True)
class Squared:
    """l(f, y) = sum_j (y_j - f_j)^2 over the k targets.

    >>> loss = Squared()
    >>> float(loss.value(1.0, 3.0)), loss.gradient(1.0, 3.0)
    (4.0, array([-4.]))
    >>> float(loss.value([1.0, 2.0], [1.0, 0.0]))
    4.0

    References: Hou, Zhang, Zhou, NIPS 2017, section 3.
    """

    name: ClassVar[str] = "squared"
    task: ClassVar[Task] = "regression"

    def value(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(((rows(y) - rows(f)) ** 2).sum(axis=-1))

    def gradient(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        return np.asarray(2.0 * (rows(f) - rows(y)))

    def range(self) -> tuple[float, float]:
        return 0.0, np.inf

    def ceiling(self, radius: float, outputs: int) -> float:
        return outputs * (2.0 * radius) ** 2

    def probability(self, f: npt.ArrayLike) -> None:
        return None

    def decide(self, f: npt.ArrayLike) -> Floats:
        return rows(f)
