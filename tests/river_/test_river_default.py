"""The default learner as River estimators: River's own checks, and the same numbers as the plain learner."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import checks, compose, datasets, evaluate, metrics, preprocessing, stream

import fesl
from fesl.river import Classifier, MultiTargetRegressor, Regressor


def switching(n=160, begin=70, end=80, seed=0):
    """Two sensors are replaced by three others that read mixtures of them; rounds `begin` to `end` have all."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(2, 3))
    for t in range(n):
        old = rng.normal(size=2)
        a = dict(zip("ab", old.tolist(), strict=True)) if t < end else {}
        b = dict(zip("xyz", (old @ mix).tolist(), strict=True)) if t >= begin else {}
        yield {**a, **b}, old


def classes():
    return [(x, ["low", "middle", "high"][int(np.digitize(old[0], [-0.5, 0.5]))]) for x, old in switching()]


def numbers():
    return [(x, float(old[0] - 2 * old[1])) for x, old in switching()]


def targets():
    return [(x, {"sum": float(old.sum()), "first": float(old[0])}) for x, old in switching()]


PAIRS = {
    "classes": (Classifier, fesl.Classifier, classes),
    "numbers": (Regressor, fesl.Regressor, numbers),
    "several numbers": (MultiTargetRegressor, fesl.Regressor, targets),
}


@pytest.mark.parametrize("make", [Classifier, Regressor, MultiTargetRegressor])
def test_river_checks_of_the_default_learner(make):
    assert not make()._unit_test_skips()
    random.seed(0)
    checks.check_estimator(make())


@pytest.mark.parametrize("name", PAIRS)
def test_same_numbers_one_by_one(name):
    make, make_learner, data = PAIRS[name]
    model, learner = make(), make_learner()
    for i, (x, y) in enumerate(data()):
        if i:
            assert model.predict_one(x) == learner.predict_one(x)
            if make is Classifier:
                assert model.predict_proba_one(x) == learner.predict_proba_one(x)
        model.learn_one(x, y)
        learner.learn_one(x, y)
    assert model.learner.features == learner.features
    assert model.learner.features["a"] == "vanished"
    assert model.learner.regret().within


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_same_numbers_by_data_frame(name):
    make, make_learner, data = PAIRS[name]
    rows = data()
    X, y = pd.DataFrame([x for x, _ in rows]), pd.Series([y for _, y in rows])
    model, learner = make(), make_learner()
    model.learn_many(X[:90], y[:90])
    for x, label in rows[:90]:
        learner.learn_one(x, label)
    found = model.predict_many(X[90:])
    assert found.index.equals(X.index[90:])
    expected = [learner.predict_one(x) for x, _ in rows[90:]]
    assert found.tolist() == (expected if name == "classes" else pytest.approx(expected))
    if name == "classes":
        p = model.predict_proba_many(X[90:])
        assert p.iloc[-1].to_dict() == pytest.approx(learner.predict_proba_one(rows[-1][0]))


@pytest.mark.parametrize("delay", [None, 20])
def test_progressive_validation_is_the_loop_written_out(delay):
    model, learner, data = Classifier(), fesl.Classifier(), classes()
    score = evaluate.progressive_val_score(data, model, metrics.Accuracy(), delay=delay)
    expected, asked = metrics.Accuracy(), {}
    for i, x, y in stream.simulate_qa(data, moment=None, delay=delay):
        if y is None:
            asked[i] = learner.predict_one(x)
        else:
            if asked[i] is not None:
                expected.update(y, asked[i])
            learner.learn_one(x, y)
    assert score.get() == expected.get()


def test_pipelines_learn_well():
    assert evaluate.progressive_val_score(datasets.Phishing(), Classifier(), metrics.Accuracy()).get() > 0.89
    scaled = preprocessing.StandardScaler() | Classifier()
    assert (
        evaluate.progressive_val_score(datasets.ImageSegments().take(800), scaled, metrics.Accuracy()).get() > 0.8
    )
    dropped = compose.Discard("ordinal_date") | Regressor()
    assert evaluate.progressive_val_score(datasets.TrumpApproval(), dropped, metrics.MAE()).get() < 0.6


def test_settings_reach_the_learner_and_its_clones():
    heard = []
    model = Classifier(classes=("n", "y"), aliases={"new": "old"}, on_event=heard.append).clone()
    for i in range(60):
        model.learn_one({"old" if i < 30 else "new": (-1.0) ** i}, "y" if i % 2 == 0 else "n")
    assert model.predict_one({"new": 1.0}) == "y"
    assert list(model.learner.features) == ["old"]
    assert model.clone().learner.classes == ["n", "y"]
    assert model.clone().learner.features == {}


@pytest.mark.parametrize("name", PAIRS)
def test_pickle_and_go_on(name):
    make, _, data = PAIRS[name]
    straight = resumed = make()
    for i, (x, y) in enumerate(data()):
        if i == 75:
            resumed = pickle.loads(pickle.dumps(straight))
        straight.learn_one(x, y)
        if i >= 75:
            resumed.learn_one(x, y)
            assert resumed.predict_one(x) == straight.predict_one(x)


def test_before_any_label():
    assert Classifier().predict_one({"a": 1.0}) is None
    assert Classifier().predict_proba_one({"a": 1.0}) == {}
    assert Regressor().predict_one({"a": 1.0}) == 0.0
    assert MultiTargetRegressor().predict_one({"a": 1.0}) == {}
