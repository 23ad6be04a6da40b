"""A label may come late and bring a sample of a space that is gone; or the space itself comes back."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import EvolvingLearner
from fesl.losses import Squared
from generic import METHODS, all_finite, hidden_stream, learn, parts, three_cycles


def test_a_late_label_brings_an_old_sample(core):
    """It is scored and learned in the old space, and the present one goes on as before."""
    stream = three_cycles(10, "regression", survivors=False)
    model = learn(EvolvingLearner(Squared()), stream, 0, 60)
    late = stream.event(10)
    features, before = model.features, model.state.recovered.old_weights()
    expected = sum(v * before[model.state.registry.index[n], 0] for n, v in late.items())
    assert model.score_one(late)[0] == pytest.approx(expected, rel=1e-10)
    fresh = model.state.experts[1].linear().copy()
    model.learn_one(late, 100.0)
    assert model.features == features
    assert model.score_one(late)[0] > expected
    np.testing.assert_array_equal(model.state.experts[1].linear(), fresh)


@pytest.mark.parametrize("rounds", [30, 700])
def test_late_labels_now_and_then_do_no_harm(core, rounds):
    """However long the new space has lasted, single old samples do not bring the old one back."""
    lives = {"a": [(0, 100)], "b": [(0, 100)], "c": [(90, 1000)], "d": [(90, 1000)]}
    stream = hidden_stream(11, lives, 1000)
    model = learn(EvolvingLearner(), stream, 0, 100 + rounds)
    features = model.features
    for i in range(20):
        model.learn_one(stream.event(i), stream.y[i])
        assert model.features == features
        at = 100 + rounds + i
        model.learn_one(stream.event(at), stream.y[at])
        assert model.features == features
        assert model.cycle == 1


def test_an_old_space_that_stays_is_back(core):
    lives = {"a": [(0, 60), (120, 220)], "b": [(0, 60), (120, 220)], "c": [(50, 120)], "d": [(50, 120)]}
    stream, model = hidden_stream(12, lives, 220), EvolvingLearner()
    learn(model, stream, 0, 119)
    assert parts(model, "vanished") == {"a", "b"}
    learn(model, stream, 119)
    assert parts(model, "survivor") == {"a", "b"}
    correct = [model.predict_one(stream.event(i)) == stream.y[i] for i in range(180, 220)]
    assert np.mean(correct) > 0.8
    assert all_finite(model)


def test_a_frozen_model_does_not_learn_from_late_labels_either(core):
    stream = three_cycles(13, survivors=False)
    model = learn(METHODS["rogd_f"](), stream, 0, 60)
    before = model.state.recovered.old_weights()
    learn(model, stream, 10, 15)
    np.testing.assert_array_equal(model.state.recovered.old_weights(), before)
