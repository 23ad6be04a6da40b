"""What narrow and wide states of the default learner share, and what only the narrow one has: the shelf of vanished
features, and the snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np

from fesl._typing import Floats, Ints
from fesl.errors import SavedModelError
from fesl.models import LIMIT
from fesl.portfolio.constants import (
    BINS,
    EXPERTS,
    KNOTS,
    NEAR,
    PAIRED,
    ROWS,
    SPACES,
    VALUES,
    WIDE_EXPERTS,
    beside,
)
from fesl.portfolio.experts.pairwise import MESH, TABLES
from fesl.portfolio.experts.student import FADE
from fesl.portfolio.experts.values import SIGHTINGS, WEIGHTS
from fesl.portfolio.mixture import Account
from fesl.portfolio.state import Dead, Snapshot
from fesl.saving import values
from fesl.saving.checks import in_order
from fesl.saving.document import Document, Section, all_known
from fesl.saving.fields import LEAST, Array, Dims, Field, floats, ints, names_of, put, put_array, take

#: E experts of second order, M in all, S that the stacker hears, C in the council; K outputs, T targets, G
#: mixtures.
COMMON: tuple[Field, ...] = (
    *floats("tau prior", "E", low=LEAST),
    *floats("shape", "N", low=LEAST, high=1.0 / (1.0 - FADE)),
    *floats("a", "G", "M", low=LEAST),
    *ints("clock", 7),
    *floats("stack_b", "G", "S"),
    *floats("stack_V", "G", "S", "S"),
    *floats("c", "K", low=0.0),
    *floats("wrong", "C", low=0.0),
    *floats("noise", "N", "T", low=LEAST),
    *floats("y_mean", "T"),
    *floats("y_q y_reach", "T", low=0.0),
    *floats("unit", "T", low=0.5, high=2.0),
    *floats("surprised", "T", low=-1.0, high=1.0),
)
ACCOUNT = (*floats("experts", "G", "M"), *floats("mixture", "G"), *floats("slack", 1))
#: A line a column; D vanished features, with W outputs in all.
DEAD = (
    *floats("mean value level", "D"),
    *floats("q count repeats spells moves", "D", low=0.0),
    *ints("born last rows", "D", low=0),
    Array("error", "f8", ("D",), low=0.0, gaps=True),
)
#: Of each vanished feature: its outputs, and how many values have a weight.
DEAD_SIZES = (*ints("outputs", "D", low=0), *ints("valued", "D", low=0, high=VALUES))
DEAD_BELIEFS = (
    *floats("w", "E", "W"),
    *floats("P", "D", "E"),
    *floats("H", "W", "BINS", low=0.0),
    *floats("A", "W", "KNOTS"),
    *floats("V", "D", "KNOTS", low=0.0),
    Array("codes", "f8", ("values",), -LIMIT, LIMIT),
    *floats("coded", "cells"),
)
SNAPSHOT = (
    *ints("taken", 1, low=0),
    *ints("lost own", "ns", low=0, high=1),
    *floats("w", "E", "Ks", "ns"),
    *floats("P", "E", "ns", "ns"),
    *floats("S", "ns", "ns"),
    *floats("C", "ns", "ns", low=0.0),
    *ints("paired", "PAIRED", low=0),
    *floats("surface", "TABLES", "MESH", "Rs"),
    *floats("y_mean", "Ts"),
    *floats("y_sd", "Ts", low=LEAST),
)


def dims_of(regression: bool, outputs: int, wide: bool, inside: bool = False) -> Dims:
    """The sizes that the task, the number of outputs and the experts settle."""
    E, others = len(WIDE_EXPERTS if wide else EXPERTS), len(beside(regression, wide, inside))
    targets = outputs if regression else 0
    shared = {
        "E": E,
        "M": E + others,
        "S": E + others - (1 if regression else 2),
        "C": 0 if regression else E + others - 2,
        "N": E + others if regression else E,
        "K": outputs,
        "T": targets,
        "ROWS": ROWS,
        "BINS": BINS,
        "KNOTS": KNOTS,
        "PAIRED": PAIRED,
        "NEAR": NEAR,
        "TABLES": TABLES,
        "MESH": MESH,
        "VALUES": VALUES,
        "SLOTS": 1 + VALUES,
        "Z": WEIGHTS + outputs,
        "R": 1 + outputs if regression else max(1, outputs),
    }
    return {**shared, "G": max(1, targets), "Y": max(1, targets)}


def put_account(doc: Document, account: Account, dims: Dims) -> None:
    all_known(account, names_of(ACCOUNT))
    put(doc, {}, "account", account, ACCOUNT, dims)


def take_account(doc: Document, dims: Dims) -> Account:
    account = Account(1, [1.0])
    for name, value in take(doc, Section("account", {}), "account", ACCOUNT, dims).items():
        setattr(account, name, value)
    return account


def sound(found: dict[str, Any]) -> None:
    """Clocks that can be, and a stacker whose covariance is one."""
    rounds, labelled, start, kept, late, pairing, crowd = found["clock"].tolist()
    if (
        min(rounds, labelled, kept, late, pairing, crowd) < 0
        or labelled > rounds
        or start > rounds
        or kept > rounds
    ):
        raise SavedModelError("state.clock cannot be")
    V = found["stack_V"]
    if not np.linalg.eigvalsh(V / 2.0 + V.swapaxes(1, 2) / 2.0).min() > 0.0:
        raise SavedModelError("state.stack_V is no covariance")


def pairs(paired: Ints, surface: Floats, n: int) -> None:
    """Each feature that is paired is there, and is paired once; variances are above zero."""
    used = paired[paired > 0]
    if (used >= n).any() or len(set(used.tolist())) < len(used):
        raise SavedModelError("a feature that is paired is not there, or is paired twice")
    if not (surface[:, :, 0] > 0.0).all():
        raise SavedModelError("the variance of a surface is not above zero")


def coded(known: Floats) -> None:
    """Of values, a line a feature: sightings and variances that can be, and the place whose turn it is."""
    if (known[:, :, :WEIGHTS] < 0.0).any() or not (known[:, 0, SIGHTINGS] < VALUES).all():
        raise SavedModelError("what is known of the values of a feature cannot be")


def put_dead(doc: Document, dead: dict[Any, Dead], dims: Dims) -> list[Any]:
    """The shelf by columns; the beliefs of feature i are columns of w and rows of H and A, `outputs[i]` of them."""
    shelf, dims = list(dead.values()), {**dims, "D": len(dead)}
    names = names_of(DEAD) | names_of(DEAD_BELIEFS)
    for each in shelf:
        all_known(each, names)
    for field in DEAD:
        assert isinstance(field, Array)
        column = np.array([getattr(each, field.name) for each in shelf], np.dtype(field.dtype))
        put_array(doc, "dead", field, column, dims)
    sizes = np.array([(each.w.shape[1], len(each.codes)) for each in shelf], np.int64).reshape(-1, 2)
    for field, column in zip(DEAD_SIZES, sizes.T, strict=True):
        put_array(doc, "dead", field, column, dims)
    w = np.concatenate([np.empty((dims["E"], 0)), *(each.w for each in shelf)], axis=1)
    P = np.array([each.P for each in shelf]).reshape(-1, dims["E"])
    H = np.concatenate([np.empty((0, dims["BINS"])), *(each.H for each in shelf)])
    A = np.concatenate([np.empty((0, dims["KNOTS"])), *(each.A for each in shelf)])
    V = np.array([each.V for each in shelf]).reshape(-1, dims["KNOTS"])
    codes = np.concatenate([np.empty(0), *(each.codes for each in shelf)])
    cells = np.concatenate([np.empty(0), *(each.coded.ravel() for each in shelf)])
    for field, value in zip(DEAD_BELIEFS, (w, P, H, A, V, codes, cells), strict=True):
        put_array(doc, "dead", field, value, dims)
    return values.encode_all(dead, "a feature")


def take_dead(doc: Document, names: list[Any], dims: Dims) -> dict[Any, Dead]:
    here, dims = Section("dead", {}), {**dims, "D": len(names)}
    found = take(doc, here, "dead", (*DEAD, *DEAD_SIZES, *DEAD_BELIEFS), dims)
    in_order(found["born"], found["last"] + 1)
    outputs, valued = found.pop("outputs"), found.pop("valued")
    w, P, H, A, V = (found.pop(name) for name in ("w", "P", "H", "A", "V"))
    ends = np.cumsum([0, *outputs]).tolist()
    if ends[-1] != dims["W"] or (outputs > dims["K"]).any():
        raise SavedModelError("dead.outputs does not fit the beliefs on the shelf")
    codes, cells = _of_values(found.pop("codes"), found.pop("coded"), valued, WEIGHTS + outputs)
    if ((found["repeats"] >= found["count"]) | (found["rows"] > ROWS)).any():
        raise SavedModelError("a vanished feature was seen less often than it can have been")
    columns = {name: column.tolist() for name, column in found.items()}
    out = {}
    for i, (name, a, b) in enumerate(zip(names, ends[:-1], ends[1:], strict=True)):
        plain = {key: column[i] for key, column in columns.items()}
        beliefs = {"w": w[:, a:b], "P": P[i], "H": H[a:b], "A": A[a:b], "V": V[i]}
        beliefs |= {"codes": codes[i], "coded": cells[i]}
        out[name] = Dead(**plain, **{key: value.copy() for key, value in beliefs.items()})
    if len(out) != len(names):
        raise SavedModelError("a vanished feature is on the shelf twice")
    return out


def _of_values(codes: Floats, cells: Floats, valued: Ints, wide: Ints) -> tuple[list[Floats], list[Floats]]:
    """Of each feature its values, and what is known of them and of its line: so many numbers of each."""
    lines = 1 + valued
    if valued.sum() != len(codes) or (lines * wide).sum() != len(cells):
        raise SavedModelError("dead.valued does not fit the values on the shelf")
    parts = np.split(cells, np.cumsum(lines * wide)[:-1]) if len(wide) else []
    known = [part.reshape(n, -1) for part, n in zip(parts, lines.tolist(), strict=True)]
    for each in known:
        coded(each[np.newaxis])
    return (np.split(codes, np.cumsum(valued)[:-1]) if len(valued) else []), known


def put_snapshots(doc: Document, shots: list[Snapshot], dims: Dims) -> list[list[Any]]:
    for i, shot in enumerate(shots):
        all_known(shot, names_of(SNAPSHOT) | {"names"})
        put(doc, {}, f"snapshot.{i}", shot, SNAPSHOT, {**dims, "ns": len(shot.names) + 1})
    return [values.encode_all(shot.names, "a feature") for shot in shots]


def take_snapshots(doc: Document, names: list[Any], dims: Dims) -> list[Snapshot]:
    if len(names) > SPACES:
        raise SavedModelError(f"state.snapshots has {len(names)} of them: at most {SPACES} can be")
    return [_take_snapshot(doc, f"snapshot.{i}", each, dims) for i, each in enumerate(names)]


def _take_snapshot(doc: Document, where: str, names: Any, dims: Dims) -> Snapshot:
    if type(names) is not list or not names:
        raise SavedModelError(f"{where} should be a list of names")
    names = values.decode_all(names, where)
    values.unique(names, where)
    dims = {**dims, "ns": len(names) + 1}
    shot = Snapshot(names, **take(doc, Section(where, {}), where, SNAPSHOT, dims))
    if shot.lost[0] or shot.own[0] or not shot.own.any():
        raise SavedModelError(f"{where} has no features of its own")
    pairs(shot.paired, shot.surface, len(names) + 1)
    outputs, targets = dims["Ks"], dims["Ts"]
    fits = outputs in (0, dims["K"]) if dims["T"] else outputs <= dims["K"]
    sheet = 1 + outputs if dims["T"] else max(1, outputs)
    if not (fits and targets == (outputs if dims["T"] else 0) and dims["Rs"] == sheet):
        raise SavedModelError(f"{where} has {outputs} outputs and {targets} targets: that does not fit")
    return shot
