"""The same numbers through every door; predicting changes nothing; what is wrong raises and changes nothing."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from portfolio_streams import PATTERNS, TASKS, events, make, numbers, stream
from scipy import sparse

from fesl import Classifier, Regressor
from fesl.errors import ConfigError, FeatureError, LabelError
from fesl.portfolio.state import State


def trail(model):
    """All that the model remembers, as bytes."""
    return pickle.dumps(model.__getstate__())


def dict_door(task, X, y):
    model, out = make(task), []
    for x, t in events(X, y):
        out.append(numbers(model, x))
        model.learn_one(x, t)
    return model, out


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", ["switch", "blink"])
def test_events_arrays_and_frames_give_the_same_numbers(core, task, pattern):
    X, y = stream(pattern, task, rows=56)
    names = [f"x{j}" for j in range(X.shape[1])]
    one, out = dict_door(task, X, y)
    for table in (X, pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names))[
        : 3 if core == "compiled" else 1
    ]:
        many = make(task)
        run = many.run(table, y, features=names)
        found = run.scores if task in TASKS[2:] else run.probabilities
        for row, expected in zip(found, out, strict=True):
            if expected and expected != [0.0]:
                width = len(expected)
                np.testing.assert_allclose(row[:width], expected, rtol=1e-9, atol=1e-12)
        last = events(X, y)[-1][0]
        np.testing.assert_allclose(numbers(many, last), numbers(one, last), rtol=1e-9)
        assert many.features == one.features


def test_a_narrow_sparse_table_is_the_dense_one(core):
    X, y = stream("full", "binary", rows=80)
    X[np.abs(X) < 0.7] = 0.0
    dense, thin = Classifier(), Classifier()
    np.testing.assert_array_equal(dense.run(X, y).scores, thin.run(sparse.csr_array(X), y).scores)


@pytest.mark.parametrize("task", TASKS)
def test_predicting_changes_nothing(core, task):
    X, y = stream("blink", task, rows=60)
    model = make(task).learn_many(X, y)
    before = trail(model)
    model.predict_one({0: 1.0, "stranger": 2.0})
    model.predict_one({})
    model.predict_many(X)
    assert trail(model) == before


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", ["switch", "back"])
def test_a_copy_goes_on_alike(core, task, pattern):
    X, y = stream(pattern, task, rows=90)
    model = make(task)
    for i, (x, t) in enumerate(events(X, y)):
        if i in (30, 47, 70):
            model = pickle.loads(pickle.dumps(model)) if i == 47 else copy.deepcopy(model)
        model.learn_one(x, t)
    straight, x = make(task), events(X, y)[-1][0]
    for e, t in events(X, y):
        straight.learn_one(e, t)
    assert numbers(model, x) == numbers(straight, x)


def test_absent_none_and_nan_are_the_same(core):
    X, y = stream("blink", "binary", rows=80)
    models = [Classifier() for _ in range(3)]
    for x, t in events(X, y):
        for model, gap in zip(models, ("absent", None, float("nan")), strict=True):
            model.learn_one(x if gap == "absent" else {**dict.fromkeys(map("x{}".format, range(8)), gap), **x}, t)
    found = [numbers(model, {"x1": 0.5}) for model in models]
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert found[0] == pytest.approx(found[2], rel=1e-9)


BAD = [{"x0": "warm"}, {"x0": float("inf")}, {"x0": 1e101}, {"x0": object()}, [1.0], "x0"]


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_event_raises_and_changes_nothing(core, bad):
    X, y = stream("full", "binary", rows=30)
    model = Classifier()
    for x, t in events(X, y):
        model.learn_one(x, t)
    before = trail(model)
    with pytest.raises(FeatureError):
        model.learn_one(bad, True)
    with pytest.raises(FeatureError):
        model.predict_one(bad)
    assert trail(model) == before


@pytest.mark.parametrize(("model", "bad"), [(Classifier([0, 1]), 2), (Classifier(), [1]), (Regressor(), "high")])
def test_a_bad_label_raises_and_changes_nothing(core, model, bad):
    model = copy.deepcopy(model).learn_one({"a": 1.0}, 1)
    before = trail(model)
    with pytest.raises(LabelError):
        model.learn_one({"a": 2.0, "b": 1.0}, bad)
    assert trail(model) == before


def test_unlabelled_events_count_for_scales_and_correlations(core):
    model = Classifier(classes=[False, True])
    for i in range(50):
        model.learn_one({"a": float(i % 7), "b": 2.0 * (i % 7)})
    st = model.state
    assert st.count[1] == 50
    assert st.mean[1] == pytest.approx(np.mean([i % 7 for i in range(50)]))
    assert st.S[1, 2] > 20
    assert model.regret().rounds == 0
    assert model.predict_proba_one({"a": 1.0}) == {False: pytest.approx(0.5), True: pytest.approx(0.5)}


def test_before_anything_is_known(core):
    assert Classifier().predict_one({"a": 1.0}) is None
    assert Classifier().predict_proba_one({"a": 1.0}) == {}
    assert Regressor().predict_one({"a": 1.0}) == 0.0


def test_iterate_predicts_before_it_learns(core):
    model = Classifier()
    assert list(model.iterate([({"a": 1.0}, "up"), ({"a": -1.0}, "down"), ({"a": 1.0}, "up")]))[:2] == [None, "up"]


def test_a_class_that_comes_after_a_switch_is_as_unlikely_to_the_kept_rows_as_to_the_experts(core):
    """What the kept rows taught of the others says that it is rare, and nothing that it is not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 4))
    model = Classifier()
    old = [{f"a{j}": v for j, v in enumerate(row)} for row in X.tolist()]
    new = [{f"b{j}": v for j, v in enumerate(row[::-1])} for row in X.tolist()]
    for t in range(100):
        model.learn_one(old[t] | (new[t] if t >= 90 else {}), X[t, 0] > 0)
    for t in range(100, 110):
        model.learn_one(new[t], X[t, 0] > 0)
    taught = model.state.row_kind == 1
    assert taught.sum() == 100
    model.learn_one(new[110], "third")
    F = model.state.row_F[taught]
    np.testing.assert_allclose(F[:, 2], F[:, :2].mean(axis=1) - 0.5 * np.log(111.0))
    p = []
    for t in range(111, 160):
        p.append(model.predict_proba_one(new[t])["third"])
        model.learn_one(new[t], X[t, 0] > 0)
    assert np.mean(p) < 0.1


