"""The one builder behind every stream whose spaces follow each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.errors import DataError
from fesl.streams.base import Matrix, Span, Stream, columns, frozen, is_sparse
from fesl.streams.rows import meetings


def assemble(
    views: Sequence[Matrix],
    phases: Sequence[int],
    spans: list[Span],
    y: npt.ArrayLike,
    rows: Ints,
    features: Sequence[str],
    name: str,
) -> Stream:
    """The views side by side, phase k showing view `phases[k]` during the rows `spans[k]`."""
    labels = np.asarray(y)
    if len({view.shape[0] for view in views} | {len(labels)}) > 1:
        sizes = [view.shape[0] for view in views]
        raise DataError(f"views of {sizes} rows and {len(labels)} labels do not go together")
    blocks = columns(views)
    fill = _sparse if any(is_sparse(view) for view in views) else _dense
    return Stream(
        X=frozen(fill(views, phases, spans, rows)),
        y=frozen(labels[rows]),
        features=tuple(features),
        spaces=tuple(blocks[view] for view in phases),
        spans=tuple(spans),
        overlaps=meetings(spans),
        switches=tuple(stop for _, stop in spans if stop < len(rows)),
        name=name,
    )


def _dense(views: Sequence[Matrix], phases: Sequence[int], spans: list[Span], rows: Ints) -> Floats:
    blocks = columns(views)
    X = np.full((len(rows), sum(view.shape[1] for view in views)), np.nan)
    for view, (start, stop) in zip(phases, spans, strict=True):
        X[start:stop, blocks[view]] = views[view][rows[start:stop]]
    return X


def _sparse(views: Sequence[Matrix], phases: Sequence[int], spans: list[Span], rows: Ints) -> Matrix:
    """Each view times a selector that has a one where a living row takes its data from."""
    blocks = []
    for number, view in enumerate(views):
        alive = np.zeros(len(rows), dtype=bool)
        for phase, (start, stop) in zip(phases, spans, strict=True):
            alive[start:stop] |= phase == number
        at = np.flatnonzero(alive)
        shape = (len(rows), view.shape[0])
        picked = sparse.csr_matrix((np.ones(len(at)), (at, rows[at])), shape=shape)
        blocks.append(picked @ sparse.csr_matrix(view))
    return sparse.csr_matrix(sparse.hstack(blocks, format="csr"))
