"""The default regressor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fesl._typing import Event, Floats, Name
from fesl.errors import LabelError
from fesl.evolving.labels import Targets
from fesl.losses import Squared
from fesl.portfolio.changes.lives import FeatureEvent
from fesl.portfolio.learner import Portfolio


class Regressor(Portfolio):
    """The default regressor: one target or several, any features, any pattern of absence; nothing to tune.

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
    ...     _ = model.learn_one(x, 3 * a)
    >>> round(model.predict_one({"b": 2.0}))
    3
    """

    def __init__(
        self,
        *,
        aliases: Mapping[Name, Name] | None = None,
        on_event: Callable[[FeatureEvent], None] | None = None,
    ) -> None:
        self.loss = Squared()
        super().__init__(Targets(), aliases, on_event)

    def predict_proba_one(self, x: Event) -> dict[Any, float]:
        """A regression has no class probabilities: raises."""
        raise _no_probabilities()

    def predict_proba_many(self, X: Any, *, features: Sequence[Name] | None = None) -> Floats:
        """A regression has no class probabilities: raises."""
        raise _no_probabilities()


def _no_probabilities() -> LabelError:
    return LabelError("a regression has no class probabilities: use predict_one or predict_many")
