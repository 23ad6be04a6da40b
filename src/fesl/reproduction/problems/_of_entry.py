"""The problem that a data set is when nothing more is said about it."""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats
from fesl.datasets import Entry, load
from fesl.losses import Logistic, Loss, Softmax, Squared
from fesl.reproduction.base import Group, Problem, Tables
from fesl.streams import random_map

CAVEATS = {
    "dna": "949 rows (the paper prints 940); the authors' rows, sign, map and permutations are not known",
    "splice": "the authors' row order, sign, map and permutations are not known",
}


def of_entry(entry: Entry) -> Problem:
    """Settings of the paper where it has this set, else c = 1 and B = 10; a second space drawn where there is
    none."""
    losses: dict[str, Loss] = {"binary": Logistic(), "multiclass": Softmax(), "regression": Squared()}
    group: Group = "synthetic" if entry.paper else "regression" if entry.task == "regression" else "other"
    return Problem(
        name=entry.name,
        title=entry.title,
        group=group,
        loss=losses[entry.task],
        c=entry.paper.c if entry.paper else 1.0,
        overlap=entry.paper.overlap if entry.paper else 10,
        tables=lambda seed: tables(entry.name, seed),
        classes=(-1, 1) if entry.task == "binary" else (),
        caveat=CAVEATS.get(entry.name, ""),
    )


def tables(name: str, seed: int) -> Tables:
    """The data set with a second space: the authors' own, another view, or X2 = X1 W with W uniform on [0, 1)."""
    data = load(name)
    X2 = random_map(data.X1, seed=seed) if data.X2 is None else data.X2
    return Tables(data.X1, X2, data.y, data.permutations, data.variant)


def unit_range(X: Floats) -> Floats:
    """Each column to [0, 1], gaps left alone.

    >>> unit_range(np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0]])).tolist()
    [[0.0, 0.0], [nan, 0.0], [1.0, 0.0]]
    """
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    return np.asarray((X - low) / np.where(high > low, high - low, 1.0))
