"""The evolving learner as scikit-learn estimators: they stand in pipelines, searches and cross-validation.

>>> from fesl.sklearn import EvolvingClassifier
>>> from sklearn.pipeline import make_pipeline
>>> from sklearn.preprocessing import StandardScaler
>>> model = make_pipeline(StandardScaler(), EvolvingClassifier())

Needs the extra `sklearn`.
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError:
    from fesl.errors import MissingExtraError

    raise MissingExtraError("scikit-learn", "sklearn") from None

from fesl.sklearn.classifier import EvolvingClassifier
from fesl.sklearn.regressor import EvolvingRegressor

__all__ = ["EvolvingClassifier", "EvolvingRegressor"]
