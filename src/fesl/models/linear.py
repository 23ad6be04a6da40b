"""A linear model on observed features: online gradient descent's w."""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats
from fesl.models.base import TINY, Point, padded, squared_norm, step_norm
from fesl.projections import Free, Projection


class LinearModel:
    """f = W'x, W <- Proj(W - x s'): the paper's equation (1), with s = tau dl/df.

    Only the rows of observed features are touched, so a step costs what is observed, not what exists: the
    ball is kept by a scale factor, the box by clipping the rows that moved.

    >>> w = LinearModel.zeros(capacity=4, outputs=1)
    >>> x = Point(np.array([0, 2]), np.array([1.0, 3.0]))
    >>> w.descend(x, w.score(x), np.array([-0.5]), Free())
    >>> w.linear()[:, 0]
    array([0.5, 0. , 1.5, 0. ])
    >>> w.score(x)
    array([5.])
    """

    __slots__ = ("W", "learns", "num")

    def __init__(self, W: Floats, norm2: float | None = None, learns: bool = True) -> None:
        self.W = W
        self.num = np.array([1.0, squared_norm(W) if norm2 is None else norm2])
        self.learns = learns

    @classmethod
    def zeros(cls, capacity: int, outputs: int) -> LinearModel:
        return cls(np.zeros((capacity, outputs)), 0.0)

    def score(self, x: Point) -> Floats:
        return np.asarray(self.num[0] * (x.val @ self.W[x.idx]))

    def descend(self, x: Point, f: Floats, s: Floats, omega: Projection = Free()) -> None:
        self.W[x.idx] -= np.outer(x.val, s / self.num[0])
        step_norm(self.num, f, s, float(x.val @ x.val), omega)
        if omega.low > -np.inf or omega.high < np.inf:
            self.W[x.idx] = omega(self.W[x.idx])
        if self.num[0] < TINY:
            self.fold()

    def linear(self) -> Floats:
        return np.asarray(self.num[0] * self.W)

    def fold(self) -> None:
        """Fold the scale back into the weights."""
        self.W *= self.num[0]
        self.num[0] = 1.0

    def reserve(self, capacity: int) -> None:
        """Room for more feature ids."""
        self.W = padded(self.W, (capacity, self.W.shape[1]))

    def widen(self, outputs: int) -> None:
        """Room for more outputs."""
        self.W = padded(self.W, (len(self.W), outputs))
