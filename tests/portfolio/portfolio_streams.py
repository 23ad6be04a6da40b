"""Streams for the default learner: features are noisy mixtures of a few hidden numbers, and so is the label."""

from __future__ import annotations

import numpy as np

from fesl import Classifier, Regressor
from fesl.portfolio.changes.lives import Kind

TASKS = ("binary", "multiclass", "regression", "two targets")
PATTERNS = ("full", "switch", "survivors", "blink", "back", "trapezoid", "no overlap")


def make(task, **options):
    return Regressor(**options) if task in TASKS[2:] else Classifier(**options)


def stream(pattern, task, rows=300, width=8, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(rows, 3))
    X = z @ rng.normal(size=(3, width)) + noise * rng.normal(size=(rows, width))
    s = z @ rng.normal(size=(3, 3)) + noise * rng.normal(size=(rows, 3))
    half, third, d = rows // 2, rows // 3, width // 2
    if pattern in ("switch", "survivors"):
        last = width if pattern == "switch" else width - 2
        X[: half - 12, d:last] = np.nan
        X[half:, :d] = np.nan
    elif pattern == "no overlap":
        X[:half, d:] = np.nan
        X[half:, :d] = np.nan
    elif pattern == "blink":
        X[rng.random(X.shape) < 0.3] = np.nan
    elif pattern == "back":
        X[: third - 12, d:] = np.nan
        X[third : 2 * third, :d] = np.nan
        X[2 * third + 12 :, d:] = np.nan
    elif pattern == "trapezoid":
        for j in range(width):
            X[: j * rows // width, j] = np.nan
    y = {
        "binary": lambda: (s[:, 0] > 0).tolist(),
        "multiclass": lambda: [("red", "green", "blue")[i] for i in s.argmax(axis=1)],
        "regression": lambda: s[:, 0].tolist(),
        "two targets": lambda: s[:, :2].tolist(),
    }[task]()
    return X, y


def events(X, y, names=None):
    names = names or [f"x{j}" for j in range(X.shape[1])]
    dicts = [{k: v for k, v in zip(names, row, strict=True) if v == v} for row in X.tolist()]
    return list(zip(dicts, y, strict=True))


def numbers(model, x):
    """What the model predicts, as numbers."""
    if isinstance(model, Classifier):
        return list(model.predict_proba_one(x).values())
    p = model.predict_one(x)
    return list(p) if isinstance(p, list) else [p]


def texts(n, vocabulary=3000, words=40, seed=0, first=0):
    """Documents of two topics; a topic prefers half of the words."""
    rng = np.random.default_rng(seed)
    rank = 1.0 / np.arange(1, vocabulary + 1)
    favour = np.random.default_rng(99).random(vocabulary) < 0.5
    docs, topics = [], []
    for _ in range(n):
        topic = bool(rng.random() < 0.5)
        p = rank * np.where(favour == topic, 1.6, 0.4)
        chosen = rng.choice(vocabulary, size=words, replace=False, p=p / p.sum())
        docs.append({f"w{first + int(j)}": float(1 + rng.poisson(0.5)) for j in chosen})
        topics.append(topic)
    return docs, topics


def accuracy(model, docs, topics):
    right = []
    for x, y in zip(docs, topics, strict=True):
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    return np.array(right)


def told_in_order(events):
    """Nothing is said late, and what comes back had vanished."""
    assert [e.time for e in events] == sorted(e.time for e in events)
    for name in {e.feature for e in events}:
        kinds = [e.kind for e in events if e.feature == name and e.kind in (Kind.VANISHED, Kind.CAME_BACK)]
        assert kinds == [Kind.VANISHED, Kind.CAME_BACK] * (len(kinds) // 2) + [Kind.VANISHED] * (len(kinds) % 2)
    appeared = [e.feature for e in events if e.kind is Kind.APPEARED]
    assert len(appeared) == len(set(appeared))
