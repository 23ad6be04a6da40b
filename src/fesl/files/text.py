"""Columns of text as numbers, a block at a time. Quick where all is clean, careful where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.files.source import arrow

#: What stands for "not observed" in any column of a text table.
NULLS = ("", "NA", "N/A", "n/a", "na", "nan", "NaN", "NAN", "-nan", "null", "NULL", "Null", "?", "#N/A", "<NA>")
#: What stands for it in a column of numbers, besides.
_DASHES = ("-", "--", ".", "none", "None", "NONE", "missing", "#VALUE!", "#DIV/0!", "#REF!")
_NUMBER = r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)$"
_THOUSANDS = r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$"
_POINTS = r"^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$"
_DATE = r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}.*)?$"
_CLOCK = r"^(?P<h>\d{1,2})[:.](?P<m>\d{2})(?:[:.](?P<s>\d{2}(?:\.\d+)?))?$"
_FLAG = r"(?i)^(true|false)$"


def floats(array: Any) -> Floats:
    """An Arrow array of doubles for NumPy, NaN where it is null. (Arrow's own way there would import pandas.)

    >>> import pyarrow as pa
    >>> floats(pa.array([1.5, None, 2.5])[1:])
    array([nan, 2.5])
    """
    return _view(array.fill_null(np.nan) if array.null_count else array, np.float64)


def whole(array: Any) -> Ints:
    """An Arrow array of whole numbers without nulls for NumPy.

    >>> import pyarrow as pa
    >>> whole(pa.array([1, 2, 3], pa.int8()))
    array([1, 2, 3])
    """
    return _view(array.cast("int64"), np.int64)


def _view(array: Any, kind: Any) -> npt.NDArray[Any]:
    """The numbers where they lie; not to be written to."""
    if not len(array):
        return np.zeros(0, kind)
    return np.frombuffer(array.buffers()[1], kind)[array.offset : array.offset + len(array)]


def bools(array: Any) -> npt.NDArray[np.bool_]:
    """An Arrow array of true and false for NumPy; null is false.

    >>> import pyarrow as pa
    >>> bools(pa.array([True, None, False]))
    array([ True, False, False])
    """
    return np.asarray(whole(array.cast("int8").fill_null(0)) != 0)


def numbers(column: Any, decimal: str = ".") -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """The numbers of a column of text, NaN where there is none; and which cells hold something else.

    >>> import pyarrow as pa
    >>> numbers(pa.array(["1.5", None, "1,234", "word", "-", "+2"]))
    (array([   1.5,    nan, 1234. ,    nan,    nan,    2. ]), array([False, False, False,  True, False, False]))
    >>> numbers(pa.array(["1,5", "1.000,25"]), ",")[0]
    array([   1.5 , 1000.25])
    """
    pa = arrow()
    if decimal == ".":
        try:
            return floats(column.cast(pa.float64())), None
        except pa.ArrowInvalid:
            pass
    import pyarrow.compute as pc

    cells = pc.utf8_trim_whitespace(column)
    if decimal == ",":
        grouped = pc.match_substring_regex(cells, _POINTS)
        cells = pc.if_else(grouped, pc.replace_substring(cells, ".", ""), cells)
        cells = pc.replace_substring(cells, ",", ".")
    else:
        grouped = pc.match_substring_regex(cells, _THOUSANDS)
        cells = pc.if_else(grouped, pc.replace_substring(cells, ",", ""), cells)
    good = pc.match_substring_regex(cells, _NUMBER)
    clean = pc.utf8_ltrim(pc.if_else(good, cells, pa.scalar(None, cells.type)), "+")
    quiet = pc.is_in(pc.utf8_trim_whitespace(column), pa.array([*NULLS, *_DASHES], column.type))
    bad = pc.and_not(pc.fill_null(pc.invert(good), False), quiet)
    return floats(clean.cast(pa.float64())), bools(bad)


def kind(sample: Any, decimal: str = ".") -> str:
    """What a column of text holds, by a sample without nulls: "number", "flag", "date", "clock" or "words".

    >>> import pyarrow as pa
    >>> [kind(pa.array([cell])) for cell in ("2.5", "true", "3/10/2004", "18.00.00", "red")]
    ['number', 'flag', 'date', 'clock', 'words']
    """
    import pyarrow.compute as pc

    _, bad = numbers(sample, decimal)
    if bad is None or bad.mean() <= 0.1:
        return "number"
    cells = pc.utf8_trim_whitespace(sample)
    for name, pattern in (("flag", _FLAG), ("clock", _CLOCK), ("date", _DATE)):
        if pc.mean(pc.match_substring_regex(cells, pattern).cast("int8")).as_py() >= 0.9:
            return name
    return "words"


def flags(column: Any) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """true and false as 1 and 0.

    >>> import pyarrow as pa
    >>> flags(pa.array(["TRUE", "false", None, "?!"]))
    (array([ 1.,  0., nan, nan]), array([False, False, False,  True]))
    """
    import pyarrow.compute as pc

    cells = pc.utf8_lower(pc.utf8_trim_whitespace(column))
    found = np.full(len(cells), np.nan)
    true, false = (bools(pc.equal(cells, word)) for word in ("true", "false"))
    found[true], found[false] = 1.0, 0.0
    return found, np.isnan(found) & bools(cells.is_valid())


def hours(column: Any) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Times of day as hours.

    >>> import pyarrow as pa
    >>> hours(pa.array(["18:30", "06.15.00", "noon"]))
    (array([18.5 ,  6.25,   nan]), array([False, False,  True]))
    """
    import pyarrow.compute as pc

    found = pc.extract_regex(pc.utf8_trim_whitespace(column), _CLOCK)
    h, m, s = (pc.struct_field(found, i) for i in range(3))
    s = pc.if_else(pc.equal(s, ""), "0", s)
    h, m, s = (floats(part.cast("float64")) for part in (h, m, s))
    value = h + m / 60.0 + s / 3600.0
    return value, np.isnan(value) & bools(column.is_valid())
