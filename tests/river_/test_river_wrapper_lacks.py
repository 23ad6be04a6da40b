"""`Evolving(model)` around models that lack what is absent, or cannot learn what is expected in its place."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from river import compat, compose, linear_model, preprocessing, tree
from sklearn.linear_model import SGDClassifier
from test_river_wrapper import cycles, logistic

from fesl.river import Evolving


def test_a_clone_that_cannot_learn_what_is_expected_starts_without():
    model, random_ = Evolving(tree.SGTRegressor()), np.random.default_rng(0)
    for i in range(400):
        a, b = random_.normal(size=2).tolist()
        model.learn_one({"a": a, "b": b} if i < 300 else {"d": a, "e": b}, a + b)
    assert model.models["renewed"] is not model.model


def test_models_of_scikit_learn_are_renewed():
    wrapped = compat.SKL2RiverClassifier(SGDClassifier(loss="log_loss", random_state=0), classes=[False, True])
    model, right = Evolving(wrapped), []
    for x, y in cycles(spaces=2, width=4):
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    assert np.mean(right[-100:]) > 0.8


@pytest.mark.parametrize("first", [0, 1, 2, 50])
def test_a_model_that_lacks_a_feature_is_passed_over(first):
    """A string, and a number that was hardly ever or never there: nothing can be expected in their places."""
    words = compose.Select("word") | preprocessing.OneHotEncoder()
    model = Evolving((words + compose.Select("a")) | linear_model.LogisticRegression())
    random_, right = np.random.default_rng(1), []
    for i in range(300):
        a, b = random_.normal(size=2).tolist()
        x = {"a": a, "b": b, "word": "odd" if i % 2 else "even"}
        if i < 3 or i >= 200:
            x = {name: v for name, v in x.items() if name == "b" or (name == "a" and i == first)}
        right.append(model.predict_one(x) == (b > 0))
        model.learn_one(x, b > 0)
    assert np.mean(right[210:]) > 0.9


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, Decimal("NaN"), np.ma.masked])
def test_kinds_of_nothing(nothing):
    model, plain = Evolving(logistic()), Evolving(logistic())
    for i in range(60):
        a = (i * 37 % 50 - 25) / 10
        model.learn_one({"a": Decimal(str(a)), "b": nothing}, a > 0)
        plain.learn_one({"a": float(Decimal(str(a)))}, a > 0)
    assert model.predict_proba_one({"a": 0.3, "b": nothing}) == plain.predict_proba_one({"a": 0.3})


def test_a_feature_that_cannot_be_done_without_is_expected_through_many_changes():
    rng, model = np.random.default_rng(0), Evolving(compose.Select("a") | linear_model.LogisticRegression())
    spaces, right = ["ab", "cd", "ef", "gh"], []
    for t in range(600):
        z, s = float(rng.normal()), t // 150
        names = spaces[s] + (spaces[s + 1] if t % 150 >= 140 and s < 3 else "")
        x = {name: z + 0.1 * float(rng.normal()) for name in names}
        right.append(model.predict_one(x) == (z > 0))
        model.learn_one(x, z > 0)
    assert np.mean(right[460:]) > 0.8


@pytest.mark.parametrize("label", [lambda z: z > 0, lambda z: 3.0 * z])
def test_a_pipeline_that_cannot_do_without_a_feature_is_given_what_is_expected(label):
    rng = np.random.default_rng(0)
    last = linear_model.LogisticRegression() if label(1.0) is True else linear_model.LinearRegression()
    model = Evolving(compose.Select("a", "b") | preprocessing.StandardScaler() | last)
    gaps = []
    for i, z in enumerate(rng.normal(size=600).tolist()):
        x = {"a": z, "b": float(rng.normal()), "c": 2.0 * z + 0.1 * float(rng.normal())}
        if i >= 300:
            del x["a"]
        said = model.predict_one(x)
        gaps.append(said != label(z) if label(1.0) is True else abs(said - label(z)))
        model.learn_one(x, label(z))
    assert np.mean(gaps[320:]) < (0.15 if label(1.0) is True else 0.8)
    assert model.regret().within
