"""Sensors beside a crowd of sparse features: a narrow learner of the sensors goes on inside the wide one."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from portfolio_streams import told_in_order
from scipy import sparse

from fesl import Classifier, Regressor, saving
from fesl._native import PURE, native
from fesl.portfolio import constants
from fesl.portfolio.changes.lives import Kind
from fesl.portfolio.wide.state import WideState


def shops(n=600, many=120, seed=0, numbers=False):
    """Three sensors, of which two say together what neither says alone, and one feature a shop, without zeros."""
    rng = np.random.default_rng(seed)
    good = rng.normal(size=many)
    for _ in range(n):
        z, shop = rng.normal(size=3), int(rng.integers(many))
        f = 2.0 * (z[0] ** 2 + z[1] ** 2 - 1.4) + z[2] + 0.5 * good[shop] + 0.3 * rng.normal()
        yield {"a": z[0], "b": z[1], "c": 50.0 + z[2], f"shop={shop}": 1.0}, float(f) if numbers else bool(f > 0)


def play(model, events):
    """What is predicted of each event before it is learned."""
    told = []
    for x, y in events:
        told.append(model.predict_one(x) if isinstance(model, Regressor) else model.predict_proba_one(x))
        model.learn_one(x, y)
    return told


def right(told, events):
    return np.array([bool(p) and max(p, key=p.get) == y for p, (_, y) in zip(told, events, strict=True)])


def test_curves_of_sensors_survive_a_crowd_of_shops():
    events, model = list(shops(1500)), Classifier()
    found = right(play(model, events), events)
    assert isinstance(model.state, WideState)
    assert set(model.state.inner.index) == {"a", "b", "c"}
    assert found[1000:].mean() > 0.85  # lines alone: .65
    assert "readings" in model.weights
    assert model.regret().within


def test_numbers_too():
    events, model = list(shops(1500, numbers=True)), Regressor()
    gaps = np.array(play(model, events)) - [y for _, y in events]
    assert isinstance(model.state, WideState)
    assert np.mean(gaps[1000:] ** 2) < 0.25 * np.var([y for _, y in events])
    assert model.regret().within


def test_words_alone_have_nothing_inside():
    rng, model = np.random.default_rng(0), Classifier()
    for i in range(300):
        model.learn_one({f"w{j}": 1.0 for j in rng.choice(300, 8, replace=False)}, i % 2)
    assert isinstance(model.state, WideState)
    assert model.state.inner is None
    assert "readings" not in model.weights


def test_it_begins_later_where_a_stream_is_wide_at_once():
    events = list(shops(700))
    names = sorted({name for x, _ in events for name in x}) + [f"never{i}" for i in range(400)]
    place = {name: j for j, name in enumerate(names)}
    entries = [(i, place[k], v) for i, (x, _) in enumerate(events) for k, v in x.items()]
    rows, cols, values = zip(*entries, strict=True)
    X = sparse.csr_array((values, (rows, cols)), shape=(len(events), len(names)))
    model = Classifier()
    found = model.run(X, [y for _, y in events], features=names, detail=True)
    assert set(model.state.inner.index) == {"a", "b", "c"}
    assert model.regret().within
    assert np.mean(found.predictions[500:] == [y for _, y in events[500:]]) > 0.8

    again = Classifier()
    again.widen()
    for i, (x, y) in enumerate(events):
        if again.classes == [False, True] or again.classes == [True, False]:
            told = again.predict_proba_one(x)
            np.testing.assert_allclose(np.log([told[k] for k in again.classes]), found.scores[i])
        again.learn_one(x, y)


@pytest.mark.parametrize("numbers", [False, True])
def test_what_is_predicted_does_not_depend_on_what_else_is_told(numbers):
    rng = np.random.default_rng(0)
    X = (rng.random((300, 900)) < 0.02).astype(float)
    X[:, :5] = rng.normal(size=(300, 5))
    y = X[:, 1] ** 2 - 1.0 + X[:, 2]
    make, y = (Regressor, y) if numbers else (Classifier, y > 0.0)
    runs = [make().run(sparse.csr_array(X), y, detail=detail) for detail in (False, True)]
    assert "readings" in runs[1].names
    np.testing.assert_array_equal(runs[0].scores, runs[1].scores)


@pytest.mark.parametrize("numbers", [False, True])
def test_compiled_rounds_give_the_same_numbers(numbers, monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    found = []
    for pure in ("1", "0"):
        monkeypatch.setenv(PURE, pure)
        model = Regressor() if numbers else Classifier()
        told = play(model, shops(260, many=90, numbers=numbers))
        assert model.state.inner is not None
        found.append(told if numbers else [p.get(True, 0.0) for p in told])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("numbers", [False, True])
def test_saved_and_copied_models_go_on_bit_for_bit(numbers):
    events = list(shops(650, numbers=numbers))
    model = Regressor() if numbers else Classifier()
    play(model, events[:500])
    assert model.state.inner is not None
    twins = [pickle.loads(pickle.dumps(model)), saving.loads(saving.dumps(model))]
    assert saving.dumps(twins[1]) == saving.dumps(model)
    told = play(model, events[500:])
    for twin in twins:
        assert play(twin, events[500:]) == told
        assert twin.state.inner.suggested is twin.state.suggested


def test_predicting_changes_nothing():
    curious, quiet = Classifier(), Classifier()
    for x, y in shops(300):
        curious.predict_proba_one(x)
        curious.learn_one(x, y)
        quiet.learn_one(x, y)
    assert curious.state.inner is not None
    assert saving.dumps(curious) == saving.dumps(quiet)


def test_a_sensor_that_dies_is_noted_once_and_taught():
    model, rng = Classifier(), np.random.default_rng(1)
    for i, (x, _) in enumerate(shops(900)):
        both = {"old": x["a"], "new": 3.0 * x["a"] + 0.1 * rng.normal()}
        x = {"c": x["c"], **both, **{k: v for k, v in x.items() if k.startswith("shop")}}
        if i >= 600:
            del x["old"]
        model.learn_one(x, both["old"] ** 2 > 1.0)
    assert model.features["old"] == "vanished"
    assert [e.feature for e in model.events if e.kind is Kind.VANISHED].count("old") == 1
    assert [e.feature for e in model.events if e.kind is Kind.APPEARED].count("old") == 1
    assert model.recovery()["old"].error < 0.2
    assert model.predict_one({"new": 6.0, "c": 50.0}) is True
    assert model.predict_one({"new": 0.0, "c": 50.0}) is False


def test_a_class_that_comes_late():
    events, model = list(shops(500)), Classifier()
    for i, (x, y) in enumerate(events):
        model.learn_one(x, "later" if i > 300 and x["c"] > 51.0 else str(y))
    assert model.state.inner.outputs == model.state.outputs == 3
    assert sum(model.predict_proba_one(events[0][0]).values()) == pytest.approx(1.0)
    assert model.predict_one({"a": 0.0, "b": 0.0, "c": 52.5}) == "later"


def sensors(n, d, seed=0):
    """Many sensors, of which two say together what neither says alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 3] ** 2 + X[:, -1] ** 2 > 1.4


