"""Sparse and wide input: thousands of features, time proportional to what an event holds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from portfolio_streams import accuracy, texts
from scipy import sparse

from fesl import Classifier, Regressor
from fesl._native import PURE, native
from fesl.portfolio import constants
from fesl.portfolio.state import State
from fesl.portfolio.wide.state import WideState


def test_words_become_a_wide_learner_and_are_learned():
    docs, topics = texts(300)
    model = Classifier()
    right = accuracy(model, docs, topics)
    assert isinstance(model.state, WideState)
    assert not model.state.centred
    assert right[150:].mean() > 0.85
    assert model.regret().within


def test_a_new_language_is_taught_by_the_old_one():
    one, topics = texts(300, words=30)
    two, _ = texts(300, words=30, first=10_000)
    model = Classifier()
    for i in range(300):
        model.learn_one({**one[i], **(two[i] if i >= 240 else {})}, topics[i])
    for i in range(10):
        model.learn_one(two[i])
    parts = list(model.features.values())
    assert parts.count("vanished") > 300
    test_docs, test_topics = texts(200, words=30, seed=5, first=10_000)
    right = np.mean([model.predict_one(x) == y for x, y in zip(test_docs, test_topics, strict=True)])
    assert right > 0.75


def test_csr_tables_of_thirty_thousand_columns():
    rng = np.random.default_rng(0)
    n, D, each = 300, 30_000, 30
    cols = np.concatenate([rng.choice(D, each, replace=False) for _ in range(n)])
    cols[::each] = np.where(np.arange(n) % 2, 7, 8)
    X = sparse.csr_array((np.ones(n * each), cols, np.arange(0, n * each + 1, each)), shape=(n, D))
    y = np.arange(n) % 2
    model = Classifier()
    run = model.run(X, y)
    assert np.mean(run.predictions[100:] == y[100:]) > 0.9
    assert model.predict_proba_many(X[:3]).shape == (3, 2)


def test_many_sensors_are_centred_and_scale_free():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(120, 3))
    X = z @ rng.normal(size=(3, 450)) + 0.2 * rng.normal(size=(120, 450)) + 100.0
    y = z[:, 0] > 0
    one, two = Classifier(), Classifier()
    a, b = one.run(X, y), two.run(X * 1e6 + 5.0, y)
    assert one.state.centred
    assert np.mean(a.predictions[60:] == y[60:]) > 0.8
    np.testing.assert_allclose(a.scores, b.scores, rtol=1e-4, atol=1e-4)


def test_a_learner_that_grows_wide_keeps_what_it_knows():
    rng = np.random.default_rng(0)
    model = Classifier()
    for _ in range(200):
        a = float(rng.normal())
        model.learn_one({"a": a, "b": float(rng.normal())}, a > 0)
    for a in (1.0, -1.0):  # one such event could be a mistake
        model.learn_one({"a": a, **{f"new{j}": 1.0 for j in range(500)}}, a > 0.0)
    assert isinstance(model.state, WideState)
    values = [v for v in rng.normal(size=100).tolist() if abs(v) > 0.3]
    right = [model.predict_one({"a": v, "b": 0.0}) == (v > 0) for v in values]
    assert np.mean(right) > 0.9


def test_wide_regression():
    rng = np.random.default_rng(0)
    weights, model, gaps, targets = rng.normal(size=1000), Regressor(), [], []
    for _ in range(500):
        chosen = rng.choice(50 if rng.random() < 0.9 else 1000, 10, replace=False)
        x, y = {int(j): 1.0 for j in chosen}, float(weights[chosen].sum() * 10)
        gaps.append(model.predict_one(x) - y)
        targets.append(y)
        model.learn_one({**x, **({f"pad{i}": 0.0 for i in range(450)} if len(gaps) == 1 else {})}, y)
    assert isinstance(model.state, WideState)
    assert np.mean(np.square(gaps[250:])) < 0.6 * np.var(targets)
    assert model.regret().within


def test_a_wide_learner_forgets_what_it_has_not_seen_for_long(monkeypatch):
    monkeypatch.setattr("fesl.portfolio.wide.state.BUDGET", 2000)
    model = Classifier()
    for i in range(300):
        model.learn_one({f"id{i}:{j}": 1.0 for j in range(20)} | {"common": float(i % 2)}, i % 2 == 1)
    assert isinstance(model.state, WideState)
    assert len(model.state.index) <= 2000
    assert len(model.state.names) <= 2000 + 1
    assert len(pickle.dumps(model)) < 5_000_000
    assert [model.predict_one({"common": v}) for v in (0.0, 1.0)] == [False, True]


def test_copies_of_a_wide_learner_go_on_alike():
    docs, topics = texts(80)
    model = Classifier()
    accuracy(model, docs[:60], topics[:60])
    twin = pickle.loads(pickle.dumps(model))
    accuracy(model, docs[60:], topics[60:])
    accuracy(twin, docs[60:], topics[60:])
    assert model.predict_proba_one(docs[0]) == twin.predict_proba_one(docs[0])


def test_the_crossover_is_stated():
    for more in (0, 1):
        model = Classifier().learn_one(dict.fromkeys(range(constants.WIDE + more), 1.0), True)
        assert isinstance(model.state, WideState) == bool(more)


@pytest.mark.parametrize("late", [False, True])
def test_classes_may_come_late_to_a_wide_learner(late):
    docs, topics = texts(200)
    model = Classifier()
    labels = ["later" if late and i > 100 and t else str(t) for i, t in enumerate(topics)]
    accuracy(model, docs, labels)
    assert sum(model.predict_proba_one(docs[0]).values()) == pytest.approx(1.0)
    assert len(model.classes) == 2 + late


def replaced(n=200):
    """Many sensors that all give way to others at half time."""
    rng = np.random.default_rng(4)
    z = rng.normal(size=(n, 3))
    old, new = (z @ rng.normal(size=(3, 450)) + 0.2 * rng.normal(size=(n, 450)) for _ in range(2))
    events = []
    for i, (a, b) in enumerate(zip(old.tolist(), new.tolist(), strict=True)):
        x = {f"old{j}": v for j, v in enumerate(a)} if i < n // 2 else {}
        events.append(x | ({f"new{j}": v for j, v in enumerate(b)} if i >= n // 2 - 10 else {}))
    return events, (z[:, 0] > 0).tolist()


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("kind", ["texts", "sensors"])
def test_compiled_loops_give_the_same_numbers(kind, task, monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    docs, topics = texts(120) if kind == "texts" else replaced()
    found = []
    for pure in ("1", "0"):
        monkeypatch.setenv(PURE, pure)
        model = Classifier() if task == "classes" else Regressor()
        out = []
        for x, y in zip(docs, topics, strict=True):
            out.append(model.predict_proba_one(x).get(True, 0.0) if task == "classes" else model.predict_one(x))
            model.learn_one(x, y if task == "classes" else float(y))
        assert isinstance(model.state, WideState)
        assert ("vanished" in model.features.values()) == (kind == "sensors")
        found.append(out)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_predicting_changes_nothing_at_the_switch_of_a_wide_learner(task):
    curious, quiet = (Classifier() if task == "classes" else Regressor() for _ in range(2))
    for x, y in zip(*replaced(), strict=True):
        curious.predict_one(x)
        curious.learn_one(x, float(y))
        quiet.learn_one(x, float(y))
    assert "vanished" in quiet.features.values()
    np.testing.assert_array_equal(curious.state.w, quiet.state.w)


def test_what_is_here_is_not_let_go(monkeypatch):
    """A word that just came back after a long time keeps its place when the budget is spent in the same event."""
    monkeypatch.setattr("fesl.portfolio.wide.state.BUDGET", 100)
    model = Classifier()
    model.widen()
    model.learn_one({"old": 1.0, "steady": 1.0}, 0)
    for i in range(20):
        model.learn_one({"steady": 1.0, **{f"w{4 * i + j}": 1.0 for j in range(4)}}, i % 2)
    place = model.state.index["old"]
    model.learn_one({"old": 1.0, **{f"v{j}": 1.0 for j in range(30)}}, 1)
    assert model.state.index["old"] == place
    assert model.features["old"] == "live"
    row = model.state.rows[-1].idx.tolist()
    assert len(row) == len(set(row)) == 31


def test_what_only_the_narrow_learner_has_stays_behind():
    rng = np.random.default_rng(3)
    X = np.full((60, 500), np.nan)
    X[:20, :10], X[20:] = rng.normal(size=(20, 10)), rng.normal(size=(40, 500))
    y = (X[:, 0] > 0).astype(int)
    model = Classifier()
    run = model.run(X, y, detail=True)
    curves = list(Classifier().weights).index("additive")
    assert "additive" not in model.weights
    assert np.isnan(run.weights[-1, curves])
    before = len(Classifier().weights)
    assert not np.isnan(run.weights[10, :before]).any()
    assert run.names[before:] == ("readings",)  # the learner that was narrow goes on inside
    assert np.isnan(run.weights[10, before])
    assert np.isclose(np.nansum(run.weights[-1]), 1.0)
    assert model.regret().within


def sensors(n, d=450, seed=0):
    """All in every event, far from zero; the label is in six that none of them shows alone."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 6))
    X = z @ rng.normal(size=(6, d)) + 0.5 * rng.normal(size=(n, d)) + 100.0
    return [dict(enumerate(row)) for row in X.tolist()], (z @ rng.normal(size=6) > 0).tolist()


