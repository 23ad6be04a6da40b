"""JSON lines: an object a line. What a line does not hold is not observed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from fesl.errors import DataError
from fesl.files.columns import Raw
from fesl.files.lines import blocks
from fesl.files.notes import Notes
from fesl.files.settings import Settings
from fesl.files.source import Source, arrow
from fesl.files.text import NULLS

#: No block has more cells than this, however wide it is.
CELLS = 2_000_000


def read(source: Source, settings: Settings, notes: Notes) -> Iterator[Raw]:
    """The blocks of a file of JSON lines."""
    nulls = {*NULLS, *settings.missing}
    for first, lines in blocks(source):
        rows: list[int] = []
        events: list[dict[str, Any]] = []
        for number, line in enumerate(lines, first):
            event = _event(line, number, source, notes)
            if event is not None:
                rows.append(number)
                events.append(event)
        yield from _raws(events, rows, source.name, nulls)


def _event(line: bytes, number: int, source: Source, notes: Notes) -> dict[str, Any] | None:
    """One line as a flat mapping; None for one that is none."""
    if not line.strip():
        return None
    where = f"{source.name}, row {number}"
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        if number == 1 and line.lstrip().startswith(b"["):
            raise DataError(f"{source.name} is one JSON array: write one object a line (jq -c '.[]')") from None
        notes.add("line that is no JSON, skipped", f"{where}: {line[:40].decode(errors='replace')!r}")
        return None
    if not isinstance(event, dict):
        if isinstance(event, list) and number == 1:
            raise DataError(f"{source.name} is one JSON array: write one object a line (jq -c '.[]')")
        notes.add("line that is no JSON object, skipped", where)
        return None
    return flat(event) if any(isinstance(v, dict | list) for v in event.values()) else event


def flat(event: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Objects in objects, and lists, by dotted names.

    >>> flat({"a": {"b": 1, "c": [2, 3]}})
    {'a.b': 1, 'a.c.0': 2, 'a.c.1': 3}
    """
    found: dict[str, Any] = {}
    for name, value in event.items():
        if isinstance(value, list):
            value = {str(i): v for i, v in enumerate(value)}
        if isinstance(value, dict):
            found.update(flat(value, f"{prefix}{name}."))
        else:
            found[prefix + name] = value
    return found


def _raws(events: list[dict[str, Any]], rows: list[int], name: str, nulls: set[str]) -> Iterator[Raw]:
    """The events as columns; fewer rows at once where they are many."""
    start = 0
    while start < len(events):
        names: dict[str, None] = {}
        stop = start
        while stop < len(events) and (stop == start or len(names) * (stop - start) < CELLS):
            names.update(dict.fromkeys(events[stop]))
            stop += 1
        part = events[start:stop]
        columns = [_column([event.get(key) for event in part], nulls) for key in names]
        yield Raw(list(names), columns, np.array(rows[start:stop], np.int64), name)
        start = stop


def _column(values: list[Any], nulls: set[str]) -> Any:
    """An Arrow array; of text where the values are of different kinds."""
    pa = arrow()
    try:
        array = pa.array(values)
        if not pa.types.is_string(array.type):
            return array
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        pass
    words = [v if isinstance(v, str) or v is None else json.dumps(v) for v in values]
    return pa.array([None if word in nulls else word for word in words], pa.string())
