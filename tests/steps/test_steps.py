"""Step sizes: a number or a schedule, which restarts when the features change."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fesl import OGD, EvolvingLearner, Fresh
from fesl.errors import ConfigError
from fesl.losses import Squared
from fesl.steps import Constant, InverseSqrt, as_step

ROUNDS = np.arange(1.0, 6.0)


def test_the_papers_step_size():
    np.testing.assert_allclose(InverseSqrt(c=10.0)(ROUNDS), [1 / (10 * math.sqrt(t)) for t in range(1, 6)])
    assert InverseSqrt() == InverseSqrt(1.0)


@pytest.mark.parametrize("step", [0.3, np.float32(0.3), Constant(0.3), lambda t: np.full(len(t), 0.3)])
def test_a_number_or_a_schedule(step):
    np.testing.assert_allclose(as_step(step)(ROUNDS), np.full(5, 0.3), rtol=1e-6)
    np.testing.assert_allclose(OGD(step).schedule(ROUNDS), np.full(5, 0.3), rtol=1e-6)


def test_a_schedule_is_passed_on_as_it_is():
    step = InverseSqrt(2.0)
    assert as_step(step) is step


@pytest.mark.parametrize("c", [0.0, -1.0, math.inf, math.nan])
def test_c_is_above_zero(c):
    with pytest.raises(ConfigError, match="c must be"):
        InverseSqrt(c)


@pytest.mark.parametrize("step", [-0.1, math.inf, math.nan, "fast", None, [0.1]])
def test_a_step_that_is_none(step):
    with pytest.raises(ConfigError):
        EvolvingLearner(descent=OGD(step))


def descend_by_hand(events, step):
    """Squared loss on one feature at a time, from zero whenever the feature's name changes."""
    w, t, name, scores = 0.0, 0, None, []
    for (new, x), y in events:
        if new != name:
            w, t, name = 0.0, 0, new
        t += 1
        scores.append(w * x)
        w -= step(t) * 2 * (w * x - y) * x
    return scores


@pytest.mark.parametrize("step", [lambda t: 0.1 / t, lambda t: 0.2 * np.exp(-t), lambda t: 0.05 / np.sqrt(t)])
def test_any_function_is_a_schedule_and_restarts_at_the_switch(core, step):
    rng = np.random.default_rng(0)
    values = rng.normal(size=40)
    events = [(("a" if i < 20 else "b", v), 3 * v + 1) for i, v in enumerate(values)]
    model = EvolvingLearner(Squared(), descent=OGD(step), experts=(Fresh(),))
    scores = []
    for i, ((name, v), y) in enumerate(events):
        x = {"a": v, "b": 2.0} if 15 <= i < 20 else {name: v}
        scores.append(float(model.score_one(x)[0]))
        model.learn_one(x, y)
    assert model.cycle == 1
    np.testing.assert_allclose(scores, descend_by_hand(events, step), rtol=1e-12)


@pytest.mark.parametrize(
    "step",
    [lambda t: -t, lambda t: t * np.nan, lambda t: np.float64(0.1), lambda t: 1 / math.sqrt(t), lambda t: "fast"],
    ids=["negative", "nan", "one number", "no array", "no number"],
)
def test_a_schedule_that_cannot_work_is_named(core, step):
    with pytest.raises(ConfigError, match="step size"):
        EvolvingLearner(descent=OGD(step)).learn_one({"a": 1.0}, True)
