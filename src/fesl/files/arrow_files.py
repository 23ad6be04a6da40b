"""Parquet and Arrow (Feather) files, and Arrow streams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fesl.errors import DataError
from fesl.files.columns import Raw
from fesl.files.notes import Notes
from fesl.files.settings import Settings
from fesl.files.sniff import names_that_differ
from fesl.files.source import Peeked, Source, arrow, reading

ROWS = 4096


def parquet(source: Source, settings: Settings, notes: Notes) -> Iterator[Raw]:
    """The blocks of a Parquet file."""
    arrow()
    import pyarrow.parquet as pq

    with _explained(source):
        file = pq.ParquetFile(source.random())
        yield from _raws(source, file.iter_batches(batch_size=ROWS, use_threads=False))


def ipc(source: Source, settings: Settings, notes: Notes) -> Iterator[Raw]:
    """The blocks of an Arrow or Feather file, or of an Arrow stream."""
    pa = arrow()
    with _explained(source):
        if source.head().startswith(b"ARROW1"):
            file = pa.ipc.open_file(pa.PythonFile(source.random(), mode="r"))
            batches: Any = (file.get_batch(i) for i in range(file.num_record_batches))
        else:
            batches = pa.ipc.open_stream(pa.PythonFile(_Whole(source.bytes), mode="r"))
        yield from _raws(source, batches)


class _Whole:
    """Reads as many bytes as it is asked for, even where they come in pieces."""

    closed = False

    def __init__(self, raw: Peeked) -> None:
        self._raw = raw

    def read(self, n: int) -> bytes:
        """n bytes, fewer only at the end."""
        parts = []
        while n > 0:
            parts.append(self._raw.read(n))
            if not parts[-1]:
                break
            n -= len(parts[-1])
        return b"".join(parts)

    def close(self) -> None:
        """Nothing: whoever opened the file closes it."""


def _raws(source: Source, batches: Any) -> Iterator[Raw]:
    pa = arrow()
    start = 1
    for batch in batches:
        batch.validate(full=True)  # a damaged file may point anywhere
        table = pa.Table.from_batches([batch])
        while any(pa.types.is_struct(field.type) for field in table.schema):
            table = table.flatten()
        names = names_that_differ(table.column_names)[0]
        for at in range(0, table.num_rows, ROWS):
            part = table.slice(at, ROWS)
            rows = np.arange(start, start + part.num_rows)
            yield Raw(names, [column.combine_chunks() for column in part.columns], rows, source.name)
            start += part.num_rows


@contextmanager
def _explained(source: Source) -> Iterator[None]:
    pa = arrow()
    with reading(source.name):
        try:
            yield
        except (pa.ArrowException, UnicodeDecodeError) as reason:
            raise DataError(f"{source.name} is broken or cut off: {str(reason).splitlines()[0]}") from None
