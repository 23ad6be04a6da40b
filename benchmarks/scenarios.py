"""What the guard counts: each makes a function that plays a number of events (or switches), and nothing random."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np

import fesl
from benchmarks.workloads import documents, two_spaces
from fesl import paper

__all__ = ["blinking", "default", "fesl", "paper", "paper_events", "paper_table", "switches", "wide", "yardstick"]

Play = Callable[[int], None]


def _events(d: int, n: int = 1200) -> list[tuple[dict[str, float], bool]]:
    X = np.random.default_rng(0).normal(size=(n, d))
    names = [f"x{j}" for j in range(d)]
    return [(dict(zip(names, row, strict=True)), row[0] + row[-1] > 0) for row in X.tolist()]


def _play(model: Any, events: list[tuple[dict[str, float], bool]]) -> None:
    for x, y in events:
        model.predict_proba_one(x)
        model.learn_one(x, y)


def yardstick(n: int) -> None:
    """Logistic regression by gradient descent on dicts, in plain Python."""
    weights: dict[str, float] = {}
    for x, y in _events(20)[:n]:
        for _ in range(2):
            score = sum(weights.get(name, 0.0) * value for name, value in x.items())
        step = 0.01 * (y - 1.0 / (1.0 + exp(-score)))
        for name, value in x.items():
            weights[name] = weights.get(name, 0.0) + step * value


def default(d: int) -> Play:
    """The default learner on dicts, all features always there."""
    events = _events(d)
    return lambda n: _play(fesl.Classifier(), events[:n])


def blinking(d: int) -> Play:
    """The default learner, every other feature absent in turns."""
    events = [
        ({name: v for k, (name, v) in enumerate(x.items()) if (k + t // 3) % 2}, y)
        for t, (x, y) in enumerate(_events(d))
    ]
    return lambda n: _play(fesl.Classifier(), events[:n])


def wide(make: Callable[[], Any]) -> Play:
    """A sparse table of some thousand columns, before its switch."""
    X, y = documents(600, 2000, 2000, words=50)
    return lambda n: make().run(X[:n], y[:n])


def switches(make: Callable[[], Any]) -> Play:
    """So many times five features replaced by five others; a generation lives for sixty events."""
    rng = np.random.default_rng(0)
    events = []
    for k in range(8):
        for t in range(60):
            a = rng.normal(size=5).tolist()
            generations = (k, k + 1) if t >= 50 else (k,)
            events.append(({f"g{g}-{j}": v for g in generations for j, v in enumerate(a)}, a[0] > 0))
    return lambda n: _play(make(), events[: 60 * n])


def paper_events(d: int) -> Play:
    """FESL-c with two live models on dicts."""
    X, y, T1 = two_spaces(600, d, 10)
    names = [f"x{j}" for j in range(2 * d)]
    model = paper.fesl_c()
    model.learn_many(X, y > 0, features=names)
    after = [
        (dict(zip(names[d:], row, strict=True)), bool(t))
        for row, t in zip(X[T1:, d:].tolist(), y[T1:], strict=True)
    ]
    events = after * 5
    return lambda n: _play(model, events[:n])


def paper_table(d: int) -> Play:
    """FESL-c through a dense table, its switch included."""
    X, y, T1 = two_spaces(8000, d, 10)
    return lambda n: paper.fesl_c().run(X[T1 - 100 :][:n], y[T1 - 100 :][:n])
