"""FESL-s's rule: fixed share, drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

import numpy as np

from fesl._typing import Floats
from fesl.errors import ConfigError


@dataclass(frozen=True)
class FixedShare:
    """Draw expert i with probability a_i; v_i = a_i exp(-eta l_i); a_i <- delta W/N + (1 - delta) v_i: the
    paper's equations (8) and (9).

    With a horizon T2: delta = 1/(T2 - 1) and eta = sqrt(8/T2 (2 ln N + (T2 - 1) H(delta))), and Theorem 2 allows
    sqrt(T2/2 (2 ln N + H(delta)/delta)) above the best single switch. Without one: delta_t = 1/(t + 1) and
    eta_t = 2 sqrt(2 (ln N + ln(t + 1)) / t), which keeps the same order at every T.

    The paper prints its theorem for two experts; for N its proof gives the N above.

    >>> eta, delta = FixedShare(horizon=345).rates(np.array([1.0, 345.0]), experts=2)
    >>> eta.round(4), delta.round(4)
    (array([0.4367, 0.4367]), array([0.0029, 0.0029]))

    References: Hou, Zhang, Zhou, NIPS 2017, Algorithm 3 and Theorem 2; Cesa-Bianchi, Lugosi, 2006, section 5.2.
    """

    horizon: int | None = None

    draws: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.horizon is not None and self.horizon < 3:
            raise ConfigError(f"horizon={self.horizon!r}: the number of rounds T2 must be 3 or more, or None")

    def rates(self, t: Floats, experts: int) -> tuple[Floats, Floats]:
        n = log(max(experts, 2))
        if self.horizon is None:
            return 2.0 * np.sqrt(2.0 * (n + np.log(t + 1.0)) / t), 1.0 / (t + 1.0)
        delta = 1.0 / (self.horizon - 1)
        eta = sqrt(8.0 / self.horizon * (2.0 * n + entropy(delta) / delta))
        return np.full(t.shape, eta), np.full(t.shape, delta)


def entropy(x: float) -> float:
    """H(x) = -x ln x - (1 - x) ln(1 - x).

    >>> round(entropy(0.5), 4)
    0.6931
    """
    return -x * log(x) - (1.0 - x) * log(1.0 - x)
