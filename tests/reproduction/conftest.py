"""A small problem that needs no data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from fesl.losses import Logistic
from fesl.reproduction import base, experiment
from fesl.reproduction.base import Problem, Tables
from fesl.streams import random_map


def toy_tables(seed: int) -> Tables:
    rng = np.random.default_rng(seed)
    X1 = rng.random((80, 6))
    y = np.where(X1[:, 0] + 0.2 * rng.standard_normal(80) > 0.5, 1, -1)
    return Tables(X1, random_map(X1, seed=seed), y)


TOY = Problem(
    name="toy",
    title="a toy",
    group="synthetic",
    loss=Logistic(),
    c=10.0,
    overlap=10,
    tables=toy_tables,
    runs=2,
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Problem]:
    """The only problem there is."""
    known = {"toy": TOY}
    for module in (base, experiment, *_users()):
        monkeypatch.setattr(module, "problems", lambda: known)
    experiment.tables_of.cache_clear()
    yield TOY
    experiment.tables_of.cache_clear()


def _users() -> tuple[object, ...]:
    from fesl.reproduction import results, runner

    return results, runner


@pytest.fixture
def recorded_toy(toy: Problem, monkeypatch: pytest.MonkeyPatch) -> Problem:
    known = {"toy": replace(toy, recorded=True)}
    for module in (base, experiment, *_users()):
        monkeypatch.setattr(module, "problems", lambda: known)
    return known["toy"]
