"""How much of the loss is undone: in the 200 rounds after the last old feature is gone, the share of the gap
between a fresh start at that switch and an oracle that still sees the old features which the default learner
closes.

Two more to compare with: a fresh start at the first death, where features die one by one, of somebody who knows
already then which will stay; and a learner that always saw the new features, and only those. The old ones know what
the new ones do not, and nothing could make up for that: what it lacks of the oracle cannot be closed.

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


#: Everybody's names, in the order of `accuracies`.
WHO = ("fresh", "early", "ours", "always", "oracle")


def accuracies(pattern: str, data: Data, run: int) -> tuple[float, ...]:
    """Fresh at the last switch, fresh at the first, ours, one that always saw the new features, and the oracle, in
    the window after the last switch."""
    stream = PATTERNS[pattern](data, run)
    X, y = np.asarray(stream.X), np.asarray(stream.y)
    first, last = stream.switches[0], stream.switches[-1]
    new = stream.spaces[-1]
    old = np.setdiff1d(np.arange(X.shape[1]), new)
    shown, everything = X.copy(), whole(pattern, data, run)
    shown[:, old] = everything[:, old]  # the old features never go, the new ones come as they do

    def after(start: int, seen: np.ndarray) -> float:
        found = fesl.Classifier().run(np.ascontiguousarray(seen[start:]), y[start:]).predictions
        return float(np.mean(found[last - start :][:WINDOW] == y[last : last + WINDOW]))

    fresh, early = after(last, X[:, new]), after(first, X[:, new])
    return fresh, early, after(0, X), after(0, everything[:, new]), after(0, shown)


def run(names: list[str], runs: int) -> list[dict[str, Any]]:
    """A line a set and pattern."""
    found = []
    for name in names:
        data = sets.load(name)
        for pattern in PATTERNS:
            mean = np.mean([accuracies(pattern, data, r) for r in range(runs)], axis=0).tolist()
            row = dict(zip(WHO, mean, strict=True))
            gap = row["oracle"] - row["fresh"]
            closed = (row["ours"] - row["fresh"]) / gap if gap > 0.005 else None
            found.append({"set": name, "pattern": pattern, **row, "closed": closed})
    return found


def share(rows: list[dict[str, Any]], to: str = "oracle") -> float | None:
    """Of the summed gaps, what is closed."""
    gap = sum(row[to] - row["fresh"] for row in rows)
    return sum(row["ours"] - row["fresh"] for row in rows) / gap if gap > 0 else None


def show(found: list[dict[str, Any]]) -> None:
    print(f"\nshare of the gap between a fresh start and an oracle that is closed, B = {B}, {WINDOW} rounds after")
    print("early: fresh at the first death; always: saw the new features, and only those, from the first row on")
    print(f"{'':25}" + "".join(f"{who:>8}" for who in (*WHO, "closed")))
    for row in found:
        closed = "no gap" if row["closed"] is None else f"{row['closed']:.2f}"
        print(f"{row['set']:14} {row['pattern']:10}" + "".join(f"{row[who]:8.3f}" for who in WHO) + f"{closed:>8}")
    for pattern in PATTERNS:
        rows = [row for row in found if row["pattern"] == pattern]
        closed, possible = ("no gap" if v is None else f"{v:.2f}" for v in (share(rows), share(rows, "always")))
        each = [row["closed"] for row in rows if row["closed"] is not None]
        print(f"{pattern}: {closed} of all gaps together, {possible} of what the new features alone could close;")
        print(f"    more than half in {sum(v > 0.5 for v in each)} of {len(each)} sets")
