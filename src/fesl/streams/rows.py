"""The order of the rows, and the calendar of the spaces."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints
from fesl.errors import ConfigError
from fesl.streams.base import Span

#: None: as they come; an integer or a generator: a random permutation; else the row numbers.
Order: TypeAlias = int | np.random.Generator | npt.ArrayLike | None


def replay(n: int, order: Order = None, repeats: int = 1) -> Ints:
    """The row numbers of a stream made of n rows, in `order`, gone through `repeats` times.

    One honest pass (`repeats=1`) does not give the paper's table; nine passes through the same
    permutation, cut in half, do. The nine was found by fitting that table: say so where shown.

    Parameters
    ----------
    n
        How many rows there are.
    order
        None for the order they come in, a seed or a generator for a random one, or the row numbers.
    repeats
        How many times to go through them.

    Examples
    --------
    >>> replay(3, repeats=2)
    array([0, 1, 2, 0, 1, 2])
    >>> replay(3, order=[2, 0, 1])
    array([2, 0, 1])
    >>> replay(5, order=7).tolist() == replay(5, order=7).tolist()
    True
    """
    if repeats < 1:
        raise ConfigError(f"repeats must be at least 1, not {repeats}")
    if order is None:
        rows = np.arange(n)
    elif isinstance(order, (int, np.integer, np.random.Generator)):
        rows = np.random.default_rng(order).permutation(n)
    else:
        rows = np.asarray(order)
    if rows.ndim != 1 or not ((rows >= 0) & (rows < n)).all():
        raise ConfigError(f"order must list row numbers from 0 to {n - 1}")
    return np.tile(rows.astype(np.int64), repeats)


def calendar(n: int, switches: list[int], overlap: int) -> list[Span]:
    """The spans of spaces that follow each other: each comes `overlap` rows before the last goes.

    >>> calendar(10, [5], overlap=2)
    [(0, 5), (3, 10)]
    """
    starts = [0, *(switch - overlap for switch in switches)]
    stops = [*switches, n]
    if overlap < 0 or any(b < a for a, b in pairwise(starts)):
        raise ConfigError(f"an overlap of {overlap} does not fit between switches at {switches}")
    if min(stops) <= 0 or any(b <= a for a, b in pairwise(stops)):
        raise ConfigError(f"switches at {switches} do not fit into {n} rows")
    return list(zip(starts, stops, strict=True))


def evenly(n: int, phases: int) -> list[int]:
    """The rows at which `phases` phases of equal length meet.

    >>> evenly(10, 4)
    [2, 5, 7]
    """
    return [k * n // phases for k in range(1, phases)]


def meetings(spans: list[Span]) -> tuple[Span, ...]:
    """Where each space and the next are both there.

    >>> meetings([(0, 5), (3, 10), (10, 12)])
    ((3, 5),)
    """
    return tuple((b[0], a[1]) for a, b in pairwise(spans) if b[0] < a[1])
