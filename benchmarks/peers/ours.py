"""Ourselves: the default learner, and the paper's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

import fesl
from benchmarks.peers.base import Csr, Model, Table, dicts, likeliest
from fesl import paper
from fesl.losses import Logistic, Loss, Softmax
from fesl.spaces import Periods

PACKAGE = "fesl"
IMPORT = "import fesl"
FIRST = "m = fesl.Classifier(); m.predict_proba_one({'a': 1.0}); m.learn_one({'a': 1.0}, True)"
PAPER = {"FESL-c": paper.fesl_c, "FESL-s": paper.fesl_s, "ROGD-u": paper.rogd_u, "NOGD": paper.nogd}
events = dicts


def ready() -> None:
    """Importing was all."""


def _model(model: Any) -> Model:
    return Model(model.predict_proba_one, model.learn_one, likeliest)


def _loss(table: Table) -> Loss:
    return Logistic() if table.classes == 2 else Softmax()


def _default(table: Table) -> Callable[[], object]:
    X = _matrix(table)
    return lambda: fesl.Classifier().run(X, table.y)


def _whole(make: Callable[..., Any], table: Table) -> Callable[[], object]:
    X = _matrix(table)
    spaces = {"spaces": Periods([_overlap(X)])} if isinstance(table.X, Csr) else {}
    return lambda: make(loss=_loss(table), **spaces).run(X, table.y)


def _matrix(table: Table) -> Any:
    sparse_table = isinstance(table.X, Csr)
    return sparse.csr_array(tuple(table.X), shape=(len(table.y), table.columns)) if sparse_table else table.X


def _overlap(X: Any) -> tuple[int, int]:
    """The rows of a sparse table in two equal halves of time that hold columns of both spaces.

    The spaces part where the last column of the first row's space ends; a row tells by its smallest and its
    largest column.
    """
    first = np.minimum.reduceat(X.indices, X.indptr[:-1])
    last = np.maximum.reduceat(X.indices, X.indptr[:-1])
    T1 = X.shape[0] // 2
    border = int(first[T1:].min())
    both = np.flatnonzero((first < border) & (last >= border))
    return int(both[0]), T1


MODELS = {
    "default": lambda table: _model(fesl.Classifier()),
    **{name: (lambda table, make=make: _model(make(loss=_loss(table)))) for name, make in PAPER.items()},
}
TABLES = {"default": _default, **{name: partial(_whole, make) for name, make in PAPER.items()}}
