"""Forecasts of numbers beside River's, on sets that a line fits and sets that no line fits.

    python benchmarks/regression.py [--quick] [--sets friedman1 ...] [--patterns full ...]

Per set and pattern: the root mean square error in standard deviations of the target, over the whole stream but its
first 50 rows, and in the 200 rows after the last switch. `--quick`: one order of 1000 rows without the forest,
instead of three orders of 3000.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.datasets as made
from river import forest, linear_model, preprocessing, tree
from tqdm import tqdm

from fesl import Regressor, streams
from fesl.river import Regressor as Ours

AFTER, WARM = 200, 50


def _line(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 8))
    return X, X @ rng.normal(size=8) + rng.normal(size=rows)


def _steps(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 6))
    return X, 2.0 * (X[:, 0] > 0.0) + (X[:, 1] * X[:, 2] > 0.0) + 0.3 * rng.normal(size=rows)


SETS: dict[str, Callable[[int], tuple[np.ndarray, np.ndarray]]] = {
    "line": _line,
    "diabetes": lambda rows: made.load_diabetes(return_X_y=True),
    "friedman1": lambda rows: made.make_friedman1(rows, noise=1.0, random_state=1),
    "friedman2": lambda rows: made.make_friedman2(rows, noise=50.0, random_state=1),
    "friedman3": lambda rows: made.make_friedman3(rows, noise=0.1, random_state=1),
    "steps": _steps,
}
PATTERNS: dict[str, Callable[[np.ndarray, np.ndarray, int, np.ndarray], Any]] = {
    "full": lambda X, y, run, order: None,
    "paper": lambda X, y, run, order: streams.two_spaces(X, streams.random_map(X), y, overlap=20, order=order),
    "evolvable": lambda X, y, run, order: streams.evolve(X, y, overlap=1.0, order=order),
    "trapezoidal": lambda X, y, run, order: streams.trapezoidal(X, y, seed=run, order=order),
    "capricious": lambda X, y, run, order: streams.capricious(X, y, seed=run, order=order),
}


MODELS: dict[str, Callable[[], Any]] = {
    "fesl": Ours,
    "Scaler | LinearRegression": lambda: (
        preprocessing.StandardScaler()
        | preprocessing.TargetStandardScaler(regressor=linear_model.LinearRegression())
    ),
    "HoeffdingAdaptiveTree": lambda: tree.HoeffdingAdaptiveTreeRegressor(seed=1),
    "ARF": lambda: forest.ARFRegressor(seed=1),
}


def gaps(model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What each forecast, made before its row was learned, was wrong by."""
    found = np.zeros(len(y))
    for t, (row, target) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        x = {j: v for j, v in enumerate(row) if v == v}
        found[t] = model.predict_one(x) - target
        model.learn_one(x, target)
    return found


def cell(name: str, pattern: str, runs: int, rows: int, models: list[str]) -> dict[str, tuple[float, float]]:
    """Errors of each model: over the stream, and after its last switch (NaN where there is none)."""
    X, y = SETS[name](rows)
    found: dict[str, list[tuple[float, float]]] = {model: [] for model in models}
    for run in range(runs):
        order = np.random.default_rng(run).permutation(len(y))
        stream = PATTERNS[pattern](X, y, run, order)
        data = (X[order], y[order]) if stream is None else (np.asarray(stream.X), np.asarray(stream.y))
        last = stream.switches[-1] if stream is not None and stream.switches else len(y)
        for model in models:
            gap = gaps(MODELS[model](), *data) / y.std()
            after = gap[last : last + AFTER]
            found[model].append((_size(gap[WARM:]), _size(after) if len(after) else np.nan))
        bound = Regressor()
        bound.learn_many(*data)
        assert bound.regret().within
    return {model: tuple(np.mean(each, axis=0).tolist()) for model, each in found.items()}  # type: ignore[misc]


def _size(gap: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.minimum(gap**2, 1e6))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one order of 1000 rows, and no forest")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--patterns", nargs="+", default=list(PATTERNS), choices=list(PATTERNS))
    args = parser.parse_args()
    models = [name for name in MODELS if not (args.quick and name == "ARF")]
    runs, rows = (1, 1000) if args.quick else (3, 3000)
    print("root mean square error in standard deviations of the target: all rows / 200 after the last switch")
    print(f"{'':24}" + "".join(f"{name:>28}" for name in models))
    table = []
    for pattern, name in tqdm([(p, s) for p in args.patterns for s in args.sets], unit="cell"):
        found = cell(name, pattern, runs, rows, models)
        table.append([found[model][0] for model in models])
        line = "".join(f"{all_:>19.3f} / {after:<6.3f}" for all_, after in found.values()).replace(
            "nan   ", "      "
        )
        tqdm.write(f"{pattern:12} {name:11}{line}")
    best = np.array(table).argmin(axis=1)
    print(f"\nmean of {len(table)} cells" + "".join(f"{m:>22.3f}      " for m in np.mean(table, axis=0)))
    print("best in" + "".join(f"{int((best == i).sum()):>30}" for i in range(len(models))))


if __name__ == "__main__":
    main()
