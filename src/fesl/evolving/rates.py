"""The numbers that depend on the round alone, tabulated: one source for every implementation."""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats
from fesl.errors import ConfigError
from fesl.rules import Rule
from fesl.steps import Step

WINDOW = 4096


class Rates:
    """tau_t, eta_t and delta_t for the rounds `first + 1`, `first + 2`, ... since the last switch.

    The core reads them from here and asks for the next window when it comes to the end, so that a schedule can be
    any function and costs nothing in the hot path.

    >>> from fesl.rules import ExponentialWeights
    >>> from fesl.steps import InverseSqrt
    >>> rates = Rates(InverseSqrt(), ExponentialWeights())
    >>> rates.cover(t=3, experts=2)
    >>> float(rates.tau[3 - rates.first])
    0.5
    """

    __slots__ = ("delta", "eta", "experts", "first", "rule", "step", "tau")

    def __init__(self, step: Step, rule: Rule) -> None:
        self.step, self.rule = step, rule
        self.first, self.experts = 0, 0
        self.tau = self.eta = self.delta = np.zeros(0)

    def cover(self, t: int, experts: int) -> None:
        """Make sure that round t (counted from zero) and the one after are in the window."""
        if experts == self.experts and self.first <= t < self.first + len(self.tau) - 1:
            return
        rounds = np.arange(t + 1.0, t + WINDOW + 1.0)
        self.tau = self._checked(rounds)
        eta, delta = self.rule.rates(rounds, experts)
        self.eta, self.delta = np.ascontiguousarray(eta), np.ascontiguousarray(delta)
        self.first, self.experts = t, experts

    def _checked(self, rounds: Floats) -> Floats:
        try:
            tau = np.asarray(self.step(rounds), dtype=np.float64)
        except (TypeError, ValueError):
            tau = np.empty(0)
        if tau.shape != rounds.shape or not (np.isfinite(tau).all() and (tau >= 0.0).all()):
            raise ConfigError(
                f"the step size {self.step!r} must give one finite number, zero or more, for each of the rounds it "
                "is asked for (it is called with an array)"
            )
        return np.ascontiguousarray(tau)
