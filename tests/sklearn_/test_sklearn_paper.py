"""scikit-learn's own checks, and the same numbers as the plain learner through every door."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import shuffle
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_estimator,
    parametrize_with_checks,
)

from fesl import OGD, EvolvingLearner, Fresh
from fesl.errors import ConfigError, FeatureError, LabelError, MissingExtraError
from fesl.losses import Logistic, Softmax, Squared
from fesl.projections import Ball
from fesl.recovery import LeastSquares
from fesl.rules import FixedShare
from fesl.sklearn import EvolvingClassifier, EvolvingRegressor
from fesl.spaces import Auto, Declared, Periods

ESTIMATORS = [EvolvingClassifier, EvolvingRegressor]

#: Checks that hold an estimator to the columns of its first table: what evolving columns are there to lift.
EVOLVING = {
    "check_n_features_in_after_fitting": "evolving columns may differ from table to table",
    "check_estimators_partial_fit_n_features": "evolving columns may differ from one partial_fit to the next",
    "check_classifiers_train": "ends by demanding an error where predict is given other columns; its thresholds "
    "are checked by test_evolving_columns_classify_as_well",
}


def two_spaces(n=120, begin=50, end=60, seed=0):
    """Sensors a, b are replaced by x, y, z, which read mixtures of them; rows `begin` to `end` have all."""
    rng = np.random.default_rng(seed)
    old = rng.normal(size=(n, 2))
    table = pd.DataFrame(np.hstack([old, old @ rng.normal(size=(2, 3))]), columns=list("abxyz"))
    table.loc[: begin - 1, list("xyz")] = np.nan
    table.loc[end:, list("ab")] = np.nan
    return table, old


def blocks(table, y, *cuts):
    """The table cut into blocks, each with the columns that it has."""
    edges = [0, *cuts, len(table)]
    for start, stop in pairwise(edges):
        yield table.iloc[start:stop].dropna(axis="columns", how="all"), y[start:stop]


def ones_beside(X):
    return np.column_stack([X, np.ones(len(X))])


# The check suites


@parametrize_with_checks([make() for make in ESTIMATORS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_scikit_learn_checks_with_evolving_columns(make):
    found = check_estimator(make(evolve=True), on_fail=None, on_skip=None, expected_failed_checks=EVOLVING)
    failed = {result["check_name"] for result in found if result["status"] not in ("passed", "skipped")}
    assert failed == EVOLVING.keys() - ({"check_classifiers_train"} if make is EvolvingRegressor else set())


@pytest.mark.parametrize("make", ESTIMATORS)
def test_column_names_are_checked(make):
    check_dataframe_column_names_consistency(make.__name__, make())


def test_the_check_that_needs_a_switch_of_its_own():
    """SciPy reads this switch once, when it is imported."""
    code = (
        "from fesl.sklearn import *\n"
        "from sklearn.utils.estimator_checks import check_array_api_input as check\n"
        "for model in EvolvingClassifier(), EvolvingRegressor():\n"
        "    check(type(model).__name__, model, 'numpy', expect_only_array_outputs=False)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "SCIPY_ARRAY_API": "1"})


@pytest.mark.parametrize("classes", [2, 3])
def test_evolving_columns_classify_as_well(classes):
    """The thresholds of check_classifiers_train, in the mode in which its last demand does not apply."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=300)
    X = StandardScaler().fit_transform(np.array([[0, 4], [2, 1], [-2, 3]])[y] + rng.normal(size=(300, 2)) * 0.6)
    model = EvolvingClassifier(evolve=True).fit(X, y)
    assert model.score(X, y) > 0.83
    assert model.predict_proba(X).shape == (300, classes)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


# The same numbers as the plain learner


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_matrix, pd.DataFrame, pl.from_numpy])
def test_same_numbers_with_fixed_columns(kind, core):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    table = kind(X)
    if isinstance(table, pd.DataFrame):
        table.columns = [f"column {j}" for j in range(X.shape[1])]
    model = EvolvingClassifier().fit(table, y)
    learner = EvolvingLearner(Logistic(), spaces=Declared({}), classes=[0, 1]).learn_many(ones_beside(X), y)
    np.testing.assert_allclose(model.predict_proba(table), learner.predict_proba_many(ones_beside(X)), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(table), learner.predict_many(ones_beside(X)))


def test_same_numbers_for_many_classes(core):
    X, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = EvolvingClassifier(fit_intercept=False, epochs=3).fit(X, names)
    learner = EvolvingLearner(Softmax(), spaces=Declared({}), classes=sorted(set(names)))
    for _ in range(3):
        learner.learn_many(X, names)
    np.testing.assert_array_equal(model.predict_proba(X), learner.predict_proba_many(X))
    np.testing.assert_array_equal(model.predict(X), learner.predict_many(X))
    assert model.decision_function(X).shape == (150, 3)


