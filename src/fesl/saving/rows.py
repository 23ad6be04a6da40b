"""Rows of unequal length, packed: overlap rows, and the rows a wide learner keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fesl._typing import Floats, Ints
from fesl.errors import SavedModelError
from fesl.models import LIMIT, Point
from fesl.recovery import Overlap
from fesl.saving.checks import below, pointers
from fesl.saving.document import Document, Section, all_known, whole
from fesl.saving.fields import Array, Dims, put_array, take_array

PTR = Array("ptr", "i8", ("rows+1",), low=0)
IDX = Array("idx", "i8", ("entries",), low=0)
VAL = Array("val", "f8", ("entries",), low=-LIMIT, high=LIMIT)


def put_points(doc: Document, where: str, points: Sequence[tuple[Ints, Floats]]) -> None:
    """Row i is `idx[ptr[i]:ptr[i + 1]]`, with the values `val` there."""
    dims: Dims = {}
    ptr = np.cumsum([0, *(len(idx) for idx, _ in points)])
    put_array(doc, where, PTR, whole(ptr), dims)
    put_array(doc, where, IDX, _joined([whole(idx) for idx, _ in points], np.int64), dims)
    put_array(doc, where, VAL, _joined([val for _, val in points], np.float64), dims)


def take_points(doc: Document, where: str, top: int) -> list[Point]:
    """The rows; ids are below `top`."""
    dims: Dims = {}
    ptr = take_array(doc, where, PTR, dims)
    idx, val = take_array(doc, where, IDX, dims), take_array(doc, where, VAL, dims)
    pointers(f"{where}.ptr", ptr, len(idx))
    below(f"{where}.idx", idx, top)
    return [
        Point(idx[a:b].copy(), val[a:b].copy()) for a, b in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)
    ]


def put_overlap(doc: Document, where: str, overlap: Overlap) -> dict[str, int]:
    all_known(overlap, {"_points", "rows", "seen"})
    put_points(doc, where, list(overlap))
    return {"seen": overlap.seen}


def take_overlap(doc: Document, section: Section, where: str, rows: int, capacity: int) -> Overlap:
    overlap = Overlap(rows)
    overlap._points.extend(take_points(doc, where, capacity))
    overlap.seen = section.count("seen")
    section.close()
    if overlap.seen < len(overlap):
        raise SavedModelError(f"{where} holds more rows than it saw")
    return overlap


def _joined(arrays: Iterable[Ints | Floats], dtype: type) -> Ints | Floats:
    return np.concatenate([np.empty(0, dtype), *arrays])
