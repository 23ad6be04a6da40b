"""What kind of file is this? Formats by their first bytes and their name, text tables by their first rows."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath

from fesl.errors import DataError
from fesl.files.settings import Settings
from fesl.files.source import HEAD, Empty

DELIMITERS = (",", ";", "\t", "|", " ")
ROWS = 200
_ENDINGS = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".psv"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "arrow"),
    **dict.fromkeys((".libsvm", ".svm", ".svmlight"), "libsvm"),
}
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_FOREIGN = {
    b"PK\x03\x04": "a zip or Excel file: unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel file: save the sheet as CSV",
    b"%PDF": "a PDF file: it holds no table",
    b"\x89PNG": "a picture: it holds no table",
    b"\x89HDF": "an HDF5 file: convert it to Parquet",
    b"SQLite format 3": "a database: export the table as CSV",
    b"FEA1": "a Feather file of the first version: write it again as Arrow or Parquet",
    b"BZh": "packed with bzip2: unpack it, or pack it with gzip or zstd",
    b"\xfd7zXZ": "packed with xz: unpack it, or pack it with gzip or zstd",
    b"\x93NUMPY": "a NumPy array: write it as CSV or Parquet",
}
_SVM = re.compile(rb"^[+-]?[\d.]+(e[+-]?\d+)?(\s+qid:\d+)?(\s+\d+:[^\s:]+)*\s*(#.*)?$", re.I)


def kind(head: bytes, name: str) -> str:
    """The format of a file: csv (any text table), jsonl, parquet, arrow or libsvm.

    >>> kind(b'{"a": 1}', "-"), kind(b"a;b\\n1;2\\n", "x.dat"), kind(b"+1 3:0.5 7:1\\n", "train.txt")
    ('jsonl', 'csv', 'libsvm')
    """
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{name} is {what}")
    for magic, found in _MAGIC.items():
        if head.startswith(magic):
            return found
    named = _ENDINGS.get(_ending(name))
    if named in ("parquet", "arrow"):
        raise DataError(f"{name} is no {named} file, whatever its name says: it does not begin like one")
    text = encoding(head, name)
    if text.startswith("utf-16"):
        return "csv"
    return named or _text(head, name)


def encoding(head: bytes, name: str) -> str:
    """How the text of a file is written.

    >>> encoding(b"a,b", "x"), encoding("é".encode("latin-1"), "x"), encoding("a".encode("utf-16"), "x")
    ('utf-8', 'cp1252', 'utf-16')
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in head:
        raise DataError(f"{name} is not text, and no kind of file known here: give CSV, JSON lines, Parquet, Arrow")
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as reason:
        if len(head) < HEAD or reason.start < len(head) - 3:
            return "cp1252"
    return "utf-8"


def _ending(name: str) -> str:
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix in (".gz", ".zst", ".gzip", ".zstd") else path.suffix


def _text(head: bytes, name: str) -> str:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return "jsonl"
    if start.lower().startswith((b"@relation", b"%")):
        raise DataError(f"{name} is an ARFF file: write it as CSV (the names of the attributes are its header)")
    lines = [line for line in start.splitlines()[:20] if line.strip() and not line.startswith(b"#")]
    lines = lines[:-1] or lines
    if lines and all(_SVM.match(line) for line in lines) and any(b":" in line for line in lines):
        return "libsvm"
    return "csv"


@dataclass(frozen=True)
class Dialect:
    """How a text table is written, and its header: `body` is where its rows begin in the (decoded) text."""

    delimiter: str
    decimal: str
    names: list[str]
    body: int
    unnamed: frozenset[str]
    remark: str


