"""Online learning with evolving features in scikit-learn's pipelines, searches and cross-validation.

`Classifier` and `Regressor` are the default learner, with nothing to tune; `EvolvingClassifier` and
`EvolvingRegressor` are the paper's.

>>> from fesl.sklearn import Classifier, EvolvingClassifier
>>> model = Classifier()
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

from fesl.sklearn.default import Classifier, Regressor
from fesl.sklearn.paper import EvolvingClassifier, EvolvingRegressor

__all__ = ["Classifier", "EvolvingClassifier", "EvolvingRegressor", "Regressor"]
