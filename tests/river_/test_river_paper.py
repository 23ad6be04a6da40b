"""River's own checks, and the same numbers as the plain learner through every door."""

from __future__ import annotations

import importlib
import pickle
import random
import sys

import numpy as np
import pandas as pd
import pytest
from river import checks, compose, datasets, evaluate, metrics, multiclass, preprocessing, stream

from fesl import OGD, EvolvingLearner, Fresh, Recovered
from fesl.errors import FeatureError, LabelError, MissingExtraError
from fesl.losses import Softmax, Squared
from fesl.projections import Ball
from fesl.recovery import LeastSquares
from fesl.river import EvolvingClassifier, EvolvingMultiTargetRegressor, EvolvingRegressor
from fesl.rules import FixedShare
from fesl.spaces import Auto, Declared

FULL = {
    "descent": OGD(0.1, Ball(10.0)),
    "recovery": LeastSquares(ridge=0.1, rows=20),
    "rule": FixedShare(),
    "experts": (Recovered(), Fresh()),
    "spaces": Auto(adopt_after=None),
    "clip": 5.0,
    "seed": 7,
}

ESTIMATORS = {
    "logistic": EvolvingClassifier(),
    "logistic, all parts": EvolvingClassifier(**FULL),
    "softmax": EvolvingClassifier(Softmax()),
    "regression": EvolvingRegressor(),
    "regression, all parts": EvolvingRegressor(**FULL),
    "several targets": EvolvingMultiTargetRegressor(),
}


def switching(n=120, begin=50, end=60, seed=0):
    """Two sensors are replaced by three others that read mixtures of them; rounds `begin` to `end` have all."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(2, 3))
    for t in range(n):
        old = rng.normal(size=2)
        a = dict(zip("ab", old.tolist(), strict=True)) if t < end else {}
        b = dict(zip("xyz", (old @ mix).tolist(), strict=True)) if t >= begin else {}
        yield {**a, **b}, old


def two_classes(**kwargs):
    return [(x, bool(old[0] - old[1] > 0)) for x, old in switching(**kwargs)]


def three_classes():
    return [(x, ["low", "middle", "high"][int(np.digitize(old[0], [-0.5, 0.5]))]) for x, old in switching()]


def one_target():
    return [(x, float(old[0] - 2 * old[1])) for x, old in switching()]


def two_targets():
    return [(x, {"sum": float(old.sum()), "first": float(old[0])}) for x, old in switching()]


PAIRS = {
    "logistic": (EvolvingClassifier(), EvolvingLearner(), two_classes),
    "all parts": (EvolvingClassifier(**FULL), EvolvingLearner(**FULL), two_classes),
    "softmax": (EvolvingClassifier(Softmax()), EvolvingLearner(Softmax()), three_classes),
    "regression": (EvolvingRegressor(), EvolvingLearner(Squared(), descent=OGD(0.01)), one_target),
    "told step": (EvolvingRegressor(descent=OGD(0.1)), EvolvingLearner(Squared(), descent=OGD(0.1)), one_target),
    "several targets": (
        EvolvingMultiTargetRegressor(),
        EvolvingLearner(Squared(), descent=OGD(0.01)),
        two_targets,
    ),
}


def fresh(name):
    model, learner, data = PAIRS[name]
    return model.clone(), pickle.loads(pickle.dumps(learner)), data()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_river_checks(name):
    model = ESTIMATORS[name]
    assert not model._unit_test_skips()
    random.seed(0)
    checks.check_estimator(model)


def test_river_checks_of_a_pipeline():
    """All but one: River's scaler learns a whole batch before it scales any of it, so batches and rows differ."""
    model = preprocessing.StandardScaler() | EvolvingClassifier()
    random.seed(0)
    for check in checks.yield_checks(model):
        if check.__name__ != "check_learn_many_matches_learn_one":
            check(model.clone())


def test_unit_test_params_cover_binary_and_multiclass():
    made = [EvolvingClassifier(**params) for params in EvolvingClassifier._unit_test_params()]
    assert [model._multiclass for model in made] == [False, True]


