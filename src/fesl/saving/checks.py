"""What is looked for beyond types, sizes and ranges: numbers that point at something, and lives that can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from fesl._typing import Ints
from fesl.errors import SavedModelError
from fesl.saving import values


def pointers(name: str, ptr: Ints, entries: int) -> None:
    """Pointers into so many entries: they begin at zero, never fall, and end at the end."""
    if not len(ptr) or ptr[0] != 0 or ptr[-1] != entries or (np.diff(ptr) < 0).any():
        raise SavedModelError(f"the array {name} does not part {entries} entries")


def below(name: str, idx: Ints, top: int, least: int = 0) -> None:
    """Whole numbers from `least` to `top` - 1."""
    if len(idx) and not (least <= idx.min() and idx.max() < top):
        raise SavedModelError(f"the array {name} points outside [{least}, {top})")


def distinct(name: str, idx: Ints) -> None:
    if len(np.unique(idx)) != len(idx):
        raise SavedModelError(f"the array {name} holds a number twice")


def placed(where: str, ids: Ints, free: Ints, names: list[Any], capacity: int, first: int = 0) -> None:
    """Every place from `first` on is in use or free, once, and what is in use has a name of its own."""
    every = np.concatenate([ids, free])
    below(f"{where}.index", every, len(names), first)
    distinct(f"{where}.index", every)
    if len(every) != len(names) - first or not max(1, len(names)) <= capacity:
        raise SavedModelError(f"{where} has {len(names)} names, {len(every)} ids and room for {capacity}")
    values.unique([names[i] for i in ids.tolist()], f"{where}.names")


def in_order(born: Ints, end: Ints) -> None:
    """Nothing ends before its birth."""
    if ((born < 0) | (end < born)).any():
        raise SavedModelError("a feature was last seen before it came")


def lives(count: Any, born: Ints, end: Ints) -> None:
    """Seen no more often than it can have been between birth and end."""
    in_order(born, end)
    if ((count < 0) | (count > end - born)).any():
        raise SavedModelError("a feature was seen more often than it can have been")
