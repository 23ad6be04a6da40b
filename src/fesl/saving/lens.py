"""A recovered model and its lens."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from fesl.errors import SavedModelError
from fesl.models import RecoveredModel
from fesl.recovery import Columns, LeastSquaresLens, Overlap
from fesl.recovery.lens import Block
from fesl.saving.checks import below, distinct, pointers
from fesl.saving.document import Document, Section, all_known, whole
from fesl.saving.fields import Array, Dims, Field, Scalar, floats, ints, names_of, put, put_array, take, take_array

#: What both kinds of model hold; `num` is scale and squared norm.
LINEAR: tuple[Field, ...] = (*floats("W", "cap", "K"), *floats("num", 2), Scalar("learns", bool))
#: m coordinates of phi, V vanished features.
RECOVERED: tuple[Field, ...] = (
    *LINEAR,
    *floats("C q", "m", "K"),
    *floats("W0", "V", "K"),
    *floats("passes", "cap", low=0.0, high=1.0),
)
VANISHED = Array("vanished", "i8", ("V",), low=0)
H = Array("H", "f8", ("m", "m"), any_order=True)
LIFT = Array("lift", "f8", ("m", "B"), any_order=True)
DENSE = Array("dense", "f8", ("cap", "B"))
SPARSE = (*ints("ptr", "cap+1", low=0), *ints("rows", "entries", low=0), *floats("vals", "entries"))
BLOCK = (Array("features", "i8", ("f",), low=0), Array("T", "f8", ("r", "R"), any_order=True))
O1 = (*floats("data", "n"), *ints("indices", "n", low=0), *ints("indptr", "R+1", low=0))


def put_recovered(doc: Document, where: str, model: RecoveredModel, dims: Dims) -> dict[str, Any]:
    body: dict[str, Any] = {}
    lens = model.lens
    if type(lens) is not LeastSquaresLens:
        raise SavedModelError(f"a recovery of the kind {type(lens).__name__} cannot be saved")
    all_known(model, names_of(RECOVERED) | {"lens"})
    all_known(lens, {"vanished", "columns", "size", "H", "blocks", "lift"})
    all_known(lens.columns, {"size", "dense", "ptr", "rows", "vals"})
    dims = {**dims, "cap+1": dims["cap"] + 1, "m": lens.size, "B": lens.columns.size}
    put(doc, body, where, model, RECOVERED, dims)
    put_array(doc, where, VANISHED, lens.vanished, dims)
    for field, value in ((H, lens.H), (LIFT, lens.lift), (DENSE, lens.columns.dense)):
        if value is not None:
            put_array(doc, where, field, value, dims)
    if lens.columns.dense is None:
        put(doc, body, where, lens.columns, SPARSE, dims)
    for i, block in enumerate(lens.blocks):
        _put_block(doc, f"{where}.block.{i}", block)
    return {**body, "phi": lens.size, "columns": lens.columns.size, "blocks": len(lens.blocks)}


def take_recovered(doc: Document, section: Section, where: str, dims: Dims, past: Overlap | None) -> RecoveredModel:
    m, B = section.count("phi"), section.count("columns")
    if past is None or len(past) < B:
        raise SavedModelError(f"{where} is learned from more overlap rows than there are")
    dims = {**dims, "cap+1": dims["cap"] + 1, "m": m, "B": B}
    values = take(doc, section, where, RECOVERED, dims)
    vanished = take_array(doc, where, VANISHED, dims)
    below(f"{where}.vanished", vanished, dims["cap"])
    distinct(f"{where}.vanished", vanished)
    H_, lift, dense = (
        take_array(doc, where, field, dims) if f"{where}.{field.name}" in doc.arrays else None
        for field in (H, LIFT, DENSE)
    )
    if (H_ is None and m != len(vanished)) or (lift is None and m != B):
        raise SavedModelError(
            f"{where}: {m} coordinates, {B} columns and {len(vanished)} vanished features do not go together"
        )
    blocks = _take_blocks(doc, where, section.count("blocks"), len(vanished), None if H_ is None else m)
    section.close()
    model = RecoveredModel.__new__(RecoveredModel)
    for name, value in values.items():
        setattr(model, name, value)
    model.lens = LeastSquaresLens(vanished, _take_columns(doc, where, dense, dims), m, H_, blocks, lift)
    return model


def _take_columns(doc: Document, where: str, dense: Any, dims: Dims) -> Columns:
    """P by feature id: one row each, or compressed."""
    if dense is not None:
        return Columns(dims["B"], dense, np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))
    found = take(doc, Section(where, {}), where, SPARSE, dims)
    pointers(f"{where}.ptr", found["ptr"], len(found["rows"]))
    below(f"{where}.rows", found["rows"], dims["B"])
    return Columns(dims["B"], None, **found)


def _put_block(doc: Document, where: str, block: Block) -> None:
    all_known(block, {"features", "T", "o1"})
    dims: Dims = {}
    put(doc, {}, where, block, BLOCK, dims)
    o1 = block.o1
    dims["R+1"] = dims["R"] + 1
    for field, value in zip(O1, (o1.data, whole(o1.indices), whole(o1.indptr)), strict=True):
        put_array(doc, where, field, value, dims)


def _take_blocks(doc: Document, where: str, many: int, vanished: int, m: int | None) -> tuple[Block, ...]:
    """Groups of vanished features, each with T (m x R; of no use where H is None) and O1 (R x f)."""
    if f"{where}.block.{many}.T" in doc.arrays or (many and f"{where}.block.{many - 1}.T" not in doc.arrays):
        raise SavedModelError(f"{where} does not hold {many} blocks")
    blocks = []
    for i in range(many):
        here, dims = f"{where}.block.{i}", {} if m is None else {"r": m}
        found = take(doc, Section(here, {}), here, BLOCK, dims)
        below(f"{here}.features", found["features"], vanished)
        dims["R+1"] = dims["R"] + 1
        o1 = take(doc, Section(here, {}), here, O1, dims)
        pointers(f"{here}.indptr", o1["indptr"], len(o1["indices"]))
        below(f"{here}.indices", o1["indices"], dims["f"])
        shape = dims["R"], dims["f"]
        matrix = sparse.csr_array((o1["data"], o1["indices"], o1["indptr"]), shape=shape)
        blocks.append(Block(found["features"], found["T"], matrix))
    return tuple(blocks)
