"""Spaces read off each sample's own features: nothing is announced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints, Name
from fesl.recovery import Overlap
from fesl.spaces.base import Quiet, Sighting
from fesl.spaces.registry import CURRENT, NEWCOMER, SURVIVOR, Registry

#: Events without any known feature that it takes to believe in a change without overlap.
STRANGERS = 3

#: Old samples in a row that it takes to believe that the old space is back: until then each is taken for late.
RETURN = 20


@dataclass(frozen=True)
class Auto:
    """Features never seen before that stand beside known ones are newcomers: an overlap begins. It ends, and the
    space switches, when old features have vanished.

    A feature seen in c of the rounds of its life so far is expected with rate p = (c + 1/2) / (rounds + 1). It has
    vanished once an absence as long as the present one would have had a probability (1 - p)^length below
    `doubt`: a sensor that never missed a round is believed dead at once or after two rounds, one that blinks
    after several. All of them gone at once is believed at once if none had missed a round before (the paper's
    setting), else when their absences together are as improbable as that. With no overlap at all it takes
    three events in a row.

    A sample that holds only the old space after the switch was brought by a late label, unless the new features
    have been away so long (20 events at least) that they, too, count as vanished: then the old space is back.

    Newcomers that have stood beside the old features for `adopt_after` events without any of these vanishing
    join them (features that only ever appear); None: never, as in the paper.

    In sparse streams, where words come and go by nature, tell the spaces apart with `Declared` or `Periods`.

    >>> Auto().doubt
    0.001
    """

    doubt: float = 1e-3
    adopt_after: int | None = 200

    sparse: ClassVar[bool] = False

    def joins(self, names: list[Name], registry: Registry, round: int) -> npt.NDArray[np.bool_]:
        return np.full(len(names), not len(registry.ids(CURRENT, SURVIVOR)))

    def past(self, names: list[Name], registry: Registry) -> bool:
        return False

    def gone(self, sighting: Sighting) -> Ints:
        none = np.empty(0, np.int64)
        opened = sighting.holds(NEWCOMER)
        absent = sighting.absent
        if opened and not sighting.holds(CURRENT, SURVIVOR):
            return absent if self._all_gone(sighting, absent) else none
        rows = sighting.overlap if opened else sighting.past
        if rows is None or not len(absent):
            return none
        if not opened:
            absent = absent[sighting.registry.role[absent] == SURVIVOR]
        absent = absent[rows.observed(sighting.registry.capacity)[absent] > 0]
        gone: Ints = absent[self._surprise(sighting, absent) < np.log(self.doubt)]
        return gone

    def back(self, sighting: Sighting) -> bool:
        missing = sighting.absent[sighting.registry.role[sighting.absent] == CURRENT]
        away = sighting.round - sighting.registry.last[missing]
        return bool(((away >= RETURN) & (self._surprise(sighting, missing) < np.log(self.doubt))).all())

    def adopts(self, sighting: Sighting) -> bool:
        return self.adopt_after is not None and sighting.overlap.seen >= self.adopt_after

    def overlapping(self, round: int) -> int:
        return 0

    def quiet(self, registry: Registry, overlap: Overlap, round: int) -> Quiet | None:
        """What was not seen beside the newcomers yet, and is now, may vanish from then on: it is looked at."""
        space = registry.ids(CURRENT, SURVIVOR)
        seen = space[overlap.observed(registry.capacity)[space] > 0]
        rounds = None if self.adopt_after is None else self.adopt_after - overlap.seen - 1
        return Quiet(rounds, seen, self.doubt)

    def steady(self, round: int) -> int | None:
        return 1

    def _all_gone(self, sighting: Sighting, absent: Ints) -> bool:
        r = sighting.registry
        beside = absent[sighting.overlap.observed(r.capacity)[absent] > 0]
        if not len(beside):
            return bool((sighting.round - r.last[absent] >= STRANGERS).all())
        faithful = bool((r.count[beside] == r.last[beside] - r.born[beside] + 1).all())
        return faithful or float(self._surprise(sighting, beside).sum()) < np.log(self.doubt)

    def _surprise(self, sighting: Sighting, ids: Ints) -> Floats:
        """ln of the probability of an absence as long as the present one, at the rate seen before."""
        r = sighting.registry
        rate = (r.count[ids] + 0.5) / (r.last[ids] - r.born[ids] + 2.0)
        return np.asarray((sighting.round - r.last[ids]) * np.log1p(-rate))
