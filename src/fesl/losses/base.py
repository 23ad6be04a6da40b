"""What every loss knows.

Symbols: f a score vector with k outputs, y a target. Arrays carry the outputs on their last axis, so that one
event is a vector and a block of events a matrix; a plain number is one event with one output.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats

Task: TypeAlias = Literal["binary", "multiclass", "regression"]


class Loss(Protocol):
    """A convex loss l(f, y) with everything the learner needs to know of it.

    `name` is how the compiled code finds its twin; a loss of your own has no twin and runs in NumPy.
    """

    name: ClassVar[str]
    task: ClassVar[Task]

    def value(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        """l(f, y), one number an event."""

    def gradient(self, f: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        """dl/df, of the shape of f."""

    def range(self) -> tuple[float, float]:
        """The smallest and the largest value over all f and y."""

    def ceiling(self, radius: float, outputs: int) -> float:
        """The largest value when every score (and, for regression, every target) lies in [-radius, radius]."""

    def probability(self, f: npt.ArrayLike) -> Floats | None:
        """Class probabilities on the last axis; None for regression."""

    def decide(self, f: npt.ArrayLike) -> npt.NDArray[np.generic]:
        """The prediction a score stands for: the number of a class, or the score itself."""


def rows(a: npt.ArrayLike) -> Floats:
    """`a` as floats with an axis of outputs: a plain number becomes one output."""
    array = np.asarray(a, dtype=np.float64)
    return array[np.newaxis] if array.ndim == 0 else array
