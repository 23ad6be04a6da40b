"""Step sizes of online gradient descent."""

from fesl.steps.base import Step
from fesl.steps.constant import Constant, as_step
from fesl.steps.inverse_sqrt import InverseSqrt

__all__ = ["Constant", "InverseSqrt", "Step", "as_step"]
