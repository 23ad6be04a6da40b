"""The bound in bits holds on every sequence, whoever chooses the labels."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import PATTERNS, TASKS, events, make, stream

from fesl import Classifier, Regressor
from fesl.models import Point
from fesl.portfolio.constants import LABELLED
from fesl.portfolio.experts import student
from fesl.portfolio.views import seen
from generic import use_core


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_on_streams(pattern, task):
    X, y = stream(pattern, task)
    bits = make(task).learn_many(X, y).regret()
    assert bits.rounds == len(y)
    assert bits.within
    assert bits.allowed < (40 if task == "two targets" else 30)


@pytest.mark.parametrize("pattern", ["full", "switch", "blink"])
def test_on_random_labels(core, pattern):
    X, _ = stream(pattern, "binary", rows=120)
    y = np.random.default_rng(1).integers(0, 3, len(X))
    assert Classifier().learn_many(X, y).regret().within


@pytest.mark.parametrize("pattern", ["full", "switch", "blink"])
def test_on_labels_that_are_always_the_less_likely_ones(core, pattern):
    X, y = stream(pattern, "binary", rows=150)
    model = Classifier(classes=[False, True])
    for x, _ in events(X, y):
        p = model.predict_proba_one(x)
        model.learn_one(x, p[True] < p[False])
        assert model.regret().within
    assert model.regret().mixture >= len(y)


def test_on_targets_that_are_always_elsewhere(core):
    X, y = stream("switch", "regression", rows=150)
    model = Regressor()
    for x, _ in events(X, y):
        model.learn_one(x, 3.0 if model.predict_one(x) < 0 else -3.0)
        assert model.regret().within


def test_the_account_is_the_sum_of_what_was_predicted(core):
    X, y = stream("full", "binary", rows=100)
    model, bits = Classifier(classes=[False, True]), 0.0
    for x, t in events(X, y):
        bits -= np.log2(model.predict_proba_one(x)[t])
        model.learn_one(x, t)
    assert model.regret().mixture == pytest.approx(bits, rel=1e-9)
    assert set(model.regret().experts) == set(model.weights)
    assert sum(model.weights.values()) == pytest.approx(1.0)


def test_some_experts_have_more_voices(core):
    """The bound starts at the logarithm of one in the least share, the weights at their shares."""
    model = Classifier()
    assert model.regret().allowed == pytest.approx(np.log2(100))
    assert model.weights["frequencies"] == pytest.approx(0.01)
    assert model.weights["council"] == pytest.approx(0.99 / 2)
    assert model.weights["stacker"] == model.weights["middle prior"] == pytest.approx(0.99 * 4 / 42)
    assert model.weights["naive Bayes"] == model.weights["strong prior"] == pytest.approx(0.99 / 42)
    X, y = stream("full", "regression", rows=60)
    before = Regressor().learn_many(X[:1], y[:1]).regret().allowed
    assert before == pytest.approx(np.log2(20) - np.log2(0.5 + 0.5 / 20))


def test_forecasts_are_charged_as_they_were_made(monkeypatch):
    use_core("reference", monkeypatch)
    X, y = stream("full", "regression", rows=60)
    model = Regressor().learn_many(X[:50], 1e3 + np.array(y[:50]))
    core, st = model._core, model.state
    point = Point(np.arange(1, st.n), X[50])
    made = core.opinions(point)
    core._count(point)
    _, moved = core._scaled(np.array([5e3]))  # a label far off moves mean and deviation
    forecasts, _, _ = core._forecasts(seen(core.state, point, ahead=False), moved)
    deviation = student.deviation(float(st.clock[LABELLED]) + 1.0, st.y_mean, st.y_q)
    np.testing.assert_allclose(st.y_mean + deviation * forecasts, made, rtol=1e-9)
