"""The paper's learner as River estimators.

It has neither an intercept nor a scaler: put River's `StandardScaler` before it, `TargetStandardScaler` around the
regressors.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from fesl.descent import OGD
from fesl.evolving import EvolvingLearner, Fresh, Recovered
from fesl.evolving.parts import Expert
from fesl.losses import Logistic, Loss, Softmax, Squared
from fesl.recovery import LeastSquares
from fesl.river.doors import ClassifierDoors, MultiTargetDoors, RegressorDoors
from fesl.rules import Rule
from fesl.spaces import Spaces

#: The step size of the regressors, that of River's own linear models. The paper's 1 / sqrt(t) is for losses of
#: bounded slope: under squared loss its first steps overshoot unless |x| < 1.
STEP = 0.01


class _Settings:
    """The parts that every estimator takes, and the learner made of them."""

    learner: EvolvingLearner

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
        self.learner = self._learner(Squared(), descent or OGD(STEP), None)

    def _learner(self, loss: Loss, descent: OGD | None, classes: Sequence[Hashable] | None) -> EvolvingLearner:
        return EvolvingLearner(
            loss,
            descent=descent,
            recovery=self.recovery,
            rule=self.rule,
            experts=self.experts,
            spaces=self.spaces,
            clip=self.clip,
            classes=classes,
            seed=self.seed,
        )


class EvolvingClassifier(_Settings, ClassifierDoors):
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
        super().__init__(
            descent=descent, recovery=recovery, rule=rule, experts=experts, spaces=spaces, clip=clip, seed=seed
        )
        self.loss, self.classes = loss, classes
        self.learner = self._learner(loss or Logistic(), descent, classes)

    @property
    def _multiclass(self) -> bool:
        return self.learner.parts.loss.task == "multiclass"

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"loss": Softmax()}


class EvolvingRegressor(_Settings, RegressorDoors):
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


class EvolvingMultiTargetRegressor(_Settings, MultiTargetDoors):
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
