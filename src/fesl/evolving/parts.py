"""What an evolving learner is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fesl.losses import Loss
from fesl.projections import Projection
from fesl.recovery import LeastSquares
from fesl.rules import Rule
from fesl.spaces import Spaces
from fesl.steps import Step


@dataclass(frozen=True)
class Recovered:
    """An expert: the old model on recovered features; `learns=False` keeps it as it was (ROGD-f)."""

    learns: bool = True


@dataclass(frozen=True)
class Fresh:
    """An expert: a model that starts from zero on the features that are there (NOGD)."""


Expert: TypeAlias = Recovered | Fresh


@dataclass(frozen=True)
class Parts:
    """The parts of one learner, all of them immutable: what changes lives in the `State`."""

    loss: Loss
    step: Step
    omega: Projection
    recovery: LeastSquares
    rule: Rule
    experts: tuple[Expert, ...]
    spaces: Spaces
    seed: int
    clip: float | None

    @property
    def boxed(self) -> bool:
        """Whether Omega is a box, so that the old space must be kept explicitly."""
        return self.omega.low > float("-inf") or self.omega.high < float("inf")
