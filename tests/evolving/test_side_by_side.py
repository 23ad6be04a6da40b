"""Events of an overlap: the compiled core takes them itself, and nothing tells it from the learner that would."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fesl import EvolvingLearner
from fesl.evolving import bulk
from fesl.losses import Squared
from fesl.recovery import LeastSquares
from fesl.rules import FixedShare
from fesl.saving import dumps, loads
from fesl.sklearn.intercept import INTERCEPT, unnoticed, with_intercept
from fesl.spaces import Auto, Declared, Periods
from generic import TASKS, assert_same_learner, fingerprint, hidden_stream, play, three_cycles, use_core

SPACES = {
    "auto": Auto(adopt_after=None),
    "adopting": Auto(adopt_after=30),
    "doubtful": Auto(doubt=0.2),
    "declared": Declared(lambda name: name[0]),
    "periods": Periods([(30, 70)]),
}


def overlap_of(length=40, survivors=0, blinking=0.0, seed=0, task="binary"):
    """Three old sensors, four new ones beside them from round 30 to 30 + length, then those alone."""
    lives = {f"a{j}": [(0, 30 + length + 60 * (j < survivors))] for j in range(3)}
    lives |= {f"b{j}": [(30, 90 + length)] for j in range(4)}
    stream = hidden_stream(seed, lives, 90 + length, task)
    stream.X[np.random.default_rng(seed).random(stream.X.shape) < blinking] = np.nan
    return stream


def watched(model):
    """The model, and the rounds whose events needed attention."""
    rounds, slowly = [], model._learn_slowly

    def learn_slowly(x, y):
        rounds.append(model.state.round)
        slowly(x, y)

    model._learn_slowly = learn_slowly
    return model, rounds


def unseen(model):
    """The same learner, made to look at every event of an overlap."""
    model._core.side_by_side(None)
    return model


@pytest.mark.parametrize("spaces", SPACES)
def test_only_the_first_events_need_attention(monkeypatch, spaces):
    use_core("compiled", monkeypatch)
    model, rounds = watched(EvolvingLearner(spaces=SPACES[spaces]))
    play(model, overlap_of())
    assert model.cycle == (0 if spaces == "adopting" else 1)
    assert rounds[:2] == [0, 30]
    assert len([r for r in rounds if 30 <= r < 70]) <= 3
    if spaces == "auto":
        assert rounds == [0, 30, 70]


def test_a_feature_of_every_space_is_no_reason_to_look(monkeypatch):
    use_core("compiled", monkeypatch)
    spaces = Declared({f"a{j}": "a" for j in range(3)} | {f"b{j}": "b" for j in range(4)})
    model, rounds = watched(EvolvingLearner(spaces=spaces))
    for x, y in overlap_of().events():
        model.learn_one({"bias": 1.0} | x, y)
    assert rounds == [0, 30, 31, 70]  # two rows must be alike before the next is taken for granted
    assert model.features["bias"] == "survivor"


@pytest.mark.parametrize("constant", [False, True])
def test_only_the_first_rows_of_a_dense_table_need_attention(monkeypatch, constant):
    use_core("compiled", monkeypatch)
    rows, attend = [], bulk._Pass._attend
    monkeypatch.setattr(bulk._Pass, "_attend", lambda p, row, *rest: (rows.append(row), attend(p, row, *rest)))
    stream, spaces = overlap_of(blinking=0.1), Auto(adopt_after=None)
    if constant:
        stream = stream._replace(names=[*stream.names, INTERCEPT], X=with_intercept(stream.X))
        spaces = unnoticed(spaces)
    model = EvolvingLearner(spaces=spaces)
    model.run(stream.X, stream.y, features=stream.names, detail=True)
    assert model.cycle == 1
    assert len([row for row in rows if 30 <= row < 70]) < 10


def test_a_constant_that_the_spaces_do_not_see_stands_for_no_old_feature(core):
    """Newcomers beside it alone are no overlap."""
    stream = overlap_of()
    for blinking in (0.0, 0.1):
        stream.X[np.random.default_rng(1).random(stream.X.shape) < blinking] = np.nan
        free, looking = (EvolvingLearner(spaces=unnoticed(Auto(adopt_after=None))) for _ in range(2))
        for x, y in stream.events():
            free.learn_one(x | {INTERCEPT: 1.0}, y)
            unseen(looking).learn_one(x | {INTERCEPT: 1.0}, y)
        assert free.cycle == 1
        assert fingerprint(looking) == fingerprint(free)


def test_sensors_that_blink_need_attention_only_when_they_may_have_gone(monkeypatch):
    use_core("compiled", monkeypatch)
    model, rounds = watched(EvolvingLearner(spaces=Auto(adopt_after=None)))
    play(model, overlap_of(length=300, blinking=0.1))
    assert model.cycle == 1
    assert len([r for r in rounds if 35 <= r < 330]) < 20


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("blinking", [0.0, 0.15])
@pytest.mark.parametrize("survivors", [0, 2])
@pytest.mark.parametrize("spaces", SPACES)
def test_every_door_and_both_cores(monkeypatch, spaces, survivors, blinking, backwards):
    stream = overlap_of(survivors=survivors, blinking=blinking, seed=survivors)
    if backwards:
        stream = stream._replace(names=stream.names[::-1], X=stream.X[:, ::-1])
    made = []
    for core in ("reference", "compiled"):
        with monkeypatch.context() as patch:
            use_core(core, patch)
            one, many = (EvolvingLearner(spaces=SPACES[spaces], rule=FixedShare(), seed=1) for _ in range(2))
            scores = play(one, stream)
            run = many.run(stream.X, stream.y, features=stream.names)
            np.testing.assert_allclose(run.scores, scores, rtol=1e-9, atol=1e-10)
            assert_same_learner(many, one, 1e-9)
            made.append((one, scores))
    (reference, expected), (compiled, scores) = made
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-10)
    assert_same_learner(compiled, reference, 1e-9)
    assert compiled.state.registry.count.tolist() == reference.state.registry.count.tolist()
    assert compiled.state.registry.last.tolist() == reference.state.registry.last.tolist()
    assert compiled.state.overlap.seen == reference.state.overlap.seen


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("spaces", SPACES)
def test_looked_at_or_not_is_the_same_bit_for_bit(core, spaces, task):
    """After each event the one learner goes on as it is, the other must look at the next one."""
    stream = overlap_of(blinking=0.1, seed=3, task=task)
    free, looking = (EvolvingLearner(TASKS[task], spaces=SPACES[spaces], clip=3.0) for _ in range(2))
    for x, y in stream.events():
        np.testing.assert_array_equal(unseen(looking).score_one(x), free.score_one(x))
        free.learn_one(x, y)
        unseen(looking).learn_one(x, y)
    assert fingerprint(looking) == fingerprint(free)


@pytest.mark.parametrize(
    "way",
    [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), lambda m: loads(dumps(m))],
    ids=["deepcopy", "pickle", "saved"],
)
@pytest.mark.parametrize("rows", [5, 1000])
def test_copied_after_every_event_of_an_overlap(core, way, rows):
    stream = overlap_of(length=20, blinking=0.05, seed=4)
    model = EvolvingLearner(recovery=LeastSquares(rows=rows))
    going, moving = copy.deepcopy(model), model
    for i, (x, y) in enumerate(stream.events()):
        if 25 <= i < 60:
            moving = way(moving)
        assert moving.predict_one(x) == going.predict_one(x)
        moving.learn_one(x, y)
        going.learn_one(x, y)
        assert fingerprint(moving) == fingerprint(going)


def test_the_rows_are_kept_whatever_becomes_of_the_event(core):
    stream, model = overlap_of(), EvolvingLearner()
    for x, y in stream.events()[:60]:
        model.learn_one(x, y)
        x.clear()
    names = {i: name for name, i in model.state.registry.index.items()}
    assert model.state.overlap.seen == len(model.state.overlap) == 30
    for row, point in zip(stream.X[30:60], model.state.overlap, strict=True):
        held = {names[i]: v for i, v in zip(point.idx.tolist(), point.val.tolist(), strict=True)}
        assert held == dict(zip(stream.names, row.tolist(), strict=True))


def test_a_stranger_or_a_new_class_in_the_middle(core):
    stream = overlap_of(length=20)
    one, many = EvolvingLearner(TASKS["multiclass"]), EvolvingLearner(TASKS["multiclass"])
    X = np.column_stack([stream.X, np.full(len(stream.X), np.nan)])
    X[40:, -1] = 1.0
    names, labels = [*stream.names, "late"], [str(y) for y in stream.y]
    labels[44] = "never met"
    stream = stream._replace(names=names, X=X, y=labels)
    scores = play(one, stream)
    run = many.run(X, labels, features=names)
    assert one.features["late"] == "current"
    np.testing.assert_allclose(run.scores, scores, rtol=1e-9, atol=1e-10)
    assert_same_learner(many, one, 1e-9)


def test_labels_that_do_not_come_and_bad_events_in_an_overlap(core):
    stream, model, plain = overlap_of(), EvolvingLearner(Squared()), EvolvingLearner(Squared())
    for i, (x, _) in enumerate(stream.events()):
        y = None if i % 3 else float(i % 5)
        before = fingerprint(model)
        for broken in ({**x, "a0": "high"}, {**x, "b0": float("inf")}, [("a0", 1.0)]):
            with pytest.raises(ValueError):
                model.learn_one(broken, y)
        with pytest.raises(ValueError):
            model.learn_one(x, "high")
        assert fingerprint(model) == before
        model.learn_one(x, y)
        plain.learn_one(x, y)
    assert fingerprint(model) == fingerprint(plain)


@settings(max_examples=15)
@given(data=st.data())
def test_overlaps_of_any_events(core, data):
    """Whatever an overlap holds: looked at or not, the same bit for bit."""
    names = ["a0", "a1", "a2", "b0", "b1", "b2"]
    spaces = data.draw(st.sampled_from([*SPACES.values(), Auto(doubt=0.5, adopt_after=6), Periods([(3, 9)])]))
    free = EvolvingLearner(spaces=spaces, recovery=LeastSquares(rows=data.draw(st.sampled_from([2, 50]))))
    looking = copy.deepcopy(free)
    value = st.sampled_from([None, float("nan"), 0, 1, True, 0.5, -2.0, 3.0])
    for i in range(4):
        for model in (free, looking):
            model.learn_one({"a0": 1.0 + i, "a1": 2.0, "a2": float(i)}, i % 2 == 0)
    for _ in range(data.draw(st.integers(1, 15))):
        order = data.draw(st.sampled_from([names, names, names[::-1], names[:3], names[3:], names[1:]]))
        x, y = {n: data.draw(value) for n in order}, data.draw(st.sampled_from([True, False, None]))
        if data.draw(st.booleans()):
            np.testing.assert_array_equal(free.score_one(x), unseen(looking).score_one(x))
        free.learn_one(x, y)
        unseen(looking).learn_one(x, y)
        assert fingerprint(looking) == fingerprint(free)


def test_three_cycles_need_attention_at_their_turns_alone(monkeypatch):
    use_core("compiled", monkeypatch)
    model, rounds = watched(EvolvingLearner())
    play(model, three_cycles(2, survivors=False))
    assert model.cycle == 3
    assert len(rounds) <= 10


def test_rows_of_an_overlap_keep_little_more_than_themselves():
    """Whether they all hold the same features or every other one lacks one."""
    for blinks in (False, True):
        model = EvolvingLearner(spaces=Auto(adopt_after=None), recovery=LeastSquares(rows=400))
        for i in range(450):
            x = {f"a{j}": float(i + j) for j in range(10)}
            if i >= 20:
                x |= {f"b{j}": float(i - j) for j in range(10 - (blinks and i % 2))}
            model.learn_one(x, i % 3 == 0)
        rows = list(model.state.overlap)
        blocks = {id(p.val if p.val.base is None else p.val.base): p.val for p in rows}
        held = sum((v if v.base is None else v.base).nbytes for v in blocks.values())
        assert len(rows) == 400
        assert held <= 2 * sum(p.val.nbytes for p in rows)


@pytest.mark.parametrize("patience", [10**30, 2**63 - 1, float("inf")])
def test_any_patience(patience):
    model = EvolvingLearner(spaces=Auto(adopt_after=patience))
    for i in range(40):
        x = {"a": float(i)} if i < 20 else {"a": float(i), "b": float(-i)}
        model.learn_one(x, i % 2 == 0)
    assert len(model.state.overlap) == 20