@pytest.mark.parametrize("targets", [1, 2])
def test_same_numbers_for_regression(targets, core):
    X, y = load_diabetes(return_X_y=True, scaled=True)
    X, y = 20 * X, y if targets == 1 else np.column_stack([y, -y])
    model = EvolvingRegressor().fit(X, y)
    learner = EvolvingLearner(Squared(), descent=OGD(0.01), spaces=Declared({})).learn_many(ones_beside(X), y)
    np.testing.assert_array_equal(model.predict(X), learner.predict_many(ones_beside(X)))
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize("rule", [None, FixedShare()])
def test_same_numbers_with_evolving_columns(rule, core):
    table, old = two_spaces()
    y = old[:, 0] > old[:, 1]
    learner = EvolvingLearner(rule=rule, classes=[False, True], seed=3).learn_many(table, y)
    parts = {"rule": rule, "random_state": 3, "evolve": True, "fit_intercept": False}
    whole = EvolvingClassifier(**parts).fit(table, y)
    by_blocks = EvolvingClassifier(**parts)
    for X, labels in blocks(table, y, 50, 60, 90):
        by_blocks.partial_fit(X, labels, classes=[False, True])
    expected = learner.predict_proba_many(table)
    np.testing.assert_allclose(whole.predict_proba(table), expected, rtol=1e-9)
    np.testing.assert_allclose(by_blocks.predict_proba(table[list("xyzab")]), expected, rtol=1e-9)
    assert whole.learner_.cycle == by_blocks.learner_.cycle == 1


def test_same_numbers_with_every_part_told(core):
    table, old = two_spaces()
    y = old @ [1.0, -2.0]
    parts = {
        "descent": OGD(0.05, Ball(5.0)),
        "recovery": LeastSquares(ridge=0.1, rows=5),
        "rule": FixedShare(60),
        "experts": (Fresh(),),
        "spaces": Periods([(50, 60)]),
    }
    model = EvolvingRegressor(**parts, evolve=True, fit_intercept=False, random_state=5).fit(table, y)
    learner = EvolvingLearner(Squared(), **parts, seed=5).learn_many(table, y)
    np.testing.assert_allclose(model.predict(table), learner.predict_many(table), rtol=1e-9)


@pytest.mark.parametrize("make", ESTIMATORS)
@pytest.mark.parametrize("evolve", [False, True])
def test_one_row_at_a_time_is_the_same(make, evolve):
    table, old = two_spaces()
    y = (old[:, 0] > 0).astype(int)
    whole, rows = make(evolve=evolve).fit(table, y), make(evolve=evolve)
    told = {"classes": [0, 1]} if make is EvolvingClassifier else {}
    for i in range(len(table)):
        rows.partial_fit(table[i : i + 1], y[i : i + 1], **told)
    np.testing.assert_allclose(rows.predict(table), whole.predict(table), rtol=1e-9)


# Evolving columns


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_come_and_go(frame):
    table, old = two_spaces(n=400, begin=190, end=200)
    y = np.where(old[:, 0] > old[:, 1], "up", "down")
    model = EvolvingClassifier(evolve=True)
    right = []
    for X, labels in blocks(table, y, *range(10, 400, 10)):
        X = frame(X.to_dict(orient="list"))
        if hasattr(model, "learner_"):
            right.append(model.score(X, labels))
        model.partial_fit(X, labels, classes=["down", "up"])
        assert list(model.feature_names_in_) == list(X.columns)
        assert model.n_features_in_ == X.shape[1]
    assert np.mean(right) > 0.9
    assert np.mean(right[19:22]) > 0.9, "the recovered model carries over the switch"
    assert model.learner_.cycle == 1
    assert model.learner_.features["a"] == "vanished"
    assert set(model.predict(frame({"a": [1.0], "b": [0.0]}))) == {"up"}, "the old columns are still understood"


@pytest.mark.parametrize("end", [50, 60])
@pytest.mark.parametrize(
    "spaces",
    [None, Declared(lambda name: name in "ab"), Auto(doubt=0.01), Periods([(50, 60)])],
    ids=["default", "declared", "auto", "periods"],
)
def test_the_intercept_changes_no_space(end, spaces):
    """With it and without it, with an overlap and without: the same turns at the same rows."""
    table, old = two_spaces(end=end)
    y = old[:, 0] > old[:, 1]
    plain = EvolvingClassifier(evolve=True, spaces=spaces, fit_intercept=False)
    model = EvolvingClassifier(evolve=True, spaces=spaces)
    for X, labels in blocks(table, y, *range(1, len(table))):
        for each in (plain, model):
            each.partial_fit(X, labels, classes=[False, True])
        features = dict(model.learner_.features)
        assert features.pop("(intercept)") in ("current", "survivor")
        assert features == plain.learner_.features
        assert model.learner_.cycle == plain.learner_.cycle
    assert model.learner_.cycle == 1


def test_a_first_row_of_gaps_does_not_make_the_rest_newcomers():
    X = np.array([[np.nan, np.nan], [1.0, 2.0], [2.0, 1.0]])
    model = EvolvingRegressor(evolve=True).fit(X, [1.0, 2.0, 3.0])
    assert set(model.learner_.features.values()) == {"current"}


def test_arrays_evolve_by_column_number():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    model = EvolvingRegressor(evolve=True).partial_fit(X[:20, :2], X[:20, 0]).partial_fit(X[20:], X[20:, 0])
    assert model.n_features_in_ == 3
    assert model.learner_.features[2] == "newcomer"
    assert model.predict(X[:, :1]).shape == (40,)