def test_classes_may_come_late(core):
    rng = np.random.default_rng(0)
    centres, model, right = rng.normal(size=(4, 5)) * 3, Classifier(), []
    for i in range(300):
        k = int(rng.integers(0, 2 if i < 100 else 4))
        x = dict(enumerate((centres[k] + rng.normal(size=5)).tolist()))
        right.append(model.predict_one(x) == k)
        model.learn_one(x, k)
    assert sorted(model.classes) == [0, 1, 2, 3]
    assert np.mean(right[180:]) > 0.85
    assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)


def test_targets_come_back_in_the_form_they_came(core):
    for y in (1.5, [1.0, 2.0], {"p": 1.0, "q": 2.0}):
        model = Regressor().learn_one({"a": 1.0}, y).learn_one({"a": 2.0}, y)
        assert type(model.predict_one({"a": 1.5})) is type(y)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_it_learns(pattern):
    X, y = stream(pattern, "binary", rows=200, seed=1)
    assert np.mean(Classifier().run(X, y).predictions[30:] == np.array(y)[30:]) > 0.7
    X, y = stream(pattern, "two targets", rows=200, seed=1)
    gap = (Regressor().run(X, y).predictions - y)[30:]
    assert (gap**2).mean() < 0.6 * np.var(y)


def test_detail_holds_every_expert(core):
    X, y = stream("switch", "multiclass", rows=80)
    model = Classifier()
    run = model.run(X, y, detail=True)
    assert run.experts.shape == (80, 14, 3)
    np.testing.assert_allclose(run.weights[1:].sum(axis=1), 1.0)
    mixed = np.log((np.exp(run.experts) * run.weights[:, :, None]).sum(axis=1))
    np.testing.assert_allclose(mixed[40:], run.scores[40:], rtol=1e-9)


