"""The default learner as scikit-learn estimators: the check suite, and the same numbers as the plain learner."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils import shuffle
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import fesl
from fesl.errors import LabelError
from fesl.sklearn import Classifier, Regressor

#: Checks that hold an estimator to the columns of its first table: what evolving columns are there to lift.
EVOLVING = {
    "check_n_features_in_after_fitting": "evolving columns may differ from table to table",
    "check_estimators_partial_fit_n_features": "evolving columns may differ from one partial_fit to the next",
    "check_classifiers_train": "ends by demanding an error where predict is given other columns",
}


@parametrize_with_checks([Classifier(), Regressor()])
def test_scikit_learn_checks_of_the_default_learner(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", [Classifier, Regressor])
def test_scikit_learn_checks_with_evolving_columns(make):
    found = check_estimator(make(evolve=True), on_fail=None, on_skip=None, expected_failed_checks=EVOLVING)
    failed = {result["check_name"] for result in found if result["status"] not in ("passed", "skipped")}
    assert failed == EVOLVING.keys() - ({"check_classifiers_train"} if make is Regressor else set())


def test_same_numbers_for_classes():
    X, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = Classifier().fit(X, names)
    learner = fesl.Classifier(sorted(set(names))).learn_many(X, names)
    np.testing.assert_array_equal(model.predict_proba(X), learner.predict_proba_many(X))
    np.testing.assert_array_equal(model.predict(X), learner.predict_many(X))
    events = fesl.Classifier(sorted(set(names)))
    for row, label in zip(X.tolist(), names.tolist(), strict=True):
        events.learn_one(dict(enumerate(row)), label)
    told = events.predict_proba_one(dict(enumerate(X[0].tolist())))
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], list(told.values()), rtol=1e-9)


@pytest.mark.parametrize("targets", [1, 2])
def test_same_numbers_for_regression(targets):
    X, y = load_diabetes(return_X_y=True)
    y = y if targets == 1 else np.column_stack([y, -y])
    model, learner = Regressor().fit(X, y), fesl.Regressor().learn_many(X, y)
    np.testing.assert_array_equal(model.predict(X), learner.predict_many(X))
    assert model.predict(X).shape == y.shape


def test_columns_come_and_go():
    rng = np.random.default_rng(0)
    old = rng.normal(size=(400, 2))
    table = pd.DataFrame(np.hstack([old, old @ rng.normal(size=(2, 3))]), columns=list("abxyz"))
    y = np.where(old[:, 0] > old[:, 1], "up", "down")
    model, right = Classifier(evolve=True), []
    for start in range(0, 400, 20):
        columns = list("ab") if start < 180 else list("abxyz") if start < 200 else list("xyz")
        X, labels = table[columns][start : start + 20], y[start : start + 20]
        if start >= 200:
            right.append(model.score(X, labels))
        model.partial_fit(X, labels, classes=["down", "up"])
        assert model.n_features_in_ == len(columns)
    assert np.mean(right[:3]) > 0.9
    assert model.learner_.features["a"] == "vanished"
    before = pickle.dumps(model)
    model.predict(table[["a"]].assign(stranger=1.0))
    assert pickle.dumps(model) == before


def test_settings_reach_the_learner():
    heard = []
    model = Classifier(evolve=True, aliases={"new": "old"}, on_event=heard.append)
    X = np.resize([-1.0, 1.0], (40, 1))
    model.fit(pd.DataFrame(X, columns=["old"]), X[:, 0] > 0)
    model.partial_fit(pd.DataFrame(X, columns=["new"]), X[:, 0] > 0)
    assert list(model.learner_.features) == ["old"]
    assert [event.feature for event in heard] == ["old"]
    assert clone(model).get_params()["aliases"] == {"new": "old"}


def test_it_needs_no_scaler():
    assert cross_val_score(Classifier(), *load_breast_cancer(return_X_y=True)).mean() > 0.95
    assert cross_val_score(Regressor(), *load_diabetes(return_X_y=True)).mean() > 0.45


def test_sparse_tables():
    X, y = load_breast_cancer(return_X_y=True)
    model = Classifier().fit(sparse.csr_array(X[:200]), y[:200])
    np.testing.assert_allclose(
        model.predict_proba(X), Classifier().fit(X[:200], y[:200]).predict_proba(X), rtol=1e-9
    )


def test_wrong_labels_raise_and_change_nothing():
    X, y = np.eye(3), ["a", "b", "a"]
    with pytest.raises(LabelError, match="one class"):
        Classifier().fit(X, ["a"] * 3)
    with pytest.raises(LabelError, match="first call"):
        Classifier().partial_fit(X, y)
    model = Classifier().fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(LabelError, match="'c'"):
        model.partial_fit(X, ["a", "b", "c"])
    assert pickle.dumps(model) == before
    with pytest.raises(NotFittedError):
        Regressor(evolve=True).predict(np.eye(2))
