"""Names of features and labels of classes as JSON, each with its type.

| Python | JSON |
|---|---|
| str, bool, None | the same |
| int | a number without a point or an exponent |
| float | a number with one of them; `{"float": "inf"}`, `{"float": "-inf"}` |
| tuple | `{"tuple": [...]}` |
| bytes | `{"bytes": "..."}`, in hexadecimal digits |
| Decimal, date, datetime | `{"Decimal": "..."}`, `{"date": "..."}`, `{"datetime": "..."}`, in Python's writing |

NumPy's scalars are saved as the Python values they stand for: those are equal, and hash alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from math import inf
from typing import Any, TypeAlias

import numpy as np

from fesl.errors import SavedModelError

Writer: TypeAlias = Callable[[Any], str]
Reader: TypeAlias = Callable[[str], Any]
#: How deep tuples may stand in tuples.
DEPTH = 16
#: Whole numbers of more digits than this are refused, as Python's own parser does by default.
DIGITS = 4000


def encode(value: Any, what: str = "a name", depth: int = 0) -> Any:
    """The value as JSON; `what` names it in the error that says why not.

    >>> encode(("a", 1, np.float64(2.0)))
    {'tuple': ['a', 1, 2.0]}
    """
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        value = value.item()
    kind = type(value)
    if value is None or kind in (str, bool):
        return value
    if kind is int and value.bit_length() < 3 * DIGITS:
        return value
    if kind is float and value == value:
        return value if abs(value) < inf else {"float": str(value)}
    if kind is tuple and depth < DEPTH:
        return {"tuple": [encode(each, what, depth + 1) for each in value]}
    if kind in (written := _written()):
        return {kind.__name__: written[kind][0](value)}
    shown = "a number of thousands of digits" if kind is int else f"{value!r:.80}, a {kind.__name__}"
    raise SavedModelError(
        f"{what} is {shown}: what can be saved is a string, a number, bytes, a boolean, a date, None, and a tuple "
        "of these"
    )


def decode(value: Any, where: str, depth: int = 0) -> Any:
    """The value that JSON stands for.

    >>> decode({"tuple": ["a", 1, 2.0]}, "names")
    ('a', 1, 2.0)
    """
    if value is None or type(value) in (str, bool, int, float):
        return value
    if type(value) is dict and len(value) == 1 and depth < DEPTH:
        ((kind, content),) = value.items()
        if kind == "tuple" and type(content) is list:
            return tuple(decode(each, where, depth + 1) for each in content)
        if kind == "float" and content in ("inf", "-inf"):
            return float(content)
        for known, (write, read) in _written().items():
            if kind == known.__name__ and type(content) is str:
                return _read(content, write, read, where)
    raise SavedModelError(f"{where} holds {str(value)[:60]!r}, which is no name or label")


@cache
def _written() -> dict[type, tuple[Writer, Reader]]:
    """Kinds that are saved as a string, how, and back; imported when one may be met."""
    from datetime import date, datetime
    from decimal import Decimal

    return {
        bytes: (bytes.hex, bytes.fromhex),
        Decimal: (str, Decimal),
        date: (date.isoformat, date.fromisoformat),
        datetime: (datetime.isoformat, datetime.fromisoformat),
    }


def _read(content: str, write: Writer, read: Reader, where: str) -> Any:
    try:
        value = read(content)
    except (ArithmeticError, ValueError):
        value = None
    if value is None or write(value) != content:
        raise SavedModelError(f"{where} holds {content[:60]!r}, which is no name or label")
    return value


def encode_all(values: Iterable[Any], what: str) -> list[Any]:
    """Many of them; strings, as names usually are, quickly."""
    found = list(values)
    if all(type(value) is str for value in found):
        return found
    return [encode(value, what) for value in found]


def decode_all(values: list[Any], where: str) -> list[Any]:
    if all(type(value) is str for value in values):
        return values
    return [decode(value, where) for value in values]


def unique(names: list[Any], where: str) -> None:
    """No name twice."""
    if len(set(names)) != len(names):
        raise SavedModelError(f"{where} holds a name twice")


def plain(value: Any, depth: int = 0) -> Any:
    """A value that JSON has; tuples become lists.

    >>> plain({"columns": ("a", "b")})
    {'columns': ['a', 'b']}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict) and all(type(key) is str for key in value) and depth < DEPTH:
        return {key: plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple) and depth < DEPTH:
        return [plain(each, depth + 1) for each in value]
    if value is None or type(value) in (str, bool, int) or (type(value) is float and abs(value) < inf):
        return value
    raise SavedModelError(f"extra holds {value!r:.80}, a {type(value).__name__}: it may hold what JSON can")
