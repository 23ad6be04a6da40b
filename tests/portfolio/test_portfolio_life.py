"""Features come, go, blink, freeze and come back; memory is bounded."""

from __future__ import annotations

import logging
import pickle

import numpy as np
import pytest
from portfolio_streams import events, make, stream

from fesl import Classifier, Regressor
from fesl.portfolio import Kind, constants


def sensors(n, seed=0):
    """Three sensors of one hidden number."""
    z = np.random.default_rng(seed).normal(size=n)
    return [({"a": v, "b": 2 * v + 1, "c": -v}, bool(v > 0)) for v in z.tolist()]


def only(x, *names):
    return {k: x[k] for k in names}


def kinds(model, name):
    return [e.kind for e in model.events if e.feature == name]


def test_the_log_tells_what_happened_and_when(core, caplog):
    seen = []
    model = Classifier(on_event=seen.append)
    with caplog.at_level(logging.INFO, logger="fesl.features"):
        for i, (x, y) in enumerate(sensors(150)):
            model.learn_one(only(x, "a") if i < 60 else only(x, "a", "b") if i < 70 else only(x, "b"), y)
    assert kinds(model, "a") == [Kind.APPEARED, Kind.VANISHED]
    assert kinds(model, "b") == [Kind.APPEARED, Kind.OVERLAPPED]
    gone = next(e for e in model.events if e.kind is Kind.VANISHED)
    overlapped = next(e for e in model.events if e.kind is Kind.OVERLAPPED)
    assert 71 <= gone.time <= 73
    assert gone.count == 70
    assert overlapped.count == 10
    assert seen == model.events
    assert len(caplog.records) == len(seen)
    assert model.features == {"b": "live", "a": "vanished"}


@pytest.mark.parametrize("rows", [1, 10, 63, 64, 150])
def test_an_overlap_is_noted_however_long_it_lasts(core, rows):
    model = Classifier()
    for i, (x, y) in enumerate(sensors(250 + rows)):
        copied = {**only(x, "a"), "b": x["a"]}
        model.learn_one(only(copied, *("a" if i < 200 else "ab" if i < 200 + rows else "b")), y)
    assert kinds(model, "b") == [Kind.APPEARED, Kind.OVERLAPPED]
    if rows > 1:
        assert [(s.new, s.role) for s in model.suggest_aliases()] == [("b", "a")]


@pytest.mark.parametrize("draw", ["normal", "standard_t", "lognormal"])
def test_an_error_of_one_is_that_of_the_mean(core, draw):
    rng, model = np.random.default_rng(2), Classifier()
    drawn = rng.standard_t(2, 1500) if draw == "standard_t" else getattr(rng, draw)(size=1500)
    for a, c in zip(drawn.tolist(), rng.normal(size=1500).tolist(), strict=True):
        model.learn_one({"a": a, "copy": 2 * a, "c": c}, c > 0)
    found = {name: told.error for name, told in model.recovery().items()}
    assert found["c"] == pytest.approx(1.0, abs=0.25)
    assert max(found["a"], found["copy"]) < 0.25


def test_what_vanished_taught_what_stays(core):
    model = Classifier()
    for i, (x, y) in enumerate(sensors(130)):
        names = "a" if i < 100 else "ab" if i < 110 else "b"
        model.learn_one(only(x, *names), y if i < 110 else None)
    right = [model.predict_one(only(x, "b")) == y for x, y in sensors(200, seed=9)]
    assert np.mean(right) > 0.85
    recovered = model.recovery()["a"]
    assert recovered.rows == 10
    assert recovered.error < 0.7


def test_a_feature_that_comes_back_is_still_known(core):
    model = Classifier()
    for i, (x, y) in enumerate(sensors(300)):
        names = ("a",) if i < 100 or i >= 220 else ("c",)
        if 90 <= i < 100 or 210 <= i < 220:
            names = ("a", "c")
        model.learn_one(only(x, *names), y if i < 210 else None)
    assert kinds(model, "a") == [Kind.APPEARED, Kind.VANISHED, Kind.CAME_BACK]
    right = [model.predict_one(only(x, "a")) == y for x, y in sensors(200, seed=5)]
    assert np.mean(right) > 0.9


