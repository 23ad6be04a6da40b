"""What we promise of speed, side by side: the same work by us and by the tool a user would pick instead, as ratios.

    python -m benchmarks.targets [--quick] [--json FILE]

Repeats of the contestants are interleaved and the median ratio is printed, so that a noisy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.workloads import documents, two_spaces
from fesl import Classifier, paper
from fesl.spaces import Periods


@dataclass(frozen=True)
class Row:
    """One comparison: `ratio` is how many times faster we are than the peer."""

    work: str
    peer: str
    ours_us: float
    peer_us: float
    ratio: float
    target: str
    met: bool


def interleaved(ours: Callable[[], float], peer: Callable[[], float], repeats: int) -> tuple[float, float, float]:
    """Median seconds of both, and the median of the ratios of neighbours."""
    pairs = [(ours(), peer()) for _ in range(repeats)]
    ratios = sorted(p / o for o, p in pairs)
    return (
        float(np.median([o for o, _ in pairs])),
        float(np.median([p for _, p in pairs])),
        ratios[len(ratios) // 2],
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def loop(model: Any, events: list[dict[str, float]], labels: list[bool]) -> Callable[[], object]:
    """Predict, then learn, event by event."""

    def run() -> None:
        for x, label in zip(events, labels, strict=True):
            model.predict_proba_one(x)
            model.learn_one(x, label)

    return run


def dict_events(d: int, events: int, repeats: int, target: float) -> Row:
    """Predict + learn on dict events, two live models (after the switch), against River's LogisticRegression."""
    from river import linear_model

    X, y, T1 = two_spaces(2 * (T := 300), d, B=10)
    names = [f"sensor_{j}" for j in range(2 * d)]
    after = [
        {name: v for name, v in zip(names, row, strict=True) if v == v}
        for row in X[T1:][np.arange(events) % (T)].tolist()
    ]
    labels = [bool(v > 0) for v in y[T1:][np.arange(events) % (T)]]
    model = paper.fesl_c()
    model.learn_many(X, y > 0, features=names)
    assert len(model.weights) == 2
    river = linear_model.LogisticRegression()

    ours, peer, ratio = interleaved(
        lambda: seconds(loop(model, after, labels)),
        lambda: seconds(loop(river, after, labels)),
        repeats,
    )
    work = f"dict events, {d} features, FESL-c with two live models: predict + learn"
    return Row(
        work,
        "River LogisticRegression",
        ours / events * 1e6,
        peer / events * 1e6,
        ratio,
        f">= {target:g}x",
        ratio >= target,
    )


def dict_default(d: int, events: int, repeats: int) -> Row:
    """Predict + learn on dict events by the default learner, against River's LogisticRegression."""
    from river import linear_model

    rng = np.random.default_rng(0)
    X = rng.normal(size=(events, d))
    y = (X @ rng.normal(size=d) + rng.normal(size=events) > 0).tolist()
    stream = [dict(zip([f"x{j}" for j in range(d)], row, strict=True)) for row in X.tolist()]

    ours, peer, ratio = interleaved(
        lambda: seconds(loop(Classifier(), stream, y)),
        lambda: seconds(loop(linear_model.LogisticRegression(), stream, y)),
        repeats,
    )
    work = f"dict events, {d} features, default learner from its first event on: predict + learn"
    us = ours / events * 1e6, peer / events * 1e6
    return Row(work, "River LogisticRegression", *us, ratio, ">= 1/2x", ratio >= 0.5)


def bulk_dense(d: int, n: int, repeats: int) -> Row:
    """A whole dense stream through FESL-c, against SGDClassifier.partial_fit of one model on the same rows."""
    from sklearn.linear_model import SGDClassifier

    X, y, T1 = two_spaces(n, d, B=10)
    whole = np.where(np.isnan(X[:, :d]), X[:, d:], X[:, :d])
    ours, peer, ratio = interleaved(
        lambda: seconds(lambda: paper.fesl_c(horizon=n - T1).run(X, y)),
        lambda: seconds(lambda: SGDClassifier(loss="log_loss").partial_fit(whole, y, classes=[0, 1])),
        repeats,
    )
    work = f"bulk, {n:,} rows, {d} features, FESL-c: predict + learn, through the switch"
    return Row(work, "SGDClassifier.partial_fit", ours / n * 1e6, peer / n * 1e6, ratio, ">= 1/3x", ratio >= 1 / 3)


