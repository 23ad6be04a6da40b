"""A constant step size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fesl._typing import Floats
from fesl.errors import ConfigError
from fesl.steps.base import Step


@dataclass(frozen=True)
class Constant:
    """tau_t = tau.

    >>> Constant(0.1)(np.arange(1.0, 3.0))
    array([0.1, 0.1])
    """

    tau: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.tau < np.inf:
            raise ConfigError(f"Constant(tau={self.tau!r}): a step size is a finite number, zero or more")

    def __call__(self, t: Floats) -> Floats:
        return np.full(np.shape(t), self.tau)


def as_step(step: float | Step) -> Step:
    """A schedule as it is; a number as the schedule that always says that number.

    >>> as_step(0.5)(np.arange(1.0, 4.0))
    array([0.5, 0.5, 0.5])
    """
    if callable(step):
        return step
    try:
        return Constant(float(step))
    except (TypeError, ValueError):
        raise ConfigError(f"step={step!r}: a step size is a number or a function of the round") from None
