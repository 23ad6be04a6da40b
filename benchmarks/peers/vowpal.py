"""Vowpal Wabbit: its events are lines of text, so the lines are made beforehand."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

from vowpalwabbit import Workspace

from benchmarks.peers.base import Model, Table, dicts

PACKAGE = "vowpalwabbit"
IMPORT = "from vowpalwabbit import Workspace"
FIRST = "m = Workspace('--loss_function logistic --quiet'); m.predict('| a:1'); m.learn('1 | a:1')"


def ready() -> None:
    """Importing was all."""


def _text(x: dict[str, float]) -> str:
    return "| " + " ".join(f"{name}:{value:.6g}" for name, value in x.items())


def events(table: Table) -> list[tuple[str, str]]:
    """A line without its label, and one with it."""
    names = _labels(table)
    texts = map(_text, dicts(table))
    return [(text, f"{names[y]} {text}") for text, y in zip(texts, table.y.tolist(), strict=True)]


def _labels(table: Table) -> list[int]:
    return [-1, 1] if table.classes == 2 else [*range(1, table.classes + 1)]


def _arguments(table: Table) -> str:
    return "--loss_function logistic --quiet" if table.classes == 2 else f"--oaa {table.classes} --quiet"


def _model(table: Table) -> Model:
    model = Workspace(_arguments(table))
    names = _labels(table)

    def answer(found: Any) -> int | None:
        if found is None:
            return None
        return int(found > 0) if table.classes == 2 else names.index(int(found))

    return Model(lambda x: model.predict(x[0]), lambda x, y: model.learn(x[1]), answer)


def _file(table: Table) -> Callable[[], object]:
    """A file of text through the command's own driver: predict, then learn, line by line."""
    handle, path = tempfile.mkstemp(suffix=".vw")
    with os.fdopen(handle, "w") as file:
        file.writelines(f"{line}\n" for _, line in events(table))

    def work() -> None:
        Workspace(f"{_arguments(table)} -d {path}").finish()
        os.unlink(path)

    return work


MODELS = {"VW": _model}
TABLES = {"VW, a text file": _file}
