"""The evolving learner: the parts, tied together through any number of cycles."""

from fesl.evolving.learner import EvolvingLearner
from fesl.evolving.parts import Fresh, Parts, Recovered
from fesl.evolving.run import Run

__all__ = ["EvolvingLearner", "Fresh", "Parts", "Recovered", "Run"]
