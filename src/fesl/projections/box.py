"""Projection onto a box."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats
from fesl.errors import ConfigError


@dataclass(frozen=True)
class Box:
    """Omega = {w : low <= w_i <= high}; each weight is clipped. Zero must lie inside.

    >>> Box(-1.0, 2.0)([3.0, -4.0, 0.5])
    array([ 2. , -1. ,  0.5])
    """

    low: float
    high: float

    radius: ClassVar[float] = inf

    def __post_init__(self) -> None:
        if not self.low <= 0.0 <= self.high:
            raise ConfigError(f"Box(low={self.low!r}, high={self.high!r}): zero must lie inside the box")

    def __call__(self, w: npt.ArrayLike) -> Floats:
        return np.clip(np.array(w, dtype=np.float64), self.low, self.high)
