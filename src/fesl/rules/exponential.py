"""FESL-c's rule: exponential weights, combined."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

import numpy as np

from fesl._typing import Floats
from fesl.errors import ConfigError


@dataclass(frozen=True)
class ExponentialWeights:
    """p = sum_i a_i f_i, a_i <- a_i exp(-eta l_i) normalised: the paper's equations (4) and (5).

    With a horizon T2 the rate is the paper's, eta = sqrt(8 ln N / T2), and Theorem 1 allows sqrt(T2 ln N / 2)
    above the best expert. Without one (live streams: nobody knows T2) eta_t = 2 sqrt(ln N / t), which allows
    sqrt(T ln N) + a constant at *every* T: the price of not knowing is a factor sqrt 2.

    >>> eta, delta = ExponentialWeights(horizon=345).rates(np.array([1.0, 345.0]), experts=2)
    >>> eta.round(4), delta
    (array([0.1268, 0.1268]), array([0., 0.]))

    References: Hou, Zhang, Zhou, NIPS 2017, Algorithm 2 and Theorem 1; Cesa-Bianchi, Lugosi, *Prediction,
    Learning, and Games*, 2006, sections 2.2 and 2.3.
    """

    horizon: int | None = None

    draws: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.horizon is not None and self.horizon < 1:
            raise ConfigError(f"horizon={self.horizon!r}: the number of rounds T2 must be 1 or more, or None")

    def rates(self, t: Floats, experts: int) -> tuple[Floats, Floats]:
        n = log(max(experts, 2))
        eta = np.full(t.shape, sqrt(8.0 * n / self.horizon)) if self.horizon else 2.0 * np.sqrt(n / t)
        return eta, np.zeros(t.shape)
