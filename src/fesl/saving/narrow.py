"""The state of the default learner with full covariances. A new field of `State` is one line in `STATE`."""

from __future__ import annotations

from typing import Any

import numpy as np

from fesl.errors import SavedModelError
from fesl.models import LIMIT
from fesl.portfolio.constants import LABELLED, ROUND
from fesl.portfolio.state import OWN, State
from fesl.saving import values
from fesl.saving.checks import in_order
from fesl.saving.document import Document, Section, all_known
from fesl.saving.fields import Array, Field, Scalar, floats, ints, names_of, put, take
from fesl.saving.shelf import (
    COMMON,
    coded,
    dims_of,
    pairs,
    put_account,
    put_dead,
    put_snapshots,
    sound,
    take_account,
    take_dead,
    take_snapshots,
)

#: Room for `cap` positions; ROWS kept rows with Y numbers a label.
STATE: tuple[Field, ...] = (
    *floats("mean value level", "cap"),
    *floats("q count reach repeats spells error checks worth moves fresh", "cap", low=0.0),
    *ints("born last gone_at freeze_at", "cap"),
    *ints("still", "cap", low=0),
    *floats("w w0", "E", "K", "cap"),
    *floats("P P0", "E", "cap", "cap"),
    *floats("S", "cap", "cap"),
    *floats("C", "cap", "cap", low=0.0),
    *floats("H", "cap", "K", "BINS", low=0.0),
    *floats("A", "cap", "K", "KNOTS"),
    *floats("V", "cap", "KNOTS", low=0.0),
    Array("codes", "f8", ("cap", "VALUES"), -LIMIT, np.inf),
    *floats("coded", "cap", "SLOTS", "Z"),
    *ints("paired", "PAIRED", low=0),
    *floats("surface", "TABLES", "MESH", "R"),
    Array("near_x", "f8", ("cap", "NEAR"), -LIMIT, np.inf),
    Array("near_y", "f8", ("Y", "NEAR"), -LIMIT, LIMIT, gaps=True),
    Array("row_x", "f8", ("ROWS", "cap"), -LIMIT, LIMIT, gaps=True),
    Array("row_y", "f8", ("ROWS", "Y"), -LIMIT, LIMIT, gaps=True),
    *ints("row_kind", "ROWS", low=0, high=OWN),
    *floats("row_F", "ROWS", "K"),
    *floats("row_S", "ROWS", low=0.0),
    *floats("beyond usual", "M"),
    *floats("behind", "M", low=0.0),
    *COMMON,
    Scalar("version", int),
)
#: What is settled by the rest, or saved in its own way.
OTHERS = {"regression", "outputs", "names", "index", "dead", "snapshots", "suggested", "account"}
#: A variance that is rounded may be below zero by so much.
ROUNDED = 1e-6


def encode(doc: Document, st: State) -> dict[str, Any]:
    all_known(st, names_of(STATE) | OTHERS)
    body: dict[str, Any] = {}
    dims = dims_of(st.regression, st.outputs, wide=False)
    sound(vars(st))
    _plausible(vars(st), st.n, 0 if st.regression else st.outputs)
    put(doc, body, "state", st, STATE, dims)
    put_account(doc, st.account, dims)
    body["names"] = values.encode_all(st.names[1:], "a feature")
    body["dead"] = put_dead(doc, st.dead, dims)
    body["snapshots"] = put_snapshots(doc, st.snapshots, dims)
    return body


def decode(doc: Document, section: Section, regression: bool, outputs: int) -> State:
    dims = dims_of(regression, outputs, wide=False)
    found = take(doc, section, "state", STATE, dims)
    names = values.decode_all(section.typed("names", list), "state.names")
    values.unique(names, "state.names")
    sound(found)
    _plausible(found, len(names) + 1, 0 if regression else outputs)
    st = State.__new__(State)
    for name, value in found.items():
        setattr(st, name, value)
    st.regression, st.outputs = regression, outputs
    st.names, st.index = [None, *names], {name: j + 1 for j, name in enumerate(names)}
    st.account = take_account(doc, dims)
    st.dead = take_dead(doc, values.decode_all(section.typed("dead", list), "state.dead"), dims)
    st.snapshots = take_snapshots(doc, section.typed("snapshots", list), dims)
    section.close()
    return st


def _plausible(found: dict[str, Any], n: int, classes: int) -> None:
    """What the rounds rely on, beyond sizes: positions in use, lives that can be, labels that exist."""
    if n > len(found["mean"]):
        raise SavedModelError(f"state has {n - 1} names and room for {len(found['mean']) - 1}")
    live = slice(1, n)
    count, repeats, still = (found[name][live] for name in ("count", "repeats", "still"))
    born, last = found["born"][live], found["last"][live]
    in_order(born, last)
    if ((last >= found["clock"][ROUND]) | (still > repeats) | (repeats >= count)).any():
        raise SavedModelError("a feature was seen less often than it can have been")
    for name in ("P", "P0"):
        if (np.diagonal(found[name], axis1=1, axis2=2) < -ROUNDED).any():
            raise SavedModelError(f"state.{name}: a variance is below zero")
    pairs(found["paired"], found["surface"], n)
    coded(found["coded"])
    for name in ("row_y", "near_y") if classes else ():
        y = found[name][~np.isnan(found[name])]
        if not (np.isin(y, np.arange(classes))).all():
            raise SavedModelError(f"state.{name}: a kept row has a class that is not known")
    labelled = min(int(found["clock"][LABELLED]), found["near_y"].shape[1])
    if np.isnan(found["near_y"][:, :labelled]).any():
        raise SavedModelError("state.near_y: a row has no label")
