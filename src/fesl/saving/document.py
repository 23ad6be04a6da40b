"""What is saved, before it becomes bytes: a tree of plain values and arrays by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from fesl.errors import SavedModelError

T = TypeVar("T")
AnyArray = npt.NDArray[Any]

#: Whole numbers above this are no counts or clocks: floats no longer tell them apart.
LARGEST = 2**53


@dataclass
class Document:
    """`kind` says which model it is, `body` holds everything but the arrays, as JSON can; `extra` is what the
    caller wants to keep beside the model."""

    kind: str
    body: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, AnyArray] = field(default_factory=dict)


class Section:
    """One object of the body while it is read: each key is taken once, with its type checked, and none may be left.

    >>> section = Section("state", {"cycle": 3})
    >>> section.count("cycle")
    3
    >>> section.close()
    """

    def __init__(self, where: str, content: Any) -> None:
        if type(content) is not dict:
            raise SavedModelError(f"{where} should be an object")
        self.where, self._left = where, dict(content)

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def take(self, key: str) -> Any:
        """The value as it stands."""
        if key not in self._left:
            raise SavedModelError(f"{self.where}.{key} is missing")
        return self._left.pop(key)

    def typed(self, key: str, kind: type[T]) -> T:
        """A value of exactly this type."""
        value = self.take(key)
        if type(value) is not kind:
            raise SavedModelError(f"{self.where}.{key} should be of type {kind.__name__}")
        return value

    def count(self, key: str) -> int:
        """A whole number from zero on, of a size that counts have."""
        value = self.typed(key, int)
        if not 0 <= value <= LARGEST:
            raise SavedModelError(f"{self.where}.{key} is {value}: no such count")
        return value

    def section(self, key: str) -> Section:
        return Section(f"{self.where}.{key}", self.take(key))

    def sections(self, key: str) -> list[Section]:
        """A list of objects."""
        return [Section(f"{self.where}.{key}.{i}", each) for i, each in enumerate(self.typed(key, list))]

    def close(self) -> None:
        """Nothing may be left."""
        if self._left:
            raise SavedModelError(f"{self.where} holds {sorted(self._left)}, which this version does not know")


def attributes(thing: object) -> set[str]:
    """The names of all that an object holds."""
    return {*getattr(thing, "__dict__", ()), *getattr(type(thing), "__slots__", ())}


def all_known(thing: object, names: set[str]) -> None:
    """What an object holds must be what the format saves: nothing is lost in silence."""
    found = attributes(thing)
    if found != names:
        odd = sorted(found ^ names)
        raise SavedModelError(f"{type(thing).__name__} differs from what the file format knows in {odd}")


def whole(a: npt.ArrayLike) -> AnyArray:
    """As whole numbers in a block of memory."""
    return np.ascontiguousarray(a, np.int64)
