"""Trapezoidal: features only ever appear."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints
from fesl.errors import ConfigError
from fesl.streams.base import Stream, frozen, named, observed_only, paired
from fesl.streams.rows import Order, replay


def trapezoidal(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    steps: int = 10,
    seed: int | np.random.Generator | None = None,
    order: Order = None,
    repeats: int = 1,
    features: Sequence[str] | None = None,
) -> Stream:
    """Cut the rows into `steps` stages; some features are born at the start of each, and stay.

    Each stage's newborns are a space. Nothing ever goes: there are no overlaps and no switches.

    Parameters
    ----------
    X, y
        The table (dense) and its labels.
    steps
        How many stages; the first starts with its share of the features, the last has them all.
    seed
        Deal the features out at random; by default they are born in the order of the columns.
    order, repeats
        See `replay`.
    features
        Names of the columns; by default `x0`, `x1`, ...

    Notes
    -----
    This is the pattern of OpenMOA 1.0.1's `OpenFeatureStream("tds")`, where `steps` is always ten:
    a stage is `n // steps` rows long; with a seed (its mode "random") the features, in random
    order, are dealt to the stages in turn; without one ("ordered") feature j of d is born in stage
    `j * steps // d`. The draws themselves are ours. Its `TrapezoidalStream` has no stages: the
    number of features grows linearly from `d_min` to d, one at a time; `steps=d` is its like.

    Examples
    --------
    >>> X = np.arange(12.0).reshape(6, 2)
    >>> print(trapezoidal(X, np.ones(6), steps=2).X.T)
    [[ 0.  2.  4.  6.  8. 10.]
     [nan nan nan  7.  9. 11.]]
    """
    table, labels = paired(X, y)
    if steps < 1:
        raise ConfigError(f"steps must be at least 1, not {steps}")
    rows = replay(len(table), order, repeats)
    births = stages(table.shape[1], steps, seed) * (len(rows) // steps)
    alive = np.arange(len(rows))[:, None] >= births
    born = sorted(set(births.tolist()))
    return Stream(
        X=observed_only(table[rows], alive),
        y=frozen(labels[rows]),
        features=tuple(features or named("x", table)),
        spaces=tuple(np.flatnonzero(births == birth) for birth in born),
        spans=tuple((birth, len(rows)) for birth in born),
        name="trapezoidal",
    )


def stages(d: int, steps: int, seed: int | np.random.Generator | None) -> Ints:
    """The stage in which each feature is born.

    >>> stages(6, 3, seed=None)
    array([0, 0, 1, 1, 2, 2])
    >>> np.bincount(stages(6, 3, seed=0))
    array([2, 2, 2])
    """
    if seed is None:
        return np.arange(d) * steps // d
    born = np.empty(d, dtype=np.int64)
    born[np.random.default_rng(seed).permutation(d)] = np.arange(d) % steps
    return born
