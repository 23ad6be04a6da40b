"""Evolvable: the features come in groups, one group after the other, with overlaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fesl._typing import Ints
from fesl.errors import ConfigError
from fesl.streams.base import Matrix, Span, Stream, matrix, named
from fesl.streams.phases import assemble
from fesl.streams.rows import Order, calendar, evenly, replay


def evolve(
    X: Matrix,
    y: npt.ArrayLike,
    *,
    groups: int = 2,
    overlap: int | float = 10,
    seed: int | np.random.Generator | None = None,
    order: Order = None,
    repeats: int = 1,
    features: Sequence[str] | None = None,
) -> Stream:
    """Split the features of one table into groups that follow each other.

    Parameters
    ----------
    X, y
        The table, dense or sparse, and its labels.
    groups
        How many groups, of equal size but for one feature.
    overlap
        An integer: that many rows before each switch show both groups, and the phases are of equal
        length (the paper's way). A float: the length of an overlap relative to that of the time in
        which a group is alone (OpenMOA's way, whose default is 1.0).
    seed
        Draw the groups at random; by default they are neighbours in the order of the columns.
    order, repeats
        See `replay`.
    features
        Names of the columns; by default `x0`, `x1`, ...

    Notes
    -----
    With a float this is the pattern of OpenMOA 1.0.1's `EvolvableStream(n_segments=groups,
    overlap_ratio=overlap)` and of its `OpenFeatureStream("eds")`: n rows make a lone time of
    L = n / (g + r (g - 1)) rows and overlaps of r L, both edges rounded down. The columns of the
    stream stand in the order of the groups.

    Examples
    --------
    >>> X = np.arange(12.0).reshape(6, 2)
    >>> print(evolve(X, np.ones(6), overlap=1).X.T)
    [[ 0.  2.  4. nan nan nan]
     [nan nan  5.  7.  9. 11.]]
    >>> evolve(np.ones((100, 6)), np.ones(100), groups=3, overlap=1.0).spans
    ((0, 40), (20, 80), (60, 100))
    """
    table = matrix(X)
    if not 2 <= groups <= table.shape[1]:
        raise ConfigError(f"{table.shape[1]} features cannot make {groups} groups")
    parts = _groups(table.shape[1], groups, seed)
    rows = replay(table.shape[0], order, repeats)
    names = features or named("x", table)
    spans = _spans(len(rows), groups, overlap)
    blocks = [table[:, part] for part in parts]
    ordered = [names[j] for part in parts for j in part]
    return assemble(blocks, range(groups), spans, y, rows, ordered, "evolve")


def _groups(d: int, groups: int, seed: int | np.random.Generator | None) -> list[Ints]:
    drawn = np.arange(d) if seed is None else np.random.default_rng(seed).permutation(d)
    return [np.sort(part) for part in np.array_split(drawn, groups)]


def _spans(n: int, groups: int, overlap: int | float) -> list[Span]:
    if isinstance(overlap, (int, np.integer)):
        return calendar(n, evenly(n, groups), int(overlap))
    if not overlap >= 0:
        raise ConfigError(f"an overlap cannot be {overlap}")
    alone = n / (groups + overlap * (groups - 1))
    stages = np.cumsum([alone, alone * overlap] * (groups - 1)).astype(int).tolist()
    # Stages alternate: a group alone, then two together; so a group lives for three of them.
    return list(zip([0, *stages[::2]], [*stages[1::2], n], strict=True))
