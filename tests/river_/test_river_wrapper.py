"""`Evolving(model)`: River's checks, the bound, and what happens when features come and go."""

from __future__ import annotations

import copy
import pickle
import random
from math import isfinite

import numpy as np
import pytest
from river import (
    active,
    base,
    checks,
    cluster,
    dummy,
    evaluate,
    forest,
    linear_model,
    metrics,
    multioutput,
    naive_bayes,
    neighbors,
    preprocessing,
    stats,
    tree,
)

from fesl.errors import ConfigError, FeatureError, LabelError
from fesl.river import Evolving
from fesl.river.wrapper import KEPT, MODELS


def logistic():
    return preprocessing.StandardScaler() | linear_model.LogisticRegression()


def linear():
    return preprocessing.StandardScaler() | linear_model.LinearRegression()


def cycles(n=150, overlap=20, spaces=3, width=3, seed=0, label=lambda z: bool(z[0] > z[1])):
    """Sensors that read mixtures of two causes, replaced again and again; n rows a generation."""
    rng = np.random.default_rng(seed)
    mixes = rng.normal(size=(spaces, 2, width))
    for t in range(n * spaces):
        z = rng.normal(size=2)
        now = t // n
        there = [now] if t < (now + 1) * n - overlap or now + 1 == spaces else [now, now + 1]
        yield {f"s{k}x{j}": float(v) for k in there for j, v in enumerate(z @ mixes[k])}, label(z)


def accuracy(model, rows, after=()):
    right = []
    for t, (x, y) in enumerate(rows):
        if not after or any(a <= t < a + 60 for a in after):
            right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    return float(np.mean(right))


class Spy(base.Classifier):
    """Remembers what reached it."""

    def __init__(self):
        self.seen = []

    def learn_one(self, x, y):
        self.seen.append(dict(x))

    def predict_proba_one(self, x):
        assert all(v is not None and v == v for v in x.values())
        return {True: 0.5, False: 0.5}


# River's suites


@pytest.mark.parametrize("make", [logistic, linear])
def test_river_checks_around_a_pipeline(make):
    model = Evolving(make())
    assert not model._unit_test_skips()
    random.seed(0)
    checks.check_estimator(model)


@pytest.mark.long
@pytest.mark.parametrize(
    "model",
    [
        linear_model.LogisticRegression(),
        tree.HoeffdingAdaptiveTreeClassifier(seed=1),
        forest.ARFClassifier(n_models=3, seed=1),
        neighbors.KNNClassifier(),
        naive_bayes.GaussianNB(),
        tree.HoeffdingTreeRegressor(),
        forest.ARFRegressor(n_models=3, seed=1),
    ],
    ids=lambda m: type(m).__name__,
)
def test_river_checks_around_many_models(model):
    random.seed(0)
    checks.check_estimator(Evolving(model))


# What it does


def test_it_is_what_it_wraps():
    assert isinstance(Evolving(logistic()), base.Classifier)
    assert isinstance(Evolving(linear()), base.Regressor)
    assert not Evolving(logistic())._multiclass
    assert Evolving(naive_bayes.GaussianNB())._multiclass
    for wrong in (preprocessing.StandardScaler(), cluster.KMeans(), multioutput.RegressorChain(linear()), None):
        with pytest.raises(ConfigError, match="classifier"):
            Evolving(wrong)


@pytest.mark.parametrize("make", [logistic, lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=1)])
def test_while_nothing_is_absent_it_predicts_what_the_model_does(make):
    plain, model = make(), Evolving(make())
    for x, y in cycles(spaces=1):
        assert model.predict_one(x) == plain.predict_one(x)
        plain.learn_one(x, y)
        model.learn_one(x, y)
    assert len({id(m) for m in model.models.values()}) == 1


@pytest.mark.parametrize(
    "make",
    [
        logistic,
        lambda: tree.HoeffdingAdaptiveTreeClassifier(grace_period=50, seed=1),
        lambda: forest.ARFClassifier(n_models=5, seed=1),
    ],
    ids=["LR", "HAT", "ARF"],
)
def test_better_than_the_plain_model_after_switches(make):
    rows, switches = list(cycles(n=300, spaces=3)), (300, 600)
    model = Evolving(make())
    assert accuracy(model, rows, switches) > accuracy(make(), rows, switches) + 0.03
    assert len({id(m) for m in model.models.values()}) == 3
    assert model.regret().within


