"""OpenMOA: its algorithms for open feature spaces, with their defaults.

Its streams come in two forms, and its algorithms do not act alike on them, so each that can runs on both: short
vectors with the numbers of their features (`OpenFeatureStream`), or whole vectors with NaN ("NaN").
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import openmoa.classifier
from openmoa.instance import LabeledInstance
from openmoa.stream import Schema
from openmoa.stream.stream_wrapper import CapriciousStream, TrapezoidalStream

from benchmarks.peers.base import Csr, Model, Table

PACKAGE = "openmoa"
IMPORT = "import numpy as np; from openmoa.classifier import FTRLClassifier; from openmoa.stream import Schema"
FIRST = (
    "from openmoa.instance import LabeledInstance;"
    "s = Schema.from_custom(feature_names=['a'], values_for_class_label=['0', '1']); m = FTRLClassifier(s);"
    "i = LabeledInstance.from_array(s, np.ones(1), 1); m.predict(i); m.train(i)"
)
TABLES: dict[str, object] = {}


def ready() -> None:
    """Java must start."""
    _schema(1, 2)


def _schema(columns: int, classes: int) -> Any:
    names = [f"x{j}" for j in range(columns)]
    return Schema.from_custom(feature_names=names, values_for_class_label=[str(k) for k in range(classes)])


def events(table: Table) -> list[tuple[Any, Any]]:
    """Both forms of each row."""
    schema = _schema(table.columns, table.classes)
    rows = zip(_rows(table), table.y.tolist(), strict=True)
    return [_forms(schema, columns, values, y) for (columns, values), y in rows]


def _rows(table: Table) -> list[tuple[np.ndarray, np.ndarray]]:
    if isinstance(table.X, Csr):
        data, indices, ptr = table.X
        return [(indices[a:b], data[a:b]) for a, b in pairwise(ptr.tolist())]
    return [(np.flatnonzero(~np.isnan(row)), row[~np.isnan(row)]) for row in table.X]


def _forms(schema: Any, columns: np.ndarray, values: np.ndarray, y: int) -> tuple[Any, Any]:
    whole = np.full(schema.get_num_attributes(), np.nan)
    whole[columns] = values
    short = LabeledInstance.from_array(schema, values, y)
    short.feature_indices = columns
    return short, LabeledInstance.from_array(schema, whole, y)


def _make(algorithm: str, form: int, table: Table) -> Model:
    model = getattr(openmoa.classifier, f"{algorithm}Classifier")(_schema(table.columns, table.classes))
    return Model(lambda x: model.predict(x[form]), lambda x, y: model.train(x[form]), _number)


def _number(found: Any) -> int | None:
    return None if found is None else int(found)


MODELS: dict[str, Callable[[Table], Model]] = {
    **{name: partial(_make, name, 0) for name in ("FESL", "FOBOS", "FTRL", "OASF", "ORF3V", "RSOL")},
    **{f"{name}, NaN": partial(_make, name, 1) for name in ("FESL", "FOBOS", "FTRL", "OASF", "RSOL")},
    **{name: partial(_make, name, 1) for name in ("OVFM", "OSLMF")},
}

STREAMS = {"trapezoidal": TrapezoidalStream, "capricious": CapriciousStream}


class Ones:
    """An endless stream of ones, all observed."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.one = LabeledInstance.from_array(schema, np.ones(schema.get_num_attributes()), 1)

    def get_schema(self) -> Any:
        return self.schema

    def has_more_instances(self) -> bool:
        return True

    def next_instance(self) -> Any:
        return self.one


def mask(pattern: str, rows: int, columns: int) -> list[str]:
    """The cells that OpenMOA's own stream leaves observed, with its defaults: a row, a string of 0 and 1."""
    stream = STREAMS[pattern](Ones(_schema(columns, 2)), total_instances=rows)
    seen = [~np.isnan(np.asarray(stream.next_instance().x)) for _ in range(rows)]
    return ["".join("01"[int(cell)] for cell in row) for row in seen]