@pytest.mark.parametrize("name", PAIRS)
def test_same_numbers_one_by_one(name, core):
    model, learner, data = fresh(name)
    for i, (x, y) in enumerate(data):
        if i:
            assert model.predict_one(x) == learner.predict_one(x)
            if isinstance(model, EvolvingClassifier):
                assert model.predict_proba_one(x) == learner.predict_proba_one(x)
        model.learn_one(x, y)
        learner.learn_one(x, y)
    assert model.learner.cycle == learner.cycle == 1
    assert model.learner.features == learner.features


@pytest.mark.parametrize("name", ["logistic", "all parts", "softmax", "regression"])
def test_same_numbers_by_data_frame(name, core):
    model, learner, data = fresh(name)
    X, y = pd.DataFrame([x for x, _ in data]), pd.Series([y for _, y in data])
    model.learn_many(X[:70], y[:70])
    model.learn_many(X[70:], y[70:])
    for x, label in data:
        learner.learn_one(x, label)
    for x, _ in data:
        np.testing.assert_allclose(model.learner.score_one(x), learner.score_one(x), rtol=1e-9)
    many = model.predict_many(X[70:])
    assert many.index.equals(X.index[70:])
    np.testing.assert_array_equal(many, learner.predict_many(X[70:].to_numpy(), features=list(X.columns)))
    if isinstance(model, EvolvingClassifier):
        p = model.predict_proba_many(X[70:])
        assert list(p.columns) == learner.classes
        assert p.iloc[-1].to_dict() == pytest.approx(learner.predict_proba_one(data[-1][0]))


def test_data_frames_of_every_kind_of_number():
    X = pd.DataFrame({"a": [1, 2], "b": pd.array([1, None], dtype="Int64"), "c": [True, False], "d": [None, 0.5]})
    model, learner = EvolvingClassifier(), EvolvingLearner()
    model.learn_many(X, pd.Series([True, False]))
    for x, y in (({"a": 1, "b": 1, "c": 1}, True), ({"a": 2, "c": 0, "d": 0.5}, False)):
        learner.learn_one(x, y)
    assert model.predict_proba_one({"a": 1.0, "b": 2.0}) == learner.predict_proba_one({"a": 1.0, "b": 2.0})
    with pytest.raises(FeatureError, match="'a'"):
        model.learn_many(pd.DataFrame({"a": ["one"]}), pd.Series([True]))


def test_before_any_label():
    x, X = {"a": 1.0}, pd.DataFrame({"a": [1.0, 2.0]})
    binary, many = EvolvingClassifier(), EvolvingClassifier(Softmax())
    assert binary.predict_one(x) is None
    assert many.predict_one(x) is None
    assert binary.predict_proba_one(x) == {False: 0.5, True: 0.5}
    assert many.predict_proba_one(x) == {}
    assert binary.predict_many(X).tolist() == [None, None]
    assert binary.predict_proba_many(X).to_numpy().tolist() == [[0.5, 0.5]] * 2
    assert many.predict_proba_many(X).shape == (2, 0)
    assert EvolvingRegressor().predict_one(x) == 0.0
    assert EvolvingMultiTargetRegressor().predict_one(x) == {}


def test_labels_need_not_be_boolean():
    model = EvolvingClassifier()
    for i in range(20):
        model.learn_one({"a": (-1.0) ** i}, "ham" if i % 2 else "spam")
    assert model.predict_one({"a": 1.0}) == "spam"
    assert set(model.predict_proba_one({"a": 1.0})) == {"ham", "spam"}


@pytest.mark.parametrize("delay", [None, 1, 20])
def test_progressive_validation_over_a_switch(delay):
    """A delayed label brings an old sample after the switch: the same numbers as a loop written out."""
    data = two_classes(n=300, begin=140, end=150)
    model, learner = EvolvingClassifier(), EvolvingLearner()
    score = evaluate.progressive_val_score(data, model, metrics.Accuracy(), delay=delay)

    expected, asked = metrics.Accuracy(), {}
    for i, x, y in stream.simulate_qa(data, moment=None, delay=delay):
        if y is None:
            asked[i] = learner.predict_one(x)
            continue
        if asked[i] is not None:
            expected.update(y, asked[i])
        learner.learn_one(x, y)
    assert score.get() == expected.get() > 0.85
    assert model.learner.cycle == 1
    assert pickle.dumps(model.learner.state.registry.index) == pickle.dumps(learner.state.registry.index)


