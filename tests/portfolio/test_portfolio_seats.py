"""The seats of the narrow learner inside a wide one: who gets one, who loses one, who waits for one."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import told_in_order

from fesl import Classifier, saving
from fesl._native import PURE, native
from fesl.portfolio import constants
from fesl.portfolio.wide import leaning, seats
from fesl.portfolio.wide.seats import Seat

READINGS = constants.READINGS
MANY = 450


def events(n, tell=lambda i: (0, 1), off=lambda i: (), many=MANY, words=0, seed=0):
    """Many sensors, of which two say together what neither says alone; some are off. Or so many, beside words."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        z, (a, b), away = rng.normal(size=many), tell(i), set(off(i))
        x = {f"s{j}": v for j, v in enumerate(z.tolist()) if f"s{j}" not in away}
        chosen = rng.choice(500, words, replace=False).tolist() if words else ()
        yield x | {f"w{j}": 1.0 for j in chosen}, bool(z[a] ** 2 + z[b] ** 2 > 1.4)


def play(model, stream):
    """Which predictions were right; nowhere are there more than READINGS that are followed."""
    right = []
    for x, y in stream:
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
        inner = getattr(model.state, "inner", None)
        assert inner is None or max(inner.n - 1, model.state.followed.sum()) <= READINGS
    return np.array(right)


def seat_of(model, name):
    return seats.seat(model.state, model.state.index[name])


def test_what_was_followed_before_an_outage_is_followed_after_it():
    """All of them were off at once, and others had their seats. Those that told something have them back."""
    model = Classifier()
    first = play(model, events(400))
    inside = set(model.state.inner.index)
    assert {"s0", "s1"} <= inside
    play(model, events(20, off=lambda i: inside, seed=1))
    assert not inside & set(model.state.inner.index)
    assert {seat_of(model, name) for name in inside} == {Seat.GONE}
    assert model.features["s0"] == "vanished"
    play(model, events(1, seed=2))
    assert {seat_of(model, name) for name in inside} == {Seat.WAITING}
    assert model.features["s0"] == "live"
    play(model, events(constants.NOTICED, seed=3))
    assert {"s0", "s1"} <= set(model.state.inner.index)
    after = play(model, events(600, seed=4))
    assert {"s0", "s1"} <= set(model.state.inner.index)
    assert after[:200].mean() > first[200:].mean() - 0.1  # what new ones beside them tell takes a while to learn
    assert after[400:].mean() > first[200:].mean() - 0.02
    assert model.regret().within


def test_of_many_that_come_back_as_many_as_there_is_room_for_have_their_seats_at_once():
    model = Classifier()
    play(model, events(300, many=READINGS + 10, words=30))
    inside = [name for name in model.state.inner.index if name not in ("s0", "s1")]
    dead = {"s0", "s1", *inside[:13]}
    play(model, events(40, off=lambda i: dead, many=READINGS + 10, words=30, seed=1))
    assert model.state.inner.n - 1 == READINGS - 5  # ten had taken seats
    right = play(model, events(300, many=READINGS + 10, words=30, seed=2))
    assert {"s0", "s1"} <= set(model.state.inner.index)
    assert model.state.inner.n - 1 == READINGS
    assert right[100:].mean() > 0.8


def test_who_comes_back_has_its_seat_though_nobody_knows_any_label():
    model, many = Classifier(), READINGS + 10
    play(model, events(200, many=many, words=30))
    for x, _ in events(200, many=many, words=30, seed=1):
        model.learn_one(x)
    inside = list(model.state.inner.index)[:15]
    for seed, off in ((2, inside), (3, ())):
        for x, _ in events(8, off=lambda i, off=off: off, many=many, words=30, seed=seed):
            model.learn_one(x)
        assert model.state.inner.n - 1 == (READINGS if not off else READINGS - 5)  # ten had taken seats


def test_who_has_no_seat_costs_nothing():
    """Events that hold one that is back, when all seats were taken, are ordinary ones."""
    model = Classifier()
    if not model.compiled:
        pytest.skip("no compiled core")
    play(model, events(300, many=READINGS + 6, words=30))
    victim = next(name for name in model.state.inner.index if name not in ("s0", "s1"))
    play(model, events(30, off=lambda i: [victim], many=READINGS + 6, words=30, seed=1))
    play(model, events(30, many=READINGS + 6, words=30, seed=2))
    slow = 0
    for x, y in events(50, many=READINGS + 6, words=30, seed=3):
        if not model._learn_event(x, y):
            model.learn_one(x, y)
            slow += 1
    assert slow < 10