@pytest.mark.parametrize(
    "label", [lambda z: bool(z[0] > z[1]), lambda z: float(z[0] - z[1])], ids=["class", "number"]
)
def test_the_first_switch_finds_the_default_trusted_as_far_as_it_was_good(label):
    """Around a model that learns nothing, the default learner is the better one from the start."""
    know_nothing = (
        dummy.PriorClassifier() if isinstance(label(np.zeros(2)), bool) else dummy.StatisticRegressor(stats.Mean())
    )
    rows, model = list(cycles(n=200, spaces=2, label=label)), Evolving(know_nothing)
    for t, (x, y) in enumerate(rows[:200]):
        if t < 180:
            assert model.predict_one(x) == model.model.predict_one(x)
            np.testing.assert_array_equal(model.mixture.weights.a[0], model.mixture.weights.voices)
        model.learn_one(x, y)
    trust = dict(zip(model.mixture.weights.experts, model.mixture.weights.now.tolist(), strict=True))
    assert trust["default"] + trust.get("stacker", 0.0) > 0.5 * (1.0 - trust.get("council", 0.0))
    assert model.regret().within


def test_regression_carries_over_a_switch():
    rows = list(cycles(n=300, spaces=2, label=lambda z: float(100 + 30 * z[0] - 20 * z[1])))
    errors = {}
    for name, model in (("plain", linear()), ("wrapped", Evolving(linear()))):
        errors[name] = []
        for x, y in rows:
            errors[name].append(abs(model.predict_one(x) - y))
            model.learn_one(x, y)
    assert np.mean(errors["wrapped"][300:400]) < 0.7 * np.mean(errors["plain"][300:400])
    assert model.regret().within


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scales_change_nothing(scale):
    rows = list(cycles(spaces=2))
    model, scaled = Evolving(logistic()), Evolving(logistic())
    for x, y in rows:
        wide = {k: v * scale + 3 * scale for k, v in x.items()}
        assert scaled.predict_proba_one(wide)[True] == pytest.approx(model.predict_proba_one(x)[True], abs=1e-6)
        model.learn_one(x, y)
        scaled.learn_one(wide, y)


def test_many_cycles_stay_bounded():
    model = Evolving(naive_bayes.GaussianNB())
    sizes = []
    for x, y in cycles(n=30, overlap=8, spaces=40):
        model.learn_one(x, y)
        assert isfinite(model.predict_proba_one(x)[y])
        sizes.append(len(model.features.names))
        assert len(model._kept) <= KEPT
        assert len(model._live) == len(MODELS)
    assert max(sizes) <= 18, "three generations, and those about to come"
    assert model.regret().within


def test_no_missing_value_reaches_the_model():
    model, rng = Evolving(Spy()), np.random.default_rng(0)
    for t in range(200):
        x = {k: [1.5, None, float("nan"), np.float64("nan"), 2][rng.integers(5)] for k in "abcd"}
        model.predict_one(x)
        model.learn_one({**x, "colour": "red"}, bool(t % 2))
    for each in model.models.values():
        assert all(v is not None and v == v for x in each.seen for v in x.values())
    assert any(len(x) == 5 for x in model.models["recovered"].seen), "what was absent was recovered"
    with pytest.raises(FeatureError, match="'a'"):
        model.learn_one({"a": float("inf")}, True)
    with pytest.raises(LabelError, match="inf"):
        Evolving(linear()).learn_one({"a": 1.0}, float("inf"))


def test_unlabelled_events_tell_how_features_go_together():
    model = Evolving(Spy())
    for i in range(60):
        a = float(i % 7)
        model.learn_one({"a": a, "b": 3 * a}, None)
    assert model.model.seen == []
    assert model.features.recovered({"b": 9.0})["a"] == pytest.approx(3.0, abs=0.2)
    assert model.regret().rounds == 0


def test_predicting_changes_nothing():
    model = Evolving(naive_bayes.GaussianNB())
    for x, y in cycles(spaces=2):
        model.learn_one(x, y)
    before = pickle.dumps(model)
    model.predict_one({"s0x0": 1.0, "stranger": 2.0})
    model.predict_proba_one({})
    assert pickle.dumps(model) == before


def test_late_labels_and_returns():
    """Delayed labels, and the first space coming back after the second."""
    rows = list(cycles(n=200, spaces=2))
    rows += [({k: v for k, v in x.items() if k.startswith("s0")}, y) for x, y in rows[:180]]
    model = Evolving(logistic())
    score = evaluate.progressive_val_score(rows, model, metrics.Accuracy(), delay=15)
    assert score.get() > 0.75
    assert accuracy(model, rows[:100]) > 0.9, "the old space is still known"


