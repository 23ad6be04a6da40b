"""Spaces told by the name of each feature."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints, Name
from fesl.recovery import Overlap
from fesl.spaces.base import Quiet, Sighting
from fesl.spaces.registry import CURRENT, NEWCOMER, SURVIVOR, VANISHED, Registry


@dataclass(frozen=True)
class Declared:
    """`space_of` says which space a feature belongs to: a mapping or a function from names to anything hashable.
    None, or a name the mapping does not hold, is a feature of every space.

    The right choice for sparse streams (words, clicks), where an absent feature is a zero and says nothing about
    its life: the switch comes with the first event that holds features of a new space and none of the old one.

    >>> views = Declared(lambda name: name.split(":")[0])
    >>> views.label("en:bank")
    'en'
    """

    space_of: Mapping[Name, Hashable] | Callable[[Name], Hashable]

    sparse: ClassVar[bool] = True

    def label(self, name: Name) -> Hashable:
        return self.space_of(name) if callable(self.space_of) else self.space_of.get(name)

    def joins(self, names: list[Name], registry: Registry, round: int) -> npt.NDArray[np.bool_]:
        current = self._current(registry)
        labels = [self.label(name) for name in names]
        if current is None:
            current = next((label for label in labels if label is not None), None)
        return np.array([label is None or label == current for label in labels], dtype=bool)

    def past(self, names: list[Name], registry: Registry) -> bool:
        gone = {self.label(registry.names[i]) for i in registry.ids(VANISHED)}
        return all(self.label(name) in gone for name in names) and not self.joins(names, registry, 0).any()

    def gone(self, sighting: Sighting) -> Ints:
        r = sighting.registry
        here = (self.label(r.names[i]) for i in sighting.ids if r.role[i] in (CURRENT, SURVIVOR))
        if not sighting.holds(NEWCOMER) or any(label is not None for label in here):
            return np.empty(0, np.int64)
        return self._labelled(r)

    def back(self, sighting: Sighting) -> bool:
        return False

    def adopts(self, sighting: Sighting) -> bool:
        return False

    def overlapping(self, round: int) -> int:
        return 0

    def quiet(self, registry: Registry, overlap: Overlap, round: int) -> Quiet | None:
        """One feature of the space that is there is enough: those of the last row are known to be of it. Where rows
        hold other features each time, as documents do, there is nothing to be said of the next."""
        if not overlap.alike:
            return None
        last = overlap.last.idx
        here = last[(registry.role[last] == CURRENT) | (registry.role[last] == SURVIVOR)]
        labelled = np.array([self.label(registry.names[i]) is not None for i in here], dtype=bool)
        return Quiet(None, here[labelled], also=here[~labelled])

    def steady(self, round: int) -> int | None:
        return None

    def _labelled(self, registry: Registry) -> Ints:
        ids = registry.ids(CURRENT, SURVIVOR)
        return ids[[self.label(registry.names[i]) is not None for i in ids]]

    def _current(self, registry: Registry) -> Hashable:
        """The label of the space that is there: that of its own features before that of survivors."""
        ids = (*registry.ids(CURRENT), *registry.ids(SURVIVOR))
        labels = (self.label(registry.names[i]) for i in ids)
        return next((label for label in labels if label is not None), None)
