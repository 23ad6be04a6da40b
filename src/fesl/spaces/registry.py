"""Who is who: names of features, their ids, and the part each one plays now."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fesl._typing import Bytes, Ints, Name

#: The parts a feature can play. A survivor is a current feature that the old model had too.
FREE, CURRENT, SURVIVOR, NEWCOMER, VANISHED = range(5)


class Registry:
    """Features by name and by id, with how often and when each was seen.

    Ids are small and reused: a feature that no model refers to any more is forgotten with its name, so a
    thousand cycles take no more memory than two.

    >>> r = Registry()
    >>> r.add(["a", "b"], CURRENT)
    array([0, 1])
    >>> r.release(np.array([0])); r.add(["c"], NEWCOMER)
    array([0])
    >>> r.index
    {'b': 1, 'c': 0}
    """

    __slots__ = ("born", "count", "free", "index", "last", "names", "role")

    def __init__(self, capacity: int = 16) -> None:
        self.index: dict[Name, int] = {}
        self.names: list[Name] = []
        self.free: list[int] = []
        self.role: Bytes = np.zeros(capacity, np.uint8)
        self.count: Ints = np.zeros(capacity, np.int64)
        self.born: Ints = np.zeros(capacity, np.int64)
        self.last: Ints = np.zeros(capacity, np.int64)

    @property
    def capacity(self) -> int:
        return len(self.role)

    def add(self, names: Iterable[Name], role: int, round: int = 0) -> Ints:
        """Register new names; returns their ids. May raise the capacity."""
        fresh = list(names)
        reused = [self.free.pop() for _ in range(min(len(self.free), len(fresh)))]
        top = len(self.names)
        ids = np.arange(top, top + len(fresh) - len(reused))
        if reused:
            ids = np.concatenate([np.array(reused), ids])
        self.names.extend(fresh[len(reused) :])
        for i, name in zip(reused, fresh, strict=False):
            self.names[i] = name
        self.index.update(zip(fresh, ids.tolist(), strict=True))
        if len(self.names) > self.capacity:
            self._reserve(max(2 * self.capacity, len(self.names)))
        self.role[ids] = role
        self.count[ids] = 0
        self.born[ids] = round
        self.last[ids] = round - 1
        return ids

    def _reserve(self, capacity: int) -> None:
        for field in ("role", "count", "born", "last"):
            old = getattr(self, field)
            new = np.zeros(capacity, old.dtype)
            new[: len(old)] = old
            setattr(self, field, new)

    def release(self, ids: Ints) -> None:
        """Forget features that nothing refers to any more."""
        for i in ids.tolist():
            del self.index[self.names[i]]
            self.free.append(i)
        self.role[ids] = FREE

    def ids(self, *roles: int) -> Ints:
        """The ids that play one of these parts."""
        plays = np.zeros(VANISHED + 1, bool)
        plays[list(roles)] = True
        return np.flatnonzero(plays[self.role])

    def see(self, ids: Ints, round: int) -> None:
        """Count a sighting."""
        self.count[ids] += 1
        self.last[ids] = round

    def copy(self) -> Registry:
        twin = Registry.__new__(Registry)
        twin.index, twin.names, twin.free = self.index.copy(), self.names.copy(), self.free.copy()
        for field in ("role", "count", "born", "last"):
            setattr(twin, field, getattr(self, field).copy())
        return twin
