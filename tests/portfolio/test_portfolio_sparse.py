"""Sparse events: words, of which what is absent is zero, and readings, of which it is not known."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import accuracy, texts

from fesl import Classifier, Regressor
from fesl.portfolio.wide.state import WideState


def reports(n, zero, d=120, held=20, seed=0):
    """Sensors of which some report at a time; each reads its `zero` more than what counts."""
    rng = np.random.default_rng(seed)
    w, level = rng.normal(size=d), zero * rng.uniform(0.5, 2.0, d)
    for _ in range(n):
        j, z = rng.choice(d, held, replace=False), rng.normal(size=held)
        yield dict(zip(j.tolist(), (level[j] + z).tolist(), strict=True)), bool(w[j] @ z > 0)


@pytest.mark.parametrize("zero", [0.0, -40.0, 1e6])
def test_sensors_that_report_now_and_then_are_learned_wherever_their_zero_is(zero):
    model = Classifier()
    right = accuracy(model, *zip(*reports(1500, zero), strict=True))
    assert isinstance(model.state, WideState)
    assert not model.state.centred
    assert right[1000:].mean() > 0.85
    assert model.regret().within


def measured_and_worded(n, zero, unit=1.0, since=10**9, seed=0):
    """Eight readings in every event, `unit` times as large after some time, and six words of many."""
    rng = np.random.default_rng(seed)
    w, worth, p = rng.normal(size=8), 1.2 * rng.normal(size=300), 1.0 / np.arange(1, 301)
    for t in range(n):
        z, j = rng.normal(size=8), rng.choice(300, 6, replace=False, p=p / p.sum())
        x = {f"s{k}": (zero + v) * (unit if t >= since else 1.0) for k, v in enumerate(z.tolist())}
        yield {**x, **{f"w{k}": 1.0 for k in j.tolist()}}, bool(w @ z + worth[j].sum() > 0)


def test_readings_beside_words_are_learned_wherever_their_zero_is():
    one, other = Classifier(), Classifier()
    plain = accuracy(one, *zip(*measured_and_worded(1500, 0.0), strict=True))
    shifted = accuracy(other, *zip(*measured_and_worded(1500, 50.0), strict=True))
    assert isinstance(other.state, WideState)
    assert not other.state.centred
    assert {other.state.names[j] for j in np.flatnonzero(other.state.steady)} >= {f"s{k}" for k in range(8)}
    assert plain[800:].mean() > 0.8
    assert shifted[800:].mean() == pytest.approx(plain[800:].mean(), abs=0.02)


def test_readings_beside_words_may_change_their_units():
    model = Classifier()
    right = accuracy(model, *zip(*measured_and_worded(2000, 50.0, unit=1e-3, since=1000), strict=True))
    assert right[1300:].mean() > right[500:1000].mean() - 0.05


@pytest.mark.parametrize("value", [lambda rng: 1.0, lambda rng: 1.0 + (rng.random() < 0.1)])
def test_a_flag_that_is_nearly_always_there_says_so_by_its_absence(value):
    rng, model, right = np.random.default_rng(6), Classifier(), []
    for t in range(1200):
        y = bool(rng.random() < 0.92)
        x = {f"w{k}": 1.0 for k in rng.choice(300, 8, replace=False).tolist()}
        if y:
            x["flag"] = value(rng)
        if t >= 600 and not y:
            right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    assert isinstance(model.state, WideState)
    assert len(right) > 30
    assert np.mean(right) > 0.9


def test_what_comes_late_and_stays_is_a_reading_too():
    docs, _ = texts(600)
    coin = (np.random.default_rng(5).random(600) < 0.5).tolist()
    late = [{"late": 20.0 + (2 * y - 1) + np.sin(i)} if i >= 200 else {} for i, y in enumerate(coin)]
    model = Classifier()
    right = accuracy(model, [{**x, **more} for x, more in zip(docs, late, strict=True)], coin)
    assert model.state.steady[model.state.index["late"]]
    assert right[450:].mean() > 0.85


def test_numbers_of_sensors_that_report_now_and_then():
    rng = np.random.default_rng(3)
    w, model, errors, size = rng.normal(size=120), Regressor(), [], []
    for t in range(1500):
        j, z = rng.choice(120, 20, replace=False), rng.normal(size=20)
        x, y = dict(zip(j.tolist(), (300.0 + z).tolist(), strict=True)), float(w[j] @ z)
        if t >= 1000:
            errors.append(model.predict_one(x) - y)
            size.append(y)
        model.learn_one(x, y)
    assert isinstance(model.state, WideState)
    assert np.std(errors) < 0.4 * np.std(size)


@pytest.mark.parametrize("bent", [False, True])
def test_many_sensors_with_tails_are_followed_on_lines_and_on_what_levels_off(bent):
    rng = np.random.default_rng(4)
    X = rng.standard_t(3, size=(2500, 410))
    y = (np.tanh(X) if bent else X) @ rng.normal(size=410) / np.sqrt(410)
    found = Regressor().run(20.0 + X, y)
    assert np.std((found.predictions - y)[1500:]) < (0.65 if bent else 0.4) * np.std(y)


def test_short_documents_are_no_end_of_a_language():
    docs, topics = texts(300)
    rng, model = np.random.default_rng(1), Classifier()
    for i in range(300):
        short = i > 100 and rng.random() < 0.3
        model.learn_one(dict(list(docs[i].items())[: 3 if short else None]), topics[i])
    assert not [e for e in model.events if e.kind.value == "vanished"]
    assert set(model.features.values()) == {"live", "missing"}


def test_a_language_is_gone_though_others_were_heard_in_between():
    docs, topics = texts(500)
    model = Classifier()
    for i in range(500):
        other = i >= 460 or (i > 100 and i % 50 < 3)  # three in a row, now and then, each time another one
        tongue = min(i // 50, 9) if other else 0
        model.learn_one({f"{tongue} {word}": v for word, v in docs[i].items()}, topics[i])
    gone = {e.time for e in model.events if e.kind.value == "vanished"}
    assert gone
    assert min(gone) > 460
