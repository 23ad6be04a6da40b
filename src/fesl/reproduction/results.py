"""The results as one document: what `--json` writes, and what every table, figure and page is made of.

It holds no times and no names of machines, so that the same seed gives the same bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

import numpy as np

from fesl.errors import DataError
from fesl.regret import Regret
from fesl.reproduction import published
from fesl.reproduction.base import methods, problems, protocols
from fesl.reproduction.experiment import THEIRS, Cell
from fesl.reproduction.runner import Outcome, how_many

#: Digits after the point that are kept.
DIGITS = 6
SCHEMA = 1


class RegretCard(TypedDict):
    """Regret over the runs beside what the theorem allows; `assumption`: whether every loss lay in [0, 1]."""

    mean: float
    largest: float
    allowed: float
    within: bool
    assumption: bool


class Result(TypedDict):
    """One (protocol, set, method): mean and spread over the runs, the paper's figure and the difference to it."""

    measure: str
    mean: float
    std: float | None
    paper: float | None
    paper_std: float | None
    difference: float | None
    runs: list[float]
    loss: float
    trend: list[float]
    regret: RegretCard | None
    bounded: RegretCard | None


class StreamCard(TypedDict):
    """The stream that a set became under a protocol; `points` are the rounds at which the trends are read."""

    t1: int
    t2: int
    runs: int
    c: float
    points: list[int]


class SetCard(TypedDict):
    """What the set is."""

    title: str
    group: str
    loss: str
    n: int
    d1: int
    d2: int
    c: float
    overlap: int
    orders: str
    variant: str
    caveat: str
    paper_size: list[int] | None
    streams: dict[str, StreamCard]


class ProtocolCard(TypedDict):
    """What the protocol is."""

    title: str
    inferred: bool
    note: str


class Agreement(TypedDict):
    """The differences to Table 2 over the cells of the sets with the authors' permutations."""

    sets: list[str]
    cells: int
    mean: float | None
    largest: float | None
    worst: str


class Verdict(TypedDict):
    """`verdict` is None where the claim cannot be tested on the sets at hand."""

    claim: str
    quote: str
    criterion: str
    protocol: str
    verdict: bool | None
    holds: int
    of: int
    fails: list[str]
    evidence: str
    paper_table: bool | None
    paper_fails: list[str]


class Document(TypedDict):
    """All of it."""

    schema: int
    seed: int
    methods: dict[str, str]
    protocols: dict[str, ProtocolCard]
    sets: dict[str, SetCard]
    results: dict[str, dict[str, dict[str, Result]]]
    agreement: dict[str, Agreement]
    claims: list[Verdict]
    missing: dict[str, str]


def document(outcome: Outcome) -> Document:
    """Summarise the cells of an outcome; the claims are left to be judged."""
    results: dict[str, dict[str, dict[str, Result]]] = {}
    theirs = [name for (_, name), shape in outcome.shapes.items() if shape.orders == THEIRS]
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in outcome.cells:
        groups.setdefault((cell.protocol, cell.problem, cell.method), []).append(cell)
    for (protocol, problem, method), cells in groups.items():
        results.setdefault(protocol, {}).setdefault(problem, {})[method] = result(cells)
    used = {cell.method for cell in outcome.cells}
    return {
        "schema": SCHEMA,
        "seed": outcome.selection.seed,
        "methods": {name: method.title for name, method in methods().items() if name in used},
        "protocols": {
            name: {"title": p.title, "inferred": p.inferred, "note": p.note}
            for name, p in protocols().items()
            if name in results
        },
        "sets": {name: set_card(outcome, name) for name in problems() if any(s == name for _, s in outcome.shapes)},
        "results": results,
        "agreement": {protocol: agreement(by_set, theirs) for protocol, by_set in results.items()},
        "claims": [],
        "missing": outcome.missing,
    }


