"""What each ingredient of the default learner is worth, in the paper's setting.

python -m benchmarks ablation [--full] [--overlap 10] [--sets ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from unittest import mock

import numpy as np

from benchmarks.paper_setting import after_switch, streams
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
    "nothing learned anew at the ages after a start or switch": lambda: mock.patch.object(attention, "AGES", ()),
    "curves, values, surfaces and counts never learned anew": lambda: mock.patch.object(attention, "renew"),
    "without the observed-only expert": lambda: experts(without("observed")),
    "without the forgetting expert": lambda: experts(without("forgetting")),
    "without the whitened prior": lambda: experts(without("whitened")),
    "one voice an expert": lambda: mock.patch.object(constants, "VOICES", 1),
    "only the middle prior": lambda: experts(lambda e: e if e.name == "middle prior" else None),
}
#: Fewer of what is left when the linear experts are all there: which columns of the detail count.
MASKED = {
    "without the stacker": range(11),
    "without neighbours and stacker": range(10),
    "without surfaces, neighbours and stacker": range(9),
    "without values, surfaces, neighbours and stacker": range(8),
    "without curves, values, surfaces, neighbours and stacker": range(7),
    "without naive Bayes, curves, values, surfaces, neighbours and stacker": range(6),
    "stacker alone": (11,),
}


def show(names: list[str], runs: int, overlap: int) -> None:
    """The table, line by line as it is found."""
    print(
        f"mean accuracy over T2 of {len(names)} sets, {runs} permutations, B = {overlap}; bits a round of the whole"
    )
    first = 0.0
    for title, change in ABLATIONS.items():
        right, bits = [], []
        with change():
            for name in names:
                for stream, _ in streams(name, runs, overlap):
                    model = Classifier()
                    right.append(after_switch(model, stream))
                    bits.append(model.regret().mixture / len(stream.y))
        first = first or float(np.mean(right))
        print(f"{np.mean(right):.4f} {np.mean(right) - first:+.4f} {np.mean(bits):.4f}  {title}", flush=True)
    for title, found in masked(names, runs, overlap).items():
        print(f"{np.mean(found):.4f} {np.mean(found) - first:+.4f}         {title}")


def masked(names: list[str], runs: int, overlap: int) -> dict[str, list[float]]:
    """The mixture over fewer of the experts, from what each of them said; at the switch it shares by voices."""
    kept: dict[str, list[float]] = {title: [] for title in MASKED}
    for name in names:
        for stream, _ in streams(name, runs, overlap):
            y, model = np.asarray(stream.y), Classifier()
            run = model.run(stream.X, y, detail=True)
            code = np.array([model.classes.index(v) for v in y.tolist()])
            voices = model.state.voices
            for title, which in MASKED.items():
                at = list(which)
                kept[title].append(_mix(np.exp(run.experts[:, at]), code, voices[at] / voices[at].sum()))
    return kept


def _mix(p: np.ndarray, code: np.ndarray, voices: np.ndarray) -> float:
    a, right, T1 = voices, [], len(code) // 2
    for t, y in enumerate(code):
        if np.isnan(p[t]).any():
            continue
        q = a @ p[t]
        if t >= T1:
            right.append(q.argmax() == y)
        d = max(1.0 / (t + 2.0), constants.SHARE) if t != T1 + 2 else constants.GAMMA
        a = (1.0 - d) * a * p[t, :, y] / q[y] + d * voices
    return float(np.mean(right))
