"""The evolving learner as River estimators: they stand wherever River's own models do.

>>> from fesl.river import EvolvingClassifier
>>> from river import preprocessing
>>> model = preprocessing.StandardScaler() | EvolvingClassifier()

Needs the extra `river`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fesl.descent import OGD
from fesl.errors import MissingExtraError
from fesl.evolving import EvolvingLearner, Fresh, Recovered
from fesl.evolving.parts import Expert
from fesl.losses import Logistic, Loss, Softmax, Squared
from fesl.recovery import LeastSquares
from fesl.rules import Rule
from fesl.spaces import Spaces

try:
    from river import base
    from river.utils.pandas import import_pandas
except ImportError:
    raise MissingExtraError("river", "river") from None

if TYPE_CHECKING:
    from river.base.typing import ClfTarget, FeatureName, RegTarget

__all__ = ["EvolvingClassifier", "EvolvingMultiTargetRegressor", "EvolvingRegressor"]

#: The step size of the regressors, that of River's own linear models. The paper's 1 / sqrt(t) is for losses of
#: bounded slope: under squared loss its first steps overshoot unless |x| < 1.
STEP = 0.01


class EvolvingClassifier(base.MiniBatchClassifier):
    """A classifier for streams whose features come and go.

    Two classes under logistic loss; with `loss=Softmax()` any number. Classes need not be declared: they are met
    one after the other. It has neither an intercept nor a scaler, so put River's `StandardScaler` before it.

    `learner` is the `fesl.EvolvingLearner` inside, with all there is to see: features, cycle, weights, regret.

    Parameters
    ----------
    loss
        `Logistic()` or `Softmax()`.
    descent
        Step size and projection of online gradient descent.
    recovery
        How vanished features are recovered, and how many overlap rows are kept for it.
    rule
        How the experts are combined: `ExponentialWeights` (FESL-c) or `FixedShare` (FESL-s).
    experts
        What runs after a switch.
    spaces
        What tells old features from new: `Auto()`, or `Declared` or `Periods` where you know.
    clip
        Scores are clipped to [-clip, clip] before they are weighed.
    classes
        The class labels, where they are known.
    seed
        Of the draws of a rule that draws.

    Examples
    --------
    >>> from river import evaluate, metrics
    >>> def replaced():                                         # sensor "a" is replaced by "b", which reads 2 a
    ...     for i in range(40):
    ...         a = (-1) ** i * (1 + i % 3)
    ...         yield {"a": a} if i < 20 else {"a": a, "b": 2 * a} if i < 25 else {"b": 2 * a}, a > 0
    >>> model = EvolvingClassifier()
    >>> evaluate.progressive_val_score(replaced(), model, metrics.Accuracy())
    Accuracy: 100.00%
    >>> model.learner.features
    {'a': 'vanished', 'b': 'current'}

    References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017.
    """

    def __init__(
        self,
        loss: Loss | None = None,
        *,
        descent: OGD | None = None,
        recovery: LeastSquares | None = None,
        rule: Rule | None = None,
        experts: Sequence[Expert] = (Recovered(), Fresh()),
        spaces: Spaces | None = None,
        clip: float | None = None,
        classes: Sequence[Hashable] | None = None,
        seed: int = 0,
    ) -> None:
        self.loss = loss
        self.descent = descent
        self.recovery = recovery
        self.rule = rule
        self.experts = experts
        self.spaces = spaces
        self.clip = clip
        self.classes = classes
        self.seed = seed
        self.learner = _learner(self, loss or Logistic(), descent, classes)

    @property
    def _multiclass(self) -> bool:
        return self.learner.parts.loss.task == "multiclass"

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"loss": Softmax()}

    def learn_one(self, x: dict[FeatureName, Any], y: ClfTarget) -> None:
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> ClfTarget | None:
        """The predicted label; None before any class is known."""
        label: ClfTarget | None = self.learner.predict_one(x)
        return label

    def predict_proba_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> dict[ClfTarget, float]:
        """Class probabilities by label.

        Before any class is known there are none, but two classes are False and True then, even odds, as with
        River's own binary classifiers.
        """
        if not self.learner.classes and not self._multiclass:
            return {False: 0.5, True: 0.5}
        return self.learner.predict_proba_one(x)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from a data frame, row by row: the same as `learn_one` on each; NaN is not observed."""
        self.learner.learn_many(_values(X), y, features=list(X.columns))

    def predict_many(self, X: Any) -> Any:
        labels = self.learner.predict_many(_values(X), features=list(X.columns))
        return import_pandas().Series(labels, index=X.index)

    def predict_proba_many(self, X: Any) -> Any:
        classes = self.learner.classes
        if not classes:
            return import_pandas().DataFrame([self.predict_proba_one({})] * len(X), index=X.index)
        p = self.learner.predict_proba_many(_values(X), features=list(X.columns))
        return import_pandas().DataFrame(p[:, : len(classes)], index=X.index, columns=classes)


