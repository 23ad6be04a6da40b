"""No projection: Omega is the whole space."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats


@dataclass(frozen=True)
class Free:
    """Omega = R^d: nothing to project. What the paper's experiments use.

    >>> Free()([3.0, 4.0])
    array([3., 4.])
    """

    radius: ClassVar[float] = inf
    low: ClassVar[float] = -inf
    high: ClassVar[float] = inf

    def __call__(self, w: npt.ArrayLike) -> Floats:
        return np.array(w, dtype=np.float64)
