"""How good the default learner is: the paper's nine sets in the paper's setting, one pass, nothing tuned.

    python benchmarks/quality.py [--full] [--ablation] [--overlap 10] [--sets australian german ...]

Accuracy over T2 (rows after the switch), beside the best figure the paper prints for the set (tuned per set, and,
as its table shows, replayed) and beside FESL-c and FESL-s with the same single pass and the paper's c. With
`--full` ten permutations instead of three. `--ablation` prints what each ingredient is worth instead.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np

from fesl import Classifier, paper
from fesl.datasets import load
from fesl.portfolio import attention, constants, memory, reference, rounds, state
from fesl.streams import Stream, random_map, two_spaces

#: The best accuracy of any method in the paper's Table 2.
BEST = {
    "australian": 0.849,
    "credit-a": 0.831,
    "credit-g": 0.733,
    "diabetes": 0.652,
    "dna": 0.692,
    "german": 0.703,
    "kr-vs-kp": 0.630,
    "splice": 0.612,
    "svmguide3": 0.779,
}
MODULES = (constants, state, rounds, reference, memory, attention)


def streams(name: str, runs: int, overlap: int) -> Iterator[tuple[Stream, float]]:
    data = load(name)
    X2 = random_map(data.X1) if data.X2 is None else data.X2
    assert data.entry.paper is not None
    for run in range(runs):
        stream = two_spaces(data.X1, X2, data.y, overlap=overlap, order=data.order(run))
        yield stream, data.entry.paper.c


def after_switch(model: object, stream: Stream) -> float:
    """Accuracy over T2."""
    y = np.asarray(stream.y)
    T1 = len(y) // 2
    found = model.run(stream.X, y).predictions  # type: ignore[attr-defined]
    return float(np.mean(found[T1:] == y[T1:]))


def table(sets: list[str], runs: int, overlap: int) -> None:
    print(f"one pass, B = {overlap}, {runs} permutations, accuracy over T2")
    print(f"{'set':12} {'paper':>6} {'ours':>6} {'+-':>5} {'FESL-c':>7} {'FESL-s':>7}")
    won = beaten = 0
    for name in sets:
        ours, ours_c, ours_s = [], [], []
        for stream, c in streams(name, runs, overlap):
            model = Classifier()
            ours.append(after_switch(model, stream))
            assert model.regret().within
            horizon = len(stream.y) - len(stream.y) // 2
            ours_c.append(after_switch(paper.fesl_c(c, horizon=horizon), stream))
            ours_s.append(after_switch(paper.fesl_s(c, horizon=horizon), stream))
        mean, fesl_c, fesl_s = np.mean(ours), np.mean(ours_c), np.mean(ours_s)
        won += mean > BEST[name]
        beaten += mean > max(fesl_c, fesl_s)
        mark = "*" if mean > BEST[name] else " "
        spread = np.std(ours)
        print(f"{name:12} {BEST[name]:6.3f} {mean:6.4f}{mark}{spread:5.3f} {fesl_c:7.3f} {fesl_s:7.3f}", flush=True)
    print(
        f"above the paper's best: {won} of {len(sets)}; above one-pass FESL-c and FESL-s: {beaten} of {len(sets)}"
    )


@contextmanager
def experts(keep: Callable[[constants.Expert], constants.Expert | None]) -> Iterator[None]:
    """Other experts than the usual ones."""
    chosen = tuple(e for e in map(keep, constants.EXPERTS) if e is not None)
    before = constants.EXPERTS
    for module in MODULES:
        module.EXPERTS = chosen  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module in MODULES:
            module.EXPERTS = before  # type: ignore[attr-defined]


def without(name: str) -> Callable[[constants.Expert], constants.Expert | None]:
    return lambda e: None if e.name == name else e


@contextmanager
def nothing() -> Iterator[None]:
    yield


def ablations() -> dict[str, Callable[[], object]]:
    return {
        "everything": nothing,
        "no recovery (no teaching, no E[absent | present])": lambda: experts(lambda e: e._replace(recovers=False)),
        "no teaching at a switch": lambda: mock.patch.object(attention.memory, "switch", memory.forget),
        "no learning anew at the ages": lambda: mock.patch.object(attention, "AGES", ()),
        "without the observed-only expert": lambda: experts(without("observed")),
        "without the forgetting expert": lambda: experts(without("forgetting")),
        "only the middle prior": lambda: experts(lambda e: e if e.name == "middle prior" else None),
    }


def ablation(sets: list[str], runs: int, overlap: int) -> None:
    print(
        f"mean accuracy over T2 of {len(sets)} sets, {runs} permutations, B = {overlap}; bits a round of the whole"
    )
    first = 0.0
    for name, change in ablations().items():
        right, bits = [], []
        with change():  # type: ignore[attr-defined]
            for data in sets:
                for stream, _ in streams(data, runs, overlap):
                    model = Classifier()
                    right.append(after_switch(model, stream))
                    bits.append(model.regret().mixture / len(stream.y))
        first = first or float(np.mean(right))
        print(f"{np.mean(right):.4f} {np.mean(right) - first:+.4f} {np.mean(bits):.4f}  {name}", flush=True)
    masked(sets, runs, overlap)


def masked(sets: list[str], runs: int, overlap: int) -> None:
    """The same mixture over fewer of the experts, computed from what each of them said."""
    kept: dict[str, list[float]] = {
        "without the stacker": [],
        "without naive Bayes, curves and stacker": [],
        "stacker alone": [],
    }
    use = {
        "without the stacker": range(7),
        "without naive Bayes, curves and stacker": range(5),
        "stacker alone": [7],
    }
    for data in sets:
        for stream, _ in streams(data, runs, overlap):
            y, model = np.asarray(stream.y), Classifier()
            run = model.run(stream.X, y, detail=True)
            code = np.array([model.classes.index(v) for v in y.tolist()])
            for name, which in use.items():
                kept[name].append(_mix(np.exp(run.experts[:, list(which)]), code))
    for name, right in kept.items():
        print(f"{np.mean(right):.4f}                 {name}")


def _mix(p: np.ndarray, code: np.ndarray) -> float:
    a, right, T1 = np.full(p.shape[1], 1.0 / p.shape[1]), [], len(code) // 2
    for t, y in enumerate(code):
        if np.isnan(p[t]).any():
            continue
        q = a @ p[t]
        if t >= T1:
            right.append(q.argmax() == y)
        d = max(1.0 / (t + 2.0), constants.SHARE) if t != T1 + 2 else constants.GAMMA
        a = (1.0 - d) * a * p[t, :, y] / q[y] + d / len(a)
    return float(np.mean(right))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="ten permutations instead of three")
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--overlap", type=int, default=10)
    parser.add_argument("--sets", nargs="+", default=list(BEST), choices=list(BEST))
    args = parser.parse_args()
    (ablation if args.ablation else table)(args.sets, 10 if args.full else 3, args.overlap)


if __name__ == "__main__":
    main()
