"""Everything that was chosen, run: on one core or on several, with the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TypeAlias

from fesl.datasets import available
from fesl.errors import ConfigError, DataError, MissingExtraError
from fesl.reproduction.base import Problem, choose, methods, problems, protocols
from fesl.reproduction.experiment import Batch, Cell, Shape, run_cells, tables_of

#: protocol, problem, run, seed, methods: the stream of one run, shared by its methods.
Unit: TypeAlias = tuple[str, str, int, int, tuple[str, ...]]
#: Told of each unit that is done: how many are, of how many, and which it was.
Watch: TypeAlias = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Selection:
    """What to run; empty means all there is. `runs` None: as many as the paper makes for each set.

    >>> Selection(sets=("german",), runs=2).seed
    0
    """

    sets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    runs: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """All cells, in an order that depends on nothing but the selection; the streams; the sets that were not
    there."""

    selection: Selection
    cells: list[Cell]
    shapes: dict[tuple[str, str], Shape] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def run(selection: Selection, *, jobs: int = 1, watch: Watch | None = None) -> Outcome:
    """Run what was selected on `jobs` processes."""
    if jobs < 1 or (selection.runs is not None and selection.runs < 1):
        raise ConfigError(f"jobs={jobs}, runs={selection.runs}: both must be 1 or more")
    wanted, missing = reachable(selection)
    pairs = [(p, q) for p in _protocols(selection) for q in wanted if not q.protocols or p in q.protocols]
    names = tuple(m.name for m in choose(methods(), selection.methods or tuple(methods()), "method"))
    units = [
        (p, q.name, run, selection.seed, names) for p, q in pairs for run in range(how_many(q, selection.runs))
    ]
    if not units:
        raise ConfigError("there is nothing to run: none of these sets has one of these protocols")
    done: dict[Unit, Batch] = {}
    for unit, batch in _work(units, jobs):
        done[unit] = batch
        if watch:
            watch(len(done), len(units), f"{unit[1]}, {unit[0]}")
    cells = [cell for unit in units for cell in done[unit].cells]
    shapes = {(unit[0], unit[1]): done[unit].shape for unit in units}
    return Outcome(selection, cells, shapes, missing)


def how_many(problem: Problem, runs: int | None) -> int:
    """The number of runs: what was asked for, but one where nothing is shuffled."""
    return 1 if problem.recorded else runs or problem.runs


def _protocols(selection: Selection) -> list[str]:
    return [p.name for p in choose(protocols(), selection.protocols or tuple(protocols()), "protocol")]


def reachable(selection: Selection) -> tuple[list[Problem], dict[str, str]]:
    """The chosen problems whose data can be had, loaded once so that no two processes download the same file, and
    the reasons why the others cannot. One that was asked for by name and is not there is an error."""
    wanted = choose(problems(), selection.sets or tuple(problems()), "set")
    here = set(available())
    found, missing = [], {}
    for problem in wanted:
        if problem.optional and not selection.sets and problem.name not in here:
            missing[problem.name] = "the full collection is not on this machine"
            continue
        try:
            tables_of(problem.name, selection.seed)
            found.append(problem)
        except (DataError, MissingExtraError):
            if selection.sets:
                raise
            missing[problem.name] = "not to be had here; fesl.datasets.load says what brings it"
    return found, missing


def _work(units: list[Unit], jobs: int) -> Iterator[tuple[Unit, Batch]]:
    """Each unit with its cells, in whatever order they come."""
    if jobs == 1 or len(units) < 2:
        for unit in units:
            yield unit, run_cells(*unit)
        return
    # Set by set, so that a process has its tables at hand; the sparse ones, which take longest, first.
    queue = sorted(units, key=lambda unit: ("reuters" not in unit[1], unit[1]))
    with ProcessPoolExecutor(min(jobs, len(units)), mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(run_cells, *unit): unit for unit in queue}
        for future in as_completed(futures):
            yield futures[future], future.result()
