"""Rules: how the experts' predictions become one, and what that costs at most."""

from fesl.rules.base import Rule, bound, draw, reweigh
from fesl.rules.exponential import ExponentialWeights
from fesl.rules.fixed_share import FixedShare

__all__ = ["ExponentialWeights", "FixedShare", "Rule", "bound", "draw", "reweigh"]
