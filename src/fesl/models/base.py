"""What both kinds of model share.

A model is a function f(x) = w'x with k outputs and a step w <- Proj(w - s x'), s = tau dl/df. Features are known
by small whole numbers, their ids; arrays have one row an id.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fesl._typing import Floats, Ints
from fesl.projections import Projection

#: A step that would move a weight further than this is not taken, a value beyond it is not accepted:
#: sums of squares of what remains stay finite, so no event can turn a weight into infinity or NaN.
LIMIT = 1e100

#: Below this the scale of a weight matrix is folded back into the matrix.
TINY = 1e-100


class Point(NamedTuple):
    """The observed part of one event: feature ids and their values."""

    idx: Ints
    val: Floats

    def only(self, keep: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Point:
        return Point(self.idx[keep], self.val[keep])

    def ordered(self) -> Point:
        """By id: the order of a sum is part of its meaning."""
        order = np.argsort(self.idx, kind="stable")
        return Point(self.idx[order], self.val[order])


class Model(Protocol):
    """A linear model that can be stepped. `learns` is False for a model kept frozen (ROGD-f)."""

    learns: bool

    def score(self, x: Point) -> Floats:
        """f = w'x, one number an output."""

    def descend(self, x: Point, f: Floats, s: Floats, omega: Projection) -> None:
        """w <- Proj(w - s x'), given f = score(x)."""

    def linear(self) -> Floats:
        """The same function as a weight matrix over the observed features (one row a feature id)."""


def squared_norm(w: Floats) -> float:
    """||w||^2, finite whatever w.

    >>> squared_norm(np.array([3.0, 4.0])), squared_norm(np.array([1e200]))
    (25.0, 1e+300)
    """
    with np.errstate(over="ignore"):
        return min(float((w * w).sum()), 1e300)


def step_norm(num: Floats, f: Floats, s: Floats, x2: float, omega: Projection) -> None:
    """Keep ||w||^2 over a step, ||w - s x'||^2 = ||w||^2 - 2 s.f + |s|^2 ||x||^2, and shrink the scale onto the
    ball. `num` holds the scale and the squared norm; the true weights are scale times the stored ones."""
    if omega.radius == np.inf:
        return
    num[1] += -2.0 * float(s @ f) + float(s @ s) * x2
    if num[1] > omega.radius**2:
        num[0] *= omega.radius / np.sqrt(num[1])
        num[1] = omega.radius**2


def padded(a: Floats, shape: tuple[int, ...]) -> Floats:
    """`a` with zeros appended up to the shape.

    >>> padded(np.array([[1.0]]), (1, 2))
    array([[1., 0.]])
    """
    if a.shape == shape:
        return a
    out = np.zeros(shape)
    out[tuple(map(slice, a.shape))] = a
    return out
