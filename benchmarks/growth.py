"""How cost grows: one thing at a time gets larger, the time of an event is fitted by a power of it.

    python -m benchmarks growth [--full]

Time is the processor's, for nothing else runs in this process. Flat where it should be flat: what an event costs
must not depend on how much was forgotten, how many cycles there were, how long the overlap was, or how many words
there are that it does not hold.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import fesl
from benchmarks import workloads
from fesl import paper
from fesl.losses import Softmax
from fesl.spaces import Periods

Event = tuple[dict[Any, float], Any]
Maker = Callable[[], Any]
LEARNERS: dict[str, Maker] = {
    "default": fesl.Classifier,
    "FESL-c": lambda: paper.fesl_c(loss=Softmax()),
}
DOCUMENTS = 1000
SWITCH = (DOCUMENTS // 2 - 20, DOCUMENTS // 2)
#: The paper's learners must be told the spaces of documents, which hold few of their words.
READERS: dict[str, Maker] = {**LEARNERS, "FESL-c": lambda: paper.fesl_c(spaces=Periods([SWITCH]))}


class Axis(NamedTuple):
    """What grows, through which values, the steepest slope that is right, what measures an event, and of whom."""

    name: str
    values: tuple[int, ...]
    allowed: dict[str, float]
    measure: Callable[[Maker, int], float]
    learners: dict[str, Maker] = LEARNERS


def _seconds(model: Any, events: list[Event]) -> float:
    """Of an event, predict and learn; the median of five pieces, so that a hiccup does not count."""
    pieces = np.array_split(np.arange(len(events)), 5)
    taken = []
    for piece in pieces:
        start = time.process_time()
        for x, y in events[piece[0] : piece[-1] + 1]:
            model.predict_proba_one(x)
            model.learn_one(x, y)
        taken.append((time.process_time() - start) / len(piece))
    return float(np.median(taken))


def _dicts(X: np.ndarray, y: np.ndarray, prefix: str = "x") -> list[Event]:
    names = [f"{prefix}{j}" for j in range(X.shape[1])]
    rows = [{k: v for k, v in zip(names, row, strict=True) if v == v} for row in X.tolist()]
    return list(zip(rows, y.tolist(), strict=True))


def _live(make: Maker, d: int) -> float:
    """d live features, after a switch."""
    X, y, T1 = workloads.two_spaces(800, d, B=10)
    model = make()
    model.learn_many(X[: T1 + 300], y[: T1 + 300], features=[f"x{j}" for j in range(2 * d)])
    return _seconds(model, _dicts(X, y)[T1 + 300 :])


def _documents(make: Maker, words: int, columns: int = 20_000) -> float:
    """In two languages, after the switch from one to the other."""
    X, y = workloads.documents(DOCUMENTS, columns // 2, columns // 2, words, B=20)
    start = DOCUMENTS // 2 + 50
    model = make()
    model.run(X[:start], y[:start])
    began = time.process_time()
    model.run(X[start:], y[start:])
    return (time.process_time() - began) / (DOCUMENTS - start)


def _vocabulary(make: Maker, columns: int) -> float:
    """Of documents whose words have all been met: what an event costs, whatever else was ever read."""
    words, start, half = 50, DOCUMENTS // 2 + 50, columns // 2
    X, y = workloads.documents(DOCUMENTS, half, half, words, B=20)
    model = make()
    model.run(X[:start], y[:start])
    at = np.arange(half, columns // words * words).reshape(-1, words)  # every word of the second language once
    like = start + np.arange(len(at)) % (DOCUMENTS - start)  # beside those of a common document
    table = (np.full(at.size, 0.1), at.ravel(), np.arange(0, at.size + 1, words))
    model.learn_many(X[like] + sparse.csr_array(table, shape=(len(at), columns)), y[like])
    return _seconds(model, list(zip(_rows(X[start:]), y[start:].tolist(), strict=True)))


def _rows(X: sparse.csr_array) -> list[dict[Any, float]]:
    cells = zip(X.indices.tolist(), X.data.tolist(), strict=True)
    return [dict(islice(cells, n)) for n in np.diff(X.indptr).tolist()]


def _overlap(make: Maker, B: int) -> float:
    """After a switch that B rows of overlap came before."""
    X, y, T1 = workloads.two_spaces(2 * B + 700, 10, B)
    model = make()
    model.learn_many(X[: T1 + 200], y[: T1 + 200], features=[f"x{j}" for j in range(20)])
    return _seconds(model, _dicts(X, y)[T1 + 200 :])


def _cycles(make: Maker, cycles: int) -> float:
    """Two features replaced by two others `cycles` times; then as they are."""
    model = make()
    for x, y in _replaced(cycles, width=2):
        model.learn_one(x, y)
    return _seconds(model, _settled(cycles, width=2))


def _dead(make: Maker, dead: int) -> float:
    """Ten features at a time, until `dead` are gone; then as they are."""
    model = make()
    for x, y in _replaced(dead // 10, width=10):
        model.learn_one(x, y)
    return _seconds(model, _settled(dead // 10, width=10))


def _replaced(cycles: int, width: int) -> Iterator[Event]:
    """Generations of 24 events, the last four of each in the company of the next."""
    rng = np.random.default_rng(0)
    for k in range(cycles):
        for t in range(24):
            a = rng.normal(size=width).tolist()
            x = {f"g{k}-{j}": v for j, v in enumerate(a)}
            if t >= 20:
                x |= {f"g{k + 1}-{j}": v for j, v in enumerate(a)}
            yield x, int(a[0] > 0)


def _settled(generation: int, width: int) -> list[Event]:
    X = np.random.default_rng(1).normal(size=(400, width))
    return _dicts(X, (X[:, 0] > 0).astype(int), prefix=f"g{generation}-")


def _outputs(make: Maker, classes: int) -> float:
    X = np.random.default_rng(0).normal(size=(1000, 20))
    y = np.arange(1000) % classes
    model = make()
    model.learn_many(X[:400], y[:400], features=[f"x{j}" for j in range(20)])
    return _seconds(model, _dicts(X, y)[400:])


def axes(full: bool) -> list[Axis]:
    both = {"default": 0.15, "FESL-c": 0.15}
    linear = {"default": 1.15, "FESL-c": 1.15}
    return [
        Axis("live features", _upto(5, 320 if full else 80), {"default": 2.15, "FESL-c": 1.15}, _live),
        Axis(
            "words in a document",
            _upto(25, 800 if full else 100),
            linear,
            _documents,
            READERS,
        ),
        Axis(
            "words in all",
            _upto(2_000, 64_000 if full else 8_000),
            both,
            _vocabulary,
            READERS,
        ),
        Axis("rows of overlap B", _upto(10, 640 if full else 80), both, _overlap),
        Axis("cycles", _upto(8, 1024 if full else 128), both, _cycles),
        Axis("dead features", _upto(40, 5120 if full else 640), both, _dead),
        Axis("outputs", _upto(2, 64 if full else 8), linear, _outputs),
    ]


def _upto(first: int, last: int) -> tuple[int, ...]:
    return tuple(first * 2**k for k in range(int(np.log2(last / first)) + 1))


def run(full: bool) -> list[dict[str, Any]]:
    """A line an axis and learner: the points and the slope. Repeats are interleaved over the values."""
    repeats = 5 if full else 3
    found = []
    for axis in axes(full):
        for name, make in axis.learners.items():
            print(f"growth with {axis.name}: {name}", file=sys.stderr, flush=True)
            taken = np.array([[axis.measure(make, value) for value in axis.values] for _ in range(repeats)])
            us = np.median(taken, axis=0) * 1e6
            slope = float(np.polyfit(np.log(axis.values), np.log(us), 1)[0])
            found.append(
                {
                    "axis": axis.name,
                    "learner": name,
                    "values": list(axis.values),
                    "us": us.tolist(),
                    "slope": slope,
                    "allowed": axis.allowed[name],
                }
            )
    return found


def show(found: list[dict[str, Any]]) -> None:
    print("\nhow the time of an event grows: fitted slope on a log-log scale, and what it may be")
    for row in found:
        mark = "ok  " if row["slope"] <= row["allowed"] else "MISS"
        ends = f"{row['us'][0]:9.1f} us at {row['values'][0]:,} to {row['us'][-1]:9.1f} us at {row['values'][-1]:,}"
        print(f"{mark} {row['axis']:20} {row['learner']:8} {row['slope']:6.2f} (<= {row['allowed']:.2f}) {ends}")