@pytest.mark.parametrize("beside", ["words", "nothing"])
def test_of_many_sensors_those_are_followed_that_tell_most(beside):
    rng, model, found = np.random.default_rng(0), Classifier(), []
    X, y = sensors(600, 450 if beside == "nothing" else constants.READINGS + 6)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        words = rng.choice(2000, 40, replace=False) if beside == "words" else ()
        x = dict(enumerate(row)) | {f"w{j}": 1.0 for j in words}
        found.append(model.predict_one(x) == label)
        model.learn_one(x, label)
    assert model.state.centred == (beside == "nothing")
    assert len(model.state.inner.index) == constants.READINGS
    assert {3, X.shape[1] - 1} <= set(model.state.inner.index)
    assert np.mean(found[300:]) > 0.85
    assert model.regret().within


def test_others_take_the_places_of_sensors_that_die_and_are_taught():
    X, _ = sensors(700, 450)
    y = X[:, 3] + X[:, -1] > 0.0
    X = np.hstack([X, 20.0 + 3.0 * X])
    X[430:, :450] = np.nan  # all replaced, after fifty rows side by side
    X[:380, 450:] = np.nan
    model = Classifier()
    right = model.run(X, y).predictions == y
    assert set(model.state.inner.index) <= set(range(450, 900))
    assert right[440:500].mean() > 0.8  # from scratch .52
    assert right[500:].mean() > 0.85
    by_event = Classifier()
    for row, label in zip(X[:500].tolist(), y[:500].tolist(), strict=True):
        by_event.learn_one({j: v for j, v in enumerate(row) if v == v}, label)
    assert saving.dumps(by_event) == saving.dumps(Classifier().learn_many(X[:500], y[:500]))


