"""The state of the default learner with diagonal covariances. A new field of `WideState` is one line in `STATE`.

The narrow state inside, if there is one, is a document in the document: its body is `inside`, and its arrays have
their names after `inside/`.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from fesl._typing import Ints
from fesl.errors import SavedModelError
from fesl.models import LIMIT
from fesl.portfolio.constants import ROWS, WIDE_EXPERTS, beside
from fesl.portfolio.state import State
from fesl.portfolio.wide.state import WideRow, WideState
from fesl.saving import narrow, values
from fesl.saving.checks import below, in_order, placed
from fesl.saving.document import Document, Section, all_known, whole
from fesl.saving.evolving import INDEX, UNUSED
from fesl.saving.fields import Array, Dims, Field, Scalar, floats, ints, names_of, put, put_array, take, take_array
from fesl.saving.rows import put_points, take_points
from fesl.saving.shelf import COMMON, dims_of, put_account, sound, take_account

#: Room for `cap` places.
STATE: tuple[Field, ...] = (
    *floats("mean level", "cap"),
    *floats("q count moves", "cap", low=0.0),
    *ints("born last", "cap"),
    Array("asleep", "b1", ("cap",)),
    Array("steady", "b1", ("cap",)),
    Array("followed", "b1", ("cap",)),
    *floats("w", "cap", "E", "K"),
    *floats("P", "cap", "E", low=0.0),
    *floats("H", "cap", "K", low=0.0),
    *COMMON,
    Scalar("version", int),
    Scalar("centred", bool),
    Scalar("expect", float),
    Scalar("missed", int),
    Scalar("misses", int),
    Scalar("spells", int),
    Scalar("settle", int),
    Scalar("look", int),
)
#: What is settled by the rest, or saved in its own way.
OTHERS = {
    "regression",
    "outputs",
    "experts",
    "names",
    "index",
    "free",
    "dead",
    "suggested",
    "rows",
    "account",
    "inner",
}
INSIDE = "inside/"
TAUGHT = (
    Array("taught", "b1", ("kept",)),
    *floats("S", "kept", low=0.0),
    *floats("F", "with F", "K"),
    Array("y", "f8", ("kept", "Y"), -LIMIT, LIMIT, gaps=True),
)


def encode(doc: Document, st: WideState) -> dict[str, Any]:
    all_known(st, names_of(STATE) | OTHERS)
    if st.dead:
        raise SavedModelError("a wide state has no shelf of vanished features")
    body: dict[str, Any] = {}
    dims = dims_of(st.regression, st.outputs, wide=True, inside=st.inner is not None)
    ids = whole(list(st.index.values()))
    _plausible(vars(st), ids)
    put(doc, body, "state", st, STATE, dims)
    put_account(doc, st.account, dims)
    put_array(doc, "state", INDEX, ids, {})
    put_array(doc, "state", UNUSED, whole(st.free), {})
    _encode_rows(doc, list(st.rows), dims)
    body["names"] = values.encode_all(st.names[1:], "a feature")
    body["inside"] = _encode_inner(doc, st)
    return body


def decode(doc: Document, section: Section, regression: bool, outputs: int) -> WideState:
    inner = _decode_inner(doc, section, regression, outputs)
    dims = dims_of(regression, outputs, wide=True, inside=inner is not None)
    found = take(doc, section, "state", STATE, dims)
    names = [None, *values.decode_all(section.typed("names", list), "state.names")]
    section.close()
    ids, free = take_array(doc, "state", INDEX, {}), take_array(doc, "state", UNUSED, {})
    placed("state", ids, free, names, dims["cap"], first=1)
    _plausible(found, ids)
    st = WideState.__new__(WideState)
    for name, value in found.items():
        setattr(st, name, value)
    st.regression, st.outputs = regression, outputs
    st.experts = tuple(e.name for e in WIDE_EXPERTS) + beside(regression, wide=True, inside=inner is not None)
    st.inner = inner
    st.names, st.free, st.dead = names, free.tolist(), {}
    st.index = {names[j]: j for j in ids.tolist()}
    st.account = take_account(doc, dims)
    st.rows = deque(_decode_rows(doc, len(names), dims), maxlen=ROWS)
    return st


def _encode_inner(doc: Document, st: WideState) -> dict[str, Any] | None:
    if st.inner is None:
        return None
    part = Document(doc.kind, {})
    body = narrow.encode(part, st.inner)
    doc.arrays.update((INSIDE + name, array) for name, array in part.arrays.items())
    return body


def _decode_inner(doc: Document, section: Section, regression: bool, outputs: int) -> State | None:
    body = section.take("inside")
    if body is None:
        return None
    names = [name for name in doc.arrays if name.startswith(INSIDE)]
    part = Document(doc.kind, {}, {}, {name.removeprefix(INSIDE): doc.arrays.pop(name) for name in names})
    inner = narrow.decode(part, Section("state.inside", body), regression, outputs)
    doc.arrays.update((INSIDE + name, array) for name, array in part.arrays.items())  # nobody asked for these
    return inner


def _plausible(found: dict[str, Any], ids: Ints) -> None:
    sound(found)
    in_order(found["born"][ids], found["last"][ids] + 1)


def _encode_rows(doc: Document, rows: list[WideRow], dims: Dims) -> None:
    for row in rows:
        all_known(row, {"F", "S", "idx", "val", "y"})
    put_points(doc, "rows", [(row.idx, row.val) for row in rows])
    taught = np.array([row.F is not None for row in rows], bool)
    dims = {**dims, "kept": len(rows), "with F": int(taught.sum())}
    F = np.array([row.F for row in rows if row.F is not None]).reshape(dims["with F"], dims["K"])
    S = np.array([row.S for row in rows], np.float64)
    y = np.array([row.y or (np.nan,) * dims["Y"] for row in rows], np.float64).reshape(len(rows), dims["Y"])
    for field, value in zip(TAUGHT, (taught, S, F, y), strict=True):
        put_array(doc, "rows", field, value, dims)


def _decode_rows(doc: Document, top: int, dims: Dims) -> list[WideRow]:
    points = take_points(doc, "rows", top)
    dims = {**dims, "kept": len(points)}
    taught, S, F, Y = (take_array(doc, "rows", field, dims) for field in TAUGHT)
    if len(F) != taught.sum() or len(points) > ROWS:
        raise SavedModelError("rows: what was taught does not fit the rows")
    labels = [None if y[0] != y[0] else y for y in Y.tolist()]
    if not dims["T"] and not np.isin(Y[~np.isnan(Y)], np.arange(dims["K"])).all():
        raise SavedModelError("rows.y: a kept row has a class that is not known")
    rows = [WideRow(idx, val, y) for (idx, val), y in zip(points, labels, strict=True)]
    for row in rows:
        below("rows.idx", row.idx, top, 1)
    for row, s in zip(rows, S.tolist(), strict=True):
        row.S = s
    for at, f in zip(np.flatnonzero(taught).tolist(), F, strict=True):
        rows[at].F = f.copy()
    return rows
