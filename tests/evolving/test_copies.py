"""Copies: saved and loaded at any point, a learner goes on bit for bit as if nothing had happened."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fesl import EvolvingLearner, Recovered
from fesl.projections import Ball, Box
from fesl.rules import FixedShare
from generic import METHODS, TASKS, fingerprint, learn, play, three_cycles

WAYS = {"pickle": lambda m: pickle.loads(pickle.dumps(m)), "deepcopy": copy.deepcopy}
every_way = pytest.mark.parametrize("way", WAYS)


def scores_from(model, stream, start):
    return play(model, stream.rows(start, None))


@every_way
@pytest.mark.parametrize("method", ["fesl_c", "fesl_s", "rogd_f"])
@pytest.mark.parametrize("task", ["multiclass", "two targets"])
@settings(max_examples=6)
@given(cut=st.integers(1, 155) | st.integers(33, 41) | st.integers(72, 81))
def test_a_copy_continues_bit_for_bit(core, way, method, task, cut):
    stream = three_cycles(1, task)
    model = learn(METHODS[method](loss=TASKS[task], seed=9), stream, 0, cut)
    twin = WAYS[way](model)
    assert fingerprint(twin) == fingerprint(model)
    np.testing.assert_array_equal(scores_from(twin, stream, cut), scores_from(model, stream, cut))
    assert fingerprint(twin) == fingerprint(model)


@every_way
@pytest.mark.parametrize("omega", [Ball(0.7), Box(-0.4, 0.6)], ids=repr)
@pytest.mark.parametrize("cut", [20, 36, 60, 78])
def test_a_copy_of_a_projected_learner(core, way, omega, cut):
    stream = three_cycles(2, "regression")
    model = learn(METHODS["fesl_s"](loss=TASKS["regression"], projection=omega), stream, 0, cut)
    twin = WAYS[way](model)
    np.testing.assert_array_equal(scores_from(twin, stream, cut), scores_from(model, stream, cut))


@every_way
def test_a_copy_shares_nothing(core, way):
    stream = three_cycles(3)
    model = learn(EvolvingLearner(), stream, 0, 60)
    before = fingerprint(model)
    learn(WAYS[way](model), stream, 60)
    assert fingerprint(model) == before


def test_a_copy_saved_after_a_look_ahead_forgets_it(core):
    """Asked about the event that will switch, then copied: the copy switches by itself."""
    stream = three_cycles(4)
    model = learn(EvolvingLearner(), stream, 0, 40)
    asked = model.score_one(stream.event(40))
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.score_one(stream.event(40)), asked)
    assert twin.cycle == 0
    np.testing.assert_array_equal(scores_from(twin, stream, 40), scores_from(model, stream, 40))


def test_a_saved_learner_moves_between_the_cores(monkeypatch):
    """What one core has learned the other one can go on with."""
    stream = three_cycles(5)
    scores = []
    for first, second in (("1", "0"), ("0", "1"), ("1", "1")):
        monkeypatch.setenv("FESL_PURE", first)
        saved = pickle.dumps(learn(EvolvingLearner(rule=FixedShare()), stream, 0, 77))
        monkeypatch.setenv("FESL_PURE", second)
        scores.append(scores_from(pickle.loads(saved), stream, 77))
    np.testing.assert_allclose(scores[0], scores[2], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(scores[1], scores[2], rtol=1e-10, atol=1e-12)


# The seed


def test_the_same_seed_gives_the_same_draws(core):
    stream = three_cycles(6)
    a, b = (play(METHODS["fesl_s"](seed=1), stream) for _ in range(2))
    np.testing.assert_array_equal(a, b)


def test_another_seed_gives_other_draws_from_the_same_experts(core):
    stream = three_cycles(6)
    models = [METHODS["fesl_s"](seed=s) for s in (1, 2)]
    runs = [m.run(stream.X, stream.y, features=stream.names, detail=True) for m in models]
    assert (runs[0].scores != runs[1].scores).any()
    np.testing.assert_array_equal(runs[0].experts, runs[1].experts)
    np.testing.assert_array_equal(runs[0].weights[50:80], runs[1].weights[50:80])


@pytest.mark.parametrize("seed", [-1, 0, 2**31, 2**64 + 5])
def test_any_whole_number_is_a_seed_and_both_cores_draw_alike(core, seed, monkeypatch):
    stream = three_cycles(7)
    scores = play(METHODS["fesl_s"](seed=seed), stream)
    monkeypatch.setenv("FESL_PURE", "1")
    np.testing.assert_allclose(scores, play(METHODS["fesl_s"](seed=seed), stream), rtol=1e-10, atol=1e-12)


def test_the_default_rule_draws_nothing(core):
    stream = three_cycles(8)
    a, b = (play(EvolvingLearner(experts=(Recovered(), Recovered(learns=False)), seed=s), stream) for s in (1, 2))
    np.testing.assert_array_equal(a, b)