def replaced(n=700, overlap=25, seed=0):
    """Words beside a sensor that is replaced by one in other units; both say more in their curve than words do."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        a, words = float(rng.normal()), rng.choice(200, 5, replace=False)
        x = {f"w{j}": 1.0 for j in words}
        x |= {"old": a} if i < n - 100 else {}
        x |= {"new": 7.0 - 3.0 * a} if i >= n - 100 - overlap else {}
        yield x, bool(a * a + 0.2 * rng.normal() > 1.0)


def test_a_newcomer_is_known_inside_from_its_birth_on():
    events, model = list(replaced()), Classifier()
    told = play(model, events[:-90])
    assert model.features["old"] == "vanished"
    assert any(e.kind is Kind.OVERLAPPED and e.feature == "new" for e in model.events)
    inner, place = model.state.inner, model.state.index["new"]
    j = inner.index["new"]
    assert inner.count[j] == model.state.count[place] == 35
    assert (inner.mean[j], inner.q[j]) == (model.state.mean[place], model.state.q[place])
    assert inner.born[j] == model.state.born[place]
    assert np.isfinite(inner.row_x[inner.rows(), j]).sum() == 35
    assert inner.C[j, j] == 35
    told += play(model, events[-90:])
    assert right(told, events)[-95:].mean() > 0.85


def test_words_that_come_often_are_no_readings():
    rng, model = np.random.default_rng(0), Classifier()
    for i in range(400):
        x = {"sensor": float(rng.normal()), **{f"w{j}": 1.0 for j in rng.choice(200, 5, replace=False)}}
        if i >= 250:
            x |= {"flag": 1.0} | ({"often": float(rng.normal())} if rng.random() < 0.5 else {})
        model.learn_one(x, x["sensor"] > 0)
    assert set(model.state.inner.index) == {"sensor"}


def test_a_few_events_do_not_say_what_is_always_there():
    """One long document, then a table or a stream of short ones beside sensors."""
    rng, model = np.random.default_rng(0), Classifier()
    for i in range(110):
        if i == 1:
            model.widen()
        words = rng.choice(600, 12 if i else 100, replace=False)
        x = dict(zip("abc", rng.normal(size=3).tolist(), strict=True)) | {
            f"w{j}": 1.0 + rng.random() for j in words
        }
        model.learn_one(x, x["a"] > 0.0)
        if i < constants.MEASURE:
            assert model.state.regression or getattr(model.state, "inner", None) is None
    assert set(model.state.inner.index) == {"a", "b", "c"}
    assert {model.state.names[j] for j in np.flatnonzero(model.state.steady)} == {"a", "b", "c"}


def test_what_happened_in_the_rows_before_is_said_once():
    seen, rng = [], np.random.default_rng(0)
    model = Classifier(on_event=seen.append)
    model.widen(centred=True)
    for i in range(130):  # a narrow learner begins in round 96
        group, z = "a" if i < 30 or i >= 60 else "b", rng.normal(size=12).tolist()
        model.learn_one({f"{group}{j}": v for j, v in enumerate(z)}, z[0] > 0.0)
    told_in_order(model.events)
    assert seen == model.events
    kinds = {name: [e.kind.value for e in seen if e.feature == name] for name in ("a0", "b0")}
    assert kinds == {"a0": ["appeared", "vanished", "came back"], "b0": ["appeared", "vanished"]}


def test_who_vanished_before_the_learner_was_wide_is_remembered():
    rng, model = np.random.default_rng(0), Classifier()
    for i in range(330):
        z = rng.normal(size=3).tolist()
        x = {"b": z[1], "c": z[2]} | ({"old": z[0]} if i < 100 or i >= 300 else {})
        words = rng.choice(300, 5, replace=False) if i >= 150 else ()
        model.learn_one(x | {f"w{j}": 1.0 for j in words}, z[0] + z[2] > 0.0)
        assert set(model.recovery()) <= set(model.features)
        if i in (140, 290):
            assert model.features["old"] == "vanished"
    assert isinstance(model.state, WideState)
    told_in_order(model.events)
    assert [e.kind.value for e in model.events if e.feature == "old"] == ["appeared", "vanished", "came back"]


def test_words_that_stay_behind_do_not_push_the_vanished_off_the_shelf(monkeypatch):
    monkeypatch.setattr("fesl.portfolio.state.DEAD", 5)
    rng, model = np.random.default_rng(0), Classifier()
    for i in range(80):
        x = dict(zip("abcde", rng.normal(size=5).tolist(), strict=True))
        x = {k: v for k, v in x.items() if i < 60 or k in "ab"}
        x |= {f"w{j}": 1.0 for j in range(40) if i == 79}
        model.learn_one(x, x["a"] > 0.0)
    model.widen()
    assert set(model.state.inner.index) == {"a", "b"}
    assert set(model.state.inner.dead) == {"c", "d", "e"}


def test_a_place_that_is_given_up_is_nobodys_seat(monkeypatch):
    monkeypatch.setattr("fesl.portfolio.wide.state.BUDGET", 200)
    rng, model = np.random.default_rng(0), Classifier()
    for i in range(300):
        if i == 20:
            model.widen()
        x = dict(zip("abcde", rng.normal(size=5).tolist(), strict=True))
        x = {k: v for k, v in x.items() if i < 150 or k in "ab"}
        model.learn_one(x | {f"w{i}:{j}": 1.0 for j in range(4)}, x["a"] > 0.0)
        if i >= 20:
            assert not (model.state.steady | model.state.followed)[model.state.free].any()
    st = model.state
    assert not {"c", "d", "e"} & set(st.index)
    assert {st.names[j] for j in np.flatnonzero(st.steady | st.followed)} == {"a", "b"}
    assert set(model.state.inner.index) == {"a", "b"}


def test_who_comes_and_goes_is_no_reading_after_all():
    """A word that some events in a row held by chance; not a sensor that had an outage, or has died."""
    rng, model = np.random.default_rng(0), Classifier()
    for i in range(4 * constants.MEASURE):
        x = {"a": rng.normal(), "off": rng.normal(), "dead": rng.normal()}
        x |= {f"w{j}": 1.0 + rng.random() for j in rng.choice(300, 5, replace=False)}
        if 200 <= i < 216 or (i > 220 and rng.random() < 0.3):
            x["topic"] = 1.0 + rng.random()
        if 300 <= i < 360:
            del x["off"]
        if i >= 310:
            del x["dead"]
        model.learn_one(x, x["a"] + 2.0 * ("topic" in x) > 0.5)
        if i == 215:
            assert "topic" in model.state.inner.index
    st = model.state
    assert {st.names[j] for j in np.flatnonzero(st.steady)} == {"a", "off", "dead"}
    assert set(st.inner.index) == {"a", "off"}
    assert "dead" in st.inner.dead
    assert model.features["topic"] in ("live", "missing")
    with_topic, without = ({"a": 0.0, "off": 0.0, **more} for more in ({"topic": 1.5}, {}))
    assert model.predict_proba_one(with_topic)[True] > model.predict_proba_one(without)[True] + 0.1