def test_one_late_sample_of_the_old_space_does_not_turn_anything(core):
    model = Classifier()
    for i, (x, y) in enumerate(sensors(150)):
        model.learn_one(only(x, "a") if i < 60 else only(x, "a", "b") if i < 70 else only(x, "b"), y)
    before = model.predict_proba_one({"b": 2.0})
    model.learn_one({"a": 1.0}, True)
    assert model.predict_proba_one({"b": 2.0}) == before
    model.learn_one({"a": 1.0}, True)
    assert model.features["a"] == "live"


def test_a_sensor_that_freezes_is_reported(core):
    model = Regressor()
    for i, (x, _) in enumerate(sensors(120)):
        model.learn_one({**x, "b": 5.0 if i >= 80 else x["b"], "flag": float(i % 2)}, x["a"])
    froze = [e for e in model.events if e.kind is Kind.FROZE]
    assert [e.feature for e in froze] == ["b"]
    assert 85 <= froze[0].time <= 100


def test_blinking_features_do_not_vanish():
    X, y = stream("blink", "binary", rows=300)
    model = Classifier().learn_many(X, y)
    assert not any(e.kind is Kind.VANISHED for e in model.events)
    assert np.mean([r.error for r in model.recovery().values()]) < 0.8


def test_one_by_one():
    X, y = stream("full", "binary", rows=300)
    for j in range(6):
        X[120 + 20 * j :, j] = np.nan
    run = Classifier().run(X, y)
    assert np.mean(run.predictions[240:] == np.array(y)[240:]) > 0.75


@pytest.mark.parametrize("task", ["multiclass", "regression"])
def test_a_thousand_cycles_take_bounded_memory(task):
    rng = np.random.default_rng(0)
    model, sizes = make(task), []
    for cycle in range(1000):
        for i in range(6):
            z = rng.normal(size=2)
            x = {f"{cycle}:{j}": float(z[j]) for j in range(2)}
            if i >= 5:
                x |= {f"{cycle + 1}:{j}": float(z[j]) for j in range(2)}
            k = int(abs(z[0]) * 9) % 3
            model.learn_one(x, float(z[0]) if task == "regression" else ("up", "down", "flat")[k])
        if cycle in (600, 999):
            sizes.append(len(pickle.dumps(model)))
    assert sizes[1] < 1.05 * sizes[0]
    assert len(model.state.dead) <= constants.DEAD
    assert len(model.events) <= constants.LOG
    assert len(model.state.index) <= 16
    assert model.state.capacity <= 32
    assert model.regret().within


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_scaling_and_shifting_change_nothing(core, task):
    X, y = stream("switch", task, rows=120)
    run = make(task).run(X, y)
    scale, shift = np.array([1e6, 1e-6, 3.0, -2.0, 1e6, 7.0, 1.0, 0.1]), np.array([0, 5e-6, -4, 1, 2e6, 0, 9, 0.3])
    moved = make(task).run(X * scale + shift, y)
    np.testing.assert_allclose(moved.scores, run.scores, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "two targets"])
def test_every_number_stays_finite(core, task):
    rng = np.random.default_rng(0)
    _, y = stream("full", task, rows=60)
    model = make(task)
    for i in range(60):
        x = {
            "huge": float(rng.choice([1e100, -1e100, 1e-100])),
            "constant": 3.0,
            "zero": 0.0,
            "jumps": 10.0 ** float(rng.integers(-90, 90)),
            f"once{i}": 1.0,
        }
        if i % 7 == 0:
            x = {}
        p = model.predict_one(x)
        assert p is None or isinstance(p, bool | str) or np.isfinite(p).all()
        model.learn_one(x, y[i])
    st = model.state
    for field in ("w", "P", "a", "mean", "q", "S", "stack_b", "noise"):
        assert np.isfinite(getattr(st, field)).all(), field
    assert model.regret().within


def test_huge_targets_stay_finite(core):
    model = Regressor()
    for i, y in enumerate([0.0, 0.0, 1e-100, 1e100, -1e100, 5.0, 1e-300, 1e99] * 4):
        model.learn_one({"a": float(i)}, y)
        assert np.isfinite(model.predict_one({"a": 0.5}))


def test_labels_that_flip_are_followed():
    X, y = stream("full", "binary", rows=400, seed=3)
    y = np.array(y)
    y[200:] = ~y[200:]
    right = Classifier().run(X, y).predictions == y
    assert right[100:200].mean() > 0.75
    assert right[250:].mean() > 0.75


