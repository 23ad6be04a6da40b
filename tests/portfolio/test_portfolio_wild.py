"""No single value spoils a learner, and neither do other units."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import Classifier, Regressor
from fesl._native import native
from fesl.portfolio.changes import recalibration
from fesl.portfolio.constants import EXPERTS
from fesl.portfolio.inputs import scaling


def table(rows=900):
    X = np.random.default_rng(0).normal(size=(rows, 3))
    return X, X[:, 0] > 0


def right(X, y):
    return np.asarray(Classifier().run(X, y).predictions == y)


@pytest.mark.parametrize("wild", [1e3, -1e6, 1e100])
@pytest.mark.parametrize("row", [0, 1, 5, 60, 300])
def test_one_wild_value_is_forgotten(core, row, wild):
    X, y = table()
    clean = right(X, y)[400:].mean()
    X[row, 0] = wild
    assert right(X, y)[400:].mean() > clean - 0.02


def test_targets_that_are_wrong_now_and_then_spoil_little(core):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1200, 6))
    y = X @ rng.normal(size=6) + 0.3 * rng.normal(size=1200)
    wrong = rng.random(1200) < 0.01
    told = np.where(wrong, y + 100.0 * rng.choice([-1.0, 1.0], 1200), y)
    gap = np.abs(Regressor().run(X, told).predictions - y)
    assert np.median(gap[400:]) < 0.5


@pytest.mark.parametrize("centred", [False, True])
def test_targets_that_are_wrong_now_and_then_spoil_little_on_wide_input(core, centred):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1500, 40))
    y = X @ rng.normal(size=40) + 0.3 * rng.normal(size=1500)
    wrong = rng.random(1500) < 0.01
    told = np.where(wrong, y + 100.0 * rng.choice([-1.0, 1.0], 1500), y)
    model = Regressor()
    model.widen(centred=centred)
    gap = np.abs(model.run(X, told).predictions - y)
    assert np.median(gap[500:]) < 0.8


def test_forecasts_of_a_wide_learner_stay_as_they_are_when_targets_vary_more(core):
    rng = np.random.default_rng(3)
    model = Regressor()
    model.widen(centred=False)
    for _ in range(600):  # now and then: words, that a narrow learner inside does not follow
        x = rng.normal(size=2) * (rng.random(2) < 0.7)
        model.learn_one({name: v for name, v in zip("ab", x.tolist(), strict=True) if v}, 3.0 * x[0] - x[1])
    assert model.state.inner is None
    sd = float(model.state.y_sd[0])
    for _ in range(8):  # "a" has no part in it
        model.learn_one({"c": 1.0}, 500.0)
    assert float(model.state.y_sd[0]) > 10.0 * sd
    assert model.predict_one({"a": 1.0}) - model.predict_one({}) == pytest.approx(3.0, abs=1.0)


def test_a_new_level_is_believed_when_it_comes_twice(core):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(600, 4))
    y = X @ rng.normal(size=4) + 0.1 * rng.normal(size=600) + 50.0 * (np.arange(600) >= 300)
    gap = np.abs(Regressor().run(X, y).predictions - y)
    assert np.median(gap[350:400]) < 5.0
    assert np.median(gap[500:]) < 1.0


@pytest.mark.parametrize("wild", [1e3, -1e9, 1e100])
@pytest.mark.parametrize("row", [0, 1, 5, 60, 300])
def test_one_wild_target_is_forgotten(core, row, wild):
    X, _ = table()
    t = X @ [1.0, -2.0, 0.5]
    t[row] = wild
    gap = np.asarray(Regressor().run(X, t).predictions) - t
    assert np.sqrt(np.mean(gap[400:] ** 2)) < 0.2


@pytest.mark.parametrize("wild", [1e3, 1e100])
@pytest.mark.parametrize("centred", [False, True])
def test_one_wild_value_is_forgotten_by_a_wide_learner(wild, centred):
    X, y = table()
    X = X + (0.0 if centred else 1.0)
    y = X[:, 0] > X.mean()
    X[300, 0] = wild
    model = Classifier()
    model.widen(centred=centred)
    found = []
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        event = dict(enumerate(x))
        found.append(model.predict_one(event) == label)
        model.learn_one(event, label)
    assert np.mean(found[500:]) > 0.85


@pytest.mark.parametrize(
    "units",
    [lambda v: v + 100, lambda v: v + 27, lambda v: v / 1000, lambda v: v * 1000, lambda v: 5000 - 1000 * v],
)
def test_a_sensor_may_change_its_units(core, units):
    X, y = table(1200)
    X[400:, 0] = units(X[400:, 0])
    assert right(X, y)[800:].mean() > 0.9


@pytest.mark.parametrize("columns", [3, 6])
@pytest.mark.parametrize("task", [Classifier, Regressor])
def test_readings_may_move_to_another_level_from_one_row_to_the_next(core, task, columns):
    rng = np.random.default_rng(200)
    X, w = rng.normal(size=(1400, 6)), rng.normal(size=6)
    y = X @ w + 0.2 * rng.normal(size=1400)
    y = (y > 0).astype(int) if task is Classifier else y
    X[700:, :columns] += 18.0
    ours, fresh = (task().run(X[start:], y[start:]).predictions[1000 - start :] for start in (0, 700))
    if task is Classifier:
        assert (ours == y[1000:]).mean() > (fresh == y[1000:]).mean() - 0.03
    else:
        assert np.mean((ours - y[1000:]) ** 2) < 1.25 * np.mean((fresh - y[1000:]) ** 2)


@pytest.mark.parametrize("targets", [1, 2])
def test_a_target_may_move_to_another_level_from_one_row_to_the_next(core, targets):
    """Two labels say that it has, a third who knows; the next forecast is there."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 6))
    Y = X @ rng.normal(size=(6, targets)) + 0.2 * rng.normal(size=(700, targets))
    Y[500:, 0] += 30.0
    gap = Regressor().run(X, Y if targets > 1 else Y[:, 0]).predictions.reshape(700, targets) - Y
    assert (np.sqrt(np.mean(gap[503:520] ** 2, axis=0)) < 1.0).all()
    assert (np.sqrt(np.mean(gap[520:] ** 2, axis=0)) < 0.3).all()


