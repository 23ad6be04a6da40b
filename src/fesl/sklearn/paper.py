"""The paper's learner as scikit-learn estimators.

It does not scale: put a `StandardScaler` before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

from fesl._typing import Floats, Name
from fesl.descent import OGD
from fesl.errors import ConfigError
from fesl.evolving import EvolvingLearner, Fresh, Recovered, bulk
from fesl.evolving.parts import Expert
from fesl.evolving.run import Run
from fesl.losses import Logistic, Softmax, Squared
from fesl.recovery import LeastSquares
from fesl.rules import Rule
from fesl.sklearn.base import ClassifierDoors, RegressorDoors
from fesl.sklearn.intercept import INTERCEPT, unnoticed, with_intercept
from fesl.spaces import Auto, Declared, Spaces
from fesl.tables import Table, as_table

#: The step size unless told. The paper's 1 / sqrt(t) is for losses of bounded slope: under squared loss its first
#: steps overshoot unless |x| < 1. This one is stable while |x| < 10, some hundred standardised columns.
STEP = 0.01


class _Settings:
    """A mixin: the parts that both estimators take, and the learner made of them."""

    learner_: EvolvingLearner

    def __init__(
        self,
        *,
        descent: OGD | None = None,
        recovery: LeastSquares | None = None,
        rule: Rule | None = None,
        experts: Sequence[Expert] = (Recovered(), Fresh()),
        spaces: Spaces | None = None,
        evolve: bool = False,
        fit_intercept: bool = True,
        epochs: int = 1,
        random_state: Any = None,
    ) -> None:
        self.descent = descent
        self.recovery = recovery
        self.rule = rule
        self.experts = experts
        self.spaces = spaces
        self.evolve = evolve
        self.fit_intercept = fit_intercept
        self.epochs = epochs
        self.random_state = random_state

    def _start(self, classes: list[Any] | None) -> EvolvingLearner:
        numbers = classes is None
        return EvolvingLearner(
            Squared() if numbers else Logistic() if len(classes or ()) == 2 else Softmax(),
            descent=self.descent or (OGD(STEP) if numbers else None),
            recovery=self.recovery,
            rule=self.rule,
            experts=self.experts,
            spaces=self._spaces(),
            classes=classes,
            seed=self._seed(),
        )

    def _ask(self, table: Table) -> Run:
        return bulk.predict(self.learner_, table, None)

    def _spaces(self) -> Spaces:
        """Columns that are fixed are one space, whatever is missing in them."""
        if not self.evolve:
            if self.spaces is not None:
                raise ConfigError(f"spaces={self.spaces!r}: fixed columns are one space; set evolve=True")
            return Declared({})
        spaces = self.spaces or Auto()
        return unnoticed(spaces) if self.fit_intercept else spaces

    def _seed(self) -> int:
        """A whole number is the learner's seed as it stands, so that both draw alike."""
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _passes(self) -> range:
        if not (isinstance(self.epochs, Integral) and self.epochs >= 1):
            raise ConfigError(f"epochs={self.epochs!r}: the number of passes over the table is 1 or more")
        return range(int(self.epochs))

    def _table(self, read: Any, names: list[Name]) -> Table:
        if self.fit_intercept:
            return as_table(with_intercept(read), [*names, INTERCEPT])
        return as_table(read, names)


class EvolvingClassifier(_Settings, ClassifierDoors):
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
    >>> import numpy as np
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

    def decision_function(self, X: Any) -> Floats:
        """The score of the second of two classes, or of each of more."""
        scores = self._run(X).scores
        return scores[:, 0] if len(self.classes_) == 2 else scores


class EvolvingRegressor(_Settings, RegressorDoors):
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
