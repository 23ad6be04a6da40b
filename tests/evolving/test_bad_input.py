"""Bad input raises a typed error that names the culprit, and leaves the learner exactly as it was."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fesl import EvolvingLearner
from fesl.errors import DataError, FeatureError, FeslError, LabelError
from fesl.losses import Logistic, Softmax, Squared
from generic import TASKS, fingerprint, learn, three_cycles

NAN = float("nan")

#: Where in a stream of three cycles an error may strike: at the start, settled, overlapping, just switched, later.
PHASES = [0, 20, 36, 40, 60, 76]


def model_at(phase, task="binary"):
    return learn(EvolvingLearner(TASKS[task]), three_cycles(0, task), 0, phase)


def assert_refused(model, error, match, act):
    before = fingerprint(model)
    with pytest.raises(error, match=match) as caught:
        act()
    assert isinstance(caught.value, FeslError)
    assert fingerprint(model) == before


VALUES = {
    "string": ("12", "'12'"),
    "bytes": (b"1", "b'1'"),
    "infinity": (float("inf"), "inf"),
    "minus infinity": (-np.inf, "-inf"),
    "too large": (1e101, r"1e\+101"),
    "a very long whole number": (10**400, "finite"),
    "a complex number of NumPy": (np.complex128(1 + 0j), "complex"),
    "a short complex number of NumPy": (np.complex64(1 + 0j), "complex"),
    "a view of bytes": (memoryview(b"12"), "memoryview"),
    "list": ([1.0], "list"),
    "array": (np.array([1.0, 2.0]), "ndarray"),
    "complex": (1 + 2j, "complex"),
    "date": (datetime.date(2020, 1, 1), "date"),
    "object": (object(), "object"),
    "dict": ({}, "dict"),
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("case", VALUES)
def test_a_value_that_is_no_finite_number(core, phase, case):
    value, shown = VALUES[case]
    model, x = model_at(phase), three_cycles(0).event(phase)
    known = next(iter(x))
    for bad in (x | {known: value}, x | {"stranger": value}, {"stranger": value}):
        name = known if "stranger" not in bad else "stranger"
        assert_refused(model, FeatureError, f"'{name}'", lambda bad=bad: model.learn_one(bad, True))
        assert_refused(model, FeatureError, shown, lambda bad=bad: model.learn_one(bad))
        assert_refused(model, FeatureError, f"'{name}'", lambda bad=bad: model.predict_one(bad))
        assert_refused(model, FeatureError, f"'{name}'", lambda bad=bad: model.predict_proba_one(bad))


@pytest.mark.parametrize("x", [[1.0, 2.0], "a", 3.0, None, {"a"}, np.ones(2), [("a", 1.0)]])
def test_an_event_that_is_no_mapping(core, x):
    model = model_at(20)
    kind = type(x).__name__
    assert_refused(model, FeatureError, f"mapping.*not {kind}", lambda: model.learn_one(x, True))
    assert_refused(model, FeatureError, f"mapping.*not {kind}", lambda: model.predict_one(x))


@pytest.mark.parametrize("value", [1, True, np.float32(1.0), np.int8(1), np.bool_(True), Decimal(1), Fraction(1)])
def test_numbers_of_every_make_are_welcome(core, value):
    a, b = EvolvingLearner().learn_one({"x": value}, True), EvolvingLearner().learn_one({"x": 1.0}, True)
    assert fingerprint(a) == fingerprint(b)


@pytest.mark.parametrize(
    "x", [{}, {"s0:0": None}, {"s0:0": NAN, "stranger": None}, {"stranger": np.float32("nan")}]
)
@pytest.mark.parametrize("phase", PHASES[1:])
def test_an_event_without_any_value_changes_nothing(core, phase, x):
    """It is predicted with a score of zero, and learning from it is not a round."""
    model = model_at(phase)
    before = fingerprint(model)
    model.learn_one(x, True)
    model.learn_one(x)
    assert fingerprint(model) == before
    assert model.score_one(x).tolist() == [0.0]
    assert model.predict_one(x) is model.classes[0]
    assert list(model.predict_proba_one(x).values()) == [0.5, 0.5]


def test_an_event_without_any_known_feature_is_predicted_with_zero(core):
    model = model_at(60)
    assert model.score_one({"stranger": 5.0}).tolist() == [0.0]
    assert EvolvingLearner().predict_one({"stranger": 5.0}) is None
    assert EvolvingLearner().predict_proba_one({"stranger": 5.0}) == {}
    assert EvolvingLearner(Squared()).predict_one({"stranger": 5.0}) == 0.0


def test_one_gap_never_reaches_a_weight(core):
    clean, gaps = EvolvingLearner(), EvolvingLearner()
    for x, y in three_cycles(1).events():
        clean.learn_one(x, y)
        gaps.learn_one(x | {"ghost": None, "other": NAN, "third": np.float64("nan")}, y)
    assert fingerprint(clean) == fingerprint(gaps)


# Labels


LABELS = [
    ("binary", [1, 2], LabelError, r"\[1, 2\]"),
    ("binary", {"a": 1}, LabelError, "dict"),
    ("binary", np.array([1.0]), LabelError, "ndarray"),
    ("binary", "third", LabelError, "'third' is a third class.*Softmax"),
    ("multiclass", {1}, LabelError, "set"),
    ("multiclass", bytearray(b"x"), LabelError, "bytearray"),
    ("regression", "1.5", LabelError, "'1.5'"),
    ("regression", True, LabelError, "True"),
    ("regression", float("inf"), LabelError, "inf"),
    ("regression", 1e101, LabelError, r"1e\+101"),
    ("regression", [1.0, 2.0], LabelError, r"\[1.0, 2.0\].*1 target"),
    ("regression", {"a": 1.0}, LabelError, "'a'"),
    ("regression", object(), LabelError, "object"),
    ("two targets", 1.0, LabelError, "2 target"),
    ("two targets", [1.0, 2.0, 3.0], LabelError, "2 target"),
    ("two targets", [], LabelError, "2 target"),
    ("two targets", [1.0, "2"], LabelError, "'2'"),
    ("two targets", [1.0, NAN], LabelError, "nan"),
    ("two targets", [1.0, None], LabelError, "None"),
    ("two targets", [[1.0, 2.0]], LabelError, "2 target"),
    ("two targets", {"x": 1.0, "y": 2.0}, LabelError, "'x'"),
]


@pytest.mark.parametrize("phase", PHASES[1:])
@pytest.mark.parametrize(("task", "y", "error", "match"), LABELS)
def test_a_label_that_cannot_be(core, phase, task, y, error, match):
    model, x = model_at(phase, task), three_cycles(0, task).event(phase)
    assert_refused(model, error, match, lambda: model.learn_one(x, y))
    assert_refused(model, error, match, lambda: model.learn_one({"stranger": 1.0} | x, y))


def test_a_label_outside_the_declared_classes(core):
    for loss in (Logistic(), Softmax()):
        model = EvolvingLearner(loss, classes=["no", "yes"]).learn_one({"a": 1.0}, "yes")
        assert_refused(model, LabelError, "'maybe'.*declared", lambda m=model: m.learn_one({"a": 1.0}, "maybe"))
        assert_refused(model, LabelError, "'maybe'.*declared", lambda m=model: m.learn_many([[1.0]], ["maybe"]))


def test_targets_by_name_keep_their_names(core):
    model = EvolvingLearner(Squared()).learn_one({"a": 1.0}, {"x": 1.0, "y": 2.0})
    assert list(model.predict_one({"a": 1.0})) == ["x", "y"]
    model.learn_one({"a": 1.0}, {"y": 2.0, "x": 1.0})
    for y in ({"x": 1.0}, {"x": 1.0, "z": 2.0}, [1.0, 2.0], 1.0):
        assert_refused(model, LabelError, "targets", lambda y=y: model.learn_one({"a": 1.0}, y))


def test_a_first_label_that_is_wrong_decides_nothing(core):
    for y in ("1", {}, [], True, [1.0, NAN], {"x": "1"}):
        model = EvolvingLearner(Squared())
        assert_refused(model, LabelError, "label|targets", lambda m=model, y=y: m.learn_one({"a": 1.0}, y))
        assert model.learn_one({"a": 1.0}, [1.0, 2.0]).state.outputs == 2


def test_a_regression_has_no_probabilities(core):
    model = model_at(20, "regression")
    assert_refused(model, LabelError, "regression", lambda: model.predict_proba_one({"s0:0": 1.0}))
    assert_refused(model, LabelError, "regression", lambda: model.predict_proba_many([[1.0]], features=["s0:0"]))


# Tables: nothing is learned from a block that has something wrong anywhere

GOOD = np.arange(12.0).reshape(4, 3)
NAMES = ["s0:0", "s0:1", "s0:2"]


def with_cell(value, dtype=object):
    X = GOOD.astype(dtype)
    X[2, 1] = value
    return X


TABLES = {
    "string": (with_cell("x"), FeatureError, "row 2, feature 's0:1' is 'x'"),
    "digits": (with_cell("7"), FeatureError, "row 2, feature 's0:1' is '7'"),
    "infinity": (with_cell(np.inf, float), FeatureError, "row 2, feature 's0:1' is inf"),
    "too large": (with_cell(-1e101, float), FeatureError, "row 2, feature 's0:1'"),
    "sparse infinity": (sparse.csr_array(with_cell(np.inf, float)), FeatureError, "row 2, feature 's0:1'"),
    "complex": (with_cell(1j, complex), FeatureError, "not a number"),
    "one row": (GOOD[0], DataError, "two dimensions, this has 1"),
    "cube": (np.zeros((2, 2, 2)), DataError, "two dimensions, this has 3"),
    "ragged": ([[1.0, 2.0, 3.0], [1.0]], DataError, "rows of a table|two dimensions"),
    "too few columns": (GOOD[:, :2], DataError, "3 feature names for 2 columns"),
    "events": ([{"a": 1.0}], DataError, "two dimensions"),
    "text": ("table", DataError, "two dimensions, this has 0"),
    "frame of text": (pd.DataFrame({n: list("abcd") for n in NAMES}), FeatureError, "'s0:0'"),
}


@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("phase", [0, 36])
def test_a_table_with_something_wrong(core, phase, case):
    X, error, match = TABLES[case]
    model = model_at(phase)
    y = [True, False] * 2
    assert_refused(model, error, match, lambda: model.run(X, y, features=NAMES))
    assert_refused(model, error, match, lambda: model.learn_many(X, y, features=NAMES))
    assert_refused(model, error, match, lambda: model.predict_many(X, features=NAMES))


BLOCKS = [
    ("binary", [True, False, True], DataError, "4 rows"),
    ("binary", [True, False, "third", True], LabelError, "third"),
    ("binary", [True, False, [1], True], FeslError, "label"),
    ("binary", np.ones((4, 2)), DataError, r"\(4, 2\)"),
    ("multiclass", ["red", {}, "red", "red"], LabelError, "row 1"),
    ("regression", ["a", "b", "c", "d"], LabelError, "numbers"),
    ("regression", ["1", "2", "3", "4"], LabelError, "numbers"),
    ("regression", [1.0, 2.0, np.inf, 4.0], LabelError, "finite"),
    ("regression", np.ones((4, 2)), LabelError, "2 target.*1 before"),
    ("two targets", np.ones(4), LabelError, "1 target.*2 before"),
    ("two targets", [[1.0, NAN], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], LabelError, "not all"),
    ("two targets", np.ones((3, 2)), DataError, "4 rows"),
]


@pytest.mark.parametrize(("task", "y", "error", "match"), BLOCKS)
@pytest.mark.parametrize("phase", [20, 60])
def test_a_block_of_labels_with_something_wrong(core, phase, task, y, error, match):
    model = model_at(phase, task)
    assert_refused(model, error, match, lambda: model.run(GOOD, y, features=NAMES))
    assert_refused(model, error, match, lambda: model.learn_many(GOOD, y, features=NAMES))


@pytest.mark.parametrize("names", [["a", "b", "a"], ["a", "b"], ["a", "b", "c", "d"]])
def test_names_that_do_not_fit(core, names):
    model = EvolvingLearner()
    assert_refused(model, DataError, "name", lambda: model.learn_many(GOOD, [True] * 4, features=names))


# Settings

SETTINGS = [
    ({"experts": ()}, "expert"),
    ({"clip": 0.0}, "clip"),
    ({"clip": NAN}, "clip"),
    ({"classes": ["only"]}, "two classes"),
    ({"classes": ["a", "a"]}, "'a'"),
    ({"classes": [[1], [2]]}, "list"),
    ({"classes": ["a", "b", "c"]}, "third class"),
    ({"clip": -1.0}, "clip"),
]


@pytest.mark.parametrize(("keywords", "match"), SETTINGS)
def test_settings_that_cannot_work(keywords, match):
    with pytest.raises(FeslError, match=match):
        EvolvingLearner(**keywords)