def test_features_that_tell_nothing_cost_little(core):
    """Against naming the class that came most often so far."""
    behind = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(1500, 60)), (rng.random(1500) < 0.6).astype(int)
        usual = np.concatenate([[1], np.cumsum(y)[:-1] * 2 > np.arange(1, 1500)])
        behind.append((usual == y).mean() - right(X, y).mean())
    assert np.mean(behind) < 0.015


def set_points(seed, rows=3000):
    """A plant that is run at one set point after the other: readings that hardly vary between jumps."""
    rng, left, level, goal = np.random.default_rng(seed), 0, 20.0, 20.0
    X, y = np.zeros((rows, 3)), np.zeros(rows)
    for t in range(rows):
        if left == 0:
            left, goal = int(rng.integers(100, 500)), float(rng.uniform(20, 200))
        left -= 1
        level += 0.05 * (goal - level)
        other = rng.normal()
        X[t] = level + 0.1 * rng.normal(), level / 2 + 3 + 0.05 * rng.normal(), other
        y[t] = 0.3 * level + 2 * other + 0.5 * rng.normal()
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_set_points_are_no_other_units(core, seed):
    X, y = set_points(seed)
    gap = Regressor().run(X, y).predictions - y
    assert np.sqrt(np.mean(gap[2000:] ** 2)) < 1.0  # twice the noise


def test_a_clock_is_no_change_of_units(core):
    rng = np.random.default_rng(4)
    X = np.column_stack([np.arange(2500.0), rng.normal(size=2500)])
    y = 0.01 * X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=2500)
    gap = Regressor().run(X, y).predictions - y
    assert np.sqrt(np.mean(gap[1500:] ** 2)) < 0.15
    assert Regressor().learn_many(X, y).state.moves[1] > 3


def test_a_wide_learner_takes_no_set_points_for_other_units(core):
    X, y = set_points(0)
    model = Regressor()
    model.widen(centred=True)
    gap = model.run(X, y).predictions - y
    assert np.sqrt(np.mean(gap[2000:] ** 2)) < 1.0
    assert (model.state.moves[1:3] > 3).all()


def test_a_level_that_was_constant_for_long_may_begin_to_vary_with_a_wild_value(core):
    X, y = table(1200)
    X[:400, 0] = 5.0
    X[400, 0] = 1e6
    assert right(X, y)[800:].mean() > 0.9


