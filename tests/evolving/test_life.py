"""Features come and go: partly, one by one, again and again, without overlap, with late labels."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import OGD, EvolvingLearner, Fresh, Recovered
from fesl.losses import Squared
from fesl.models import Point
from fesl.recovery import LeastSquares
from fesl.spaces import Auto
from generic import METHODS, TASKS, all_finite, hidden_stream, learn, parts, play, three_cycles


def psi_of(model, x):
    """The recovered values by name."""
    index, lens = model.state.registry.index, model.state.recovered.lens
    point = Point(np.array([index[n] for n in x]), np.array(list(x.values())))
    names = {i: n for n, i in index.items()}
    return dict(zip((names[i] for i in lens.vanished), lens.psi(point), strict=True))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("task", TASKS)
def test_three_cycles(core, method, task):
    stream, model = three_cycles(0, task, survivors=False), METHODS[method](loss=TASKS[task])
    for cycle, (now, then) in enumerate([("s0", None), ("s1", "s0"), ("s2", "s1"), ("s3", "s2")]):
        learn(model, stream, 40 * cycle, 40 * cycle + 30)
        assert model.cycle == cycle
        assert {name[:2] for name in parts(model, "current")} == {now}
        if then and method != "nogd":
            assert {name[:2] for name in parts(model, "vanished")} == {then}
        learn(model, stream, 40 * cycle + 30, 40 * cycle + 40)
        assert all_finite(model)


def test_the_recovered_model_is_as_good_as_the_old_one(core):
    """On a noiseless linear map the switch costs nothing: the recovered score is the old model's."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(80, 3))
    old, new = z @ rng.normal(size=(3, 3)), z @ rng.normal(size=(3, 4))
    model = EvolvingLearner(Squared(), experts=(Recovered(learns=False),), descent=OGD(0.05))
    for i in range(60):
        x = {f"o{j}": v for j, v in enumerate(old[i])}
        model.learn_one(x | ({f"n{j}": v for j, v in enumerate(new[i])} if i >= 50 else {}), z[i, 0])
    for i in range(60, 80):
        before = model.score_one({f"o{j}": v for j, v in enumerate(old[i])}) if model.cycle == 0 else None
        x = {f"n{j}": v for j, v in enumerate(new[i])}
        if before is not None:
            np.testing.assert_allclose(model.score_one(x), before, rtol=1e-8)
            index, w = dict(model.state.registry.index), model.state.experts[0].linear()
        model.learn_one(x)
        expected = sum(v * w[index[f"o{j}"], 0] for j, v in enumerate(old[i]))
        np.testing.assert_allclose(model.score_one(x), expected, rtol=1e-8)


def test_survivors_pass_through(core):
    lives = {"keep": [(0, 80)], "old": [(0, 40)], "new": [(32, 80)]}
    stream, model = hidden_stream(1, lives, 80), EvolvingLearner()
    learn(model, stream, 0, 60)
    assert model.features == {"keep": "survivor", "old": "vanished", "new": "current"}
    assert set(psi_of(model, {"keep": 1.0, "new": 1.0})) == {"old"}
    assert model.state.recovered.passes.sum() == 1


def test_features_that_vanish_one_by_one(core):
    """The first to go ends the overlap; the others survive until they go, too, and are recovered then."""
    lives = {f"old{j}": [(0, 60 + 10 * j)] for j in range(4)} | {f"new{j}": [(50, 140)] for j in range(4)}
    stream, model = hidden_stream(2, lives, 140), EvolvingLearner()
    learn(model, stream, 0, 65)
    assert (model.cycle, parts(model, "vanished")) == (1, {"old0"})
    assert parts(model, "survivor") == {"old1", "old2", "old3"}
    for j in range(1, 4):
        learn(model, stream, 55 + 10 * j, 65 + 10 * j)
        assert parts(model, "vanished") == {f"old{i}" for i in range(j + 1)}
        assert model.cycle == 1
    assert parts(model, "current") == {f"new{j}" for j in range(4)}
    assert all_finite(model)


def test_features_that_come_one_by_one(core):
    """Newcomers may come at different times; rows without all of them do not count against the late ones."""
    lives = {"a": [(0, 60)], "b": [(0, 60)], "n0": [(40, 90)], "n1": [(44, 90)], "n2": [(48, 90)]}
    stream, model = hidden_stream(3, lives, 90), EvolvingLearner()
    learn(model, stream)
    assert (model.cycle, parts(model, "current")) == (1, {"n0", "n1", "n2"})
    rows = stream.X[48:60]
    M = np.linalg.lstsq(rows[:, 2:], rows[:, :2], rcond=None)[0]
    recovered = psi_of(model, {"n0": 1.0, "n1": 2.0, "n2": 3.0})
    np.testing.assert_allclose([recovered["a"], recovered["b"]], M.T @ [1.0, 2.0, 3.0], rtol=1e-7)


def test_features_that_return(core):
    """What comes back passes through again, with all that the old model knows of it."""
    lives = {"a": [(0, 40), (70, 120)], "b": [(0, 40)], "n0": [(30, 120)], "n1": [(30, 120)]}
    stream, model = hidden_stream(4, lives, 120), EvolvingLearner()
    learn(model, stream, 0, 70)
    known = model.state.recovered.old_weights()[model.state.registry.index["a"]]
    assert model.features["a"] == "vanished"
    before = model.score_one(stream.event(70) | {"a": None})
    assert model.score_one(stream.event(70)) != before
    model.learn_one(stream.event(70))
    assert model.features["a"] == "survivor"
    np.testing.assert_allclose(model.state.recovered.old_weights()[model.state.registry.index["a"]], known)
    learn(model, stream, 71)
    assert model.features == {"a": "survivor", "b": "vanished", "n0": "current", "n1": "current"}
    assert model.cycle == 1


