"""The data of the quality cells: the paper's nine sets, and seven others, small and large."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from fesl import datasets
from fesl.streams import random_map


class Data(NamedTuple):
    """A table, its second space (the paper's where there is one), labels 0, 1, ..., and a row order a run."""

    X: np.ndarray
    X2: np.ndarray
    y: np.ndarray
    order: Callable[[int], np.ndarray]

    @property
    def classes(self) -> int:
        return int(self.y.max()) + 1


NINE = ("australian", "credit-a", "credit-g", "diabetes", "dna", "german", "kr-vs-kp", "splice", "svmguide3")


@lru_cache(maxsize=4)
def load(name: str) -> Data:
    """One set by name."""
    if name in NINE:
        found = datasets.load(name)
        X = np.asarray(found.X1, float)
        X2 = random_map(X) if found.X2 is None else np.asarray(found.X2, float)
        return Data(X, X2, _numbers(found.y), found.order)
    X, y = OTHERS[name]()
    return Data(X, random_map(X), _numbers(y), lambda run: np.random.default_rng(run).permutation(len(y)))


def _numbers(y: Any) -> np.ndarray:
    return np.unique(np.asarray(y), return_inverse=True)[1]


def _sklearn(name: str) -> tuple[np.ndarray, np.ndarray]:
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    return np.asarray(X, float), y


def _river(rows: int, generator: str, **arguments: Any) -> tuple[np.ndarray, np.ndarray]:
    from river.datasets import synth

    events = list(islice(getattr(synth, generator)(**arguments), rows))
    return np.array([[*map(float, x.values())] for x, _ in events]), np.array([int(y) for _, y in events])


#: Small and large, two classes and more.
OTHERS: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "wine": lambda: _sklearn("wine"),
    "breast-cancer": lambda: _sklearn("breast_cancer"),
    "digits": lambda: _sklearn("digits"),
    "waveform": lambda: _river(3_000, "Waveform", seed=1),
    "rbf": lambda: _river(
        3_000, "RandomRBF", seed_model=1, seed_sample=1, n_classes=4, n_features=15, n_centroids=20
    ),
    "agrawal": lambda: _river(4_000, "Agrawal", seed=1, classification_function=2),
    "hyperplane": lambda: _river(8_000, "Hyperplane", seed=1, n_features=12, noise_percentage=0.05),
}


def available() -> list[str]:
    """The sets that can be had here: the nine where their files are, the others where their makers are."""
    from importlib.util import find_spec

    nine = [name for name in NINE if name in datasets.available()]
    makers = {"wine": "sklearn", "breast-cancer": "sklearn", "digits": "sklearn"}
    return nine + [name for name in OTHERS if find_spec(makers.get(name, "river"))]
