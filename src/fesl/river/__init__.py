"""Online learning with evolving features where River's models stand.

`Classifier`, `Regressor` and `MultiTargetRegressor` are the default learner, with nothing to tune;
`EvolvingClassifier`, `EvolvingRegressor` and `EvolvingMultiTargetRegressor` are the paper's; `Evolving(model)`
makes any classifier or regressor of River go on when features come and go.

>>> from fesl.river import Classifier, Evolving
>>> from river import linear_model, preprocessing
>>> model = Classifier()
>>> model = Evolving(preprocessing.StandardScaler() | linear_model.LogisticRegression())

Needs the extra `river`.
"""

try:
    import river as _river  # noqa: F401
except ImportError:
    from fesl.errors import MissingExtraError

    raise MissingExtraError("river", "river") from None

from fesl.river.default import Classifier, MultiTargetRegressor, Regressor
from fesl.river.paper import EvolvingClassifier, EvolvingMultiTargetRegressor, EvolvingRegressor
from fesl.river.wrapper import Evolving

__all__ = [
    "Classifier",
    "Evolving",
    "EvolvingClassifier",
    "EvolvingMultiTargetRegressor",
    "EvolvingRegressor",
    "MultiTargetRegressor",
    "Regressor",
]
