"""What decides when a space begins, grows and ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints, Name
from fesl.recovery import Overlap
from fesl.spaces.registry import CURRENT, NEWCOMER, SURVIVOR, VANISHED, Registry


@dataclass(frozen=True)
class Sighting:
    """One event as the spaces see it: which known features it holds, and what stood beside what before.

    `overlap` are the rows that held newcomers, `past` those that the recovered model was learned from.
    """

    ids: Ints
    round: int
    registry: Registry
    overlap: Overlap
    past: Overlap | None

    @cached_property
    def _parts(self) -> list[int]:
        return list(np.bincount(self.registry.role[self.ids], minlength=5).tolist())

    def holds(self, *roles: int) -> bool:
        return any(self._parts[role] for role in roles)

    @property
    def old(self) -> bool:
        """A sample of the old space after the switch: a late label brought it, or the old space is back."""
        return self.holds(VANISHED) and not self.holds(CURRENT, NEWCOMER)

    @property
    def absent(self) -> Ints:
        """The current features that this event does not hold."""
        here = np.zeros(self.registry.capacity, bool)
        here[self.ids] = True
        current = self.registry.ids(CURRENT, SURVIVOR)
        return current[~here[current]]


@dataclass(frozen=True)
class Quiet:
    """Which events of an overlap bring about no turn, so that they need nobody's attention.

    For so many rounds (None: ever) those that hold newcomers, some of the features `ids`, any of `also` and nothing
    else of the space. With a `doubt` above zero, it ends where one of `ids` stays away: once so long an absence
    would have been less probable than that (see `Auto`).

    >>> Quiet(rounds=10, ids=np.array([0, 1])).doubt
    0.0
    """

    rounds: int | None
    ids: Ints
    doubt: float = 0.0
    also: Ints = field(default_factory=lambda: np.empty(0, np.int64))


class Spaces(Protocol):
    """Reads the coming and going of features. Stateless: all it may know is in the sighting."""

    #: Whether a feature that an event does not hold is a zero (words, clicks), not a gap (sensors).
    sparse: ClassVar[bool]

    def joins(self, names: list[Name], registry: Registry, round: int) -> npt.NDArray[np.bool_]:
        """Which names never seen before simply belong to the space that is there (the others are newcomers)."""

    def past(self, names: list[Name], registry: Registry) -> bool:
        """Whether names never seen before all belong to a space that is gone: a late sample brought them."""

    def gone(self, sighting: Sighting) -> Ints:
        """Which current features have vanished, now that this event came without them."""

    def back(self, sighting: Sighting) -> bool:
        """Whether a sample of the old space means that this space is back (it came late otherwise)."""

    def adopts(self, sighting: Sighting) -> bool:
        """Whether newcomers that have stood beside the old features for long join their space."""

    def overlapping(self, round: int) -> int:
        """For how many rounds from this one on it is certain, whatever they hold, that all new names are newcomers
        and that no turn comes but the return of what has vanished."""

    def quiet(self, registry: Registry, overlap: Overlap, round: int) -> Quiet | None:
        """Which events from this round on go on with the overlap that is open; None: each is to be looked at."""

    def steady(self, round: int) -> int | None:
        """For how many rounds from this one on the answer of `joins` cannot change (None: ever)."""
