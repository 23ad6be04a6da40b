"""What an event costs: the default learner beside River's LogisticRegression, on dicts, as a ratio.

    python benchmarks/default_learner.py [--events N]

Repeats are interleaved and the median ratio is printed, so that a noisy machine slows both.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from river import linear_model, preprocessing

import fesl


def events(n: int, d: int, seed: int = 0) -> list[tuple[dict[str, float], bool]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + rng.normal(size=n) > 0
    names = [f"x{j}" for j in range(d)]
    return [(dict(zip(names, row, strict=True)), bool(t)) for row, t in zip(X.tolist(), y, strict=True)]


def seconds(model: object, stream: list[tuple[dict[str, float], bool]]) -> float:
    """Predict, then learn, event by event."""
    start = time.perf_counter()
    for x, y in stream:
        model.predict_proba_one(x)  # type: ignore[attr-defined]
        model.learn_one(x, y)  # type: ignore[attr-defined]
    return (time.perf_counter() - start) / len(stream)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    print(f"{'features':>8} {'ours us':>8} {'LR us':>8} {'ratio':>6} {'scaled LR us':>12} {'ratio':>6}")
    for d in (5, 20, 50, 100, 200):
        stream = events(args.events, d)
        rows = []
        for _ in range(args.repeats):
            ours = seconds(fesl.Classifier(), stream)
            plain = seconds(linear_model.LogisticRegression(), stream)
            scaled = seconds(preprocessing.StandardScaler() | linear_model.LogisticRegression(), stream)
            rows.append((ours, plain, scaled))
        o, p, s = np.median(rows, axis=0) * 1e6
        ratio = np.median([[r[0] / r[1], r[0] / r[2]] for r in rows], axis=0)
        print(f"{d:8d} {o:8.1f} {p:8.1f} {ratio[0]:6.2f} {s:12.1f} {ratio[1]:6.2f}", flush=True)


if __name__ == "__main__":
    main()
