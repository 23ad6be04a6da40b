"""LIBSVM and SVMlight: `label index:value index:value ... # remark`. What a line does not hold is zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fesl._typing import Floats
from fesl.files.columns import Raw
from fesl.files.lines import blocks
from fesl.files.notes import Notes
from fesl.files.settings import Settings
from fesl.files.source import Source, arrow
from fesl.models import LIMIT

LABEL, QUERY = "label", "qid"


@dataclass(frozen=True)
class Sparse:
    """Some rows: their features, and label and query as columns."""

    X: sparse.csr_array[Any]
    names: list[str]
    raw: Raw


class Line:
    """One line, split.

    >>> line = Line(b"+1 qid:3 1:0.5 4:2 # remark")
    >>> line.label, line.query, line.names, line.values
    ('+1', '3', ['1', '4'], [0.5, 2.0])
    """

    __slots__ = ("label", "names", "query", "values")

    def __init__(self, line: bytes) -> None:
        label, *parts = line.split(b"#", 1)[0].decode("utf-8").split()
        if ":" in label:
            parts, label = [label, *parts], ""
        self.label = label or None
        self.query: str | None = None
        self.names: list[str] = []
        self.values: list[float] = []
        for part in parts:
            name, colon, value = part.rpartition(":")
            if not colon:
                raise ValueError(part)
            if name == QUERY:
                self.query = value
            else:
                self.names.append(name)
                self.values.append(float(value))


def read(source: Source, settings: Settings, notes: Notes) -> Iterator[Sparse]:
    """The blocks of a file. A block has a column for every index met in the file so far."""
    drop = {*settings.drop}
    codes = {float(word) for word in settings.missing if _is_number(word)}
    index: dict[str, int] = {}
    for first, lines in blocks(source):
        kept: list[tuple[int, Line]] = []
        for number, text in enumerate(lines, first):
            line = _line(text, f"{source.name}, row {number}", notes)
            if line is not None:
                kept.append((number, line))
        if kept:
            X = _matrix([line for _, line in kept], index, codes, f"{source.name}, row {first}", notes)
            stays = [j for j, name in enumerate(index) if name not in drop] if drop else slice(None)
            names = [name for name in index if name not in drop]
            yield Sparse(X[:, stays], names, _raw(kept, source.name))


def _raw(kept: list[tuple[int, Line]], source: str) -> Raw:
    """The label, and the query where there is one, as columns."""
    pa = arrow()
    columns = {
        LABEL: pa.array([line.label for _, line in kept], pa.string()),
        QUERY: pa.array([line.query for _, line in kept], pa.string()),
    }
    return Raw(list(columns), list(columns.values()), np.array([n for n, _ in kept], np.int64), source)


def _line(text: bytes, where: str, notes: Notes) -> Line | None:
    if not text.split(b"#", 1)[0].strip():
        return None
    try:
        return Line(text)
    except ValueError:
        notes.add("line that is not `label index:value ...`, skipped", where)
        return None


def _matrix(lines: list[Line], index: dict[str, int], codes: set[float], where: str, notes: Notes) -> Any:
    cols = [index.setdefault(name, len(index)) for line in lines for name in line.names]
    vals: Floats = np.array([value for line in lines for value in line.values], np.float64)
    for code in codes:
        vals[vals == code] = np.nan
    far = np.abs(vals) > LIMIT
    if far.any():
        notes.add("value is infinite: not observed", where, int(far.sum()))
        vals[far] = np.nan
    ptr = np.cumsum([0, *(len(line.names) for line in lines)])
    return sparse.csr_array((vals, np.array(cols, np.int32), ptr), shape=(len(lines), len(index)))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
