"""What `fesl.river.Evolving` adds to River's models: accuracy in the 200 rounds after every switch.

    python benchmarks/wrapper.py [--quick] [--overlap 10] [--sets australian ...] [--patterns two_spaces ...]
                                 [--models ARF HAT LR]

Per set and pattern: the plain model, fed the events as they come, beside the same model wrapped. A switch is a row
from which on features are gone; where features only ever appear, a row at which some do. Windows that overlap are
counted once. `--quick`: the first 1000 rows of one order instead of 2000 rows of three orders.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from river import forest, linear_model, multiclass, preprocessing, tree
from tqdm import tqdm

from fesl.datasets import load
from fesl.river import Evolving
from fesl.streams import Stream, evolve, random_map, staggered, trapezoidal, two_spaces

SETS = ("australian", "credit-a", "credit-g", "diabetes", "dna", "german", "kr-vs-kp", "splice", "svmguide3")
PATTERNS = ("two_spaces", "evolve", "staggered", "trapezoidal")
AFTER = 200


def logistic(classes: int) -> Any:
    """River's logistic regression behind its scaler; one a class where there are more than two."""
    model: Any = linear_model.LogisticRegression()
    return preprocessing.StandardScaler() | (model if classes == 2 else multiclass.OneVsRestClassifier(model))


MODELS: dict[str, Callable[[int], Any]] = {
    "ARF": lambda classes: forest.ARFClassifier(seed=1),
    "HAT": lambda classes: tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    "LR": logistic,
}


def make(name: str, pattern: str, run: int, rows: int, overlap: int) -> Stream:
    data = load(name)
    order = np.random.default_rng(run).permutation(len(data.y))[:rows]
    X2 = random_map(data.X1) if data.X2 is None else data.X2
    if pattern == "two_spaces":
        return two_spaces(data.X1, X2, data.y, overlap=overlap, order=order)
    if pattern == "staggered":
        return staggered(data.X1, X2, data.y, overlap=overlap, order=order)
    if pattern == "evolve":
        return evolve(data.X1, data.y, groups=3, overlap=overlap, seed=run, order=order)
    return trapezoidal(data.X1, data.y, seed=run, order=order)


def windows(stream: Stream) -> np.ndarray:
    """The rows that count."""
    counts = np.zeros(len(stream), bool)
    for switch in stream.switches or [start for start, _ in stream.spans if start]:
        counts[switch : switch + AFTER] = True
    return counts


def right(model: Any, events: list[tuple[dict[str, float], Any]]) -> np.ndarray:
    """Whether each event was predicted right, before it was learned."""
    found = np.zeros(len(events), bool)
    for t, (x, y) in enumerate(events):
        found[t] = model.predict_one(x) == y
        model.learn_one(x, y)
    return found


def cell(make_model: Callable[[int], Any], streams: list[Stream]) -> tuple[float, float]:
    """Accuracy of the plain and of the wrapped model after the switches, over some orders."""
    plain, wrapped = [], []
    for stream in streams:
        classes = sorted(set(np.asarray(stream.y).tolist()))
        events = [(x, y == classes[1] if len(classes) == 2 else y) for x, y in stream]
        counts, model = windows(stream), Evolving(make_model(len(classes)))
        plain.append(right(make_model(len(classes)), events)[counts].mean())
        wrapped.append(right(model, events)[counts].mean())
        assert model.regret().within
    return float(np.mean(plain)), float(np.mean(wrapped))


def cells(args: argparse.Namespace) -> Iterator[tuple[str, str, str, float, float]]:
    runs, rows = (1, 1000) if args.quick else (3, 2000)
    todo = [(p, s, m) for p in args.patterns for s in args.sets for m in args.models]
    for pattern, name, model in tqdm(todo, unit="cell"):
        streams = [make(name, pattern, run, rows, args.overlap) for run in range(runs)]
        yield pattern, name, model, *cell(MODELS[model], streams)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one order of 1000 rows instead of three of 2000")
    parser.add_argument("--overlap", type=int, default=10)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--patterns", nargs="+", default=list(PATTERNS), choices=PATTERNS)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    args = parser.parse_args()
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    print(f"accuracy in the {AFTER} rounds after every switch, overlap {args.overlap}: plain, wrapped, difference")
    for pattern, name, model, plain, wrapped in cells(args):
        found.setdefault((pattern, model), []).append((plain, wrapped))
        tqdm.write(f"{pattern:12} {name:12} {model:4} {plain:.3f} {wrapped:.3f} {wrapped - plain:+.3f}")
    print(f"\n{'pattern':12} {'':4} plain wrapped above equal below  worst")
    for (pattern, model), pairs in found.items():
        plain, wrapped = np.array(pairs).T
        gain = wrapped - plain
        tally = f"{(gain > 0).sum():5} {(gain == 0).sum():5} {(gain < 0).sum():5}"
        print(f"{pattern:12} {model:4} {plain.mean():.3f}   {wrapped.mean():.3f} {tally} {gain.min():+.3f}")


if __name__ == "__main__":
    main()
