"""What every projection knows: Proj(w) = argmin over a in Omega of ||a - w||."""

from __future__ import annotations

from typing import Protocol

import numpy.typing as npt

from fesl._typing import Floats


class Projection(Protocol):
    """A convex set Omega that contains the zero model.

    The three numbers say all that the hot path needs: a ball's radius and a box's sides, infinite where the
    set does not end. With k outputs the model is one matrix and the ball is measured in its Frobenius norm.
    """

    @property
    def radius(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...

    def __call__(self, w: npt.ArrayLike) -> Floats:
        """The point of Omega nearest to w."""
