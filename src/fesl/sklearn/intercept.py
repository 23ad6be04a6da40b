"""The intercept: a constant feature beside the columns, which no space takes notice of."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fesl._typing import Ints, Name
from fesl.recovery import Overlap
from fesl.spaces import FREE, Quiet, Registry, Sighting, Spaces

#: The name of the constant feature.
INTERCEPT = "(intercept)"


def with_intercept(X: Any) -> Any:
    """X, dense or sparse, with a column of ones appended.

    >>> with_intercept(np.array([[5.0], [7.0]]))
    array([[5., 1.],
           [7., 1.]])
    """
    ones = np.ones((X.shape[0], 1))
    stack: Any = sparse.hstack if sparse.issparse(X) else np.hstack
    return stack([X, ones])


def unnoticed(spaces: Spaces) -> Spaces:
    """The same spaces, blind to the constant feature.

    It is always there: seen, it would stand for an old space that never goes, and an overlap that never ends.
    """
    return cast(Spaces, _Blind(spaces, spaces.sparse))


@dataclass(frozen=True)
class _Blind:
    spaces: Spaces
    sparse: bool

    def joins(self, names: list[Name], registry: Registry, round: int) -> npt.NDArray[np.bool_]:
        joins = np.array([name == INTERCEPT for name in names], dtype=bool)
        others = [name for name in names if name != INTERCEPT]
        joins[~joins] = self.spaces.joins(others, _hidden(registry), round)
        return joins

    def past(self, names: list[Name], registry: Registry) -> bool:
        return self.spaces.past(names, registry)

    def gone(self, sighting: Sighting) -> Ints:
        return self.spaces.gone(_unseen(sighting))

    def back(self, sighting: Sighting) -> bool:
        return self.spaces.back(_unseen(sighting))

    def adopts(self, sighting: Sighting) -> bool:
        return self.spaces.adopts(_unseen(sighting))

    def overlapping(self, round: int) -> int:
        return self.spaces.overlapping(round)

    def quiet(self, registry: Registry, overlap: Overlap, round: int) -> Quiet | None:
        quiet, i = self.spaces.quiet(_hidden(registry), overlap, round), registry.index.get(INTERCEPT)
        return quiet if quiet is None or i is None else replace(quiet, also=np.append(quiet.also, i))

    def steady(self, round: int) -> int | None:
        return self.spaces.steady(round)


def _unseen(sighting: Sighting) -> Sighting:
    ids = sighting.ids[sighting.ids != sighting.registry.index.get(INTERCEPT, -1)]
    return replace(sighting, ids=ids, registry=_hidden(sighting.registry))


def _hidden(registry: Registry) -> Registry:
    """The registry with the constant feature playing no part."""
    i = registry.index.get(INTERCEPT)
    if i is None:
        return registry
    hidden = copy.copy(registry)
    hidden.role = registry.role.copy()
    hidden.role[i] = FREE
    return hidden
