"""Spaces told by the number of the round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints, Name
from fesl.errors import ConfigError
from fesl.recovery import Overlap
from fesl.spaces.base import Quiet, Sighting
from fesl.spaces.registry import CURRENT, NEWCOMER, SURVIVOR, Registry


@dataclass(frozen=True)
class Periods:
    """`overlaps` are the rounds (start, stop), counted from 0, in which old and new features stand side by side:
    the paper's (T1 - B, T1). Within one, names never seen before are newcomers; at `stop` the old features are
    gone, but for those the event still holds; at any other time new names simply belong to the space.

    >>> Periods([(335, 345)]).inside(340), Periods([(335, 345)]).inside(345)
    (True, False)
    """

    overlaps: Sequence[tuple[int, int]]

    sparse: ClassVar[bool] = True

    def __post_init__(self) -> None:
        edges = [edge for overlap in self.overlaps for edge in overlap]
        if edges != sorted(set(edges)) or (edges and edges[0] < 0):
            raise ConfigError(f"Periods({list(self.overlaps)!r}): the (start, stop) rounds must increase from 0 on")

    def inside(self, round: int) -> bool:
        return self.overlapping(round) > 0

    def joins(self, names: list[Name], registry: Registry, round: int) -> npt.NDArray[np.bool_]:
        opened = self.inside(round) or bool((registry.role == NEWCOMER).any())
        return np.full(len(names), not opened)

    def past(self, names: list[Name], registry: Registry) -> bool:
        return False

    def gone(self, sighting: Sighting) -> Ints:
        if self.inside(sighting.round) or not sighting.holds(NEWCOMER):
            return np.empty(0, np.int64)
        return sighting.absent

    def back(self, sighting: Sighting) -> bool:
        return False

    def adopts(self, sighting: Sighting) -> bool:
        return not self.inside(sighting.round)

    def overlapping(self, round: int) -> int:
        return next((stop - round for start, stop in self.overlaps if start <= round < stop), 0)

    def quiet(self, registry: Registry, overlap: Overlap, round: int) -> Quiet | None:
        return Quiet(self.overlapping(round), registry.ids(CURRENT, SURVIVOR))

    def steady(self, round: int) -> int | None:
        edges = [edge - round for overlap in self.overlaps for edge in overlap if edge > round]
        return min(edges, default=None)