def test_values_and_names_may_use_the_learner_while_they_are_read(core):
    model = Classifier()
    names = [f"f{i}" for i in range(12)]
    for i in range(40):
        model.learn_one({name: float(i % 5 + j) for j, name in enumerate(names)}, i % 2 == 0)

    class Number:
        def __float__(self):
            model.predict_one(dict.fromkeys(names, 3.0))
            return 1.0

    class Name(str):
        __slots__ = ()

        def __hash__(self):
            model.predict_one(dict.fromkeys(names, 3.0))
            return str.__hash__(self)

    plain = dict.fromkeys(names, 1.0)
    expected = model.predict_proba_one(plain)
    assert model.predict_proba_one({**plain, "f3": Number()}) == pytest.approx(expected, rel=1e-12)
    odd = {Name(name) if name == "f3" else name: v for name, v in plain.items()}
    assert model.predict_proba_one(odd) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("when", ["2020-01-01", "2020-01-01T00:00:00.000000001"])
def test_dates_of_numpy_are_no_classes(when):
    for teach in (lambda m, y: m.learn_one({"a": 1.0}, y), lambda m, y: m.learn_many([[1.0]], np.array([y]))):
        with pytest.raises(LabelError, match="class label"):
            teach(Classifier(), np.datetime64(when))


@pytest.mark.parametrize("none", [[None, None], (None, None), (np.nan, np.nan), np.full(2, np.nan)])
def test_several_targets_may_all_be_missing(none):
    model = Regressor().learn_one({"a": 1.0}, [1.0, 2.0]).learn_one({"a": 1.0}, none)
    assert (model.regret().rounds, int(model.state.clock[0])) == (1, 2)


@pytest.mark.parametrize(
    "bad", [np.True_, 10**400, np.datetime64("2020-01-01"), np.complex128(1j), 1e101, [1.0, None]]
)
def test_targets_that_are_no_finite_numbers(bad):
    model = Regressor().learn_one({"a": 1.0}, [1.0, 2.0] if isinstance(bad, list) else 1.0)
    with pytest.raises(LabelError, match="label"):
        model.learn_one({"a": 1.0}, bad)
    with pytest.raises(LabelError, match=r"target|label"):
        model.learn_many([[1.0]], [bad])
    assert model.regret().rounds == 1


@pytest.mark.parametrize("none", [None, np.nan, np.datetime64("NaT"), pd.NaT, pd.NA])
def test_a_label_that_is_not_there(none):
    assert Classifier().learn_one({"a": 1.0}, none).classes == []
    assert Regressor().learn_one({"a": 1.0}, none).regret().rounds == 0


@pytest.mark.parametrize("labels", [[1, 2, 1], ["a", "b", "a"], [True, False, True], [2**60, 2**60 + 1, 2**60]])
def test_masked_labels_are_not_there(labels):
    X, y = np.ones((3, 1)), np.ma.masked_array(labels, [False, True, False])
    model = Classifier().learn_many(X, y)
    known = [False, True] if labels[0] is True else labels[:1]
    assert (model.classes, model.regret().rounds) == (known, 2)
    assert type(model.classes[0]) is type(labels[0])
    if labels[0] == 1 and labels[0] is not True:
        assert Regressor().learn_many(X, y).regret().rounds == 2
    elif labels[0] is True:
        with pytest.raises(LabelError, match="numbers"):
            Regressor().learn_many(X, y)