def reuters_sized() -> tuple[sparse.csr_array, np.ndarray, int, int]:
    """18,758 documents, 21,531 and 24,892 words, about 100 a document, B = 50: r.EN-FR's size."""
    X, y = documents()
    return X, y, len(y) // 2, 50


def bulk_sparse(repeats: int) -> Row:
    from sklearn.linear_model import SGDClassifier

    X, y, T1, B = reuters_sized()
    n = len(y)
    ours, peer, ratio = interleaved(
        lambda: seconds(lambda: paper.fesl_c(spaces=Periods([(T1 - B, T1)]), horizon=n - T1).run(X, y)),
        lambda: seconds(lambda: SGDClassifier(loss="log_loss").partial_fit(X, y, classes=[0, 1])),
        repeats,
    )
    work = f"Reuters-sized, {n:,} rows, 21,531 and 24,892 features, B = 50, FESL-c: predict + learn"
    return Row(work, "SGDClassifier.partial_fit", ours / n * 1e6, peer / n * 1e6, ratio, ">= 1/3x", ratio >= 1 / 3)


PEAK = """
import re, sys
import numpy as np
from scipy import sparse
from fesl import paper
from fesl.spaces import Periods
X, rest = sparse.load_npz(sys.argv[1] + "/X.npz"), np.load(sys.argv[1] + "/rest.npz")
y, T1, B = rest["y"], int(rest["T1"]), int(rest["B"])
paper.fesl_c(spaces=Periods([(T1 - B, T1)]), horizon=len(y) - T1).run(X, y)
print(int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) / 1024)
"""


def peak_memory() -> Row:
    """Peak memory of a process that loads the Reuters-sized data and runs FESL-c over it, in MB (Linux)."""
    X, y, T1, B = reuters_sized()
    with tempfile.TemporaryDirectory() as folder:
        sparse.save_npz(f"{folder}/X.npz", X, compressed=False)
        np.savez(f"{folder}/rest.npz", y=y, T1=T1, B=B)
        command = [sys.executable, "-c", PEAK, folder]
        mb = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    work = "Reuters-sized run: peak memory of the whole process with its data, MB"
    return Row(work, "limit", mb, 300.0, 300.0 / mb, "< 300 MB", mb < 300.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    repeats = 5 if args.quick else 15
    packages = {p: version(p) for p in ("fesl", "numpy", "river", "scikit-learn")}
    print(
        f"{platform.machine()}, Python {platform.python_version()}, {packages}, compiled: {paper.fesl_c().compiled}"
    )
    print(f"{'':4}{'work':82}{'ours':>10}{'peer':>10}{'ratio':>8}  target")
    rows = []
    for make in (
        lambda: dict_events(20, 3000, repeats, 4.0),
        lambda: dict_events(200, 600, repeats, 6.0),
        lambda: dict_default(20, 3000, repeats),
        lambda: bulk_dense(20, 50_000, repeats),
        lambda: bulk_dense(200, 20_000, repeats),
        lambda: bulk_sparse(repeats),
        peak_memory,
    ):
        row = make()
        rows.append(row)
        flag = "ok" if row.met else "MISS"
        print(
            f"{flag:4}{row.work[:82]:82}{row.ours_us:10.2f}{row.peer_us:10.2f}{row.ratio:7.2f}x  {row.target}"
            f"  ({row.peer})",
            flush=True,
        )
    print("ours and peer: microseconds an event (MB in the last row); ratio: peer / ours, above 1 we are faster")
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"packages": packages, "rows": [asdict(row) for row in rows]}, file, indent=1)


if __name__ == "__main__":
    main()