def test_rare_indicators_and_long_tails_keep_their_statistics(core):
    rng = np.random.default_rng(1)
    rare, tail = (rng.random(2000) < 0.01).astype(float), np.exp(rng.normal(size=2000))
    model = Classifier().learn_many(np.column_stack([rare, tail]), rng.random(2000) < 0.5)
    st = model.state
    assert st.q[1] / st.count[1] == pytest.approx(rare.var(), rel=1e-9)
    assert st.q[2] / st.count[2] == pytest.approx(tail.var(), rel=0.02)


def test_a_value_at_most_doubles_the_variance():
    n, mean, q = np.array([5000.0]), np.array([3.0]), np.array([5000.0])
    for x in (1e3, -1e100):
        _, moved, more = scaling.counted(np.array([x]), n, mean, q)
        assert more[0] / 5001.0 == pytest.approx(2.0, rel=0.01)
        assert abs(moved[0] - 3.0) < 0.02


def test_the_middle_leaves_one_at_either_end_out():
    X = np.column_stack([np.r_[np.arange(189.0), 1e9, -1e9, np.nan], np.full(192, np.nan)])
    count, mean, v = recalibration.middle(X)
    assert count.tolist() == [191.0, 0.0]
    inner = np.arange(189.0)
    assert (mean[0], v[0]) == (pytest.approx(inner.mean()), pytest.approx(inner.var()))


def test_a_feature_far_from_zero_counts_as_long_as_its_digits_do(core):
    X, y = table()
    found = right(X * [0.9, 1.0, 1.0] + [1e9, 0.0, 0.0], y)
    assert found[100:].mean() > 0.95


def test_both_cores_find_the_same_middle(monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(192, 8))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 1], X[:, 2], X[3, 3] = 3.0, np.nan, 1e100
    X[0, 2] = 1.0
    fast = recalibration.middle(X)
    monkeypatch.setattr(recalibration, "native", lambda: None)
    for a, b in zip(fast, recalibration.middle(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, shape: rng.normal(size=shape),
        lambda rng, shape: rng.exponential(size=shape),
        lambda rng, shape: rng.standard_t(3, size=shape),
        lambda rng, shape: np.exp(rng.normal(size=shape)),
    ],
    ids=["normal", "exponential", "t with 3 degrees", "lognormal"],
)
def test_a_line_is_learned_whatever_tails_its_features_have(draw):
    rng = np.random.default_rng(0)
    X = draw(rng, (1500, 4))
    y = X @ rng.normal(size=4) + 0.1 * rng.normal(size=1500)
    found = Regressor().run(X, y).predictions
    assert np.sqrt(np.mean((found - y)[1000:] ** 2)) < 0.11


def test_a_trend_is_followed(core):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(400, 2)), np.arange(400.0)])
    y = X @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=400)
    found = Regressor().run(X, y).predictions
    assert np.sqrt(np.mean((found - y)[200:] ** 2)) < 0.36


def test_a_clock_that_was_away_for_a_moment_is_still_a_clock(core):
    rng = np.random.default_rng(0)
    t = np.arange(900.0)
    X = np.column_stack([t, rng.normal(size=900)])
    X[700:708, 0] = np.nan
    model = Regressor().learn_many(X[:700], 0.01 * t[:700] + X[:700, 1])
    st = model.state
    moves = float(st.moves[1])
    assert moves > 1 + recalibration.MOVES
    model.learn_many(X[700:], 0.01 * t[700:] + X[700:, 1])
    assert "came back" in [e.kind.value for e in model.events]
    assert float(st.moves[st.index[0]]) >= moves


def test_lines_begin_anew_for_good_where_units_changed(core):
    """Also in the beginning that kept rows are learned anew from."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(480, 4))
    y = X @ [0.0, 2.0, -1.0, 0.5] + 0.1 * rng.normal(size=480)
    X[350:, 1] = 1e-3 * X[350:, 1]
    X[300:, 0] = np.nan
    model = Regressor().learn_many(X[:479], y[:479])
    st, j = model.state, model.state.index[1]
    plain = [e for e, expert in enumerate(EXPERTS) if expert.plain]
    assert np.abs(st.w0[plain, 0, j]).min() > 0.1
    model.learn_many(X[479:], y[479:])
    assert st.clock[0] % recalibration.MEASURE == 0
    assert st.moves[j] == 2 + recalibration.MOVES
    np.testing.assert_array_equal(st.w0[plain, 0, j], 0.0)
    for e in plain:
        assert st.P0[e, j, j] == st.tau[e]
        assert np.abs(np.delete(st.P0[e, j], j)).max() == 0.0
