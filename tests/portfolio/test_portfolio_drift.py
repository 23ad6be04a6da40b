"""What is no longer so is unlearned."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import Classifier, Regressor
from fesl.portfolio.changes import drift
from fesl.portfolio.constants import AGES, EXPERTS, WATCH


def stream(kind, seed=0, rows=1600, change=800):
    rng = np.random.default_rng(seed)
    X, (w, v) = rng.normal(size=(rows, 5)), rng.normal(size=(2, 5))
    later = np.arange(rows) >= change
    y = {
        "another line": np.where(later, X @ v, X @ w),
        "upside down": np.where(later, -1.0, 1.0) * (X @ w),
        "a new level": X @ w + np.where(later, 20.0, 0.0),
        "the same": X @ w,
    }[kind]
    return X, y + 0.3 * rng.normal(size=rows)


def error(gaps):
    return float(np.sqrt(np.mean(gaps**2)))


@pytest.mark.parametrize("kind", ["another line", "upside down", "a new level"])
def test_a_line_that_changed_is_known_as_well_as_one_that_is_new(core, kind):
    X, y = stream(kind)
    ours = Regressor().run(X, y)
    fresh = Regressor().run(X[800:], y[800:])
    assert error(ours.predictions[1200:] - y[1200:]) < 1.02 * error(fresh.predictions[400:] - y[1200:])


def test_a_line_that_stays_does_not_begin_anew(core, monkeypatch):
    began = []
    monkeypatch.setattr(drift, "_begin_anew", lambda core, i: began.append(core.state.experts[i]))
    X, y = stream("the same")
    Regressor().learn_many(X, y)
    assert not {"weak prior", "whitened"} & set(began)
    X, y = stream("upside down")
    model = Regressor().learn_many(X, y)
    assert {"middle prior", "weak prior", "whitened"} <= set(began)
    assert model.regret().within


def test_weights_stay_and_their_covariance_is_the_first_one():
    X, y = stream("the same", rows=AGES[-1] + WATCH)
    model = Regressor().learn_many(X, y)
    st = model.state
    w = st.w.copy()
    for i, name in enumerate(st.experts):
        if name != "forgetting":
            drift._begin_anew(model._core, i)
    np.testing.assert_array_equal(st.w, w)
    for e, expert in enumerate(EXPERTS):
        P = st.P[e, : st.n, : st.n]
        if not expert.whitens and expert.keep == 1.0:
            np.testing.assert_array_equal(P, np.diag([st.prior[e], *[st.tau[e]] * (st.n - 1)]))
        assert np.linalg.eigvalsh(P).min() > 0.0
    assert np.isfinite(model.predict_one(dict(enumerate(X[0].tolist()))))


def test_one_event_with_a_crowd_of_strangers_makes_nobody_wide(core):
    rng = np.random.default_rng(0)
    model, right = Classifier(), []
    for t in range(700):
        z = rng.normal(size=3)
        x, y = dict(zip("abc", z.tolist(), strict=True)), bool(z[0] ** 2 + z[1] ** 2 > 1.4)
        if t == 400:
            x |= {f"debug {j}": float(j) for j in range(450)}
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    assert set(model.features) == {"a", "b", "c"}
    assert np.mean(right[401:]) > 0.85


def test_a_crowd_that_stays_makes_the_learner_wide(core):
    model = Classifier()
    for t in range(6):
        crowd = {f"word {j}": 1.0 for j in range(450)} if t >= 4 else {}
        model.learn_one({"a": float(t)} | crowd, t % 2)
    assert len(model.features) == 451
