"""scikit-learn: rows of fixed width, so its user must know all features beforehand and fill what is absent.

One at a time: what is absent is set to the running mean of what was seen of it, then a running StandardScaler and
SGDClassifier. (StandardScaler takes NaN, but a column that its first row lacks stays NaN for good.) Whole tables:
`SGDClassifier.partial_fit`, one model, learning without predicting.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks.peers.base import Csr, Model, Table

PACKAGE = "scikit-learn"
IMPORT = "from sklearn.linear_model import SGDClassifier"
FIRST = "m = SGDClassifier(loss='log_loss'); m.partial_fit([[1.0]], [1], classes=[0, 1]); m.predict_proba([[1.0]])"


def ready() -> None:
    """Importing was all."""


def events(table: Table) -> list[np.ndarray]:
    """Rows of full width, one by one."""
    return [row.reshape(1, -1) for row in table.X]


def _filled(table: Table) -> Model:
    scaler, model = StandardScaler(), SGDClassifier(loss="log_loss", random_state=1)
    classes = np.arange(table.classes)
    count, total = np.full(table.columns, 1e-12), np.zeros(table.columns)

    def whole(x: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(x), total / count, x)

    def predict(x: np.ndarray) -> np.ndarray:
        return model.predict(scaler.transform(whole(x)))

    def learn(x: np.ndarray, y: int) -> None:
        nonlocal count, total
        count, total = count + ~np.isnan(x[0]), total + np.nan_to_num(x[0])
        row = whole(x)
        scaler.partial_fit(row)
        model.partial_fit(scaler.transform(row), [y], classes=classes)

    return Model(predict, learn, lambda found: None if found is None else int(found[0]))


def _partial_fit(table: Table) -> Callable[[], object]:
    if isinstance(table.X, Csr):
        X = sparse.csr_matrix(tuple(table.X), shape=(len(table.y), table.columns))
    else:
        half = table.columns // 2  # the two spaces as one, for no row may hold NaN
        X = np.where(np.isnan(table.X[:, :half]), table.X[:, half:], table.X[:, :half])
    classes = np.arange(table.classes)
    return lambda: SGDClassifier(loss="log_loss").partial_fit(X, table.y, classes=classes)


MODELS = {"Scaler | SGD, filled": _filled}
TABLES = {"SGD.partial_fit": _partial_fit}
