"""The default learner as scikit-learn estimators: nothing to tune, no scaler needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fesl import portfolio
from fesl._typing import Name
from fesl.evolving.run import Run
from fesl.portfolio import FeatureEvent, doors
from fesl.portfolio.learner import Portfolio
from fesl.sklearn.base import ClassifierDoors, RegressorDoors
from fesl.tables import Table, as_table


class _Settings:
    """A mixin: what both estimators take, and the learner inside."""

    learner_: Portfolio

    def __init__(
        self,
        *,
        evolve: bool = False,
        aliases: Mapping[Name, Name] | None = None,
        on_event: Callable[[FeatureEvent], None] | None = None,
    ) -> None:
        self.evolve = evolve
        self.aliases = aliases
        self.on_event = on_event

    def _start(self, classes: list[Any] | None) -> Portfolio:
        if classes is None:
            return portfolio.Regressor(aliases=self.aliases, on_event=self.on_event)
        return portfolio.Classifier(classes, aliases=self.aliases, on_event=self.on_event)

    def _table(self, read: Any, names: list[Name]) -> Table:
        return as_table(doors.filled(read), names)

    def _ask(self, table: Table) -> Run:
        return doors.predict(self.learner_, table, None)


class Classifier(_Settings, ClassifierDoors):
    """The default classifier: one pass over the rows in their order, any number of classes, any pattern of NaN.

    `fit` learns from scratch, `partial_fit` goes on. NaN is not observed; what a sparse matrix does not store is
    zero. With fixed columns (the default) tables are checked as everywhere in scikit-learn. With `evolve=True` each
    table may have columns of its own: the column names of data frames (the numbers of columns without a name) are
    the features.

    Parameters
    ----------
    evolve
        Whether columns may change from table to table.
    aliases
        `{"new": "role"}`: the column "new" is to be read as the column "role".
    on_event
        Called with every `fesl.FeatureEvent`.

    Attributes
    ----------
    learner_ : fesl.Classifier
        The learner inside, with all there is to see: features, events, recovery, regret.
    classes_ : ndarray
        The class labels.
    n_features_in_, feature_names_in_
        Of the first table; with `evolve=True`, of the last one learned.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> a = np.resize([-1.0, 2.0, -3.0, 1.0, -2.0, 3.0], 60)
    >>> y = np.where(a > 0, "up", "down")
    >>> model = Classifier(evolve=True).fit(pd.DataFrame({"a": a[:30]}), y[:30])
    >>> model = model.partial_fit(pd.DataFrame({"a": a[30:40], "b": 2 * a[30:40]}), y[30:40])
    >>> model = model.partial_fit(pd.DataFrame({"b": 2 * a[40:]}), y[40:])
    >>> model.predict(pd.DataFrame({"b": [-2.0, 4.0]}))
    array(['down', 'up'], dtype='<U4')
    >>> model.learner_.features
    {'b': 'live', 'a': 'vanished'}
    """


class Regressor(_Settings, RegressorDoors):
    """The default regressor, of one target or several: one pass over the rows in their order, any pattern of NaN.

    Parameters
    ----------
    evolve, aliases, on_event
        As for `Classifier`.

    Attributes
    ----------
    learner_ : fesl.Regressor
        The learner inside, with all there is to see: features, events, recovery, regret.
    n_features_in_, feature_names_in_
        Of the first table; with `evolve=True`, of the last one learned.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = Regressor().fit(X, X @ [3.0, -1.0] + 5)
    >>> model.predict([[0.5, 0.5]]).round()
    array([6.])
    """
