"""What a run writes while it goes: predictions and feature events."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fesl.errors import ConfigError
from fesl.files.source import arrow

if TYPE_CHECKING:
    from fesl.evolving import Run
    from fesl.files import Block, Stream

#: Rows of a group in a Parquet file.
GROUP = 50_000
#: Columns that a predictions file has of itself.
OURS = ("row", "file", "prediction", "probability", "probabilities")
ENDINGS = (".csv", ".jsonl", ".ndjson", ".parquet")


class Sink(Protocol):
    """Where predictions go."""

    def write(self, block: Block, run: Run) -> None:
        """The predictions of a block."""

    def close(self) -> None:
        """No more will come."""


def check(path: Path) -> None:
    """Raise unless predictions can be written into a file of this name.

    >>> check(Path("p.csv")), check(Path("-"))
    (None, None)
    >>> check(Path("p.xlsx"))
    Traceback (most recent call last):
    ...
    fesl.errors.ConfigError: --predictions p.xlsx: its name must end in .csv, .jsonl or .parquet, or be -
    """
    if str(path) != "-" and path.suffix.lower() not in ENDINGS:
        raise ConfigError(f"--predictions {path}: its name must end in .csv, .jsonl or .parquet, or be -")


def sink(path: Path, stream: Stream) -> Sink:
    """The predictions file of a run, by its name; `-` is JSON lines on standard output."""
    if str(path) == "-" or path.suffix.lower() in (".jsonl", ".ndjson"):
        return _Lines(path, stream)
    return _Tables(path, stream)


class _Lines:
    """JSON lines, one a row, there as soon as the row is predicted."""

    def __init__(self, path: Path, stream: Stream) -> None:
        self.stream, self.own = stream, str(path) != "-"
        self.file: Any = path.open("wb") if self.own else sys.stdout.buffer

    def write(self, block: Block, run: Run) -> None:
        columns = _columns(block, run, self.stream)
        values = [_listed(column) for column in columns.values()]
        if run.loss.task != "regression":
            columns["probabilities"] = None
            labels = [json.dumps(label) if isinstance(label, bool) else str(label) for label in run.labels]
            chances = zip(np.round(run.probabilities, 6).tolist(), run.known.tolist(), strict=True)
            values.append([dict(zip(labels[:known], row, strict=False)) for row, known in chances])
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*values, strict=True)]
        self.file.write(("\n".join(lines) + "\n").encode())
        self.file.flush()

    def close(self) -> None:
        if self.own:
            self.file.close()


class _Tables:
    """CSV or Parquet, through Arrow."""

    def __init__(self, path: Path, stream: Stream) -> None:
        arrow()
        self.stream, self.path = stream, path
        self.parquet = path.suffix.lower() == ".parquet"
        self.file = path.open("wb")
        self.writer: Any = None
        self.waiting: list[Any] = []
        self.rows = 0

    def write(self, block: Block, run: Run) -> None:
        pa = arrow()
        columns = _columns(block, run, self.stream)
        kinds = _kinds(pa, columns, self.stream)
        arrays = [_array(pa, values, kind) for values, kind in zip(columns.values(), kinds, strict=True)]
        self.waiting.append(pa.Table.from_arrays(arrays, names=list(columns)))
        self.rows += len(block)
        if not self.parquet or self.rows >= GROUP:
            self._flush()

    def _flush(self) -> None:
        pa = arrow()
        if self.waiting:
            table = pa.concat_tables(self.waiting).combine_chunks()
            self.waiting, self.rows = [], 0
            if self.writer is None:
                self.writer = self._open(table.schema)
            self.writer.write_table(table)

    def _open(self, schema: Any) -> Any:
        if self.parquet:
            import pyarrow.parquet as pq

            return pq.ParquetWriter(self.file, schema)
        import pyarrow.csv as pc

        return pc.CSVWriter(self.file, schema, write_options=pc.WriteOptions(quoting_style="needed"))

    def close(self) -> None:
        self._flush()
        if self.writer is not None:
            self.writer.close()
        self.file.close()


def _columns(block: Block, run: Run, stream: Stream) -> dict[str, Any]:
    """The columns of a predictions file: where the row stood, what was kept apart, the truth, the prediction."""
    columns: dict[str, Any] = {"row": block.rows}
    if len(stream.sources) > 1:
        columns["file"] = np.full(len(block), block.source, dtype=object)
    for name, values in block.apart.items():
        columns[_own(name)] = np.array([None if v is None else str(v) for v in values.tolist()], dtype=object)
    names = [_own(name) for name in stream.targets.names]
    if len(names) > 1:
        for j, name in enumerate(names):
            columns[name] = block.y[:, j]
        for j, name in enumerate(names):
            columns[f"prediction of {name}"] = run.scores[:, j]
        return columns
    columns[names[0]], columns["prediction"] = block.y, run.predictions
    if run.loss.task != "regression":
        chance = np.round(run.probabilities.max(axis=1, initial=0.0), 6)
        columns["probability"] = np.where(run.known > 0, chance, np.nan)
    return columns


def _own(name: str) -> str:
    """The name of a column of the data among our own.

    >>> _own("id"), _own("row")
    ('id', 'row (column)')
    """
    return f"{name} (column)" if name in OURS else name


def _kinds(pa: Any, columns: dict[str, Any], stream: Stream) -> list[Any]:
    """The types of the columns, the same for all blocks."""
    label = {"words": pa.string(), "flag": pa.bool_()}.get(stream.targets.kind or "", pa.float64())
    targets = [_own(name) for name in stream.targets.names]
    own = {
        "row": pa.int64(),
        "probability": pa.float64(),
        "prediction": label,
        **dict.fromkeys(targets, label),
    }
    numbers = {f"prediction of {name}": pa.float64() for name in targets}
    return [(own | numbers).get(name, pa.string()) for name in columns]


def _array(pa: Any, values: Any, kind: Any) -> Any:
    """A column for Arrow, NaN as null. Numbers are taken as they lie; Arrow's own way would import pandas."""
    if values.dtype == object and pa.types.is_floating(kind):
        values = np.array([np.nan if v is None else v for v in values.tolist()], np.float64)
    if values.dtype.kind not in "iuf":
        return pa.array(_listed(values), kind)
    numbers = np.ascontiguousarray(values, np.int64 if pa.types.is_integer(kind) else np.float64)
    there = np.packbits(~np.isnan(numbers), bitorder="little")
    return pa.Array.from_buffers(kind, len(numbers), [pa.py_buffer(there), pa.py_buffer(numbers)])


def _listed(values: Any) -> list[Any]:
    """Plain values; NaN is none."""
    return [None if v != v else v for v in values.tolist()]


class Events:
    """Feature events as JSON lines, as they happen."""

    def __init__(self, path: Path) -> None:
        self.own = str(path) != "-"
        self.file: Any = path.open("w", encoding="utf-8") if self.own else sys.stdout
        self._told = 0

    def write(self, loop: Any, block: Block, first: int) -> None:
        """What is new since the last look; `first` is the number of the block's first row in the whole stream."""
        fresh = sum(loop.counts.values()) - self._told
        self._told += fresh
        for event in loop.events[-fresh:] if fresh else ():
            at = event.row - first
            here: dict[str, Any] = (
                {"row": int(block.rows[at]), "file": block.source} if 0 <= at < len(block) else {}
            )
            if here and block.times is not None:
                here["time"] = block.times[at]
            told = {"round": event.row, "kind": event.kind, "feature": event.feature, "count": event.count}
            self.file.write(json.dumps({**told, **here}, default=str) + "\n")
        if fresh:
            self.file.flush()

    def close(self) -> None:
        """No more will come."""
        if self.own:
            self.file.close()
