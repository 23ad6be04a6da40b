"""The default learner: `Classifier` and `Regressor`."""

from fesl.portfolio.changes.lives import FeatureEvent, Kind
from fesl.portfolio.changes.suggestions import Suggestion
from fesl.portfolio.classifier import Classifier
from fesl.portfolio.inspect import Recovery
from fesl.portfolio.mixture import Bits
from fesl.portfolio.regressor import Regressor

__all__ = ["Bits", "Classifier", "FeatureEvent", "Kind", "Recovery", "Regressor", "Suggestion"]
