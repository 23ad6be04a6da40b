"""The classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from fesl._typing import Floats
from fesl.errors import LabelError
from fesl.evolving import EvolvingLearner
from fesl.losses import Logistic, Softmax
from fesl.sklearn.base import Evolving
from fesl.tables import Table


class EvolvingClassifier(ClassifierMixin, Evolving, BaseEstimator):  # type: ignore[misc]
    """A linear classifier that learns row by row, and, with `evolve=True`, goes on when columns come and go.

    Logistic loss for two classes, softmax for more. The rows are a stream: `fit` takes them in their order, from
    scratch; `partial_fit` goes on. NaN is not observed; what a sparse matrix does not store is zero. It does not
    scale: put a `StandardScaler` before it.

    With fixed columns (the default) tables are checked as everywhere in scikit-learn, and the learner has one
    space. With `evolve=True` each table may have columns of its own: the column names of data frames (the numbers
    of columns without a name) are the features.

    Parameters
    ----------
    descent
        Step size and projection of online gradient descent; 1 / sqrt(t) unless told.
    recovery
        How vanished features are recovered, and how many overlap rows are kept for it.
    rule
        How the experts are combined: `ExponentialWeights` (FESL-c) or `FixedShare` (FESL-s).
    experts
        What runs after a switch.
    spaces
        What tells old columns from new, with `evolve=True`: `Auto()`, or `Declared` or `Periods` where you know
        (as you must in sparse tables, where `Auto` would take each zero for a gap).
    evolve
        Whether columns may change from table to table, and within one by NaN.
    fit_intercept
        Whether a constant feature stands beside the columns. It counts as part of every space.
    epochs
        How often `fit` passes over the table.
    random_state
        Seed of the draws of a rule that draws.

    Attributes
    ----------
    learner_ : EvolvingLearner
        The learner inside, with all there is to see: features, cycle, weights, regret.
    classes_ : ndarray
        The class labels.
    n_features_in_, feature_names_in_
        Of the first table; with `evolve=True`, of the last one learned.

    Examples
    --------
    >>> import pandas as pd
    >>> a = np.resize([-1.0, 2.0, -3.0, 1.0, -2.0, 3.0], 60)
    >>> table = pd.DataFrame({"a": a, "b": 2 * a})              # sensor "a" is replaced by "b", which reads 2 a
    >>> table.loc[:29, "b"], table.loc[40:, "a"] = np.nan, np.nan
    >>> model = EvolvingClassifier(evolve=True).fit(table, np.where(a > 0, "up", "down"))
    >>> model.predict(pd.DataFrame({"b": [-2.0, 4.0]}))
    array(['down', 'up'], dtype='<U4')
    >>> model.learner_.features
    {'a': 'vanished', '(intercept)': 'survivor', 'b': 'current'}

    References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017.
    """

    classes_: npt.NDArray[Any]

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from a table, from scratch."""
        passes = self._passes()
        table, y = self._to_learn(X, y, first=True)
        check_classification_targets(y)
        return self._learn(table, y, np.unique(y), None, passes)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on learning. The first call must be given all `classes` that may come."""
        so_far = getattr(self, "learner_", None)
        known = self._known(classes, first=so_far is None)
        table, y = self._to_learn(X, y, first=so_far is None)
        check_classification_targets(y)
        return self._learn(table, y, known, so_far, range(1))

    def decision_function(self, X: Any) -> Floats:
        """The score of the second of two classes, or of each of more."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, one column a class in the order of `classes_`."""
        scores = self._scores(X)
        p = self.learner_.parts.loss.probability(scores)
        assert p is not None, "a loss for classes has probabilities"
        return p

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """One label a row."""
        scores = self._scores(X)
        return np.take(self.classes_, np.asarray(self.learner_.parts.loss.decide(scores), dtype=np.int64))

    def _known(self, classes: Any, first: bool) -> npt.NDArray[Any]:
        if classes is None:
            if first:
                raise LabelError("the first call of partial_fit needs classes: all class labels that may come")
            return self.classes_
        known = np.unique(classes)
        if not first and not np.array_equal(known, self.classes_):
            raise LabelError(f"classes={known.tolist()!r}: the first call said {self.classes_.tolist()!r}")
        return known

    def _learn(
        self, table: Table, y: Any, classes: npt.NDArray[Any], so_far: EvolvingLearner | None, passes: range
    ) -> Self:
        """Learn, then keep what was learned: an error leaves the estimator as it was."""
        if len(classes) < 2:
            raise LabelError(f"there is one class only, {classes.tolist()!r}: a classifier needs two or more")
        loss = Logistic() if len(classes) == 2 else Softmax()
        learner = so_far or self._start(loss, None, classes.tolist())
        for _ in passes:
            learner.learn_many(table, y)
        self.classes_, self.learner_ = classes, learner
        return self
