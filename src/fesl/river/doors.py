"""The way from River's methods to a learner of this package, the same for every learner.

A data frame is learned row by row, with the same result as `learn_one` on each row; NaN is not observed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from river import base
from river.utils.pandas import import_pandas

if TYPE_CHECKING:
    from river.base.typing import ClfTarget, FeatureName, RegTarget


class ClassifierDoors(base.MiniBatchClassifier):
    """`learner` does the work; it has `classes`."""

    learner: Any

    def learn_one(self, x: dict[FeatureName, Any], y: ClfTarget) -> None:
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> ClfTarget | None:
        """The predicted label; None before any class is known."""
        label: ClfTarget | None = self.learner.predict_one(x)
        return label

    def predict_proba_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> dict[ClfTarget, float]:
        """Class probabilities by label.

        Before any class is known there are none; but where there can be two only, they are False and True then,
        even odds, as with River's own binary classifiers.
        """
        if not self.learner.classes and not self._multiclass:
            return {False: 0.5, True: 0.5}
        found: dict[ClfTarget, float] = self.learner.predict_proba_one(x)
        return found

    def learn_many(self, X: Any, y: Any) -> None:
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


class RegressorDoors(base.MiniBatchRegressor):
    """`learner` does the work."""

    learner: Any

    def learn_one(self, x: dict[FeatureName, Any], y: RegTarget) -> None:
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[FeatureName, Any]) -> RegTarget:
        return float(self.learner.predict_one(x))

    def learn_many(self, X: Any, y: Any) -> None:
        self.learner.learn_many(_values(X), y, features=list(X.columns))

    def predict_many(self, X: Any) -> Any:
        numbers = self.learner.predict_many(_values(X), features=list(X.columns))
        return import_pandas().Series(numbers, index=X.index)


class MultiTargetDoors(base.MultiTargetRegressor):
    """`learner` does the work. The first label says which targets there are; before it, predictions are empty."""

    learner: Any

    def learn_one(self, x: dict[FeatureName, Any], y: dict[FeatureName, RegTarget], **kwargs: Any) -> None:
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[FeatureName, Any]) -> dict[FeatureName, RegTarget]:
        found = self.learner.predict_one(x)
        return found if isinstance(found, dict) else {}


def _values(X: Any) -> Any:
    """The cells of a data frame, whatever kinds of missing value it uses."""
    return X.to_numpy(na_value=np.nan)
