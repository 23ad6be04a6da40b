"""A whole run over a CSV file: `fesl run` beside River's LogisticRegression behind its StandardScaler.

    python -m benchmarks files [--rows 1000000] [--repeats 3]

Twenty numeric columns and a label of two classes. Both start as a process of their own, in turns; the ratios are
the medians of those of each turn, by the clock and of processor time (which a busy machine disturbs less). Peak
memory is that of the whole process. Neither writes its predictions. The last lines say where the time of a run that
does goes: reading and converting, the learner, and all the rest (metrics, history, the predictions file).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

COLUMNS = 20
RIVER = """
import sys
from river import linear_model, metrics, preprocessing, stream

model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
accuracy = metrics.Accuracy()
converters = {name: float for name in sys.argv[2].split(",")} | {"y": int}
for x, y in stream.iter_csv(sys.argv[1], target="y", converters=converters):
    accuracy.update(y, model.predict_one(x))
    model.learn_one(x, y)
print(accuracy)
"""


def make(path: Path, rows: int) -> list[str]:
    """A CSV file of this many rows; gives the names of its columns."""
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(COLUMNS)]
    w = rng.normal(size=COLUMNS)
    with path.open("w") as file:
        file.write(",".join(names) + ",y\n")
        for start in range(0, rows, 10_000):
            X = rng.normal(size=(min(10_000, rows - start), COLUMNS))
            y = (X @ w + rng.normal(size=len(X)) > 0).astype(int)
            for row, label in zip(X.tolist(), y.tolist(), strict=True):
                file.write(",".join(f"{v:.5f}" for v in row) + f",{label}\n")
    return names


class Cost(NamedTuple):
    """What a process took: seconds by the clock and of the processor, and megabytes at its peak."""

    clock: float
    processor: float
    peak: float


def measure(command: list[str]) -> Cost:
    """Run a process to its end."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[:4]} failed with {process.returncode}")
    return Cost(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def parts(path: Path) -> dict[str, float]:
    """Where the processor time of a run goes, in microseconds a row."""
    import pyarrow.csv  # noqa: F401 (the first import takes as long as thousands of rows)

    import fesl
    from fesl.cli.outputs import sink
    from fesl.cli.session import parts as slices
    from fesl.evaluation import Prequential
    from fesl.files import Settings, Stream

    model = fesl.Classifier()
    spent = {"reading": 0.0, "learner": 0.0, "the rest": 0.0}
    learn = model.run

    def timed(*args: object, **more: object) -> object:
        began = time.process_time()
        try:
            return learn(*args, **more)  # type: ignore[arg-type]
        finally:
            spent["learner"] += time.process_time() - began

    model.run = timed  # type: ignore[method-assign, assignment]
    stream = Stream([path], Settings(targets=("y",)))
    loop, out = Prequential(model), sink(path.with_suffix(".predictions.csv"), stream)
    blocks = iter(stream)
    while True:
        began = time.process_time()
        block = next(blocks, None)
        spent["reading"] += time.process_time() - began
        if block is None:
            break
        began = time.process_time()
        for part in slices(block):
            out.write(part, loop.feed(part.X, part.y, features=part.names))
        spent["the rest"] += time.process_time() - began
    out.close()
    spent["the rest"] -= spent["learner"]
    return {name: seconds / loop.rows * 1e6 for name, seconds in spent.items()}


def main(rows: int, repeats: int) -> None:
    """Run both over a file of so many rows, and print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stream.csv")
        names = make(path, rows)
        print(f"{rows:,} rows, {COLUMNS} columns, {path.stat().st_size / 1e6:.0f} MB")
        ours = [sys.executable, "-m", "fesl.cli", "run", str(path), "--target", "y", "--quiet"]
        theirs = [sys.executable, "-c", RIVER, str(path), ",".join(names)]
        found = [(measure(ours), measure(theirs)) for _ in range(repeats)]
        for name, i in (("fesl run", 0), ("River", 1)):
            clock, processor = (statistics.median(pair[i][j] for pair in found) / rows * 1e6 for j in (0, 1))
            peak = max(pair[i].peak for pair in found)
            print(f"{name:10} {clock:8.1f} us a row, {processor:.1f} of the processor; {peak:.0f} MB at most")
        for what, j in (("clock", 0), ("processor", 1)):
            ratios = [theirs_[j] / ours_[j] for ours_, theirs_ in found]
            middle, span = statistics.median(ratios), f"{min(ratios):.1f} to {max(ratios):.1f}"
            print(f"fesl run is {middle:.1f} times as fast as River by the {what} ({span})")
        spent = parts(path)
        print("processor time a row: " + ", ".join(f"{name} {us:.1f} us" for name, us in spent.items()))
        outside = spent["reading"] + spent["the rest"]
        print(f"outside the learner: {outside / spent['learner']:.2f} of the learner's own time")
