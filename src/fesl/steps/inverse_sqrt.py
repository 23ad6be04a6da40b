"""The paper's step size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fesl._typing import Floats
from fesl.errors import ConfigError


@dataclass(frozen=True)
class InverseSqrt:
    """tau_t = 1 / (c sqrt(t)), with t restarting at 1 when the features change.

    The paper's algorithms print c = 1; its experiments choose c among 1, 10, 50, 100 and 150 for each set.

    >>> InverseSqrt(c=10.0)(np.array([1.0, 4.0]))
    array([0.1 , 0.05])
    """

    c: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.c < np.inf:
            raise ConfigError(f"InverseSqrt(c={self.c!r}): c must be a finite number above zero")

    def __call__(self, t: Floats) -> Floats:
        return np.asarray(1.0 / (self.c * np.sqrt(t)))