def result(cells: list[Cell]) -> Result:
    """The runs of one method on one set."""
    scores = [cell.score for cell in cells]
    mean = float(np.mean(scores))
    theirs = published.accuracy(cells[0].problem).get(cells[0].method)
    return {
        "measure": "accuracy" if problems()[cells[0].problem].classes else "loss",
        "mean": _round(mean),
        "std": _round(float(np.std(scores, ddof=1))) if len(scores) > 1 else None,
        "paper": theirs.mean if theirs else None,
        "paper_std": theirs.spread if theirs else None,
        "difference": _round(mean - theirs.mean) if theirs else None,
        "runs": [_round(score) for score in scores],
        "loss": _round(float(np.mean([cell.loss for cell in cells]))),
        "trend": [_round(v) for v in np.mean([cell.trend for cell in cells], axis=0).tolist()],
        "regret": regret_card([cell.regret for cell in cells]),
        "bounded": regret_card([cell.bounded for cell in cells]),
    }


def regret_card(found: list[Regret | None]) -> RegretCard | None:
    """The regrets of the runs; None where nothing was weighed."""
    regrets = [regret for regret in found if regret is not None]
    if not regrets:
        return None
    return {
        "mean": _round(float(np.mean([r.value for r in regrets]))),
        "largest": _round(max(r.value for r in regrets)),
        "allowed": _round(regrets[0].allowed),
        "within": all(r.within for r in regrets),
        "assumption": all(r.assumption_held for r in regrets),
    }


def set_card(outcome: Outcome, name: str) -> SetCard:
    """The set, and its stream under each protocol."""
    problem, size = problems()[name], published.size(name)
    shapes = {protocol: shape for (protocol, s), shape in outcome.shapes.items() if s == name}
    first = next(iter(shapes.values()))
    return {
        "title": problem.title,
        "group": problem.group,
        "loss": problem.loss.name,
        "n": first.n,
        "d1": first.d1,
        "d2": first.d2,
        "c": problem.c,
        "overlap": problem.overlap,
        "orders": first.orders,
        "variant": first.variant,
        "caveat": problem.caveat,
        "paper_size": list(size) if size else None,
        "streams": {
            protocol: {
                "t1": shape.t1,
                "t2": shape.t2,
                "runs": how_many(problem, outcome.selection.runs),
                "c": _round(protocols()[protocol].c(problem)),
                "points": list(shape.points),
            }
            for protocol, shape in shapes.items()
        },
    }


def agreement(by_set: dict[str, dict[str, Result]], theirs: list[str]) -> Agreement:
    """How far the sets with the authors' permutations are from Table 2.

    >>> agreement({}, theirs=[])["mean"] is None
    True
    """
    chosen = [name for name in by_set if name in theirs]
    gaps = {(s, m): abs(d) for s in chosen for m, r in by_set[s].items() if (d := r["difference"]) is not None}
    worst = max(gaps, key=lambda key: gaps[key], default=None)
    return {
        "sets": chosen,
        "cells": len(gaps),
        "mean": _round(float(np.mean(list(gaps.values())))) if gaps else None,
        "largest": gaps[worst] if worst else None,
        "worst": " ".join(worst) if worst else "",
    }


def dump(doc: Document) -> str:
    """The document as JSON, byte for byte the same for the same results.

    Lists of numbers stay on one line each.
    """
    text = json.dumps(doc, indent=1, ensure_ascii=False, allow_nan=False)
    lines: list[str] = []
    row: list[str] | None = None
    for line in text.splitlines():
        if row is None and line.endswith("["):
            row = [line]
        elif row is not None:
            row.append(line.strip())
            if row[-1] in ("]", "],"):
                lines.append("".join(part + " " * part.endswith(",") for part in row[:-1]) + row[-1])
                row = None
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def read(path: Path) -> Document:
    """A document that was written before."""
    try:
        doc: Document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as reason:
        raise DataError(f"{path} cannot be read as results: {reason}") from reason
    if not isinstance(doc, dict) or doc.get("schema") != SCHEMA:
        raise DataError(f"{path} does not hold results that this version wrote: run the reproduction again")
    return doc


def _round(value: float) -> float:
    return round(float(value), DIGITS)
