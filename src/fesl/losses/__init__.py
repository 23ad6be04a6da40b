"""Losses: what a score costs once the label is known."""

from fesl.losses.base import Loss, Task
from fesl.losses.logistic import Logistic
from fesl.losses.softmax import Softmax
from fesl.losses.squared import Squared

__all__ = ["Logistic", "Loss", "Softmax", "Squared", "Task"]