def test_two_runs_are_the_same():
    X, y = stream("back", "multiclass", rows=100)
    np.testing.assert_array_equal(Classifier().run(X, y).scores, Classifier().run(X, y).scores)


def test_unlabelled_rows_teach_too(core):
    X, y = stream("switch", "binary", rows=240)
    model = Classifier()
    for i, (x, t) in enumerate(events(X, y)):
        model.learn_one(x, t if i < 108 else None)
    right = [model.predict_one(x) == t for x, t in events(X, y)[122:]]
    assert np.mean(right) > 0.7


def test_a_callback_that_raises_meets_a_whole_learner(core):
    """It is called when the round is over, so what it raises leaves nothing half done."""
    told = []

    def tell(event):
        told.append(event.feature)
        if event.feature == "x30":
            raise RuntimeError("mine")

    model, twin = Classifier(on_event=tell), Classifier()
    few, many = {"a": 1.0}, {f"x{i}": 1.0 for i in range(40)}
    for m in (model, twin):
        m.learn_one(few, 0)
        m.learn_one(few, 1)
    twin.learn_one(many, 1)
    with pytest.raises(RuntimeError, match="mine"):
        model.learn_one(many, 1)
    for _ in range(3):
        assert model.predict_proba_one(many) == twin.predict_proba_one(many)
        model.learn_one(many, 1)
        twin.learn_one(many, 1)
    assert told == [e.feature for e in twin.events]  # those after the one that raised were told in the next round


