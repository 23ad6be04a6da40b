"""Tables in parts, and the runs of the parts as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fesl._typing import Floats
from fesl.evolving import Run
from fesl.tables import Table


def part(table: Table, start: int, stop: int) -> Table:
    """Some rows of a table.

    >>> from fesl.tables import as_table
    >>> part(as_table([[1.0], [2.0], [3.0]]), 1, 3).dense
    array([[2.],
           [3.]])
    """
    if start == 0 and stop == table.rows:
        return table
    if table.dense is not None:
        return Table(table.names, stop - start, table.dense[start:stop], table.ptr, table.cols, table.vals)
    ptr = table.ptr[start : stop + 1]
    at = slice(ptr[0], ptr[-1])
    return Table(table.names, stop - start, None, ptr - ptr[0], table.cols[at], table.vals[at])


def widened(rows: Floats, columns: int) -> Floats:
    """With more columns, of NaN.

    >>> widened(np.ones((1, 1)), 2)
    array([[ 1., nan]])
    """
    more = columns - rows.shape[1]
    return np.pad(rows, [(0, 0), (0, more)], constant_values=np.nan) if more > 0 else rows


def joined(runs: Sequence[Run]) -> Run:
    """One run of several that follow each other, without their detail."""
    width = max(run.scores.shape[1] for run in runs)
    scores = [widened(run.scores, width) for run in runs]
    known, last = np.concatenate([run.known for run in runs]), runs[-1]
    detail = np.zeros((0, 0, width)), np.zeros((0, 0))
    return Run(last.loss, np.concatenate(scores), *detail, last.labels, known, last.normal)