@pytest.mark.parametrize("classes", [np.array([0, 1]), pd.Index(["a", "b"]), {"x": 1, "y": 2}.keys()])
def test_classes_may_be_declared_by_any_iterable(classes):
    assert Classifier(classes).classes == list(classes)


@pytest.mark.parametrize(
    "settings",
    [
        {"on_event": 3},
        {"aliases": 5},
        {"aliases": "ab"},
        {"aliases": {"a": ["b"]}},
        {"aliases": {"a": "b", "b": "a"}},
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        Classifier(**settings)


def test_an_alias_of_an_alias_stands_for_the_same_role():
    model = Regressor(aliases={"v3": "v2", "v2": "v1"})
    for i in range(60):
        model.learn_one({"v1" if i < 20 else "v2" if i < 40 else "v3": i % 5 - 2.0}, 3.0 * (i % 5))
    assert list(model.features) == ["v1"]
    assert model.predict_one({"v3": 2.0}) == model.predict_one({"v1": 2.0}) == pytest.approx(12.0, abs=0.5)


def test_nan_stored_in_a_sparse_table_is_not_observed(core):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 5)) < 0.3, np.nan, rng.normal(10.0, 1.0, size=(60, 5)))
    X[rng.random((60, 5)) < 0.1] = 0.0
    y = rng.random(60) < 0.5
    dense = Classifier().run(X, y)
    stored = Classifier().run(sparse.csr_array(X), y)
    np.testing.assert_array_equal(stored.scores, dense.scores)


def test_targets_of_a_frame_are_told_apart_by_their_names(core):
    model = Regressor().learn_one({"a": 1.0}, {"u": 10.0, "v": 100.0})
    X = np.linspace(0.0, 1.0, 20)[:, None]
    model.learn_many(X, pd.DataFrame({"v": np.full(20, 100.0), "u": np.full(20, 10.0)}), features=["a"])
    assert model.predict_one({"a": 0.5}) == pytest.approx({"u": 10.0, "v": 100.0})
    with pytest.raises(LabelError, match=r"\['p', 'q'\] do not match \['u', 'v'\]"):
        model.learn_many(X, pd.DataFrame({"p": X[:, 0], "q": X[:, 0]}), features=["a"])


def test_a_label_may_be_an_array_without_dimensions(core):
    model = Regressor().learn_one({"a": 1.0}, np.array(2.0)).learn_one({"a": 2.0}, np.array(np.nan))
    assert model.regret().rounds == 1
    with pytest.raises(LabelError, match="ndarray"):
        Classifier().learn_one({"a": 1.0}, np.array(2.0))


def test_a_regression_has_no_probabilities():
    model = Regressor().learn_one({"a": 1.0}, 2.0)
    for ask in (lambda: model.predict_proba_one({"a": 1.0}), lambda: model.predict_proba_many([[1.0]])):
        with pytest.raises(LabelError, match="predict_many"):
            ask()


def test_a_sparse_table_without_rows_tells_nothing():
    model = Classifier().learn_many(sparse.csr_array((0, 500)), [])
    model.run(sparse.csr_array((0, 500)), [])
    assert isinstance(model.state, State)


@pytest.mark.parametrize("value", [np.complex128(1.0), np.complex64(1.0), memoryview(b"12")])
def test_what_can_be_made_a_number_need_not_be_one(core, value):
    model = Classifier().learn_one({"a": 1.0}, True)
    for ask in (model.predict_one, model.learn_one):
        with pytest.raises(FeatureError, match="'a'"):
            ask({"a": value})


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT, Decimal("NaN"), np.ma.masked])
def test_kinds_of_nothing(core, nothing):
    model = Classifier()
    for i in range(20):
        model.learn_one({"a": float(i % 5), "b": nothing}, nothing if i == 7 else i % 5 > 2)
    assert model.features == {"a": "live"}
    assert model.classes == [False, True]
    table = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Series([nothing, 3.0], dtype=object)})
    assert Classifier().learn_many(table, [True, False]).state.count[:3].tolist() == [0.0, 2.0, 1.0]
