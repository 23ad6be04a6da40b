"""What both estimators share: their settings, and how a table reaches the learner inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fesl._typing import Floats, Name
from fesl.descent import OGD
from fesl.errors import ConfigError
from fesl.evolving import EvolvingLearner, Fresh, Recovered, bulk
from fesl.evolving.parts import Expert
from fesl.losses import Loss
from fesl.recovery import LeastSquares
from fesl.rules import Rule
from fesl.sklearn.intercept import INTERCEPT, unnoticed, with_intercept
from fesl.spaces import Auto, Declared, Spaces
from fesl.tables import Table, as_table

#: How X is read: NaN is not observed, sparse matrices stay sparse.
READ: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan", "dtype": np.float64}


class Evolving:
    """A mixin: the settings, and the way of a table from scikit-learn's checks to the learner."""

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def _start(self, loss: Loss, descent: OGD | None, classes: Iterable[Any] | None = None) -> EvolvingLearner:
        return EvolvingLearner(
            loss,
            descent=self.descent or descent,
            recovery=self.recovery,
            rule=self.rule,
            experts=self.experts,
            spaces=self._spaces(),
            classes=classes,
            seed=self._seed(),
        )

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

    def _to_learn(self, X: Any, y: Any, first: bool, **kinds: Any) -> tuple[Table, Any]:
        """The table and the labels; what fixed columns are called is settled by the first table."""
        read, y = validate_data(self, X, y, reset=first or self.evolve, **READ, **kinds)
        return self._table(X, read), y

    def _scores(self, X: Any) -> Floats:
        """The learner's scores, one column an output; changes nothing, whatever columns X has."""
        check_is_fitted(self, "learner_")
        read = check_array(X, **READ) if self.evolve else validate_data(self, X, reset=False, **READ)
        return bulk.predict(self.learner_, self._table(X, read), None).scores

    def _table(self, X: Any, read: Any) -> Table:
        names = self._names(X, read.shape[1])
        if self.fit_intercept:
            return as_table(with_intercept(read), [*names, INTERCEPT])
        return as_table(read, names)

    def _names(self, X: Any, width: int) -> list[Name]:
        """Evolving columns are called as in this table, fixed ones as in the first; or by their numbers."""
        names = getattr(X, "columns", None) if self.evolve else getattr(self, "feature_names_in_", None)
        return list(range(width)) if names is None else list(names)
