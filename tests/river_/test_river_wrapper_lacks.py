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
