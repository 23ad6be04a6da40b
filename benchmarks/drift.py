"""Concept drift: all labels change their places half way, nothing else does.

    python -m benchmarks drift [--full] [--sets ...] [--peers ...]

Every class becomes the next one. Accuracy in the 200 rows before, and in the rows after, for everybody on the same
rows in the same order. Sets of fewer than 500 rows are left out.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import sets
from benchmarks.contestants import crowd, plays
from benchmarks.peers.base import save

#: Rows since the labels changed.
WINDOWS = {"200 before": (-200, 0), "0 to 100": (0, 100), "100 to 200": (100, 200), "200 to 400": (200, 400)}
#: Who is asked; the last takes long.
MODELS = {
    "ours": ("default",),
    "river": ("Scaler | LogisticRegression", "HoeffdingAdaptiveTree", "ARF"),
    "vowpal": ("VW",),
}
SLOW = ("ARF",)
LEAST = 500


def stream(data: sets.Data, run: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows, labels, and the row from which each class is the next one."""
    order = data.order(run)
    y, half = data.y[order].copy(), len(order) // 2
    y[half:] = (y[half:] + 1) % data.classes
    return data.X[order], y, half


def run(names: list[str], peers: list[str], runs: int, full: bool) -> dict[str, Any]:
    """A line a set and contestant: its accuracy in each window, the mean over the row orders."""
    rows = []
    asked = {peer: tuple(m for m in each if full or m not in SLOW) for peer, each in MODELS.items()}
    with tempfile.TemporaryDirectory() as folder, crowd([p for p in peers if p in MODELS]) as (here, absent):
        path = Path(folder, "stream.npz")
        for name in names:
            data = sets.load(name)
            if len(data.y) < LEAST:
                continue
            found: dict[str, list[list[float]]] = {}
            for k in range(runs):
                X, y, half = stream(data, k)
                save(path, X, y, data.classes)
                for who, right in plays(here, asked, path):
                    found.setdefault(who, []).append(_accuracies(right, half))
            rows += [
                {"set": name, "who": who, "accuracy": np.mean(each, axis=0).tolist()} for who, each in found.items()
            ]
        versions = {name: worker.version for name, worker in here.items()}
    return {"absent": absent, "versions": versions, "runs": runs, "rows": rows}


def _accuracies(right: np.ndarray, half: int) -> list[float]:
    return [float(right[half + a : half + b].mean()) for a, b in WINDOWS.values()]


def means(found: dict[str, Any]) -> dict[str, list[float]]:
    """Over the sets, by contestant."""
    by: dict[str, list[list[float]]] = {}
    for row in found["rows"]:
        by.setdefault(row["who"], []).append(row["accuracy"])
    return {who: np.mean(each, axis=0).tolist() for who, each in by.items()}


def show(found: dict[str, Any]) -> None:
    print(f"\nall labels change their places half way; {found['runs']} row order(s), rows since then")
    print(f"{'':14}{'':42}" + "".join(f"{name:>12}" for name in WINDOWS))
    for row in found["rows"]:
        print(f"{row['set']:14}{row['who']:42}" + "".join(f"{v:12.3f}" for v in row["accuracy"]))
    for who, each in means(found).items():
        print(f"{'mean':14}{who:42}" + "".join(f"{v:12.3f}" for v in each))
