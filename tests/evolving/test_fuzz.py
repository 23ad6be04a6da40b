"""Whatever comes, nothing breaks: random features, gaps, huge values, missing labels, in any order."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from fesl import OGD, EvolvingLearner
from fesl.projections import Ball, Box, Free
from fesl.recovery import LeastSquares
from fesl.rules import ExponentialWeights, FixedShare
from fesl.spaces import Auto, Declared, Periods
from generic import TASKS, all_finite, assert_same_learner, fingerprint

NAMES = [f"{space}{j}" for space in "abcd" for j in range(3)]

usual = st.floats(-10, 10)
gap = st.sampled_from([None, float("nan")])
extreme = st.sampled_from([0.0, -0.0, 1e99, -1e99, 1e-99, 1e-300, 5e-324, 1e50, -1e20, 1e100])
values = st.one_of(usual, usual, usual, gap, extreme)
autos = st.sampled_from([Auto(), Auto(adopt_after=3), Auto(doubt=0.3)])
told = st.sampled_from([Declared(lambda name: name[0]), Periods([(5, 9), (15, 20)])])
labels = {
    "binary": st.sampled_from([True, False, None]),
    "multiclass": st.sampled_from(["x", "y", "z", None]),
    "regression": st.one_of(usual, st.sampled_from([None, 1e99, -1e100])),
    "two targets": st.one_of(st.lists(usual, min_size=2, max_size=2), st.just([1e99, 0.0]), st.none()),
}


@st.composite
def events(draw):
    """A sample of one space or of several, with some of its features missing."""
    wanted = draw(st.sets(st.sampled_from("abcd"), min_size=1, max_size=2))
    names = [n for n in NAMES if n[0] in wanted]
    absent = draw(st.sets(st.sampled_from(names), max_size=2))
    return {n: draw(values) for n in names if n not in absent}


def some_learner(draw, task, spaces=autos | told):
    return EvolvingLearner(
        TASKS[task],
        descent=OGD(
            draw(st.sampled_from([0.1, 1.0, 1e10])), draw(st.sampled_from([Free(), Ball(2.0), Box(-1, 1)]))
        ),
        recovery=LeastSquares(draw(st.sampled_from([0.0, 0.1])), rows=draw(st.sampled_from([1, 4, 50]))),
        rule=draw(st.sampled_from([ExponentialWeights(), FixedShare(), ExponentialWeights(10), FixedShare(3)])),
        spaces=draw(spaces),
        clip=draw(st.sampled_from([None, 2.0])),
    )


def assert_sound(model):
    state = model.state
    assert all_finite(model)
    assert model.weights.sum() == pytest.approx(1.0, abs=1e-9)
    assert len(state.overlap) <= model.parts.recovery.rows
    roles = state.registry.role
    assert all(roles[i] for i in state.registry.index.values())
    assert len(set(state.registry.index.values())) == len(state.registry.index)
    assert (roles > 0).sum() == len(state.registry.index)
    omega = model.parts.omega
    if omega.radius < np.inf and model.cycle == 0:
        assert np.linalg.norm(state.experts[0].linear()) <= omega.radius * (1 + 1e-6)


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=25)
@given(data=st.data())
def test_weights_stay_finite_whatever_comes(core, task, data):
    model = some_learner(data.draw, task)
    for x in data.draw(st.lists(events(), min_size=5, max_size=40)):
        score = model.score_one(x)
        assert np.isfinite(score).all()
        model.learn_one(x, data.draw(labels[task]))
        assert_sound(model)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("task", TASKS)
def test_long_capricious_streams(core, task, seed):
    """Hundreds of events in which everything may happen at any time."""
    rng = np.random.default_rng(seed)
    model = EvolvingLearner(TASKS[task], rule=FixedShare(), spaces=Auto(adopt_after=30))
    alive = set(NAMES[:4])
    for _ in range(400):
        if rng.random() < 0.05:
            alive ^= {NAMES[rng.integers(len(NAMES))]}
        x = {n: rng.normal() * 10.0 ** rng.choice([0, 0, 0, 0, 3, 30, 98]) for n in alive if rng.random() < 0.9}
        y = {
            "binary": bool(rng.integers(2)),
            "multiclass": int(rng.integers(4)),
            "regression": float(rng.normal()),
            "two targets": rng.normal(size=2).tolist(),
        }[task]
        assert np.isfinite(model.score_one(x)).all()
        model.learn_one(x, None if rng.random() < 0.2 else y)
    assert_sound(model)


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=15)
@given(data=st.data())
def test_random_events_are_the_same_through_both_doors(core, task, data):
    one = some_learner(data.draw, task, autos)
    many = copy.deepcopy(one)
    rows = data.draw(st.lists(events(), min_size=1, max_size=25))
    mild = [{n: 1.0 if v is not None and abs(v) > 10 else v for n, v in x.items()} for x in rows]
    ys = [data.draw(labels[task].filter(lambda y: y not in (1e99, -1e100, [1e99, 0.0]))) for _ in rows]
    X = np.array([[np.nan if x.get(n) is None else x[n] for n in NAMES] for x in mild])
    for x, y in zip(X, ys, strict=True):
        one.learn_one(dict(zip(NAMES, x, strict=True)), y)
    gaps = [[np.nan, np.nan] if task == "two targets" and y is None else y for y in ys]
    many.learn_many(X, gaps, features=NAMES)
    if max((np.abs(e.linear()).max() for e in one.state.experts), default=0) < 1e6:
        assert_same_learner(many, one, rtol=1e-6)


class Life(RuleBasedStateMachine):
    """Learning, predicting, copying and looking in any order."""

    @initialize(data=st.data(), task=st.sampled_from(list(TASKS)))
    def begin(self, data, task):
        self.task = task
        self.model = some_learner(data.draw, task)
        self.rounds = 0

    @rule(data=st.data(), x=events())
    def learn(self, data, x):
        y = data.draw(labels[self.task])
        seen = any(v is not None and v == v for v in x.values())
        self.model.learn_one(x, y)
        self.rounds += seen

    @rule(x=events())
    def predict(self, x):
        before = fingerprint(self.model)
        first = self.model.score_one(x)
        np.testing.assert_array_equal(self.model.score_one(x), first)
        assert fingerprint(self.model) == before

    @rule(x=events(), name=st.sampled_from(NAMES))
    def fail(self, x, name):
        before = fingerprint(self.model)
        with pytest.raises(ValueError, match=name):
            self.model.learn_one(x | {name: "broken"}, None)
        assert fingerprint(self.model) == before

    @rule()
    def move(self):
        self.model = copy.deepcopy(self.model)

    @invariant()
    def sound(self):
        if hasattr(self, "model"):
            assert_sound(self.model)
            assert self.model.state.round == self.rounds


def test_a_life_in_any_order(core):
    run_state_machine_as_test(Life, settings=settings(max_examples=25, stateful_step_count=30))
