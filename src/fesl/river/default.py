"""The default learner as River estimators: nothing to tune."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from fesl import portfolio
from fesl._typing import Name
from fesl.portfolio import FeatureEvent
from fesl.river.doors import ClassifierDoors, MultiTargetDoors, RegressorDoors


class Classifier(ClassifierDoors):
    """The default classifier: any number of classes, any features, any pattern of absence. It scales by itself.

    `learner` is the `fesl.Classifier` inside, with all there is to see: features, events, recovery, regret.

    Parameters
    ----------
    classes
        The class labels, where they are known; met one after the other otherwise.
    aliases
        `{"new": "role"}`: the feature "new" is to be read as the feature "role".
    on_event
        Called with every `fesl.FeatureEvent`.

    Examples
    --------
    >>> from river import evaluate, metrics
    >>> def replaced():                                         # sensor "a" is replaced by "b", which reads 2 a
    ...     for i in range(80):
    ...         a = (-1) ** i * (1 + i % 3)
    ...         yield {"a": a} if i < 40 else {"a": a, "b": 2 * a} if i < 50 else {"b": 2 * a}, a > 0
    >>> model = Classifier()
    >>> evaluate.progressive_val_score(replaced(), model, metrics.Accuracy())
    Accuracy: 98.73%
    >>> model.learner.features
    {'b': 'live', 'a': 'vanished'}
    """

    def __init__(
        self,
        classes: Sequence[Hashable] | None = None,
        aliases: Mapping[Name, Name] | None = None,
        on_event: Callable[[FeatureEvent], None] | None = None,
    ) -> None:
        self.classes, self.aliases, self.on_event = classes, aliases, on_event
        self.learner = portfolio.Classifier(classes, aliases=aliases, on_event=on_event)

    @property
    def _multiclass(self) -> bool:
        return True


class _Numbers:
    """What both regressors are made of."""

    def __init__(
        self,
        aliases: Mapping[Name, Name] | None = None,
        on_event: Callable[[FeatureEvent], None] | None = None,
    ) -> None:
        self.aliases, self.on_event = aliases, on_event
        self.learner = portfolio.Regressor(aliases=aliases, on_event=on_event)


class Regressor(_Numbers, RegressorDoors):
    """The default regressor: any features, any pattern of absence. It scales features and target by itself.

    `learner` is the `fesl.Regressor` inside.

    Parameters
    ----------
    aliases, on_event
        As for `Classifier`.

    Examples
    --------
    >>> model = Regressor()
    >>> for i in range(120):                                    # sensor "a" is replaced by "b", which reads 2 a
    ...     a = i % 5 - 2.0
    ...     x = {"a": a} if i < 60 else {"a": a, "b": 2 * a} if i < 70 else {"b": 2 * a}
    ...     model.learn_one(x, 3 * a)
    >>> round(model.predict_one({"b": 2.0}))
    3
    """


class MultiTargetRegressor(_Numbers, MultiTargetDoors):
    """The default regressor for several targets at once.

    Parameters
    ----------
    aliases, on_event
        As for `Classifier`.

    Examples
    --------
    >>> model = MultiTargetRegressor()
    >>> for i in range(60):
    ...     a = i % 5 - 2.0
    ...     model.learn_one({"a": a}, {"thrice": 3 * a, "minus": -a})
    >>> {name: round(v) for name, v in model.predict_one({"a": 1.0}).items()}
    {'thrice': 3, 'minus': -1}
    """
