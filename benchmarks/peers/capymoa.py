"""CapyMOA's SGD: rows of fixed width, what is absent set to zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from capymoa.classifier import SGDClassifier
from capymoa.core import LabeledInstance
from capymoa.stream import Schema

from benchmarks.peers.base import Model, Table

PACKAGE = "capymoa"
IMPORT = "import numpy as np; from capymoa.classifier import SGDClassifier; from capymoa.stream import Schema"
FIRST = (
    "from capymoa.core import LabeledInstance;"
    "s = Schema.from_custom(['a', 'y'], target='y', categories={'y': ['0', '1']}); m = SGDClassifier(s);"
    "i = LabeledInstance.from_array(s, np.ones(1), 1); m.predict(i); m.train(i)"
)
TABLES: dict[str, object] = {}


def ready() -> None:
    """Java must start."""
    _schema(1, 2)


def _schema(columns: int, classes: int) -> Any:
    names = [*(f"x{j}" for j in range(columns)), "y"]
    return Schema.from_custom(names, target="y", categories={"y": [str(k) for k in range(classes)]})


def events(table: Table) -> list[Any]:
    """Instances that hold their label."""
    schema = _schema(table.columns, table.classes)
    rows = zip(np.nan_to_num(table.X), table.y.tolist(), strict=True)
    return [LabeledInstance.from_array(schema, row, y) for row, y in rows]


def _model(table: Table) -> Model:
    model = SGDClassifier(_schema(table.columns, table.classes))
    return Model(model.predict, lambda x, y: model.train(x), lambda found: None if found is None else int(found))


MODELS = {"SGD": _model}
