"""What all tests share: the hypothesis profile, the two cores, the paper's data."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from generic import PAPER_SETS, use_core

settings.register_profile(
    "fesl",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("fesl")


class PaperSet(NamedTuple):
    X1: np.ndarray
    X2: np.ndarray
    y: np.ndarray
    c: float


@pytest.fixture(params=["reference", "compiled"])
def core(request, monkeypatch):
    """Runs the test once on each core; a learner built inside takes the one that is named."""
    use_core(request.param, monkeypatch)
    return request.param


@pytest.fixture
def paper_set():
    """Loads one of the paper's sets, or its first rows, in the order of its first permutation; without the data the
    test is skipped."""
    return _paper_set


@cache
def _paper_set(name, rows=None):
    root = Path(os.environ.get("FESL_DATA") or Path(__file__).parents[2] / "shared" / "data")
    file = root / "paper" / f"{name}.npz"
    if not file.exists():
        pytest.skip(f"the paper's set {name} is not here: point FESL_DATA at a folder that holds paper/{name}.npz")
    with np.load(file) as data:
        order = data["perm0"][0][:rows]
        return PaperSet(data["X1"][order], data["X2"][order], data["y"][order].astype(float), PAPER_SETS[name])
