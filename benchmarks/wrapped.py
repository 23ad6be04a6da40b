"""What `fesl.river.Evolving` adds to River's models: accuracy in the 200 rounds after every switch.

    python -m benchmarks wrapped [--full] [--sets ...] [--patterns ...] [--runs 3]

Per set and pattern: the plain model, fed the events as they come, beside the same model wrapped. A switch is a row
from which on features are gone; where features only ever appear, a row at which some do. Windows that overlap are
counted once. Without `--full`: the first 1000 rows instead of 2000.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from benchmarks import patterns, sets
from benchmarks.patterns import WINDOW, Cell

#: Where there is something like a switch.
PATTERNS = ("paper", "evolvable", "staggered", "trapezoidal")


def _logistic(classes: int) -> Any:
    """One a class where there are more than two."""
    from river import linear_model, multiclass, preprocessing

    model: Any = linear_model.LogisticRegression()
    return preprocessing.StandardScaler() | (model if classes == 2 else multiclass.OneVsRestClassifier(model))


def _tree(classes: int) -> Any:
    from river import tree

    return tree.HoeffdingAdaptiveTreeClassifier(seed=1)


def _forest(classes: int) -> Any:
    from river import forest

    return forest.ARFClassifier(seed=1)


#: River's learners, made for a number of classes.
MODELS: dict[str, Callable[[int], Any]] = {
    "ARF": _forest,
    "HoeffdingAdaptiveTree": _tree,
    "Scaler | LogisticRegression": _logistic,
}


class Play(NamedTuple):
    """What is played: a model on the first rows of some orders of a set, under a pattern."""

    data: str
    pattern: str
    model: str
    runs: int
    rows: int


def counted(cell: Cell) -> np.ndarray:
    """The rows soon after a switch, or after features came where none ever goes."""
    if cell.switches:
        return cell.around()
    first = np.argmax(~np.isnan(cell.X), axis=0)
    return cell._replace(switches=tuple(np.unique(first[first > 0]).tolist())).around()


def right(model: Any, cell: Cell) -> np.ndarray:
    """Whether each event was predicted right, before it was learned."""
    found = np.zeros(len(cell.y), bool)
    labels = (cell.y == 1).tolist() if cell.classes == 2 else cell.y.tolist()
    for t, (row, y) in enumerate(zip(cell.X.tolist(), labels, strict=True)):
        x = {j: v for j, v in enumerate(row) if v == v}
        found[t] = model.predict_one(x) == y
        model.learn_one(x, y)
    return found


def play(it: Play) -> dict[str, Any]:
    """Accuracy of the plain and of the wrapped model after the switches, the mean of the orders."""
    from fesl.river import Evolving

    data = sets.load(it.data)
    some = data._replace(order=lambda run: data.order(run)[: it.rows])
    found = []
    for run in range(it.runs):
        cell = patterns.PATTERNS[it.pattern](some, run)
        near, make = counted(cell), MODELS[it.model]
        wrapped = Evolving(make(cell.classes))
        found.append([right(model, cell)[near].mean() for model in (make(cell.classes), wrapped)])
        if not wrapped.regret().within:
            raise AssertionError(f"{it}: the regret is beyond its bound")
    plain, wrapped = np.mean(found, axis=0).tolist()
    return {"set": it.data, "pattern": it.pattern, "model": it.model, "plain": plain, "wrapped": wrapped}


def run(names: list[str], kinds: list[str], runs: int, rows: int, jobs: int) -> list[dict[str, Any]]:
    """A line a pattern, set and model."""
    plays = [Play(name, kind, model, runs, rows) for kind in kinds for name in names for model in MODELS]
    with ProcessPoolExecutor(jobs) as pool:
        return list(tqdm(pool.map(play, plays), total=len(plays), unit="cell"))


class Gain(NamedTuple):
    """Wrapping a model under a pattern: the means, how many cells went up, stayed or went down, and the worst."""

    plain: float
    wrapped: float
    above: int
    equal: int
    below: int
    worst: float


def gains(found: list[dict[str, Any]]) -> dict[tuple[str, str], Gain]:
    """By pattern and model."""
    by: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in found:
        by.setdefault((row["pattern"], row["model"]), []).append((row["plain"], row["wrapped"]))
    return {key: _gain(*np.array(pairs).T) for key, pairs in by.items()}


def _gain(plain: np.ndarray, wrapped: np.ndarray) -> Gain:
    more = wrapped - plain
    tally = [int(np.sum(sign)) for sign in (more > 0, more == 0, more < 0)]
    return Gain(float(plain.mean()), float(wrapped.mean()), *tally, float(more.min()))


def show(found: list[dict[str, Any]]) -> None:
    print(f"\nEvolving(model) beside the model, accuracy in the {WINDOW} rounds after every switch")
    for row in found:
        what = f"{row['pattern']:12} {row['set']:14} {row['model']:28}"
        print(f"{what}{row['plain']:.3f} {row['wrapped']:.3f} {row['wrapped'] - row['plain']:+.3f}")
    print(f"\n{'pattern':12} {'':28}{'plain':>8}{'wrapped':>8}{'above':>7}{'equal':>7}{'below':>7}{'worst':>8}")
    for (pattern, model), g in gains(found).items():
        tally = f"{g.above:7}{g.equal:7}{g.below:7}{g.worst:+8.3f}"
        print(f"{pattern:12} {model:28}{g.plain:8.3f}{g.wrapped:8.3f}{tally}")
