"""Values that come again have weights of their own."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import TASKS, make, numbers, stream
from test_portfolio_cores import agree

from fesl import Classifier, Regressor
from fesl.portfolio.constants import FADED, VALUED, VALUES
from fesl.portfolio.experts import values
from fesl.portfolio.experts.values import SIGHTINGS, VARIANCE, WEIGHTS
from fesl.saving import dumps, loads


def shops(rows, many, seed=0):
    """A shop's number, which says nothing by its size, and a price; what a shop sells."""
    rng = np.random.default_rng(seed)
    shop, price = rng.integers(0, many, rows), rng.normal(size=rows)
    return np.column_stack([shop, price]), 2.0 * rng.normal(size=many)[shop] + price + 0.5 * rng.normal(size=rows)


def codes_in(pattern, task, rows):
    """A stream whose first columns are codes: few, as many as have a place, and more than that."""
    X, y = stream(pattern, task, rows=rows, width=6)
    X[:, 0], X[:, 1], X[:, 2] = np.round(X[:, 0]), np.round(9.0 * X[:, 1]), np.round(99.0 * X[:, 2])
    return X, y


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", ["full", "blink", "back", "survivors"])
def test_both_cores_agree_on_codes(pattern, task, monkeypatch):
    agree(*codes_in(pattern, task, 240), task, monkeypatch)


def test_a_shop_is_known_by_its_number(core):
    X, z = shops(900, 30)
    model = Classifier()
    right = model.run(X, z > 0.0).predictions == (z > 0.0)
    assert right[450:].mean() > 0.8
    alone = {name: bits for name, bits in model.regret().experts.items() if name not in ("stacker", "council")}
    assert min(alone, key=alone.__getitem__) == "values"


def test_and_what_it_sells_is_forecast(core):
    X, z = shops(900, 30)
    gap = (Regressor().run(X, 1e3 + 50.0 * z).predictions - (1e3 + 50.0 * z))[450:]
    assert np.sqrt((gap**2).mean()) < 0.45 * 50.0 * z.std()  # the number as it is tells nothing: .9


def test_a_mark_for_nothing_has_a_weight_of_its_own(core):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(900, 4))
    lacks = rng.random(900) < 0.3
    y = np.where(lacks, rng.random(900) < 0.95, Z[:, 0] > 0.0)
    X = 20.0 + 3.0 * Z
    X[lacks, 0] = 20.0  # written as if it were the mean
    right = Classifier().run(X, y).predictions == y
    assert right[450:][lacks[450:]].mean() > 0.9


def test_one_weight_a_value_is_a_linear_model_of_flags():
    """The step against a transcription with one column a value and a diagonal covariance."""
    codes, coded = values.start(2)
    coded = np.concatenate([coded, np.zeros((2, 1 + VALUES, 1))], axis=2)
    coded[1, 0, VARIANCE] = VALUED
    rng = np.random.default_rng(0)
    w, v = np.zeros(6), np.array([1.0, VALUED, VALUED, VALUED, VALUED, VALUED])
    one, many = np.array([1]), np.ones(1)
    for x in (0.0, 1.0, 2.0, 3.0):
        values.notice(codes, coded, one, np.array([x]))
    for _ in range(50):
        x, y, u = float(rng.integers(0, 5)), rng.normal(), rng.normal(size=1)
        at = values.look_up(codes, coded, one, np.array([x]), many, 1.0)
        h = np.zeros(6)
        h[0], h[1 + int(x)] = 1.0, 1.0
        if x == 4.0:  # never noticed: on the line
            assert at[0] == 0
            h[5] = u[0]
        m, s = values.project(coded, one, at, u)
        assert m[0] == pytest.approx(w @ h)
        assert s == pytest.approx(h**2 @ v)
        values.learn(coded, one, at, u, (y - m) / (1.0 + s), 1.0)
        w += (y - w @ h) / (1.0 + h**2 @ v) * v * h
        v /= 1.0 + v * h * h


def test_what_comes_often_stays_and_what_no_longer_comes_goes():
    codes, coded = values.start(2)
    one = np.array([1])

    def come(*many):
        for x in many:
            values.notice(codes, coded, one, np.array([float(x)]))

    come(7, 7, 7)
    come(*range(1000, 1000 + 3 * VALUES))  # never twice: each moves in where the last of its kind was
    assert 7.0 in codes[1]
    assert np.isfinite(codes[1]).all()
    assert len(set(codes[1].tolist())) == VALUES
    sightings = coded[1, 1 + np.flatnonzero(codes[1] == 7.0)[0], SIGHTINGS]
    assert sightings == pytest.approx(3.0 * FADED**3)  # its turn came three times
    come(*range(5000, 5000 + 5 * VALUES))
    assert 7.0 not in codes[1]
    assert coded[1, 0, SIGHTINGS] < VALUES


def test_predicting_notices_nothing(core):
    X, y = codes_in("blink", "binary", 80)
    model = Classifier().learn_many(X, y)
    before = model.state.codes.copy(), model.state.coded.copy()
    model.predict_one({0: 123.0, 1: 7.0})
    model.predict_many(X)
    np.testing.assert_array_equal(model.state.codes, before[0])
    np.testing.assert_array_equal(model.state.coded, before[1])


def test_events_without_a_label_are_noticed(core):
    model = Classifier()
    for t in range(20):
        model.learn_one({"shop": float(t % 3)}, None)
    at = model.state.index["shop"]
    assert sorted(model.state.codes[at][np.isfinite(model.state.codes[at])].tolist()) == [0.0, 1.0, 2.0]
    assert model.state.coded[at, 1:4, SIGHTINGS].sum() == 20.0


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_a_code_that_comes_back_is_known_still(core, task):
    """Saved or not: a column of shops vanishes for long, and its values have the weights they had."""
    X, z = shops(500, 12)
    model, label = make(task), (z > 0.0) if task == "binary" else z
    for i in range(500):
        away = 300 <= i < 450
        x = {"price": float(X[i, 1]), "other": float(X[i, 1]) ** 2}
        model.learn_one(x if away else {**x, "shop": float(X[i, 0])}, label[i])
        if i == 299:
            at = model.state.index["shop"]
            st = model.state
            known = {float(v): st.coded[at, 1 + k, VARIANCE] for k, v in enumerate(st.codes[at]) if np.isfinite(v)}
        if i == 420:
            assert model.features["shop"] == "vanished"
            assert len(model.state.dead["shop"].codes) == 12
            model = loads(dumps(model))
        if i == 450:
            at, st = model.state.index["shop"], model.state
            again = {float(v): st.coded[at, 1 + k, VARIANCE] for k, v in enumerate(st.codes[at]) if np.isfinite(v)}
            assert set(again) == set(known)
            assert all(again[v] <= known[v] + 1e-12 for v in known)
            assert np.abs(st.coded[at, 1:13, WEIGHTS:]).min() > 0.0
    assert np.isfinite(numbers(model, {"shop": 3.0, "price": 0.0})).all()
