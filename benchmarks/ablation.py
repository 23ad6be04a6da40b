"""What each ingredient of the default learner is worth: in the paper's setting, over T2; or, with `--patterns`, on
whole streams of these patterns.

    python -m benchmarks ablation [--full] [--overlap 10] [--sets ...] [--patterns ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import NamedTuple
from unittest import mock

import numpy as np

from benchmarks import patterns, sets
from benchmarks.paper_setting import streams
from fesl import Classifier
from fesl.portfolio import constants
from fesl.portfolio.changes import attention, memory


@contextmanager
def experts(keep: Callable[[constants.Expert], constants.Expert | None]) -> Iterator[None]:
    """Other experts than the usual ones, wherever these are known by name."""
    before = constants.EXPERTS
    chosen = tuple(e for e in map(keep, before) if e is not None)
    everywhere = [m for name, m in sys.modules.items() if name.startswith("fesl.") and hasattr(m, "EXPERTS")]
    with ExitStack() as changed:
        for module in everywhere:
            if module.EXPERTS is before:
                changed.enter_context(mock.patch.object(module, "EXPERTS", chosen))
        yield


def without(name: str) -> Callable[[constants.Expert], constants.Expert | None]:
    return lambda e: None if e.name == name else e


ABLATIONS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "everything": nullcontext,
    "no recovery (no teaching, no E[absent | present])": lambda: experts(lambda e: e._replace(recovers=False)),
    "no teaching at a switch": lambda: mock.patch.object(attention.memory, "switch", memory.forget),
    "nothing learned anew at the ages after a start or switch": lambda: mock.patch.multiple(
        attention, AGES=(), RENEWED=()
    ),
    "curves, values, surfaces and counts never learned anew": lambda: mock.patch.object(attention, "renew"),
    "without the observed-only expert": lambda: experts(without("observed")),
    "without the forgetting expert": lambda: experts(without("forgetting")),
    "without the whitened prior": lambda: experts(without("whitened")),
    "one voice an expert": lambda: mock.patch.object(constants, "VOICES", 1),
    "only the middle prior": lambda: experts(lambda e: e if e.name == "middle prior" else None),
}
#: Fewer of what is left when the linear experts are all there: which columns of the detail count.
MASKED = {
    "everything, mixed again": range(14),
    "without the frequencies": range(13),
    "... nor the council": range(12),
    "... nor the stacker": range(11),
    "... nor neighbours": range(10),
    "... nor surfaces": range(9),
    "... nor values": range(8),
    "... nor curves": range(7),
    "... nor naive Bayes": range(6),
    "stacker alone": (11,),
    "council alone": (12,),
}


class Task(NamedTuple):
    """A stream, and the row from which on it counts; 0: the whole."""

    X: np.ndarray
    y: np.ndarray
    first: int


def tasks(names: list[str], kinds: list[str], runs: int, overlap: int) -> Iterator[Task]:
    """Of these patterns, or of the paper's setting if there are none."""
    for name in names:
        if kinds:
            data = sets.load(name)
            cells = (patterns.PATTERNS[kind](data, run) for kind in kinds for run in range(runs))
            yield from (Task(cell.X, cell.y, 0) for cell in cells)
        else:
            for stream, _ in streams(name, runs, overlap):
                yield Task(np.asarray(stream.X), np.asarray(stream.y), len(stream.y) // 2)


def show(names: list[str], kinds: list[str], runs: int, overlap: int) -> None:
    """The table, line by line as it is found."""
    where = f"streams: {', '.join(kinds)}" if kinds else f"the paper's setting over T2, B = {overlap}"
    print(f"mean accuracy of {len(names)} sets, {runs} permutations, {where}; bits a round of the whole")
    first = 0.0
    for title, change in ABLATIONS.items():
        right, bits = [], []
        with change():
            for task in tasks(names, kinds, runs, overlap):
                model = Classifier()
                right.append(np.mean((model.run(task.X, task.y).predictions == task.y)[task.first :]))
                bits.append(model.regret().mixture / len(task.y))
        first = first or float(np.mean(right))
        print(f"{np.mean(right):.4f} {np.mean(right) - first:+.4f} {np.mean(bits):.4f}  {title}", flush=True)
    found = {title: float(np.mean(right)) for title, right in masked(names, kinds, runs, overlap).items()}
    for title, mean in found.items():
        print(f"{mean:.4f} {mean - next(iter(found.values())):+.4f}         {title}")


def masked(names: list[str], kinds: list[str], runs: int, overlap: int) -> dict[str, list[float]]:
    """The mixture over fewer of the experts, from what each of them said; at the switch of the paper's setting it
    shares by voices, at others not at all."""
    kept: dict[str, list[float]] = {title: [] for title in MASKED}
    for task in tasks(names, kinds, runs, overlap):
        model = Classifier()
        run = model.run(task.X, task.y, detail=True)
        code = np.array([model.classes.index(v) for v in task.y.tolist()])
        voices = model.state.voices
        for title, which in MASKED.items():
            at = list(which)
            kept[title].append(_mix(np.exp(run.experts[:, at]), code, voices[at] / voices[at].sum(), task.first))
    return kept


def _mix(p: np.ndarray, code: np.ndarray, voices: np.ndarray, first: int) -> float:
    """Classes that were not known yet have no chance, and what nobody said does not count."""
    a, right = voices, []
    for t, y in enumerate(code):
        if np.isnan(p[t]).all():
            continue
        q = a @ np.nan_to_num(p[t])
        if t >= first:
            right.append(q.argmax() == y)
        if q[y] > 0.0:
            d = constants.GAMMA if first and t == first + 2 else max(1.0 / (t + 2.0), constants.SHARE)
            a = (1.0 - d) * a * np.nan_to_num(p[t, :, y]) / q[y] + d * voices
    return float(np.mean(right))