@pytest.mark.parametrize("odd", [{0: 99.0, 1: 101.0}, {0: 99.0, 1: 101.0, "uptime": 3.0}, {}])
@pytest.mark.parametrize("at", [3, 20])
def test_one_odd_event_says_nothing_about_a_stream(odd, at):
    for d in (100, 450):
        events, y = sensors(40, d)
        events[at] = odd
        model = Classifier()
        for x, label in zip(events, y, strict=True):
            model.learn_one(x, label)
        assert isinstance(model.state, State) if d == 100 else model.state.centred


def test_what_never_varies_weighs_the_same_in_any_unit():
    rng = np.random.default_rng(2)
    keys = [(int(a), int(b)) for a, b in rng.integers(0, 60, size=(300, 2)) if a != b]
    told = []
    for unit in (1.0, 0.01, 1000.0):
        model = Classifier()
        for a, b in keys:
            model.learn_one({f"k{a}": unit, f"k{b + 60}": unit}, a % 2 == 0)
        assert not isinstance(model.state, State)
        told.append([model.predict_proba_one({f"k{a}": unit})[True] for a in range(20)])
    np.testing.assert_allclose(told[1:], [told[0]] * 2, rtol=1e-9)


def test_forecasts_of_a_learner_that_becomes_wide_stay_near_the_targets():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(20.0, 1.0, size=(150, 100))
        X[rng.random(X.shape) > 0.1] = np.nan
        y = np.nansum(X - 20.0, axis=1)
        model, found = Regressor(), []
        for row, target in zip(X.tolist(), y.tolist(), strict=True):
            x = {j: v for j, v in enumerate(row) if v == v}
            found.append(model.predict_one(x))
            model.learn_one(x, target)
        assert not isinstance(model.state, State)
        assert np.abs(found).max() < 5 * np.abs(y).max()


@pytest.mark.parametrize("door", ["events", "table"])
def test_wide_sensors_are_measured_anew(door):
    """The very first value was wild, and later all of them report in other units."""
    events, y = sensors(620)
    X = np.array([[x[j] for j in range(450)] for x in events])
    X[0] = 1e9
    X[400:] /= 1000.0
    model = Classifier()
    if door == "table":
        right = model.run(X, y).predictions == np.array(y)
    else:
        right = []
        for row, label in zip(X.tolist(), y, strict=True):
            x = dict(enumerate(row))
            right.append(model.predict_one(x) == label)
            model.learn_one(x, label)
    assert np.mean(right[300:400]) > 0.85
    assert np.mean(right[580:]) > 0.85
