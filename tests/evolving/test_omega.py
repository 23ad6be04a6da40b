"""Every model stays in Omega, the convex set it was told, through any number of switches."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import EvolvingLearner
from fesl.descent import OGD
from fesl.models import RecoveredModel
from fesl.projections import Ball, Box
from fesl.spaces import Auto
from generic import METHODS, TASKS, hidden_stream, three_cycles

OMEGAS = [Ball(0.5), Box(-0.2, 0.3), Box(0.0, np.inf)]
every_omega = pytest.mark.parametrize("omega", OMEGAS, ids=repr)


def own_weights(expert):
    """w in the space that the model lives in: the old one for a recovered model."""
    return expert.old_weights() if isinstance(expert, RecoveredModel) else expert.linear()


def assert_inside(model):
    omega = model.parts.omega
    for expert in model.state.experts:
        w = own_weights(expert)
        assert np.linalg.norm(w) <= omega.radius * (1 + 1e-9)
        assert w.min() >= omega.low - 1e-12
        assert w.max() <= omega.high + 1e-12


@every_omega
@pytest.mark.parametrize("task", ["binary", "two targets"])
@pytest.mark.parametrize("method", METHODS)
def test_through_three_cycles(core, method, task, omega):
    model = METHODS[method](loss=TASKS[task], projection=omega)
    for x, y in three_cycles(1, task).events():
        model.learn_one(x, y)
        assert_inside(model)
    assert model.cycle == 3


@every_omega
def test_through_adoption_gaps_and_returns(core, omega):
    lives = {"a": [(0, 60), (90, 200)], "b": [(0, 60)], "c": [(50, 200)], "d": [(50, 200)], "e": [(120, 200)]}
    stream, rng = hidden_stream(2, lives, 200), np.random.default_rng(0)
    stream.X[rng.random(stream.X.shape) < 0.1] = np.nan
    model = EvolvingLearner(descent=OGD(1.0, omega), spaces=Auto(adopt_after=20))
    for x, y in stream.events():
        model.learn_one(x, y)
        assert_inside(model)
