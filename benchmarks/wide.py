"""Wide and sparse events: an event holds a few of many features, and nobody says whether what it lacks is zero
(words) or not known (sensors that report now and then).

    python -m benchmarks wide [--full] [--peers ...] [--runs 3]

Streams made on the spot, two classes; accuracy over the whole and over the last third. Where sensors are replaced,
that is the third after it; there is an overlap of 100 events. Without `--full`: half of the rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contestants import crowd, plays
from benchmarks.peers.base import save

ROWS = 3000
MODELS = {
    "ours": ("default",),
    "river": ("Scaler | LogisticRegression", "LogisticRegression", "HoeffdingAdaptiveTree"),
    "vowpal": ("VW",),
}
Table = tuple[np.ndarray, np.ndarray]


def sensors(n: int, rng: np.random.Generator, zero: float, d: int = 120, held: int = 20) -> Table:
    """Each event holds the readings of some; a sensor reads its own `zero` more than what counts."""
    w, level = rng.normal(size=d), zero * rng.uniform(0.5, 2.0, d)
    z, seen = rng.normal(size=(n, d)), rng.random((n, d)).argsort(axis=1) < held
    margin = np.where(seen, z, 0.0) @ w + 0.5 * rng.normal(size=n)
    return np.where(seen, level + z, np.nan), (margin > 0).astype(int)


def words(n: int, rng: np.random.Generator, d: int = 500, held: int = 12) -> Table:
    """Documents; the rarer a word, the later in the vocabulary."""
    p = np.arange(1, d + 1) ** -0.7
    keys = rng.exponential(size=(n, d)) / p
    seen = keys.argsort(axis=1).argsort(axis=1) < held
    margin = seen @ rng.normal(size=d) + 0.3 * rng.logistic(size=n)
    return np.where(seen, 1.0, np.nan), (margin > np.median(margin)).astype(int)


def both(n: int, rng: np.random.Generator, zero: float, readings: int = 10) -> Table:
    """Readings that are always there beside words."""
    X, z = words(n, rng, held=6)[0], rng.normal(size=(n, readings))
    margin = np.nan_to_num(X) @ rng.normal(size=X.shape[1]) + 0.7 * z @ rng.normal(size=readings)
    return np.hstack([zero + z, X]), (margin + 0.3 * rng.logistic(size=n) > 0).astype(int)


def curved(n: int, rng: np.random.Generator, each: int, d: int) -> Table:
    """Five sensors, two of which say together what neither says alone, beside words, or beside a shop."""
    X = words(n, rng, d, held=each)[0]
    z = rng.normal(size=(n, 5))
    told = np.nan_to_num(X) @ rng.normal(size=d) / each**0.5
    margin = 2.0 * (z[:, 0] ** 2 + z[:, 1] ** 2 - 1.4) + z[:, 2] + told + 0.3 * rng.logistic(size=n)
    return np.hstack([50.0 + z, X]), (margin > 0).astype(int)


def many(n: int, rng: np.random.Generator, d: int = 450) -> Table:
    """Sensors that are all in every event; four of them say something, two of these only together."""
    z = rng.normal(size=(n, d))
    margin = z[:, 0] ** 2 + z[:, 1] ** 2 - 1.4 + z[:, 2] - z[:, 3]
    return 50.0 + z, (margin + 0.3 * rng.logistic(size=n) > 0).astype(int)


def replaced(n: int, rng: np.random.Generator, overlap: int = 100) -> Table:
    """Sensors that report now and then, all replaced by others in other units when two thirds are over."""
    X, y = sensors(n, rng, 0.0)
    switch, new = 2 * n // 3, 30.0 - 3.0 * X
    old = 10.0 + X
    old[switch:], new[: switch - overlap] = np.nan, np.nan
    return np.hstack([old, new]), y


STREAMS: dict[str, Callable[[int, np.random.Generator], Table]] = {
    "sensors, zero in the middle": lambda n, rng: sensors(n, rng, 0.0),
    "sensors, zero far away": lambda n, rng: sensors(n, rng, 30.0),
    "words": words,
    "words and readings, zero in the middle": lambda n, rng: both(n, rng, 0.0),
    "words and readings, zero far away": lambda n, rng: both(n, rng, 30.0),
    "words and curved readings": lambda n, rng: curved(n, rng, 6, 500),
    "one of 200 shops and curved readings": lambda n, rng: curved(n, rng, 1, 200),
    "450 sensors in every event, two curved": many,
    "sensors replaced": replaced,
}


def run(peers: list[str], runs: int, full: bool) -> dict[str, Any]:
    """A line a stream and contestant: accuracy over the whole and over the last third, the mean of the runs."""
    n, rows = ROWS if full else ROWS // 2, []
    with tempfile.TemporaryDirectory() as folder, crowd([p for p in peers if p in MODELS]) as (here, absent):
        path = Path(folder, "stream.npz")
        for name, make in STREAMS.items():
            found: dict[str, list[list[float]]] = {}
            for k in range(runs):
                save(path, *make(n, np.random.default_rng(k)), 2)
                for who, right in plays(here, MODELS, path):
                    found.setdefault(who, []).append([float(right.mean()), float(right[2 * n // 3 :].mean())])
            rows += [
                {"stream": name, "who": who, "accuracy": np.mean(each, axis=0).tolist()}
                for who, each in found.items()
            ]
        versions = {name: worker.version for name, worker in here.items()}
    return {"absent": absent, "versions": versions, "runs": runs, "events": n, "rows": rows}


def table(found: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """By stream and contestant."""
    by: dict[str, dict[str, list[float]]] = {}
    for row in found["rows"]:
        by.setdefault(row["stream"], {})[row["who"]] = row["accuracy"]
    return by


def show(found: dict[str, Any]) -> None:
    print(f"\nwide and sparse events, {found['events']} of them, {found['runs']} run(s): the whole, the last third")
    for stream, each in table(found).items():
        for who, (whole, last) in each.items():
            print(f"{stream:40}{who:42}{whole:8.3f}{last:8.3f}")
