"""Capricious: at every row each feature is there or not, by the toss of a coin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fesl.errors import ConfigError
from fesl.streams.base import Stream, frozen, named, observed_only, paired
from fesl.streams.rows import Order, replay


def capricious(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    missing: float = 0.5,
    least: int = 1,
    seed: int | np.random.Generator = 0,
    order: Order = None,
    repeats: int = 1,
    features: Sequence[str] | None = None,
) -> Stream:
    """Hide each cell with probability `missing`, independently of all others.

    Parameters
    ----------
    X, y
        The table (dense; cells not observed stay so) and its labels.
    missing
        The probability that a feature is absent from a row.
    least
        A row left with fewer features than this gets exactly so many, drawn afresh.
    seed
        For the coin.
    order, repeats
        See `replay`.
    features
        Names of the columns; by default `x0`, `x1`, ...

    Notes
    -----
    The pattern of OpenMOA 1.0.1's `CapriciousStream(missing_ratio=missing, min_features=least)`,
    whose defaults these are, and of its `OpenFeatureStream("cds")`. The draws themselves are ours.

    Examples
    --------
    >>> stream = capricious(np.ones((1000, 4)), np.ones(1000), missing=0.3, seed=1)
    >>> round(float(stream.mask().mean()), 2), int(stream.mask().sum(axis=1).min())
    (0.7, 1)
    """
    table, labels = paired(X, y)
    if not (0 <= missing <= 1 and 0 <= least <= table.shape[1]):
        raise ConfigError("missing is a probability, least a number of features")
    rng, rows = np.random.default_rng(seed), replay(len(table), order, repeats)
    alive = rng.random((len(rows), table.shape[1])) > missing
    poor = np.flatnonzero(alive.sum(axis=1) < least)
    ranks = rng.random((len(poor), table.shape[1])).argsort(axis=1).argsort(axis=1)
    alive[poor] = ranks < least
    return Stream(
        X=observed_only(table[rows], alive),
        y=frozen(labels[rows]),
        features=tuple(features or named("x", table)),
        spaces=(np.arange(table.shape[1]),),
        spans=((0, len(rows)),),
        name="capricious",
    )
