"""How much of the loss is undone: in the 200 rounds after the last old feature is gone, the share of the gap
between a fresh start at that switch and an oracle that still sees the old features which the default learner
closes.

Where features die one by one there is another fresh start to compare with: one at the first death, of somebody who
knows already then which features will stay.

    python -m benchmarks gap [--sets ...] [--runs 3]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import fesl
from benchmarks import sets
from benchmarks.patterns import WINDOW
from benchmarks.sets import Data
from fesl import streams

B = 50

PATTERNS: dict[str, Callable[[Data, int], streams.Stream]] = {
    "paper": lambda data, run: streams.two_spaces(data.X, data.X2, data.y, overlap=B, order=data.order(run)),
    "evolvable": lambda data, run: streams.evolve(data.X, data.y, overlap=B, order=data.order(run)),
    "staggered": lambda data, run: streams.staggered(data.X, data.X2, data.y, overlap=B, order=data.order(run)),
}


def whole(pattern: str, data: Data, run: int) -> np.ndarray:
    """All cells of the stream, none hidden: what the oracle may look at."""
    rows = data.order(run)
    return data.X[rows] if pattern == "evolvable" else np.hstack([data.X, data.X2])[rows]


def accuracies(pattern: str, data: Data, run: int) -> tuple[float, float, float, float]:
    """Fresh at the last switch, fresh at the first, ours and the oracle in the window after the last."""
    stream = PATTERNS[pattern](data, run)
    X, y = np.asarray(stream.X), np.asarray(stream.y)
    first, last = stream.switches[0], stream.switches[-1]
    new = stream.spaces[-1]
    old = np.setdiff1d(np.arange(X.shape[1]), new)
    shown = X.copy()
    shown[:, old] = whole(pattern, data, run)[:, old]  # the old features never go, the new ones come as they do

    def after(start: int, seen: np.ndarray) -> float:
        found = fesl.Classifier().run(np.ascontiguousarray(seen[start:]), y[start:]).predictions
        return float(np.mean(found[last - start :][:WINDOW] == y[last : last + WINDOW]))

    return after(last, X[:, new]), after(first, X[:, new]), after(0, X), after(0, shown)


def run(names: list[str], runs: int) -> list[dict[str, Any]]:
    """A line a set and pattern."""
    found = []
    for name in names:
        data = sets.load(name)
        for pattern in PATTERNS:
            mean = np.mean([accuracies(pattern, data, r) for r in range(runs)], axis=0).tolist()
            row = dict(zip(("fresh", "early", "ours", "oracle"), mean, strict=True))
            gap = row["oracle"] - row["fresh"]
            closed = (row["ours"] - row["fresh"]) / gap if gap > 0.005 else None
            found.append({"set": name, "pattern": pattern, **row, "closed": closed})
    return found


def share(rows: list[dict[str, Any]]) -> float | None:
    """Of the summed gaps, what is closed."""
    gap = sum(row["oracle"] - row["fresh"] for row in rows)
    return sum(row["ours"] - row["fresh"] for row in rows) / gap if gap > 0 else None


def show(found: list[dict[str, Any]]) -> None:
    print(f"\nshare of the gap between a fresh start and an oracle that is closed, B = {B}, {WINDOW} rounds after")
    for row in found:
        closed = "no gap" if row["closed"] is None else f"{row['closed']:6.2f}"
        early = f" (at the first death {row['early']:.3f})" if row["pattern"] == "staggered" else ""
        figures = (
            f"fresh {row['fresh']:.3f}{early} ours {row['ours']:.3f} oracle {row['oracle']:.3f} closed {closed}"
        )
        print(f"{row['set']:14} {row['pattern']:10} {figures}")
    for pattern in PATTERNS:
        closed = share([row for row in found if row["pattern"] == pattern])
        print(f"{pattern}: {'no gap' if closed is None else f'{closed:.2f}'} of all gaps together")
