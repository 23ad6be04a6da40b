"""Any multi-view set becomes a stream: one view after the other, round and round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from fesl.errors import ConfigError
from fesl.streams.base import Matrix, Stream, matrix, named
from fesl.streams.phases import assemble
from fesl.streams.rows import Order, calendar, evenly, replay


def views(
    tables: Sequence[Matrix],
    y: npt.ArrayLike,
    *,
    overlap: int = 10,
    cycles: int = 1,
    order: Order = None,
    repeats: int = 1,
    features: Sequence[str] | None = None,
) -> Stream:
    """Phases of equal length, each showing one view; the next joins in the last `overlap` rows.

    Parameters
    ----------
    tables
        Two views or more of the same rows, dense or sparse. If any is sparse the stream is CSR, and
        a zero that a view does not store is an observed zero.
    y
        The labels.
    overlap
        How many rows before each switch show both views.
    cycles
        How often to go through the list of views: from the second time on, old features come back.
    order, repeats
        See `replay`.
    features
        Names of all columns, view by view; by default `s1x0`, ..., `s2x0`, ...

    Examples
    --------
    >>> import numpy as np
    >>> table = np.arange(1.0, 7.0)[:, None]
    >>> stream = views([table, 10 * table, 100 * table], np.ones(6), overlap=1)
    >>> print(stream.X.T)
    [[  1.   2.  nan  nan  nan  nan]
     [ nan  20.  30.  40.  nan  nan]
     [ nan  nan  nan 400. 500. 600.]]
    >>> views([table, 10 * table], np.ones(6), overlap=0, cycles=2).spans
    ((0, 1), (1, 3), (3, 4), (4, 6))
    """
    if len(tables) < 2 or cycles < 1:
        raise ConfigError("views needs two tables or more, and at least one cycle")
    blocks = [matrix(table) for table in tables]
    rows = replay(blocks[0].shape[0], order, repeats)
    phases = list(range(len(blocks))) * cycles
    spans = calendar(len(rows), evenly(len(rows), len(phases)), overlap)
    names = [name for k, block in enumerate(blocks, 1) for name in named(f"s{k}x", block)]
    return assemble(blocks, phases, spans, y, rows, features or names, "views")
