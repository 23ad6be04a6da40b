"""Staggered: the newcomers arrive together, then the old features die one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints
from fesl.errors import ConfigError
from fesl.streams.base import Stream, columns, frozen, named, observed_only, paired
from fesl.streams.rows import Order, calendar, replay


def staggered(
    X1: npt.ArrayLike,
    X2: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    overlap: int = 10,
    switch: int | None = None,
    last: int | None = None,
    seed: int | np.random.Generator | None = None,
    order: Order = None,
    repeats: int = 1,
) -> Stream:
    """X2 arrives whole, `overlap` rows before `switch`; X1 dies piecemeal from `switch` to `last`.

    Parameters
    ----------
    X1, X2, y
        The old space, the new space (dense) and the labels.
    overlap
        How many rows show both spaces whole.
    switch
        The row at which the first old feature is gone; by default half of the stream.
    last
        The row at which the last one is; by default half of what is left.
    seed
        Let them die in random order; by default they do in the order of the columns.
    order, repeats
        See `replay`.

    Examples
    --------
    >>> X = np.arange(18.0).reshape(6, 3)
    >>> stream = staggered(X, X[:, :1], np.ones(6), overlap=1, switch=2, last=4)
    >>> print(stream.X.T)
    [[ 0.  3. nan nan nan nan]
     [ 1.  4.  7. nan nan nan]
     [ 2.  5.  8. 11. nan nan]
     [nan  3.  6.  9. 12. 15.]]
    >>> stream.overlaps, stream.switches
    (((1, 2),), (2, 3, 4))
    """
    (old, labels), (new, _) = paired(X1, y), paired(X2, y)
    rows = replay(len(old), order, repeats)
    n = len(rows)
    switch = n // 2 if switch is None else switch
    deaths = _deaths(old.shape[1], switch, (switch + n) // 2 if last is None else last, n, seed)
    arrival = calendar(n, [switch], overlap)[1][0]
    time = np.arange(n)[:, None]
    alive = np.hstack([time < deaths, np.repeat(time >= arrival, new.shape[1], axis=1)])
    return Stream(
        X=observed_only(np.hstack([old[rows], new[rows]]), alive),
        y=frozen(labels[rows]),
        features=(*named("s1x", old), *named("s2x", new)),
        spaces=tuple(columns([old, new])),
        spans=((0, int(deaths.max())), (arrival, n)),
        overlaps=((arrival, switch),),
        switches=tuple(sorted(set(deaths.tolist()))),
        name="staggered",
    )


def _deaths(d: int, first: int, last: int, n: int, seed: int | np.random.Generator | None) -> Ints:
    if not first <= last <= n:
        raise ConfigError(f"the old features cannot die between rows {first} and {last} of {n}")
    at = np.linspace(first, last, d).astype(np.int64)
    return at if seed is None else np.random.default_rng(seed).permutation(at)