def dialect(text: str, settings: Settings, name: str, ended: bool) -> Dialect:
    """Read off the first rows of a table.

    >>> found = dialect("t;x\\n1;2,5\\n2;3,5\\n", Settings(), "a.csv", True)
    >>> found.delimiter, found.decimal, found.names, found.body
    (';', ',', ['t', 'x'], 4)
    """
    lines = text.splitlines(keepends=True)
    if not ended and len(lines) > 1:
        lines = lines[:-1]
    blank = 0
    while blank < len(lines) and not lines[blank].strip():
        blank += 1
    skipped, lines = sum(map(len, lines[:blank])), lines[blank:]
    if not lines:
        raise Empty(f"{name} is empty: it has neither a header nor rows")
    try:
        delimiter = settings.delimiter or max(DELIMITERS, key=lambda d: _fit(_rows(lines, d), d, name))
        rows = _rows(lines, delimiter)
        reader = csv.reader(lines, delimiter=delimiter)
        first = next(reader)
    except csv.Error:
        raise DataError(f"{name}: a quotation mark is opened and never closed: close or remove it") from None
    body = sum(map(len, lines[: reader.line_num]))
    rows = [row for row in rows[1:] if any(cell.strip() for cell in row)]
    decimal = settings.decimal or _decimal(rows, delimiter)
    remark = ""
    if not settings.header:
        widths = Counter(map(len, [first, *rows]))
        first, body = [""] * widths.most_common(1)[0][0], 0
    else:
        width = _width(first, rows)[0]
        if width == len(first) + 1:
            first = ["", *first]
            remark = "rows hold one value more than the header: the first column is called 'c1'"
        else:
            first = first[:width]
            if looks_like_data(first):
                remark = "its first row looks like data, not like names: --no-header if it has no header"
    names, unnamed = names_that_differ(first)
    return Dialect(delimiter, decimal, names, skipped + body, unnamed, remark)


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    """The first rows, empty ones left out."""
    return [row for row, _ in zip(csv.reader(lines, delimiter=delimiter), range(ROWS), strict=False) if row]


def _width(header: list[str], rows: list[list[str]]) -> tuple[int, float]:
    """How many values a row should have to go with the header, and the part of the rows that have so many.

    That is one a name; without the empty names at the end, if rows are like that; or one more, where the column of
    the rows' own names has none.

    >>> _width(["a", "b", ""], [["1", "2"]]), _width(["a", "b"], [["x", "1", "2"]])
    ((2, 1.0), (3, 1.0))
    """
    counts = Counter(map(len, rows))
    short = len(header)
    while short > 1 and not header[short - 1].strip():
        short -= 1
    part = {width: counts[width] / max(1, len(rows)) for width in (len(header), short, len(header) + 1)}
    fitting = [width for width in (len(header), short) if part[width] >= 0.2]
    best = fitting[0] if fitting else max(part, key=lambda width: part[width])
    return best, part[best]


def _fit(rows: list[list[str]], delimiter: str, name: str) -> tuple[int, float, int]:
    """How well a delimiter fits: header and rows go together, in as many rows as can be, with many values."""
    width, part = _width(rows[0], rows[1:]) if len(rows) > 1 else (len(rows[0]), 1.0)
    if width < 2 or not part or (delimiter == " " and any("" in row for row in rows)):
        return 0, 0.0, 0
    if delimiter == "\t" and _ending(name) in (".tsv", ".tab"):
        return 3, part, width
    return 2 if width <= len(rows[0]) else 1, round(part, 1), width


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    """A comma if numbers with one stand in the rows and none with a point."""
    if delimiter == ",":
        return "."
    cells = [cell.strip() for row in rows for cell in row]
    commas = sum(bool(re.fullmatch(r"[+-]?\d*,\d+", cell)) for cell in cells)
    points = sum(bool(re.fullmatch(r"[+-]?\d*\.\d+", cell)) for cell in cells)
    return "," if commas > points else "."


def looks_like_data(first: list[str]) -> bool:
    """Whether a row can hardly be a header: it holds broken numbers, or the same word again and again.

    >>> looks_like_data(["b", "30.83", "u"]), looks_like_data(["a", "b"]), looks_like_data(["0", "1"])
    (True, False, False)
    """
    cells = [cell.strip() for cell in first if cell.strip()]
    numbers = sum(bool(re.fullmatch(r"[+-]?(\d*[.,]\d+|\d+[eE][+-]?\d+)", cell)) for cell in cells)
    return numbers > 0 or (len(cells) > 3 and len(set(cells)) <= len(cells) // 2)


def names_that_differ(cells: list[str]) -> tuple[list[str], frozenset[str]]:
    """Names that differ, for columns without one (c1, c2, ...) and with the same one (x, x_2, ...)."""
    names: dict[str, None] = {}
    unnamed = set()
    taken = {cell.strip() for cell in cells}
    for k, cell in enumerate(cells, 1):
        name = cell.strip().lstrip("\ufeff")
        if not name:
            name = f"c{k}"
            unnamed.add(name)
        base, again = name, 2
        while name in names or (name != base and name in taken):
            name, again = f"{base}_{again}", again + 1
        names[name] = None
    return list(names), frozenset(unnamed)
