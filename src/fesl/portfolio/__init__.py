"""The default learner: `Classifier` and `Regressor`."""

from fesl.portfolio.classifier import Classifier
from fesl.portfolio.inspect import Recovery, Suggestion
from fesl.portfolio.lives import FeatureEvent, Kind
from fesl.portfolio.mixture import Bits
from fesl.portfolio.regressor import Regressor

__all__ = ["Bits", "Classifier", "FeatureEvent", "Kind", "Recovery", "Regressor", "Suggestion"]