def test_a_forgotten_feature_that_returns_is_a_newcomer(core):
    stream = three_cycles(5, survivors=False)
    model = learn(EvolvingLearner(), stream)
    assert "s0:0" not in model.features
    model.learn_one(stream.event(159) | {"s0:0": 1.0}, True)
    assert model.features["s0:0"] == "newcomer"


def test_sensors_that_blink_are_not_gone(core):
    rng = np.random.default_rng(6)
    stream = hidden_stream(6, {f"f{j}": [(0, 300)] for j in range(5)} | {"new": [(150, 300)]}, 300)
    blink = rng.random(stream.X.shape) < 0.3
    blink[:, 5] = False
    stream.X[blink] = np.nan
    model = learn(EvolvingLearner(spaces=Auto(doubt=1e-6)), stream)
    assert model.cycle == 0
    assert parts(model, "vanished") == set()


def test_features_that_only_ever_appear_are_adopted(core):
    """Trapezoidal streams: after `adopt_after` events beside the old ones the new ones join them."""
    lives = {f"f{j}": [(30 * j, 200)] for j in range(5)}
    stream, model = hidden_stream(7, lives, 200), EvolvingLearner(spaces=Auto(adopt_after=10))
    learn(model, stream, 0, 39)
    assert model.features == {"f0": "current", "f1": "newcomer"}
    f0 = model.score_one({"f0": 1.0})
    assert model.score_one({"f0": 1.0, "f1": 5.0}) == f0
    learn(model, stream, 39, 40)
    assert parts(model, "current") == {"f0", "f1"}
    learn(model, stream, 40)
    assert parts(model, "current") == set(lives)
    assert model.cycle == 0
    assert abs(model.state.experts[0].linear()[:5]).min() > 0


def test_adoption_goes_on_from_the_model_that_was_there(core):
    """What joins has no weight yet, so the step that adopts it moves the old weights as if it were not there."""
    stream = hidden_stream(8, {"a": [(0, 60)], "b": [(20, 60)]}, 60, "regression")
    adopting, plain = (
        learn(EvolvingLearner(Squared(), spaces=Auto(adopt_after=n)), stream, 0, 35) for n in (15, None)
    )
    assert adopting.features == {"a": "current", "b": "current"}
    assert plain.features == {"a": "current", "b": "newcomer"}
    np.testing.assert_allclose(adopting.score_one({"a": 2.0}), plain.score_one({"a": 2.0}), rtol=1e-12)


def test_no_overlap_at_all_is_believed_after_three_events_in_a_row(core):
    lives = {"a": [(0, 40)], "b": [(0, 40)], "c": [(40, 80)], "d": [(40, 80)]}
    stream, model = hidden_stream(9, lives, 80), EvolvingLearner()
    learn(model, stream, 0, 42)
    assert model.cycle == 0
    learn(model, stream, 42)
    assert (model.cycle, parts(model, "current")) == (1, {"c", "d"})
    assert all_finite(model)
    assert model.regret().rounds > 30


def test_strays_from_elsewhere_do_not_end_a_space(core):
    model = EvolvingLearner()
    for i in range(400):
        model.learn_one({"stray": 1.0} if i % 50 == 25 else {"a": i % 3 - 1.0}, i % 2 == 0)
    assert (model.cycle, model.features["a"]) == (0, "current")


# Labels are not needed to learn psi


@pytest.mark.parametrize("task", ["binary", "two targets"])
def test_unlabelled_overlap_rows_count(core, task):
    stream = three_cycles(14, task, survivors=False)
    labelled, unlabelled = (EvolvingLearner(TASKS[task]) for _ in range(2))
    for model, with_labels in ((labelled, True), (unlabelled, False)):
        learn(model, stream, 0, 32)
        learn(model, stream, 32, 40, with_labels)
        learn(model, stream, 40, 45)
    x = stream.event(50)
    assert psi_of(labelled, x) == psi_of(unlabelled, x)
    assert len(psi_of(labelled, x)) == 3


def test_at_most_so_many_overlap_rows_are_kept(core):
    lives = {"a": [(0, 100)], "b": [(20, 150)], "c": [(20, 150)]}
    stream = hidden_stream(15, lives, 150)
    model = learn(EvolvingLearner(recovery=LeastSquares(rows=5)), stream)
    assert (len(model.state.past), model.state.past.seen) == (5, 80)
    M = np.linalg.lstsq(stream.X[95:100, 1:], stream.X[95:100, 0], rcond=None)[0]
    assert psi_of(model, {"b": 1.0, "c": 2.0})["a"] == pytest.approx(M @ [1.0, 2.0], rel=1e-7)


def test_a_new_class_may_come_with_the_switch(core):
    stream = three_cycles(16, "multiclass")
    model = EvolvingLearner(TASKS["multiclass"])
    for i, (x, _) in enumerate(stream.events()):
        y = "first" if i < 20 else "second" if i < 40 else f"class {i // 40}"
        model.predict_one(x)
        model.learn_one(x, y)
    assert model.classes == ["first", "second", "class 1", "class 2", "class 3"]
    assert set(model.predict_proba_one(stream.event(159))) == set(model.classes)
    assert all_finite(model)


def test_several_experts_of_a_kind(core):
    stream = three_cycles(17, "regression")
    model = EvolvingLearner(Squared(), experts=(Recovered(), Recovered(learns=False), Fresh()))
    play(model, stream)
    assert model.cycle == 3
    assert len(model.weights) == 3
    assert model.weights.sum() == pytest.approx(1.0)
    assert all_finite(model)
