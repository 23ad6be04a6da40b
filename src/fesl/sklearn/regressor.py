"""The regressor."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, RegressorMixin

from fesl._typing import Floats
from fesl.descent import OGD
from fesl.losses import Squared
from fesl.sklearn.base import Evolving

#: The step size unless told. The paper's 1 / sqrt(t) is for losses of bounded slope: under squared loss its first
#: steps overshoot unless |x| < 1. This one is stable while |x| < 10, some hundred standardised columns.
STEP = 0.01


class EvolvingRegressor(RegressorMixin, Evolving, BaseEstimator):  # type: ignore[misc]
    """Linear regression, of one or several targets, that learns row by row under squared loss, and, with
    `evolve=True`, goes on when columns come and go.

    The rows are a stream: `fit` takes them in their order, from scratch; `partial_fit` goes on. NaN is not
    observed; what a sparse matrix does not store is zero. It does not scale: put a `StandardScaler` before it.

    Parameters
    ----------
    descent
        Step size and projection of online gradient descent; a constant step of 0.01 unless told.
    recovery, rule, experts, spaces, evolve, fit_intercept, epochs, random_state
        As for `EvolvingClassifier`.

    Attributes
    ----------
    learner_ : EvolvingLearner
        The learner inside, with all there is to see: features, cycle, weights, regret.
    n_features_in_, feature_names_in_
        Of the first table; with `evolve=True`, of the last one learned.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> model = EvolvingRegressor().fit(X, 3 * X[:, 0] - X[:, 1] + 5)
    >>> model.predict([[1.0, 1.0]]).round(2)
    array([7.])

    References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from a table, from scratch."""
        return self._learn(X, y, first=True, passes=self._passes())

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Go on learning."""
        return self._learn(X, y, first=not hasattr(self, "learner_"), passes=range(1))

    def predict(self, X: Any) -> Floats:
        """One number a row, or one a row and target where the targets were a matrix."""
        scores = self._scores(X)
        return scores[:, 0] if self._flat else scores

    def _learn(self, X: Any, y: Any, first: bool, passes: range) -> Self:
        table, y = self._to_learn(X, y, first, multi_output=True, y_numeric=True)
        learner = self._start(Squared(), OGD(STEP)) if first else self.learner_
        for _ in passes:
            learner.learn_many(table, y)
        self.learner_, self._flat = learner, y.ndim == 1
        return self
