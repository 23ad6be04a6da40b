"""What all estimators share: how a table reaches the learner inside, and how labels and numbers come back."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fesl._typing import Floats, Name
from fesl.errors import LabelError
from fesl.evolving.run import Run
from fesl.tables import Table, as_table

#: How X is read: NaN is not observed, sparse matrices stay sparse.
READ: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan", "dtype": np.float64}


class Tables:
    """A mixin: the way of a table from scikit-learn's checks to the learner. `evolve`: columns may change."""

    evolve: bool
    learner_: Any

    def _start(self, classes: list[Any] | None) -> Any:
        """A learner that knows nothing yet."""
        raise NotImplementedError

    def _ask(self, table: Table) -> Run:
        """What the learner predicts."""
        raise NotImplementedError

    def _passes(self) -> range:
        """How often `fit` goes over the table."""
        return range(1)

    def _table(self, read: Any, names: list[Name]) -> Table:
        return as_table(read, names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def _to_learn(self, X: Any, y: Any, first: bool, **kinds: Any) -> tuple[Table, Any]:
        """The table and the labels; what fixed columns are called is settled by the first table."""
        read, y = validate_data(self, X, y, reset=first or self.evolve, **READ, **kinds)
        return self._table(read, self._names(X, read.shape[1])), y

    def _run(self, X: Any) -> Run:
        """Predict; changes nothing, whatever columns X has."""
        check_is_fitted(self, "learner_")
        read = check_array(X, **READ) if self.evolve else validate_data(self, X, reset=False, **READ)
        return self._ask(self._table(read, self._names(X, read.shape[1])))

    def _names(self, X: Any, width: int) -> list[Name]:
        """Evolving columns are called as in this table, fixed ones as in the first; or by their numbers."""
        names = getattr(X, "columns", None) if self.evolve else getattr(self, "feature_names_in_", None)
        return list(range(width)) if names is None else list(names)


class ClassifierDoors(ClassifierMixin, Tables, BaseEstimator):  # type: ignore[misc]
    """What classifiers share."""

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

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, one column a class in the order of `classes_`."""
        return self._run(X).probabilities

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """One label a row."""
        run = self._run(X)
        return np.take(self.classes_, np.asarray(run.loss.decide(run.scores), dtype=np.int64))

    def _known(self, classes: Any, first: bool) -> npt.NDArray[Any]:
        if classes is None:
            if first:
                raise LabelError("the first call of partial_fit needs classes: all class labels that may come")
            return self.classes_
        known = np.unique(classes)
        if not first and not np.array_equal(known, self.classes_):
            raise LabelError(f"classes={known.tolist()!r}: the first call said {self.classes_.tolist()!r}")
        return known

    def _learn(self, table: Table, y: Any, classes: npt.NDArray[Any], so_far: Any, passes: range) -> Self:
        """Learn, then keep what was learned: an error leaves the estimator as it was."""
        if len(classes) < 2:
            raise LabelError(f"there is one class only, {classes.tolist()!r}: a classifier needs two or more")
        learner = so_far or self._start(classes.tolist())
        for _ in passes:
            learner.learn_many(table, y)
        self.classes_, self.learner_ = classes, learner
        return self


class RegressorDoors(RegressorMixin, Tables, BaseEstimator):  # type: ignore[misc]
    """What regressors share: one target or several."""

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
        scores = self._run(X).scores
        return scores[:, 0] if self._flat else scores

    def _learn(self, X: Any, y: Any, first: bool, passes: range) -> Self:
        table, y = self._to_learn(X, y, first, multi_output=True, y_numeric=True)
        learner = self._start(None) if first else self.learner_
        for _ in passes:
            learner.learn_many(table, y)
        self.learner_, self._flat = learner, y.ndim == 1
        return self
