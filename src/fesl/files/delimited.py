"""Text tables: comma, semicolon, tab, bar or blank between the values.

Every cell is read as text and becomes a number a block at a time, so that a word in row 10,001 of a column of
numbers is that cell's problem, not the file's.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from fesl._typing import Ints
from fesl.errors import DataError
from fesl.files import sniff
from fesl.files.columns import Raw
from fesl.files.notes import Notes
from fesl.files.settings import Settings
from fesl.files.source import HEAD, Peeked, Source, arrow, reading
from fesl.files.text import NULLS

#: Bytes of a block: so many, up to four times as many where rows are long. Some thirty are read ahead.
BLOCK = 1 << 19


def read(source: Source, settings: Settings, notes: Notes) -> Iterator[Raw]:
    """The blocks of a text table."""
    pa = arrow()
    import pyarrow.csv as pc

    head = source.head()
    coding = settings.encoding or sniff.encoding(head, source.name)
    stream, text = _decoded(source, head, coding)
    found = sniff.dialect(text, settings, source.name, ended=len(head) < HEAD)
    if found.remark:
        notes.tell(found.remark, source.name)
    _skip(stream, len(text[: found.body].encode()))
    bad = _Ragged(found, source, notes, 2 if settings.header else 1)
    longest = max(map(len, text.splitlines()), default=0)
    size = max(BLOCK, min(256 * longest, 4 * BLOCK), 4 * longest)
    with reading(source.name):
        try:
            batches = pc.open_csv(
                pa.PythonFile(stream, mode="r"),
                read_options=pc.ReadOptions(column_names=found.names, block_size=size, use_threads=False),
                parse_options=pc.ParseOptions(
                    delimiter=found.delimiter, newlines_in_values=True, invalid_row_handler=bad
                ),
                convert_options=pc.ConvertOptions(
                    column_types=dict.fromkeys(found.names, pa.string()),
                    null_values=[*NULLS, *settings.missing],
                    strings_can_be_null=True,
                ),
            )
            for batch in batches:
                rows = bad.numbers(batch.num_rows)
                source.given += _size(batch)
                yield Raw(found.names, batch.columns, rows, source.name, found.decimal, found.unnamed, found.remark)
        except pa.ArrowInvalid as reason:
            if "Empty CSV" in str(reason):
                return
            raise _explain(reason, source.name, bad.next) from None
    source.given = 0
    bad.finish(cut=stream.last not in (b"\n", b"\r"))


def _size(batch: Any) -> int:
    """About how many bytes of text became this batch: characters and delimiters, not the offsets between them."""
    rows, width = int(batch.num_rows), int(batch.num_columns)
    size: int = batch.nbytes
    return size - width * (4 * rows + rows // 8) + width * rows


def _decoded(source: Source, head: bytes, coding: str) -> tuple[Peeked, str]:
    """The contents as UTF-8, and the beginning as text."""
    try:
        codecs.lookup(coding)
        if codecs.lookup(coding).name == "utf-8":
            if head.startswith(codecs.BOM_UTF8):
                _skip(source.bytes, 3)
                head = head[3:]
            return source.bytes, head.decode("utf-8", errors="ignore")
        stream = Peeked(_Recoded(source.bytes, coding))
        return stream, stream.peek(HEAD).decode("utf-8", errors="ignore")
    except LookupError:
        raise DataError(f"encoding {coding!r} is not known: try utf-8, latin-1 or utf-16") from None
    except UnicodeDecodeError:
        raise DataError(f"{source.name} is not written in {coding}: say in which with --encoding") from None


def _skip(stream: Peeked, n: int) -> None:
    while n > 0:
        n -= len(stream.read(n)) or n


class _Recoded:
    """Bytes of another encoding, as UTF-8."""

    def __init__(self, raw: Peeked, coding: str) -> None:
        self._raw, self._decoder = raw, codecs.getincrementaldecoder(coding)()

    def read(self, n: int, /) -> bytes:
        """About n bytes; none at the end."""
        while True:
            found = self._raw.read(max(1, n // 4))
            text = self._decoder.decode(found, final=not found)
            if text or not found:
                return text.encode("utf-8")


class _Ragged:
    """Called with every row that has too few or too many values; knows the numbers of the others.

    It is called from inside the parser, where nothing may be raised: what there is to say is said afterwards.
    """

    def __init__(self, found: sniff.Dialect, source: Source, notes: Notes, first: int) -> None:
        self.found, self.source, self.notes, self.next = found, source, notes, first
        self._shift = first - 1
        self._bad: deque[tuple[int, int, str]] = deque()
        self._skipped = 0

    def __call__(self, row: Any) -> str:
        self._bad.append((row.number + self._shift, row.actual_columns, row.text))
        return "skip"

    def numbers(self, n: int) -> Ints:
        """The numbers of the next n good rows."""
        start, end = self.next, self.next + n
        bad: list[int] = []
        while self._bad and self._bad[0][0] < end:
            bad.append(self._bad[0][0])
            self._tell(*self._bad.popleft())
            end += 1
        self.next = end
        return np.setdiff1d(np.arange(start, end), bad, assume_unique=True) if bad else np.arange(start, end)

    def finish(self, cut: bool) -> None:
        """The end of the file; `cut` says that its last line has no end."""
        while self._bad:
            number, actual, line = self._bad.popleft()
            if cut and not self._bad and actual < len(self.found.names):
                where = f"{self.source.name}, row {number}"
                self.notes.add("the file ends in the middle of a row: that row is skipped", where)
            else:
                self._tell(number, actual, line)

    def _tell(self, number: int, actual: int, line: str) -> None:
        if not line.strip(self.found.delimiter + " \t\r\n"):
            return
        where, wanted, mine = f"{self.source.name}, row {number}", len(self.found.names), self.found.delimiter
        other = next((d for d in sniff.DELIMITERS if d != mine and line.count(d) == wanted - 1 > 0), None)
        hint = f"; they seem to be separated by {other!r} instead of {mine!r}" if other else ""
        self._skipped += 1
        if other and self._skipped > 100 and 2 * self._skipped > number:
            raise DataError(f"{where}: the delimiter has changed from {mine!r} to {other!r}: split the file there")
        self.notes.add(f"row that does not have {wanted} values, skipped", f"{where} has {actual}{hint}")


def _explain(reason: Exception, name: str, row: int) -> DataError:
    text = str(reason)
    if "straddl" in text or "sync" in text or "quote" in text.lower():
        return DataError(f"{name}, near row {row}: a quotation mark is opened and never closed: close or remove it")
    if "UTF8" in text or "utf8" in text.lower():
        return DataError(f"{name}, near row {row}: it is not written in UTF-8 throughout: try --encoding latin-1")
    return DataError(f"{name}, near row {row}: {text.splitlines()[0]}")
