"""The default learner: `Classifier` and `Regressor`."""

from fesl.portfolio.inspect import Recovery, Suggestion
from fesl.portfolio.learner import Classifier, Regressor
from fesl.portfolio.lives import FeatureEvent, Kind
from fesl.portfolio.mixture import Bits

__all__ = ["Bits", "Classifier", "FeatureEvent", "Kind", "Recovery", "Regressor", "Suggestion"]