def test_no_alarm_where_everything_blinks(core):
    """A feature seen once and absent for a while has not vanished if all of them are absent half of the time."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 40)) < 0.5, rng.normal(size=(60, 40)), np.nan)
    model = Classifier()
    for x, y in events(X, X[:, 0] > 0):
        model.learn_one(x, bool(y))
    assert not [e for e in model.events if e.kind is Kind.VANISHED]


def test_those_who_inherit_are_trusted_at_a_switch(core):
    """The share step goes to the experts that are taught and do not forget, and the bound holds all the same."""
    for task, make_model in (("binary", Classifier), ("regression", Regressor)):
        X, y = stream("switch", task, rows=240)
        model, before = make_model(), None
        for x, t in events(X, y):
            weights = dict(model.weights)
            model.learn_one(x, t)
            if before is None and any(e.kind is Kind.VANISHED for e in model.events):
                before = weights
                gained = {name: a - before[name] for name, a in model.weights.items()}
        heirs = {"strong prior", "middle prior", "weak prior", "whitened"}
        assert before is not None
        assert sum(gained[name] for name in heirs) > 0.1
        assert model.regret().within


def concept(t, width=20):
    """Labels by the first features; from round 1000 on by the next ones."""
    weights = np.zeros(width)
    weights[:5] = (1.0, 1.0, 0.0, 0.0, 0.0) if t < 1000 else (0.0, 0.0, 1.0, -1.0, 1.0)
    return weights


def test_one_feature_back_does_not_bring_back_what_was_known_when_another_went(core):
    rng, model, right = np.random.default_rng(0), Classifier(), []
    for t in range(2000):
        x = rng.normal(size=20)
        y = bool(concept(t) @ x > 0)
        away = {0} if t >= 300 else set()
        away |= {10} if 1500 <= t < 1700 else set()
        event = {j: v for j, v in enumerate(x.tolist()) if j not in away}
        right.append(model.predict_one(event) == y)
        model.learn_one(event, y)
    assert kinds(model, 10) == [Kind.APPEARED, Kind.VANISHED, Kind.CAME_BACK]
    assert np.mean(right[1701:1801]) > np.mean(right[1600:1700]) - 0.05


def test_a_class_that_came_in_between_stays_when_an_old_space_returns(core):
    rng, model = np.random.default_rng(1), Classifier()
    for t in range(295):
        z = float(rng.normal())
        names = "ab" if 140 <= t < 150 or t >= 290 else "b" if t >= 150 else "a"
        y = "third" if t >= 160 and abs(z) < 0.5 else "high" if z > 0 else "low"
        if t == 290:
            before = model.state.w[1:4, 2].copy()
        model.learn_one(dict.fromkeys(names, z) | {"here": float(rng.normal())}, y if t < 290 else None)
    assert kinds(model, "a") == [Kind.APPEARED, Kind.VANISHED, Kind.CAME_BACK]
    assert model.classes[2] == "third"
    assert (before != 0.0).any()
    np.testing.assert_array_equal(model.state.w[1:4, 2], before)


def spaces(order, rows=200, width=4, seed=0):
    """Events of one space after the other, each with a concept of its own and no overlap."""
    rng = np.random.default_rng(seed)
    weights = {space: rng.normal(size=width) for space in sorted(set(order))}
    for space in order:
        for _ in range(rows):
            x = rng.normal(size=width)
            yield {f"{space}{j}": v for j, v in enumerate(x.tolist())}, bool(weights[space] @ x > 0)


def test_every_space_of_a_cycle_is_known_when_it_comes_back(core):
    first, third = [], []
    for seed in range(3):
        model, right = Classifier(), []
        for x, y in spaces("ABCABCABC", seed=seed):
            right.append(model.predict_one(x) == y)
            model.learn_one(x, y)
        right = np.reshape(right, (9, 200))[:, 1:31].mean(axis=1)
        first.append(right[:3].mean())
        third.append(right[6:].mean())
    assert np.mean(third) > 0.92 > np.mean(first)


def test_snapshots_are_bounded(core):
    model = Classifier()
    for x, y in spaces("ABCDEFGHIJKLMN", rows=20):
        model.learn_one(x, y)
    assert len(model.state.snapshots) == constants.SPACES
    assert [sorted(shot.names)[0] for shot in model.state.snapshots] == [f"{s}0" for s in "FGHIJKLM"]


def test_two_spaces_that_take_turns_are_both_learned(core):
    rng, model, right = np.random.default_rng(0), Classifier(), {"a": [], "b": []}
    for t in range(900):
        v, w = rng.normal(size=2).tolist()
        space = "a" if t < 200 or (t >= 300 and t % 3 == 0) else "b"
        x, y = {f"{space}1": v, f"{space}2": w}, v + w > 0
        right[space].append(model.predict_one(x) == y)
        model.learn_one(x, y)
    assert np.mean(right["a"][-150:]) > 0.9
    assert np.mean(right["b"][-300:]) > 0.9
    assert model.regret().rounds >= 898


def test_a_space_that_is_back_for_a_moment_leaves_the_other_as_it_was(core):
    model, old = Classifier(), []
    for i, (x, y) in enumerate(spaces("AB", rows=200)):
        old += [(x, y)] if i < 2 else []
        model.learn_one(x, y)
    weights = model.state.w[2, :, 1:5].copy()
    for x, y in old:
        model.learn_one(x, y)
    assert kinds(model, "A0")[-1] is Kind.CAME_BACK
    for x, _ in spaces("B", rows=8):
        model.learn_one(x)
    assert kinds(model, "A0")[-1] is Kind.VANISHED
    np.testing.assert_array_equal(model.state.w[2, :, 1:5], weights)


def test_a_feature_that_goes_off_in_spells_is_soon_no_longer_taken_for_gone(core):
    rng = np.random.default_rng(3)
    model, on = Classifier(), True
    for _ in range(700):
        on = rng.random() >= 0.02 if on else rng.random() < 0.1
        a, b = rng.normal(size=2).tolist()
        model.learn_one({"b": b, **({"a": a} if on else {})}, a + b > 0)
    gone = [event.time for event in model.events if event.kind.value == "vanished"]
    assert 1 <= len(gone) <= 2
    assert max(gone) < 150
    assert model.state.spells[model.state.index["b"]] == 0
    assert model.state.spells[model.state.index["a"]] > 5


def test_spells_are_counted_alike_whether_taken_for_gone_or_not(core):
    """An absence that made the feature vanish, and was none, is one spell like the others."""
    model = Classifier()
    there = [*range(50), *range(51, 60), *range(75, 90), *range(92, 120)]
    for t in range(120):
        model.learn_one({"b": t % 7 - 3.0, **({"a": t % 5 - 2.0} if t in there else {})}, t % 2)
    assert [event.kind.value for event in model.events if event.feature == "a"][1:] == ["vanished", "came back"]
    assert model.state.spells[model.state.index["a"]] == 3


def test_only_what_came_later_overlapped(core):
    """A feature that was seen for a moment was overlapped by nobody who was there before it."""
    model = Classifier()
    for t in range(60):
        model.learn_one({"a": float(t % 7), "b": float(t % 5)} | ({"c": 1.0} if 30 <= t < 34 else {}), t % 2)
    assert [(e.kind.value, e.feature) for e in model.events][2:] == [("appeared", "c"), ("vanished", "c")]
