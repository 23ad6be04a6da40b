"""The physical limit: reading every number once, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.peers.base import Csr, Model, Table, dicts

PACKAGE = "numpy"
IMPORT = "pass"
FIRST = "pass"
events = dicts


def ready() -> None:
    """Nothing to do."""


def _read(x: dict[str, float]) -> float:
    return sum(x.values())


def _sum(table: Table) -> Callable[[], object]:
    if isinstance(table.X, Csr):
        return lambda: (table.X.data.sum(), table.X.indices.sum())
    return table.X.sum


MODELS = {"read once": lambda table: Model(_read, lambda x, y: None)}
TABLES = {"read once": _sum}
