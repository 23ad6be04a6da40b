"""The objective: one (protocol, problem, method, run) gives one cell.

Everything is measured on the rounds after the switch, T1 + 1, ..., T1 + T2, each predicted before it is learned.
The trend is the paper's average cumulative loss, (1/t) sum of the first t losses, at a hundred points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.evolving import EvolvingLearner
from fesl.regret import Regret
from fesl.reproduction.base import Method, Problem, Protocol, Setting, Tables, methods, problems, protocols
from fesl.streams import Stream

#: How many points a trend has.
POINTS = 100

#: What the row orders are called where they are the authors' own.
THEIRS = "the authors'"

#: Where scores are clipped for the theorems' sake: log odds of 10, or a target at the edge of its range.
CLIP = {"binary": 10.0, "multiclass": 10.0, "regression": 1.0}


@dataclass(frozen=True)
class Cell:
    """What one method did in one run. `score` is the accuracy, or for a regression the mean loss.

    `regret` is what the last cycle cost beside what the theorem allows, `bounded` the same with scores clipped so
    that every loss lies in [0, 1], as the theorem assumes; None for a method of a single expert.
    """

    protocol: str
    problem: str
    method: str
    run: int
    score: float
    loss: float
    trend: tuple[float, ...]
    regret: Regret | None
    bounded: Regret | None
    seconds: float


@dataclass(frozen=True)
class Shape:
    """The stream that a problem became: rounds before and after the switch, points of the trends, row orders."""

    t1: int
    t2: int
    points: tuple[int, ...]
    n: int
    d1: int
    d2: int
    orders: str
    variant: str


def order(tables: Tables, run: int, seed: int) -> Ints:
    """The row order of a run: the authors' permutation while there is one, else one drawn.

    >>> order(Tables(np.eye(3), np.eye(3), np.ones(3), permutations=np.array([[2, 0, 1]])), run=0, seed=0)
    array([2, 0, 1])
    """
    if tables.permutations is not None and run < len(tables.permutations):
        return np.asarray(tables.permutations[run], dtype=np.int64)
    return np.random.default_rng([seed, run]).permutation(len(tables.y)).astype(np.int64)


@lru_cache(maxsize=4)
def tables_of(name: str, seed: int) -> Tables:
    """The tables of a problem, kept while its runs are worked through."""
    return problems()[name].tables(seed)


def stream_of(protocol: Protocol, problem: Problem, run: int, seed: int) -> Stream:
    """The stream of one run, the same for all methods."""
    tables = tables_of(problem.name, seed)
    return problem.stream(tables, problem.overlap, order(tables, run, seed), protocol.repeats)


class Batch(NamedTuple):
    """What came of the stream of one run: a cell for each method."""

    cells: list[Cell]
    shape: Shape


def run_cells(protocol: str, problem: str, run: int, seed: int, chosen: Sequence[str]) -> Batch:
    """All chosen methods on the stream of one run."""
    p, q = protocols()[protocol], problems()[problem]
    stream = stream_of(p, q, run, seed)
    given = setting(p, q, stream, 1000 * seed + run)
    cells = [run_cell(p, q, methods()[name], stream, given, run) for name in chosen]
    return Batch(cells, shape_of(q, tables_of(q.name, seed), stream))


def run_cell(
    protocol: Protocol, problem: Problem, method: Method, stream: Stream, given: Setting, run: int
) -> Cell:
    """One method on one stream."""
    began = perf_counter()
    model = method.build(given)
    scores = model.run(stream.X, stream.y, features=stream.features).scores
    seconds = perf_counter() - began
    y, f = after_switch(problem, stream, scores)
    losses = problem.loss.value(f, y)
    right = np.asarray(problem.loss.decide(f)) == codes(problem, y)[:, 0] if problem.classes else losses
    return Cell(
        protocol=protocol.name,
        problem=problem.name,
        method=method.name,
        run=run,
        score=float(right.mean()),
        loss=float(losses.mean()),
        trend=tuple(trend(losses).tolist()),
        regret=regret(model),
        bounded=bounded(method, problem, stream, given) if len(model.parts.experts) > 1 else None,
        seconds=seconds,
    )


def setting(protocol: Protocol, problem: Problem, stream: Stream, seed: int) -> Setting:
    """What all methods are given. T2 counts the rounds that bring a label: the others cost nothing."""
    return Setting(
        c=protocol.c(problem),
        loss=problem.loss,
        spaces=problem.spaces(stream),
        classes=problem.classes,
        horizon=int(labelled(stream).sum()),
        seed=seed,
    )


def labelled(stream: Stream) -> npt.NDArray[np.bool_]:
    """Which rows after the switch have a label."""
    y = np.asarray(stream.y[stream.switches[-1] :], dtype=np.float64)
    return np.asarray(~np.isnan(y.reshape(len(y), -1)).any(axis=1))


def after_switch(problem: Problem, stream: Stream, scores: Floats) -> tuple[Floats, Floats]:
    """Targets as the loss wants them, and scores, of the labelled rounds after the switch."""
    rows = np.flatnonzero(labelled(stream)) + stream.switches[-1]
    y = np.asarray(stream.y[rows], dtype=np.float64).reshape(len(rows), -1)
    if problem.loss.task == "multiclass":
        y = np.searchsorted(np.array(problem.classes), y[:, 0]).astype(np.float64)[:, np.newaxis]
    return y, scores[rows]


def codes(problem: Problem, y: Floats) -> Ints:
    """The number of the class: what `loss.decide` answers with."""
    return (y > 0.0).astype(np.int64) if problem.loss.task == "binary" else y.astype(np.int64)


def points(rounds: int) -> Ints:
    """The rounds at which a trend is read.

    >>> points(345)[[0, 1, 9, 99]]
    array([  4,   7,  35, 345])
    """
    return np.unique(-(-np.arange(1, POINTS + 1) * rounds // POINTS))


def trend(losses: Floats) -> Floats:
    """The average cumulative loss at the points.

    >>> trend(np.array([1.0, 0.0, 0.5]))
    array([1. , 0.5, 0.5])
    """
    at = points(len(losses))
    return np.asarray(np.cumsum(losses)[at - 1] / at)


def regret(model: EvolvingLearner) -> Regret | None:
    """What the rule cost in the last cycle; None where there was nothing to weigh."""
    return model.regret() if len(model.parts.experts) > 1 else None


def bounded(method: Method, problem: Problem, stream: Stream, given: Setting) -> Regret | None:
    """The regret where the theorem's assumption holds."""
    model = method.build(replace(given, clip=CLIP[problem.loss.task]))
    model.learn_many(stream.X, stream.y, features=stream.features)
    return regret(model)


def shape_of(problem: Problem, tables: Tables, stream: Stream) -> Shape:
    """The stream, described."""
    t2 = int(labelled(stream).sum())
    n, d1 = tables.X1.shape
    return Shape(
        t1=stream.switches[-1],
        t2=t2,
        points=tuple(points(t2).tolist()),
        n=n,
        d1=d1,
        d2=tables.X2.shape[1],
        orders="as recorded" if problem.recorded else "drawn" if tables.permutations is None else THEIRS,
        variant=tables.variant,
    )
