"""Forecasts of numbers beside River's, on sets that a line fits and sets that no line fits.

    python -m benchmarks regression [--full] [--sets friedman1 ...] [--patterns full ...] [--runs 3]

Per set and pattern: the root mean square error in standard deviations of the target, over the whole stream but its
first 50 rows, and in the 200 rows after the last switch. Without `--full`: 1000 rows instead of 3000, no forest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from tqdm import tqdm

from fesl import Regressor, streams

AFTER, WARM = 200, 50


def _line(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 8))
    return X, X @ rng.normal(size=8) + rng.normal(size=rows)


def _tails(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A line again, whose features are far out now and then: Student's t with three degrees, and lognormal ones."""
    rng = np.random.default_rng(1)
    X = np.hstack([rng.standard_t(3, size=(rows, 4)), np.exp(rng.normal(size=(rows, 4)))])
    return X, X @ rng.normal(size=8) + rng.normal(size=rows)


def _clock(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A trend, and the time among the features."""
    rng = np.random.default_rng(1)
    X = np.column_stack([np.arange(rows), rng.normal(size=(rows, 4))])
    return X, X @ np.concatenate([[5.0 / rows], rng.normal(size=4)]) + 0.3 * rng.normal(size=rows)


def _set_points(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A plant that is run at one set point for 100 to 500 rows, then at another: two sensors of it, two others."""
    rng = np.random.default_rng(1)
    goal = np.repeat(rng.uniform(20.0, 200.0, rows // 100 + 1), rng.integers(100, 500, rows // 100 + 1))[:rows]
    level = np.zeros(rows)
    for t in range(1, rows):
        level[t] = level[t - 1] + 0.05 * (goal[t] - level[t - 1])
    others = rng.normal(size=(rows, 2))
    X = np.column_stack([level + 0.1 * rng.normal(size=rows), level / 2.0 + 0.05 * rng.normal(size=rows), others])
    return X, 0.3 * level + others @ [5.0, -3.0] + rng.normal(size=rows)


def _two_lines(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Half way the line is another one."""
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(rows, 6)), rng.normal(size=(2, 6))
    now = weights[(2 * np.arange(rows) >= rows).astype(int)]
    return X, (X * now).sum(axis=1) + 0.3 * rng.normal(size=rows)


def _steps(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 6))
    return X, 2.0 * (X[:, 0] > 0.0) + (X[:, 1] * X[:, 2] > 0.0) + 0.3 * rng.normal(size=rows)


def _sklearn(maker: str, *rows: int, **arguments: Any) -> tuple[np.ndarray, np.ndarray]:
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, maker)(*rows, **arguments)
    return X, y


SETS: dict[str, Callable[[int], tuple[np.ndarray, np.ndarray]]] = {
    "line": _line,
    "tails": _tails,
    "diabetes": lambda rows: _sklearn("load_diabetes", return_X_y=True),
    "friedman1": lambda rows: _sklearn("make_friedman1", rows, noise=1.0, random_state=1),
    "friedman2": lambda rows: _sklearn("make_friedman2", rows, noise=50.0, random_state=1),
    "friedman3": lambda rows: _sklearn("make_friedman3", rows, noise=0.1, random_state=1),
    "steps": _steps,
    "clock": _clock,
    "set points": _set_points,
    "two lines": _two_lines,
}
#: Sets whose rows come in time: a run starts later than the last one instead of in another order.
IN_TIME = ("clock", "set points", "two lines")
PATTERNS: dict[str, Callable[[np.ndarray, np.ndarray, int, np.ndarray], Any]] = {
    "full": lambda X, y, run, order: None,
    "paper": lambda X, y, run, order: streams.two_spaces(X, streams.random_map(X), y, overlap=20, order=order),
    "evolvable": lambda X, y, run, order: streams.evolve(X, y, overlap=1.0, order=order),
    "trapezoidal": lambda X, y, run, order: streams.trapezoidal(X, y, seed=run, order=order),
    "capricious": lambda X, y, run, order: streams.capricious(X, y, seed=run, order=order),
}


def _ours() -> Any:
    from fesl.river import Regressor

    return Regressor()


def _linear() -> Any:
    from river import linear_model, preprocessing

    line = preprocessing.TargetStandardScaler(regressor=linear_model.LinearRegression())
    return preprocessing.StandardScaler() | line


def _tree() -> Any:
    from river import tree

    return tree.HoeffdingAdaptiveTreeRegressor(seed=1)


def _forest() -> Any:
    from river import forest

    return forest.ARFRegressor(seed=1)


MODELS: dict[str, Callable[[], Any]] = {
    "fesl": _ours,
    "Scaler | LinearRegression": _linear,
    "HoeffdingAdaptiveTree": _tree,
    "ARF": _forest,
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
        if name in IN_TIME:
            order = np.arange(run * len(y) // 10, len(y))
        stream = PATTERNS[pattern](X, y, run, order)
        data = (X[order], y[order]) if stream is None else (np.asarray(stream.X), np.asarray(stream.y))
        last = stream.switches[-1] if stream is not None and stream.switches else len(order)
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


def run(names: list[str], kinds: list[str], runs: int, full: bool) -> list[dict[str, Any]]:
    """A line a pattern, set and model."""
    models = [name for name in MODELS if full or name != "ARF"]
    rows = []
    for pattern, name in tqdm([(kind, name) for kind in kinds for name in names], unit="cell"):
        for model, (error, after) in cell(name, pattern, runs, 3000 if full else 1000, models).items():
            row = {"set": name, "pattern": pattern, "model": model, "error": error}
            rows.append({**row, "after": None if np.isnan(after) else after})
    return rows


def cells(found: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """By pattern and set: each model's line."""
    by: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in found:
        by.setdefault((row["pattern"], row["set"]), {})[row["model"]] = row
    return by


def best(found: list[dict[str, Any]]) -> dict[str, int]:
    """In how many cells each model has the least error."""
    winners = Counter(min(each, key=lambda model: each[model]["error"]) for each in cells(found).values())
    return {model: winners[model] for model in dict.fromkeys(row["model"] for row in found)}


def told(row: dict[str, Any]) -> str:
    """The two errors of a line."""
    return f"{row['error']:.3f}" + ("" if row["after"] is None else f" / {row['after']:.3f}")


def show(found: list[dict[str, Any]]) -> None:
    print("\nroot mean square error in standard deviations of the target: all rows / 200 after the last switch")
    wins = best(found)
    print(f"{'':24}" + "".join(f"{model:>28}" for model in wins))
    for (pattern, name), each in cells(found).items():
        print(f"{pattern:12} {name:11}" + "".join(f"{told(row):>28}" for row in each.values()))
    means = [np.mean([row["error"] for row in found if row["model"] == model]) for model in wins]
    print(f"{'mean':24}" + "".join(f"{mean:28.3f}" for mean in means))
    print(f"{'best in':24}" + "".join(f"{count:28}" for count in wins.values()))
