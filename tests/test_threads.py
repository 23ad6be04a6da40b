"""Several threads may share a learner: nothing is lost, nothing breaks."""

from __future__ import annotations

import copy
import pickle
import sys
import threading

import numpy as np
import pytest

import fesl
from fesl import paper, saving
from fesl.portfolio.constants import AGES

EVENTS = 300


@pytest.fixture
def restless():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*jobs):
    """Run each in a thread; raises what any of them raised."""
    problems = []

    def tell(job):
        try:
            job()
        except Exception as e:
            problems.append(e)

    threads = [threading.Thread(target=tell, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems


def teacher(model, seed, label):
    def teach():
        rng = np.random.default_rng(seed)
        for i in range(EVENTS):
            x = dict(zip("abc", rng.normal(size=3).tolist(), strict=True))
            model.learn_one(x | ({f"{seed}:{i}": 1.0} if i % 5 == 0 else {}), label(x["a"]))

    return teach


def asker(model, ask):
    def wonder():
        rng = np.random.default_rng(99)
        for _ in range(EVENTS):
            ask(model, dict(zip("abc", rng.normal(size=3).tolist(), strict=True)))

    return wonder


@pytest.mark.parametrize("wide", [False, True])
def test_four_teachers_and_a_curious_thread(wide):
    model = fesl.Classifier()
    if wide:
        model.widen()

    def ask(model, x):
        model.predict_proba_one(x)
        model.features, model.events, model.recovery(), model.regret()

    together(*(teacher(model, k, lambda a: a > 0) for k in range(4)), asker(model, ask))
    assert model.regret().rounds == 4 * EVENTS
    assert model.predict_one({"a": 2.0, "b": 0.0, "c": 0.0}) is True


def test_a_regressor_is_taught_by_events_and_tables_at_once():
    model = fesl.Regressor()
    X = np.random.default_rng(7).normal(size=(2000, 3))
    together(
        teacher(model, 1, lambda a: a),
        lambda: model.learn_many(X, X[:, 0], features=list("abc")),
        asker(model, lambda m, x: m.predict_one(x)),
    )
    assert model.regret().rounds == 2000 + EVENTS
    assert model.predict_one({"a": 2.0, "b": 0.0, "c": 0.0}) == pytest.approx(2.0, abs=0.2)


def test_a_model_is_saved_while_others_teach_it():
    model, found = fesl.Classifier(), []
    together(
        *(teacher(model, k, lambda a: a > 0) for k in range(2)),
        lambda: found.extend(saving.dumps(model) for _ in range(20)),
    )
    for data in found:
        saving.loads(data)
    assert model.regret().rounds == 2 * EVENTS


def test_the_papers_learner_is_shared_too():
    model = paper.fesl_c()
    together(*(teacher(model, k, lambda a: a > 0) for k in range(4)), asker(model, lambda m, x: m.predict_one(x)))
    assert model.state.round == 4 * EVENTS
    assert model.predict_one({"a": 2.0, "b": 0.0, "c": 0.0}) is True


@pytest.mark.parametrize("make", [fesl.Classifier, paper.fesl_c])
def test_copies_are_whole_while_others_teach(make, restless):
    model, found = make(), []
    together(
        *(teacher(model, k, lambda a: a > 0) for k in range(2)),
        lambda: found.extend(pickle.dumps(model) for _ in range(40)),
        lambda: found.extend(copy.deepcopy(model) for _ in range(20)),
    )
    for one in found:
        twin = pickle.loads(one) if isinstance(one, bytes) else one
        saving.loads(saving.dumps(twin))


def test_an_event_has_the_label_it_came_with(restless):
    """While another thread learns a table, which takes its time, and others learn events."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 150))
    names = [f"x{j}" for j in range(150)]
    for _ in range(4):
        model = fesl.Regressor()
        first = [0.0, 203.0] * 4  # so that no label is an outlier, whoever comes first
        model.learn_many(X[:8], first, features=names)

        def teach(label, model=model):
            for row in X[:20].tolist():
                model.learn_one(dict(zip(names, row, strict=True)), label)

        together(
            lambda model=model: model.learn_many(X, np.arange(150.0), features=names),
            *(lambda k=k, teach=teach: teach(200.0 + k) for k in range(3)),
        )
        told = np.sort(model.state.near_y[0][~np.isnan(model.state.near_y[0])])
        expected = [*first, *range(150), *(200.0 + k for k in range(3) for _ in range(20))]
        np.testing.assert_array_equal(told, np.sort(expected))


def test_a_wide_round_is_one_step(restless):
    model = fesl.Classifier(classes=["a", "b"])
    model.widen()

    def teach(label):
        for i in range(2000):
            model.learn_one({f"{label}{i % 7}": 1.0, "both": float(i % 3)}, label)

    together(lambda: teach("a"), lambda: teach("b"))
    assert model.state.c.tolist() == [2000.0, 2000.0]


def test_a_round_of_a_long_event_is_one_step(restless):
    """NumPy lets other threads run while it copies more than some hundred numbers."""
    rng = np.random.default_rng(0)

    def events(n):
        for _ in range(n):
            x = dict(zip("abc", rng.normal(size=3).tolist(), strict=True))
            yield x | {f"w{j}": 1.0 + float(j % 7) for j in rng.choice(4000, 1500, replace=False).tolist()}

    told, asked = [(x, x["a"] > 0.0) for x in events(260)], list(events(20))
    model = fesl.Classifier()
    model.widen()
    for x, y in told[:120]:
        model.learn_one(x, y)
    alone, over = copy.deepcopy(model), threading.Event()
    for x, y in told[120:]:
        alone.learn_one(x, y)

    def teach():
        for x, y in told[120:]:
            model.learn_one(x, y)
        over.set()

    def ask():
        while not over.is_set():
            for x in asked:
                model.predict_proba_one(x)

    together(teach, ask, ask)
    assert saving.dumps(model) == saving.dumps(alone)


def test_nobody_learns_while_the_learner_becomes_wide():
    model = fesl.Classifier().learn_one({"a": 1.0}, True)
    other = threading.Thread(target=model.widen)
    with model.guard:
        other.start()
        other.join(0.05)
        assert other.is_alive()
    other.join()
    assert not model.state.centred


@pytest.mark.parametrize(
    "look", [lambda model: model.weights, lambda model: model.regret()], ids=["weights", "regret"]
)
def test_whoever_looks_sees_no_step_half_done(look):
    model = fesl.Classifier().learn_one({"a": 1.0}, True)
    other = threading.Thread(target=look, args=(model,))
    with model.guard:
        other.start()
        other.join(0.05)
        assert other.is_alive()
    other.join()


class Secretive(str):
    """A name that asks the model something whenever it is looked up."""

    __slots__ = ()
    model = None

    def __hash__(self):
        if Secretive.model is not None:
            Secretive.model.predict_one(dict.fromkeys([("f", i) for i in range(12)], 3.0))
        return str.__hash__(self)


@pytest.mark.parametrize("make", [fesl.Classifier, paper.fesl_c])
def test_the_parts_of_a_name_may_use_the_model_while_it_is_looked_up(make):
    """As another thread may whenever the hash of a part is written in Python."""
    model, names = make(), [("f", i) for i in range(12)]
    for t in range(60):
        model.learn_one({name: float((7 * t + 3 * j) % 5) for j, name in enumerate(names)}, t % 2 == 0)
    want = model.predict_proba_one(dict.fromkeys(names, 1.0))
    odd = {(Secretive("f"), i): 1.0 for _, i in names}
    Secretive.model = model
    try:
        assert model.predict_proba_one(odd) == want
    finally:
        Secretive.model = None


def test_what_a_round_left_is_done_before_the_next_one():
    """Another thread may come between a round and what is to be done after it."""
    rng = np.random.default_rng(0)
    events = [
        (x, x["a"] > 0.0) for x in (dict(zip("abc", row, strict=True)) for row in rng.normal(size=(60, 3)).tolist())
    ]
    alone, interrupted = fesl.Classifier(), fesl.Classifier()
    for t, (x, y) in enumerate(events):
        alone.learn_one(x, y)
        if t == AGES[1] - 1 and interrupted.compiled:
            assert interrupted._learn_event(x, y)
            assert interrupted._core.news
            interrupted.predict_many([[0.0, 0.0, 0.0]], features=["a", "b", "c"])
            interrupted.predict_one(events[t + 1][0])
        else:
            interrupted.learn_one(x, y)
    np.testing.assert_array_equal(interrupted.state.w, alone.state.w)
    np.testing.assert_array_equal(interrupted.state.a, alone.state.a)
