"""From columns as files hold them to features: what each column is, decided once and remembered.

    a number                      a feature
    true, false                   a feature, 1 or 0
    a time of day                 two features, its place on the face of a clock: "t (sin)", "t (cos)"
    words                         a feature a word, "column=word", 1 or 0; not observed until the word is first met.
                                  Words beyond the first `categories` share the feature "column=(other)"
    a date, or nothing but
    different words (an id)       kept apart: no feature

A column is what the first thousand cells of it say; what does not fit later is not observed, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.files import text
from fesl.files.notes import Notes
from fesl.files.settings import Settings
from fesl.files.source import arrow
from fesl.models import LIMIT

SAMPLE = 1000
OTHER = "(other)"


@dataclass(frozen=True)
class Raw:
    """Columns of some rows of a file, as Arrow arrays: text or typed. `remark` tells what is odd about names."""

    names: list[str]
    columns: list[Any]
    rows: Ints
    source: str
    decimal: str = "."
    unnamed: frozenset[str] = frozenset()
    remark: str = ""

    def where(self, row: int, name: str) -> str:
        """A cell, in words."""
        return f"{self.source}, row {self.rows[row]}, column {name!r}"


@dataclass
class Column:
    """What a column is: a `kind`, and for words those with a feature of their own."""

    kind: str
    words: dict[str, int] = field(default_factory=dict)
    full: bool = False


class Columns:
    """All columns met so far. It is part of what a saved learner needs to go on.

    >>> import pyarrow as pa
    >>> raw = Raw(["x", "c"], [pa.array(["1", "2"]), pa.array(["red", "blue"])], np.array([2, 3]), "a.csv")
    >>> for name, values in Columns(Settings(), Notes()).features(raw, set()): print(name, values)
    x [1. 2.]
    c=red [1. 0.]
    c=blue [nan  1.]
    """

    def __init__(self, settings: Settings, notes: Notes, known: Mapping[str, Any] | None = None) -> None:
        self.settings, self.notes = settings, notes
        self.known = {
            name: Column(c["kind"], {w: i for i, w in enumerate(c["words"])}, c["full"])
            for name, c in (known or {}).items()
        }
        self._codes = [code for code in map(_number, settings.missing) if code is not None]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a file; give it back as `known`."""
        return {n: {"kind": c.kind, "words": list(c.words), "full": c.full} for n, c in sorted(self.known.items())}

    def features(self, raw: Raw, apart: set[str]) -> list[tuple[str, Floats]]:
        """The features that the columns of a block hold, all but those that are apart."""
        found: list[tuple[str, Floats]] = []
        for name, array in zip(raw.names, raw.columns, strict=True):
            if name not in apart:
                found.extend(self._column(raw, name, array))
        return found

    def _column(self, raw: Raw, name: str, array: Any) -> list[tuple[str, Floats]]:
        array = plain(array)
        column = self.known.get(name)
        if column is None:
            if array.null_count == len(array):
                return []
            column = self.known[name] = self._meet(raw, name, array)
        if column.kind in ("words", "clock") and typed_kind(array.type) in ("date", "nested"):
            self._odd(raw, name, array, text.bools(array.is_valid()), "neither a number nor a word")
            return []
        return _MAKERS[column.kind](self, raw, name, array, column)

    def _meet(self, raw: Raw, name: str, array: Any) -> Column:
        """Decide what a column is."""
        pa = arrow()
        kind = typed_kind(array.type)
        if kind != "text":
            what = {"date": "a time", "nested": "neither numbers nor words"}.get(kind)
            if what:
                self.notes.tell(f"column {name!r} holds {what}: kept apart, no feature", raw.source)
            return Column("apart" if kind == "nested" else kind)
        sample = array.drop_null()[:SAMPLE]
        kind = text.kind(sample, raw.decimal)
        if kind == "date":
            self.notes.tell(f"column {name!r} holds dates: kept apart, no feature", raw.source)
            return Column(kind)
        different = len(pa.compute.unique(sample)) if kind == "words" else 0
        if different > max(self.settings.categories, len(sample) // 2):
            self.notes.tell(
                f"column {name!r} holds {different} different words in {len(sample)} rows: left out (an id?)",
                raw.source,
            )
            return Column("apart")
        return Column(kind)

    def _odd(self, raw: Raw, name: str, array: Any, bad: npt.NDArray[np.bool_] | None, what: str) -> None:
        """Tell of cells that are not what their column is."""
        if bad is not None and bad.any():
            first = int(np.argmax(bad))
            where = f"{raw.where(first, name)}: {array[first].as_py()!r}"
            self.notes.add(f"cell in column {name!r} is {what}: not observed", where, int(bad.sum()))

    def numbers(self, raw: Raw, name: str, array: Any, what: str = "no number") -> Floats:
        """A column as numbers, NaN where there is none."""
        pa = arrow()
        array = plain(array)
        if typed_kind(array.type) == "text":
            values, bad = text.numbers(array, raw.decimal)
            self._odd(raw, name, array, bad, what)
        elif typed_kind(array.type) in ("number", "flag"):
            values = text.floats(array.cast(pa.float64(), safe=False))
        else:
            values, bad = np.full(len(array), np.nan), text.bools(array.is_valid())
            self._odd(raw, name, array, bad, what)
        return self._within(raw, name, array, values)

    def _within(self, raw: Raw, name: str, array: Any, values: Floats) -> Floats:
        for code in self._codes:
            values = np.where(values == code, np.nan, values)
        far = np.abs(values) > LIMIT
        if far.any():
            self._odd(raw, name, array, far, "infinite")
            values = np.where(far, np.nan, values)
        return values


def _make_number(at: Columns, raw: Raw, name: str, array: Any, column: Column) -> list[tuple[str, Floats]]:
    return [(name, at.numbers(raw, name, array))]


def _make_flag(at: Columns, raw: Raw, name: str, array: Any, column: Column) -> list[tuple[str, Floats]]:
    if typed_kind(array.type) != "text":
        return [(name, at.numbers(raw, name, array))]
    values, bad = text.flags(array)
    at._odd(raw, name, array, bad, "neither true nor false")
    return [(name, values)]


def _make_clock(at: Columns, raw: Raw, name: str, array: Any, column: Column) -> list[tuple[str, Floats]]:
    values, bad = text.hours(array.cast("string"))
    at._odd(raw, name, array, bad, "no time of day")
    angle = values * (np.pi / 12.0)
    return [(f"{name} (sin)", np.sin(angle)), (f"{name} (cos)", np.cos(angle))]


def _make_words(at: Columns, raw: Raw, name: str, array: Any, column: Column) -> list[tuple[str, Floats]]:
    """One-hot. A word is a feature from its first row on."""
    codes = array.cast("string").dictionary_encode()
    at_hand = [word.strip() for word in codes.dictionary.to_pylist()]
    missing = set(at.settings.missing)
    limit, first = at.settings.categories, (len(column.words), column.full)
    place = np.full(len(at_hand) + 1, -1)
    for i, word in enumerate(at_hand):
        if word in missing or not word:
            continue
        if word not in column.words and len(column.words) < limit:
            column.words[word] = len(column.words)
        elif word not in column.words and not column.full:
            column.full = True
            at.notes.tell(f"column {name!r} has more than {limit} words: the rest share one feature", raw.source)
        place[i] = column.words.get(word, limit)
    cells = place[text.whole(codes.indices.fill_null(len(at_hand)))]
    absent = cells < 0
    made = []
    for word, j in [*column.words.items(), *([(OTHER, limit)] if column.full else [])]:
        values = (cells == j).astype(np.float64)
        if not first[1] if j == limit else j >= first[0]:  # met in this block
            values[: int(np.argmax(values))] = np.nan
        values[absent] = np.nan
        made.append((f"{name}={word}", values))
    return made


def _make_nothing(at: Columns, raw: Raw, name: str, array: Any, column: Column) -> list[tuple[str, Floats]]:
    return []


_MAKERS: dict[str, Callable[[Columns, Raw, str, Any, Column], list[tuple[str, Floats]]]] = {
    "number": _make_number,
    "flag": _make_flag,
    "clock": _make_clock,
    "words": _make_words,
    "date": _make_nothing,
    "apart": _make_nothing,
}


def plain(array: Any) -> Any:
    """A column without an encoding of its own.

    >>> import pyarrow as pa
    >>> plain(pa.array(["red", "red"]).dictionary_encode()).to_pylist()
    ['red', 'red']
    """
    pa = arrow()
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def typed_kind(kind: Any) -> str:
    """What an Arrow type stands for: "number", "flag", "text", "clock", "date" or "nested".

    >>> import pyarrow as pa
    >>> [typed_kind(kind) for kind in (pa.int8(), pa.bool_(), pa.date32(), pa.list_(pa.int8()))]
    ['number', 'flag', 'date', 'nested']
    """
    t = arrow().types
    if t.is_string(kind) or t.is_large_string(kind) or t.is_string_view(kind):
        return "text"
    if t.is_boolean(kind):
        return "flag"
    if t.is_integer(kind) or t.is_floating(kind) or t.is_decimal(kind) or t.is_null(kind):
        return "number"
    if t.is_time(kind):
        return "clock"
    return "date" if t.is_temporal(kind) else "nested"


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