class EvolvingRegressor(base.MiniBatchRegressor):
    """A regressor for streams whose features come and go, under squared loss.

    It has neither an intercept nor a scaler: put River's `StandardScaler` before it, `TargetStandardScaler` around.

    Parameters
    ----------
    descent
        Step size and projection of online gradient descent; a constant step of 0.01 unless told.
    recovery, rule, experts, spaces, clip, seed
        As for `EvolvingClassifier`.

    Examples
    --------
    >>> model = EvolvingRegressor()
    >>> for i in range(600):                                    # sensor "a" is replaced by "b", which reads 2 a
    ...     a = i % 5 - 2.0
    ...     x = {"a": a} if i < 300 else {"a": a, "b": 2 * a} if i < 310 else {"b": 2 * a}
    ...     model.learn_one(x, 3 * a)
    >>> round(model.predict_one({"b": 2.0}), 2)
    3.0

    References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017.
    """

    def __init__(
        self,
        *,
        descent: OGD | None = None,
        recovery: LeastSquares | None = None,
        rule: Rule | None = None,
        experts: Sequence[Expert] = (Recovered(), Fresh()),
        spaces: Spaces | None = None,
        clip: float | None = None,
        seed: int = 0,
    ) -> None:
        self.descent = descent
        self.recovery = recovery
        self.rule = rule
        self.experts = experts
        self.spaces = spaces
        self.clip = clip
        self.seed = seed
        self.learner = _learner(self, Squared(), descent or OGD(STEP))

    def learn_one(self, x: dict[FeatureName, Any], y: RegTarget) -> None:
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[FeatureName, Any]) -> RegTarget:
        return float(self.learner.predict_one(x))

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from a data frame, row by row: the same as `learn_one` on each; NaN is not observed."""
        self.learner.learn_many(_values(X), y, features=list(X.columns))

    def predict_many(self, X: Any) -> Any:
        numbers = self.learner.predict_many(_values(X), features=list(X.columns))
        return import_pandas().Series(numbers, index=X.index)


class EvolvingMultiTargetRegressor(base.MultiTargetRegressor):
    """A regressor with several targets for streams whose features come and go, under squared loss.

    The first label says which targets there are; before it, predictions are empty.

    Parameters
    ----------
    descent, recovery, rule, experts, spaces, clip, seed
        As for `EvolvingRegressor`.

    Examples
    --------
    >>> model = EvolvingMultiTargetRegressor()
    >>> for i in range(600):
    ...     a = i % 5 - 2.0
    ...     x = {"a": a} if i < 300 else {"a": a, "b": 2 * a} if i < 310 else {"b": 2 * a}
    ...     model.learn_one(x, {"thrice": 3 * a, "minus": -a})
    >>> {name: round(v, 2) for name, v in model.predict_one({"b": 2.0}).items()}
    {'thrice': 3.0, 'minus': -1.0}

    References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017.
    """

    def __init__(
        self,
        *,
        descent: OGD | None = None,
        recovery: LeastSquares | None = None,
        rule: Rule | None = None,
        experts: Sequence[Expert] = (Recovered(), Fresh()),
        spaces: Spaces | None = None,
        clip: float | None = None,
        seed: int = 0,
    ) -> None:
        self.descent = descent
        self.recovery = recovery
        self.rule = rule
        self.experts = experts
        self.spaces = spaces
        self.clip = clip
        self.seed = seed
        self.learner = _learner(self, Squared(), descent or OGD(STEP))

    def learn_one(self, x: dict[FeatureName, Any], y: dict[FeatureName, RegTarget], **kwargs: Any) -> None:
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[FeatureName, Any]) -> dict[FeatureName, RegTarget]:
        found = self.learner.predict_one(x)
        return found if isinstance(found, dict) else {}


def _learner(
    model: EvolvingClassifier | EvolvingRegressor | EvolvingMultiTargetRegressor,
    loss: Loss,
    descent: OGD | None,
    classes: Sequence[Hashable] | None = None,
) -> EvolvingLearner:
    return EvolvingLearner(
        loss,
        descent=descent,
        recovery=model.recovery,
        rule=model.rule,
        experts=model.experts,
        spaces=model.spaces,
        clip=model.clip,
        classes=classes,
        seed=model.seed,
    )


def _values(X: Any) -> Any:
    """The cells of a data frame, whatever kinds of missing value it uses."""
    return X.to_numpy(na_value=np.nan)
