"""The rows that events are compared with."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import TASKS, make, numbers, stream
from scipy.spatial.distance import cdist

from fesl import Classifier, Regressor
from fesl._native import PURE, native
from fesl.evolving.events import read
from fesl.portfolio.changes import memory
from fesl.portfolio.constants import ALONE, APART, NARROW, NEAR, SHARED
from fesl.portfolio.experts import neighbours


def parity(rows, seed=0):
    """Three signs whose product is the label: no pair of them tells anything."""
    X = np.random.default_rng(seed).choice([-1.0, 1.0], (rows, 3))
    X += 0.2 * np.random.default_rng(seed + 1).normal(size=X.shape)
    return X, (np.sign(X).prod(axis=1) > 0).tolist()


def test_what_only_three_features_together_tell_is_learned(core):
    X, y = parity(400)
    model = Classifier()
    right = model.run(X, y).predictions == np.array(y)
    assert right[200:].mean() > 0.95
    alone = {name: bits for name, bits in model.regret().experts.items() if name not in ("stacker", "council")}
    assert min(alone, key=alone.__getitem__) == "neighbours"
    assert alone["neighbours"] < 0.6 * alone["pairwise"]


def test_a_number_is_the_mean_of_rows_alike(core):
    X, _ = parity(400)
    z = np.sign(X).prod(axis=1) * 100.0 + 1e4
    model = Regressor()
    gap = (model.run(X, z).predictions - z)[200:]
    assert np.sqrt((gap**2).mean()) < 40.0
    alone = {name: bits for name, bits in model.regret().experts.items() if name not in ("stacker", "council")}
    assert min(alone, key=alone.__getitem__) == "neighbours"


def test_weights_are_those_of_the_page():
    rng = np.random.default_rng(0)
    X, x, q = rng.normal(size=(4, 9)), rng.normal(size=4), np.array([1.0, 2.0, 0.5, 0.0])
    w = neighbours.weights(X, np.arange(4), x, q, np.zeros(4))
    scaled = np.sqrt(q[:3])
    d = cdist((x[:3] / scaled)[None], (X[:3].T / scaled), lambda a, b: np.minimum((a - b) ** 2, APART).mean())[0]
    np.testing.assert_allclose(w, (1.0 + NARROW * (d - d.min())) ** -4.0, rtol=1e-12)
    more = neighbours.weights(X, np.arange(4), x, q, np.array([1e9, 0.0, 0.0, 0.0]))
    first = np.minimum((x[0] - X[0]) ** 2, APART)
    np.testing.assert_allclose(more, (1.0 + NARROW * (first - first.min())) ** -4.0, rtol=1e-6)


def test_a_row_that_holds_too_little_is_not_heard():
    X = np.zeros((5, 3))
    X[: int(5 * (1 - SHARED)), 1] = np.inf  # holds just enough
    X[: int(5 * (1 - SHARED)) + 1, 2] = np.inf
    w = neighbours.weights(X, np.arange(5), np.ones(5), np.ones(5), np.zeros(5))
    np.testing.assert_allclose(w, [1.0, 1.0, 0.0])
    nobody = neighbours.weights(np.full((2, 3), np.inf), np.arange(2), np.ones(2), np.ones(2), np.zeros(2))
    assert not nobody.any()
    np.testing.assert_allclose(neighbours.chances(nobody, np.zeros(3), np.array([2.0, 1.0])), [2.5 / 4, 1.5 / 4])
    m, s = neighbours.forecast(nobody, np.ones((1, 3)))
    assert (m, s) == (0.0, 1.0 / ALONE)


def test_the_last_labelled_rows_are_remembered_and_no_more(core):
    X, y = stream("blink", "binary", rows=NEAR + 40, width=5)
    model = Classifier()
    for i, (row, label) in enumerate(zip(X.tolist(), y, strict=True)):
        model.learn_one(dict(enumerate(row)), label if i % 8 else None)
    st = model.state
    labelled = [i for i in range(len(y)) if i % 8]
    rows = min(len(labelled), NEAR)
    assert st.near_x.shape == (st.capacity, NEAR)
    at = [st.index[j] for j in range(5)]
    for k, i in enumerate(labelled[-rows:]):
        place = (len(labelled) - rows + k) % NEAR
        np.testing.assert_array_equal(st.near_x[at, place], np.where(np.isnan(X[i]), np.inf, X[i]))
        assert model.classes[int(st.near_y[0, place])] == y[i]
    assert np.isinf(st.near_x[st.n :]).all()


@pytest.mark.parametrize("task", TASKS)
def test_both_cores_agree_when_the_ring_is_full_and_has_gaps(task, monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    X, y = stream("blink", task, rows=2 * NEAR + 50, width=5)
    X[: NEAR // 2, 0] = np.nan  # a late feature
    X[NEAR:, 1] = np.nan  # one that goes
    runs = []
    for pure in "10":
        monkeypatch.setenv(PURE, pure)
        model = make(task)
        runs.append(model.run(X, y, detail=True))
    np.testing.assert_allclose(runs[1].scores, runs[0].scores, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(runs[1].experts[1:], runs[0].experts[1:], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("task", TASKS)
def test_to_predict_before_learning_changes_nothing(task, core):
    X, y = stream("blink", task, rows=60, width=5)
    told, asked = make(task), make(task)
    for row, label in zip(X.tolist(), y, strict=True):
        x = dict(enumerate(row))
        told.learn_one(x, label)
        if asked.state.outputs:
            asked._core.opinions(read(x, asked.state.index)[0])
        asked.predict_one(x)
        asked.learn_one(x, label)
    x = dict(enumerate(X[0].tolist()))
    np.testing.assert_allclose(numbers(asked, x), numbers(told, x), rtol=1e-9)


def test_one_wild_value_moves_a_row_by_no_more_than_apart(core):
    X, y = parity(200)
    model = Classifier().learn_many(X, y)
    x = dict(enumerate(X[0].tolist()))
    wild = {**x, 0: 1e99}
    model.learn_one(wild, y[0])
    assert np.isfinite(list(model.predict_proba_one(wild).values())).all()
    assert np.isfinite(list(model.predict_proba_one(x).values())).all()
    w = neighbours.weights(
        model.state.near_x[:, :200], np.array([1, 2, 3]), X[0], model.state.q[1:4] / 201.0, np.zeros(3)
    )
    assert np.isfinite(w).all()
    assert w.max() == 1.0


def replaced(rows=400, overlap=40, seed=0):
    """Parity of three signs, whose sensors are replaced by three others that mix them: only rows of old tell it."""
    X, y = parity(rows, seed)
    new = 7.0 + X @ np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [1.0, 0.0, 2.0]])
    half = rows // 2
    both = np.full((rows, 6), np.nan)
    both[:half, :3], both[half - overlap :, 3:] = X[:half], new[half - overlap :]
    return both, np.array(y), half


def test_rows_of_old_are_told_in_the_features_that_stay(core):
    X, y, half = replaced()
    model = Classifier().learn_many(X[: half + 5], y[: half + 5])
    st = model.state
    assert set(st.names[1:]) == {3, 4, 5}
    at = [st.index[j] for j in (3, 4, 5)]
    first = st.near_x[at, : half - 40]  # rows that never showed the new sensors
    truth = 7.0 + parity(400)[0][: half - 40] @ np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [1.0, 0.0, 2.0]])
    assert np.corrcoef(first.ravel(), truth.T.ravel())[0, 1] > 0.98
    np.testing.assert_array_equal(st.near_x[at, half - 40 : half], X[half - 40 : half, 3:].T)  # seen: left alone
    assert (st.near_y[0, :half].astype(int) == [model.classes.index(label) for label in y[:half]]).all()


def test_what_rows_of_old_knew_is_known_after_a_switch(core, monkeypatch):
    def soon_after():
        found = []
        for seed in range(12):
            X, y, half = replaced(rows=200, overlap=8, seed=seed)
            found.append((Classifier().run(X, y).predictions == y)[half : half + 20].mean())
        return np.mean(found)

    told = soon_after()
    monkeypatch.setattr(memory, "translate", lambda core, gone: False)
    assert told > soon_after() + 0.03


def test_sensors_that_stood_still_tell_nothing(core):
    X, y, half = replaced()
    X[:, :3] = np.where(np.isnan(X[:, :3]), np.nan, 4.0)
    st = Classifier().learn_many(X[: half + 5], y[: half + 5]).state
    told = st.near_x[1 : st.n, : half - 40]
    assert np.isfinite(told).all()
    assert np.ptp(told, axis=1).max() < 1e-9  # the mean, of every row


def test_rows_that_nothing_connects_are_not_told(core):
    X, y, half = replaced(overlap=0)
    st = Classifier().learn_many(X[: half + 5], y[: half + 5]).state
    assert np.isinf(st.near_x[1 : st.n, :half]).all()


def test_rows_that_are_heard_anyway_stay_as_they_are(core):
    X, y = parity(200)
    X = np.hstack([X, X[:, :1] + 1.0])
    X[:150, 3] = np.nan  # comes late
    X[170:, 0] = np.nan  # one of four goes
    st = Classifier().learn_many(X, y).state
    assert 0 not in st.index
    assert np.isinf(st.near_x[st.index[3], :150]).all()
