"""The default classifier."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from fesl._typing import Event, Floats, Name
from fesl.evolving.labels import Classes
from fesl.losses import Softmax
from fesl.portfolio import doors
from fesl.portfolio.changes.lives import FeatureEvent
from fesl.portfolio.learner import Portfolio


class Classifier(Portfolio):
    """The default classifier: any number of classes, known or met one after the other; any features, any pattern of
    absence; nothing to tune.

    It scales its inputs, mixes second-order linear models of several prior strengths with naive Bayes, a curve a
    feature, a surface a pair of them, the rows alike, a stacker, a council and the frequencies of the classes,
    recovers what is absent, and teaches what vanished knew to what stays. See `docs/default-learner.md`.

    Parameters
    ----------
    classes
        The class labels, where they are known; discovered otherwise.
    aliases
        `{"new": "role"}`: the feature "new" is to be read as the feature "role".
    on_event
        Called with every `FeatureEvent`.

    Examples
    --------
    >>> model = Classifier()
    >>> for i in range(80):                                     # sensor "a" is replaced by "b", which reads 2 a
    ...     a = (-1) ** i * (1 + i % 3)
    ...     x = {"a": a} if i < 40 else {"a": a, "b": 2 * a} if i < 50 else {"b": 2 * a}
    ...     _ = model.learn_one(x, a > 0)
    >>> model.predict_one({"b": 3.0}), round(model.predict_proba_one({"b": 3.0})[True], 2)
    (True, 0.97)
    >>> model.features
    {'b': 'live', 'a': 'vanished'}
    >>> model.regret().within
    True
    """

    def __init__(
        self,
        classes: Iterable[Hashable] | None = None,
        *,
        aliases: Mapping[Name, Name] | None = None,
        on_event: Callable[[FeatureEvent], None] | None = None,
    ) -> None:
        self.loss = Softmax()
        super().__init__(Classes(self.loss, classes), aliases, on_event)

    def predict_proba_one(self, x: Event) -> dict[Any, float]:
        """Class probabilities by label; changes nothing."""
        assert isinstance(self.codec, Classes)
        p = None if self.aliases else self._predict_event(x)
        return dict(zip(self.codec.labels, self._scores(x) if p is None else p, strict=False))

    def predict_proba_many(self, X: Any, *, features: Sequence[Name] | None = None) -> Floats:
        """Class probabilities of a table, one column a class in the order of `classes`; changes nothing."""
        with self.guard:
            return doors.predict(self, X, features).probabilities