def test_a_lone_old_sample_starts_no_clone():
    model = Evolving(logistic())
    rows = list(cycles(n=200, spaces=2))
    for x, y in rows:
        model.learn_one(x, y)
    renewed = model.models["renewed"]
    model.learn_one(rows[0][0], rows[0][1])
    for x, y in rows[-50:]:
        model.learn_one(x, y)
    assert model.models["renewed"] is renewed


@pytest.mark.parametrize("at", [10, 140, 165, 290])
def test_copies_go_on_alike(at):
    make = lambda: Evolving(forest.ARFClassifier(n_models=2, seed=3))
    straight, rows = make(), list(cycles())
    for x, y in rows[:at]:
        straight.learn_one(x, y)
    others = [pickle.loads(pickle.dumps(straight)), copy.deepcopy(straight)]
    for x, y in rows[at : at + 60]:
        for model in (straight, *others):
            model.learn_one(x, y)
    x = rows[at + 60][0]
    assert all(m.predict_proba_one(x) == straight.predict_proba_one(x) for m in others)


def test_a_clone_has_settings_and_seed_and_no_memory():
    model = Evolving(forest.ARFClassifier(n_models=2, seed=3))
    for x, y in cycles(n=60, spaces=2):
        model.learn_one(x, y)
    clone = model.clone()
    assert clone.model.seed == 3
    assert clone.features.names == []
    assert clone.predict_proba_one({"a": 1.0}) == {}
    assert model.models["renewed"].seed == 3


def test_models_without_probabilities():
    class Decided(dummy.NoChangeClassifier):
        def predict_proba_one(self, x):
            raise NotImplementedError

    model = Evolving(Decided())
    model.learn_one({"a": 1.0}, "yes")
    model.learn_one({"a": 1.0}, "no")
    assert model.predict_one({"a": 1.0}) == "no"


def test_the_bound_holds_when_labels_flip_against_the_mixture():
    model = Evolving(logistic())
    for x, _ in cycles(n=120, spaces=3):
        q = model.predict_proba_one(x)
        model.learn_one(x, min(q, key=q.get))
    bits = model.regret()
    assert bits.within
    assert bits.allowed < 12


def ten(model, first=0):
    """Ten events that hold everything."""
    for i in range(first, first + 10):
        model.learn_one({"a": i % 3 - 1.0, "b": i % 2 - 0.5}, i % 3 == 2)
    return model


@pytest.mark.parametrize(
    "make", [logistic, lambda: tree.HoeffdingTreeClassifier(grace_period=5), lambda: forest.ARFClassifier(seed=1)]
)
def test_as_long_as_nothing_is_absent_it_says_what_the_model_says(make):
    wrapped, plain = Evolving(make()), make()
    for i in range(60):
        x, y = {"a": i % 7 - 3.0, "b": i % 5 * 1.0}, i % 7 > 3
        assert wrapped.predict_proba_one(x) == plain.predict_proba_one(x)
        assert wrapped.predict_one(x) == plain.predict_one(x)
        wrapped.learn_one(x, y)
        plain.learn_one(x, y)


@pytest.mark.parametrize("bad", [[1], {}, "foo", 2])
def test_a_label_that_cannot_be_learned_changes_nothing(bad):
    model, twin = ten(Evolving(logistic())), ten(Evolving(logistic()))
    with pytest.raises(LabelError, match="label"):
        model.learn_one({"b": 1.0}, bad)
    assert ten(model, 10).predict_proba_one({"b": 1.0}) == ten(twin, 10).predict_proba_one({"b": 1.0})


def test_a_model_that_answers_with_a_question_is_refused():
    with pytest.raises(ConfigError, match="EntropySampler"):
        Evolving(active.EntropySampler(linear_model.LogisticRegression()))


@pytest.mark.parametrize("label", [float("inf"), 1e101, np.datetime64("2024-01-01")])
def test_a_refused_class_is_learned_by_nobody(label):
    model = Evolving(tree.HoeffdingTreeClassifier())
    for i in range(20):
        model.learn_one({"a": float(i % 2), "b": 1.0}, i % 2)
    before = model.predict_proba_one({"a": 1.0})
    with pytest.raises(LabelError):
        model.learn_one({"a": 1.0, "b": 2.0}, label)
    assert model.predict_proba_one({"a": 1.0}) == before


def test_a_very_large_whole_number_is_a_target():
    model = Evolving(linear_model.LinearRegression())
    model.learn_one({"a": 1.0}, 1)
    model.learn_one({"a": 1.0}, 2**64)
    model.learn_one({"a": 1.0}, 3)
    assert np.isfinite(model.predict_one({"a": 1.0, "b": 1.0}))