def test_progressive_validation_with_moments():
    """Moments in the sample itself, as River's users have them; the pipeline drops them before the model."""
    data = [
        ({**x, "when": pd.Timestamp(t, unit="h").to_pydatetime()}, y) for t, (x, y) in enumerate(two_classes(n=300))
    ]
    model = compose.Discard("when") | EvolvingClassifier()
    delay = pd.Timedelta(hours=12).to_pytimedelta()
    score = evaluate.progressive_val_score(data, model, metrics.Accuracy(), moment="when", delay=delay)
    assert score.get() > 0.85
    assert model["EvolvingClassifier"].learner.features["a"] == "vanished"


def test_pipelines_learn_well():
    scaled = preprocessing.StandardScaler() | EvolvingClassifier()
    assert evaluate.progressive_val_score(datasets.Phishing(), scaled, metrics.Accuracy()).get() > 0.87
    regression = preprocessing.StandardScaler() | preprocessing.TargetStandardScaler(regressor=EvolvingRegressor())
    assert evaluate.progressive_val_score(datasets.TrumpApproval(), regression, metrics.MAE()).get() < 0.5
    softmax = preprocessing.StandardScaler() | EvolvingClassifier(Softmax())
    segments = datasets.ImageSegments().take(1000)
    assert evaluate.progressive_val_score(segments, softmax, metrics.Accuracy()).get() > 0.8


def test_wrapped_by_river():
    """One model a class around the binary one."""
    model = preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(EvolvingClassifier())
    segments = datasets.ImageSegments().take(500)
    assert evaluate.progressive_val_score(segments, model, metrics.Accuracy()).get() > 0.7


@pytest.mark.parametrize("at", [0, 30, 55, 80])
@pytest.mark.parametrize("name", PAIRS)
def test_pickle_and_go_on(name, at):
    straight, _, data = fresh(name)
    resumed = straight.clone()
    for i, (x, y) in enumerate(data):
        if i == at:
            resumed = pickle.loads(pickle.dumps(resumed))
        assert resumed.predict_one(x) == straight.predict_one(x)
        straight.learn_one(x, y)
        resumed.learn_one(x, y)


def test_a_clone_has_the_settings_and_no_memory():
    model = EvolvingClassifier(Softmax(), **FULL, classes=("a", "b", "c"))
    model.learn_one({"a": 1.0}, "b")
    clone = model.clone({"seed": 9})
    assert clone.learner.parts.seed == 9
    assert clone.learner.parts.recovery == FULL["recovery"]
    assert clone.learner.classes == ["a", "b", "c"]
    assert clone.learner.features == {}


def test_spaces_can_be_told():
    model = EvolvingClassifier(spaces=Declared(dict.fromkeys("ab", "old") | dict.fromkeys("xyz", "new")))
    for x, y in two_classes():
        model.learn_one(x, y)
    assert model.learner.cycle == 1


@pytest.mark.parametrize("x", [{"a": "warm"}, {"a": float("inf")}, [1.0]])
def test_what_is_no_number_raises_and_changes_nothing(x):
    model = EvolvingClassifier()
    model.learn_one({"a": 1.0}, True)
    before = pickle.dumps(model)
    for act in (model.predict_one, model.predict_proba_one, lambda x: model.learn_one(x, True)):
        with pytest.raises(FeatureError):
            act(x)
    assert pickle.dumps(model) == before
    assert issubclass(FeatureError, ValueError)


def test_labels_of_the_wrong_kind_raise():
    classifier, regressor, several = EvolvingClassifier(), EvolvingRegressor(), EvolvingMultiTargetRegressor()
    classifier.learn_one({"a": 1.0}, True)
    with pytest.raises(LabelError, match="Softmax"):
        classifier.learn_one({"a": 1.0}, "third")
    with pytest.raises(LabelError):
        regressor.learn_one({"a": 1.0}, "three")
    several.learn_one({"a": 1.0}, {"u": 1.0, "v": 2.0})
    with pytest.raises(LabelError):
        several.learn_one({"a": 1.0}, {"u": 1.0})
    assert issubclass(LabelError, ValueError)


def test_events_without_a_label_are_welcome():
    model = EvolvingRegressor()
    model.learn_one({"a": 1.0}, None)
    assert model.learner.features == {"a": "current"}


def test_without_river_the_remedy_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "fesl.river")
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(MissingExtraError, match=r"fesl\[river\]"):
        importlib.import_module("fesl.river")