def test_what_tells_later_is_followed_later():
    model = Classifier()
    right = play(model, events(900, tell=lambda i: (0, 1) if i < 400 else (400, 401)))
    assert {"s400", "s401"} <= set(model.state.inner.index)
    assert right[300:400].mean() > 0.85
    assert right[700:].mean() > 0.85
    assert model.regret().within


def things(n, seed, off, slow=0):
    """Words beside sensors of four things, two of them twins whose difference is most of the label; from a third on
    groups of the others have outages, or as many slow ones come beside them."""
    rng = np.random.default_rng(seed)
    many = 60 if slow else 72
    B, slow_one = rng.normal(size=(many, 4)), 0.0
    B[1], away = B[0], [0] * 8
    for i in range(n):
        z = rng.normal(size=4)
        v = B @ z + 0.25 * rng.normal(size=many)
        slow_one = 0.97 * slow_one + 0.25 * rng.normal()
        x = {f"w{rng.integers(300)}": 1.0 for _ in range(8 if i < 60 else 3)}
        for g in range(1, 8):
            away[g] = (
                away[g] - 1
                if away[g]
                else int(rng.integers(30, 120)) * (off and i > n / 3 and rng.random() < 0.006)
            )
        if i >= 60:
            x |= {f"s{j}": v[j] for j in range(many) if not away[j * 8 // many]}
        if 3 * i > n:
            x |= {f"slow{j}": slow_one + 0.5 * rng.normal() for j in range(slow)}
        yield x, bool(3.0 * (v[0] - v[1]) + 0.6 * z[0] + (0.7 * slow_one if slow else 0.0) > 0)


@pytest.mark.parametrize(("off", "slow"), [(True, 0), (False, 40)], ids=["outages", "newcomers"])
def test_what_two_tell_together_keeps_their_seats(off, slow):
    """Neither of the twins tells anything by itself."""
    model = Classifier()
    right = play(model, things(1200, 1, off, slow))
    assert {"s0", "s1"} <= set(model.state.inner.index)
    assert right[600:].mean() > 0.85


def test_the_part_of_a_reading_in_what_is_said():
    rng, model = np.random.default_rng(0), Classifier()
    for _ in range(400):
        z = rng.normal(size=30)
        z[1] = z[0] + 0.3 * z[1]
        model.learn_one({f"s{j}": v for j, v in enumerate(z.tolist())}, bool(z[0] > z[1]))
    st = model.state
    part = leaning.parts(st)
    assert part[0] == 0.0
    assert min(part[st.index["s0"]], part[st.index["s1"]]) > 0.3
    assert np.delete(part, [st.index["s0"], st.index["s1"]]).max() < 0.02
    for _ in range(10):
        model.learn_one({f"s{j}": v for j, v in enumerate(rng.normal(size=30).tolist()) if j not in (0, 7)}, None)
    assert leaning.part_then(st, "s0") > 0.2
    assert leaning.part_then(st, "s7") < 0.05


def test_nothing_flips_about_noise():
    rng, model = np.random.default_rng(5), Classifier()
    for _ in range(700):
        model.learn_one(dict(enumerate(rng.normal(size=MANY).tolist())), bool(rng.random() < 0.5))
        if model.state.clock[constants.ROUND] == 200:
            before = set(model.state.inner.index)
    assert len(before & set(model.state.inner.index)) >= READINGS - 2


def test_a_promise_that_is_not_taken_up_is_withdrawn():
    model = Classifier()
    play(model, events(200, many=READINGS + 20, words=30))
    st = model.state
    loser = seats.inside(st)[0]
    other = next(j for j in seats.candidates(st).tolist() if seats.seat(st, j) is Seat.OUT)
    st.inner.leave(np.array([st.inner.index[st.names[loser]]]))
    st.followed[loser], st.followed[other] = False, True
    model._core.bind()
    assert seats.seat(st, other) is Seat.PROMISED
    assert seats.free(st) == 0
    name = st.names[other]
    play(model, events(100, off=lambda i: [name], many=READINGS + 20, words=30, seed=1))
    assert seat_of(model, name) is not Seat.PROMISED
    assert st.inner.n - 1 == READINGS


def outages(n=270):
    """Sensors that die and come back, all over the place, beside words."""
    rng, many = np.random.default_rng(8), READINGS + 6
    begins, lasts = rng.integers(105, n, many).tolist(), rng.integers(2, 60, many).tolist()

    def off(i):
        return [f"s{j}" for j in range(many) if begins[j] <= i < begins[j] + lasts[j]]

    return list(events(n, off=off, many=many, words=10))


def test_compiled_rounds_give_the_same_numbers(monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    found, seated = [], []
    for pure in ("1", "0"):
        monkeypatch.setenv(PURE, pure)
        model, told = Classifier(), []
        model.widen()
        for x, y in outages():
            told.append(model.predict_proba_one(x).get(True, 0.0))
            model.learn_one(x, y)
        found.append(told)
        seated.append([set(model.state.inner.index), model.events])
    assert seated[0] == seated[1]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-7, atol=1e-9)


def test_whoever_waits_a_saved_model_goes_on_bit_for_bit():
    stream, model, met = outages(), Classifier(), set()
    model.widen()
    for at in range(0, len(stream), 30):
        twin = saving.loads(saving.dumps(model))
        for x, y in stream[at : at + 30]:
            model.learn_one(x, y)
            twin.learn_one(x, y)
            if getattr(model.state, "inner", None):
                met |= {seats.seat(model.state, j) for j in model.state.places().tolist()}
        assert saving.dumps(twin) == saving.dumps(model)
    assert met >= {Seat.OUT, Seat.INSIDE, Seat.GONE, Seat.WAITING}


def commotion(seed, n=400):
    """Sensors, and words, that go off for a while, some or all of them; some blink, some have no label."""
    rng = np.random.default_rng(seed)
    many, words = int(rng.integers(50, 130)), int(rng.choice([0, 12]))
    off, blinks = np.zeros((n, many), bool), rng.random(many) < 0.1
    for _ in range(30):
        a, lasts, share = int(rng.integers(60, n)), int(rng.integers(1, 150)), rng.choice([0.02, 0.3, 1.0])
        off[a : a + lasts, rng.random(many) < share] = True
    for i in range(n):
        away = off[i] | (blinks & (rng.random(many) < 0.3))
        x = {f"s{j}": v for j, v in enumerate(rng.normal(size=many).tolist()) if not away[j]}
        x |= {f"w{j}": 1.0 + rng.random() for j in rng.choice(500, words, replace=False)}
        yield x, bool(x.get("s0", 0.0) ** 2 > 0.5) if rng.random() < 0.9 else None


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("seed", [0, 6, 7, 17])
def test_whatever_comes_and_goes(seed, centred):
    seen = []
    model = Classifier(on_event=seen.append)
    model.widen(centred=centred)
    for x, y in commotion(seed):
        model.learn_one(x, y)
        st, inner = model.state, getattr(model.state, "inner", None)
        if inner is None:
            continue
        assert st.followed.sum() <= READINGS
        assert {st.names[j] for j in seats.inside(st)} == set(inner.index)
        assert set(model.recovery()) <= set(model.features)
        assert {name for name, part in model.features.items() if part == "vanished"} >= {
            name for name in inner.dead if name not in st.index or seats.seat(st, st.index[name]) is Seat.GONE
        }
    told_in_order(seen)
    assert model.regret().within
    assert saving.dumps(saving.loads(saving.dumps(model))) == saving.dumps(model)


def test_a_reading_has_vanished_when_that_is_noticed_inside():
    """Its space may be gone before."""
    model = Classifier()
    play(model, events(200))
    play(model, events(1, off=lambda i: {"s0"}, seed=1))
    st = model.state
    model.state.asleep[st.index["s0"]] = True
    assert seat_of(model, "s0") is Seat.INSIDE
    assert model.features["s0"] == "missing"
    play(model, events(20, off=lambda i: {"s0"}, seed=2))
    assert model.features["s0"] == "vanished"
    assert [e.kind.value for e in model.events if e.feature == "s0"] == ["appeared", "vanished"]
