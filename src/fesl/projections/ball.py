"""Projection onto a Euclidean ball."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats
from fesl.errors import ConfigError


@dataclass(frozen=True)
class Ball:
    """Omega = {w : ||w|| <= radius}; a longer w is scaled back to the radius.

    >>> Ball(1.0)([3.0, 4.0])
    array([0.6, 0.8])
    """

    radius: float

    low: ClassVar[float] = -inf
    high: ClassVar[float] = inf

    def __post_init__(self) -> None:
        if not self.radius > 0.0:
            raise ConfigError(f"Ball(radius={self.radius!r}): the radius must be a number above zero")

    def __call__(self, w: npt.ArrayLike) -> Floats:
        w = np.array(w, dtype=np.float64)
        norm = float(np.linalg.norm(w))
        return w * (self.radius / norm) if norm > self.radius else w
