"""Models: linear scores and their gradient step, on what is observed or on what is recovered."""

from fesl.models.base import LIMIT, Model, Point
from fesl.models.linear import LinearModel
from fesl.models.recovered import RecoveredModel

__all__ = ["LIMIT", "LinearModel", "Model", "Point", "RecoveredModel"]