def test_predicting_changes_nothing():
    table, old = two_spaces()
    model = EvolvingRegressor(evolve=True).fit(table[:55], old[:55, 0])
    before = pickle.dumps(model)
    model.predict(table[60:].dropna(axis="columns").assign(stranger=1.0))
    assert pickle.dumps(model) == before


def test_gaps_in_fixed_columns_are_no_switch():
    table, old = two_spaces()
    model = EvolvingRegressor().fit(table, old[:, 0])
    assert model.learner_.cycle == 0
    assert set(model.learner_.features.values()) == {"current"}


# Where scikit-learn takes estimators


def test_pipeline_and_cross_validation():
    classifier = make_pipeline(StandardScaler(), EvolvingClassifier())
    assert cross_val_score(classifier, *load_breast_cancer(return_X_y=True)).mean() > 0.95
    regressor = make_pipeline(StandardScaler(), EvolvingRegressor(epochs=2))
    assert cross_val_score(regressor, *load_diabetes(return_X_y=True)).mean() > 0.45


def test_grid_search():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), EvolvingClassifier())
    grid = {"evolvingclassifier__descent": [OGD(1e-6), OGD(0.1)], "evolvingclassifier__epochs": [1, 2]}
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    best = search.best_estimator_[-1]
    assert search.best_params_["evolvingclassifier__descent"] == OGD(0.1)
    assert list(best.feature_names_in_) == list(X.columns)
    assert set(best.learner_.features) == {*X.columns, "(intercept)"}


@pytest.mark.parametrize("evolve", [False, True])
def test_pickle_clone_and_go_on(evolve):
    table, old = two_spaces()
    y = old[:, 0]
    straight = EvolvingRegressor(evolve=evolve).fit(table[:70], y[:70])
    resumed = pickle.loads(pickle.dumps(straight))
    np.testing.assert_array_equal(
        resumed.partial_fit(table[70:], y[70:]).predict(table),
        straight.partial_fit(table[70:], y[70:]).predict(table),
    )
    fresh = clone(straight)
    assert not hasattr(fresh, "learner_")
    assert fresh.get_params() == straight.get_params()


def test_a_model_mapped_read_only_predicts_and_learns(tmp_path, core):
    joblib = pytest.importorskip("joblib")
    X, y = load_diabetes(return_X_y=True)
    model = EvolvingRegressor().fit(X, y)
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    np.testing.assert_array_equal(mapped.predict(X), model.predict(X))
    np.testing.assert_array_equal(mapped.partial_fit(X, y).predict(X), model.partial_fit(X, y).predict(X))


def test_random_state_settles_the_draws():
    table, old = two_spaces(n=300)

    def run(random_state):
        model = EvolvingRegressor(rule=FixedShare(), evolve=True, random_state=random_state)
        scores = []
        for X, y in blocks(table, old[:, 0], *range(60, 300, 5)):
            scores.append(model.partial_fit(X, y).predict(X))
        return np.concatenate(scores)

    np.testing.assert_array_equal(run(0), run(0))
    np.testing.assert_array_equal(run(np.random.RandomState(0)), run(np.random.RandomState(0)))
    assert (run(0) != run(1)).any()


# Errors


def test_wrong_settings_raise_when_fitted():
    X, y = [[1.0], [2.0]], [0, 1]
    with pytest.raises(ConfigError, match="epochs"):
        EvolvingClassifier(epochs=0).fit(X, y)
    with pytest.raises(ConfigError, match="evolve=True"):
        EvolvingClassifier(spaces=Auto()).fit(X, y)
    with pytest.raises(ConfigError, match="experts"):
        EvolvingRegressor(experts=()).fit(X, y)


def test_wrong_labels_raise_and_change_nothing():
    X, y = np.eye(3), ["a", "b", "a"]
    with pytest.raises(LabelError, match="one class"):
        EvolvingClassifier().fit(X, ["a"] * 3)
    with pytest.raises(LabelError, match="first call"):
        EvolvingClassifier().partial_fit(X, y)
    model = EvolvingClassifier().fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(LabelError, match="'c'"):
        model.partial_fit(X, ["a", "b", "c"])
    with pytest.raises(LabelError, match="first call"):
        model.partial_fit(X, y, classes=["a", "c"])
    assert pickle.dumps(model) == before
    assert issubclass(LabelError, ValueError)


def test_wrong_features_raise_and_change_nothing():
    model = EvolvingRegressor().fit(np.eye(3), [1.0, 2.0, 3.0])
    before = pickle.dumps(model)
    with pytest.raises(FeatureError, match="finite"):
        model.partial_fit(1e200 * np.eye(3), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit(np.full((3, 3), np.inf), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="features"):
        model.predict(np.eye(2))
    assert pickle.dumps(model) == before
    with pytest.raises(NotFittedError):
        EvolvingRegressor(evolve=True).predict(np.eye(2))


def test_without_scikit_learn_the_remedy_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("fesl.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"fesl\[sklearn\]"):
        importlib.import_module("fesl.sklearn")
