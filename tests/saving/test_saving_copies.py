"""Saved and loaded at any point, a model goes on bit for bit as if it had never stopped."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from portfolio_streams import PATTERNS, make
from saving_models import (
    EVOLVING,
    default_stream,
    evolving,
    evolving_stream,
    gallery,
    go_on,
    knows,
    sparse_overlap,
    train,
    wide_stream,
)

from fesl import Classifier, EvolvingLearner, Regressor
from fesl.descent import OGD
from fesl.losses import Softmax, Squared
from fesl.projections import Ball
from fesl.saving import dumps, loads
from generic import TASKS


def assert_saved(model, rest):
    """The twin knows the same, saves the same, and goes on the same."""
    data = dumps(model)
    twin = loads(data)
    assert type(twin) is type(model)
    assert dumps(twin) == data
    assert knows(twin) == knows(model)
    assert go_on(twin, rest) == go_on(model, rest)
    assert knows(twin) == knows(model)
    assert dumps(twin) == dumps(model)


@pytest.mark.parametrize("kind", EVOLVING)
@settings(max_examples=6)
@given(cut=st.integers(33, 41) | st.integers(72, 81) | st.integers(0, 130), task=st.sampled_from(sorted(TASKS)))
def test_an_evolving_learner(core, kind, task, cut):
    events = evolving_stream(task)
    assert_saved(train(evolving(kind, task), events[:cut]), events[cut : cut + 15])


@pytest.mark.parametrize("kind", EVOLVING)
def test_an_evolving_learner_at_every_turn(kind):
    events = evolving_stream("regression")
    for cut in (0, 1, 34, 40, 41, 75, 80, 118):
        assert_saved(train(evolving(kind, "regression"), events[:cut]), events[cut:])


def test_a_learner_with_wide_and_sparse_overlap_rows(core):
    assert_saved(*sparse_overlap())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_default_learner(pattern, task):
    events = default_stream(pattern, task, rows=180, width=6)
    for cut in (0, 1, 61, 91, 130):
        assert_saved(train(make(task), events[:cut]), events[cut : cut + 40])


@pytest.mark.parametrize("task", ["multiclass", "two targets"])
@pytest.mark.parametrize("pattern", ["back", "survivors"])
def test_the_default_learner_in_pure_python(pattern, task, monkeypatch):
    monkeypatch.setenv("FESL_PURE", "1")
    events = default_stream(pattern, task, rows=120, width=6)
    assert_saved(train(make(task), events[:65]), events[65:85])


@pytest.mark.parametrize("task", TASKS)
def test_a_wide_learner(task):
    events = wide_stream(task)
    for cut in (3, 20, 62):
        assert_saved(train(make(task), events[:cut]), events[cut : cut + 20])


def test_a_wide_learner_of_many_sensors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 500))
    events = [(dict(enumerate(row)), bool(row[0] > 0)) for row in X.tolist()]
    model = train(Classifier(), events[:20])
    assert model.state.centred
    assert_saved(model, events[20:])


def test_a_wide_learner_that_has_let_features_go(monkeypatch):
    monkeypatch.setattr("fesl.portfolio.wide.state.BUDGET", 100)
    events = wide_stream("binary")
    model = train(Classifier(), events[:50])
    assert model.state.free
    assert_saved(model, events[50:])


def unruly(seed, rows=60):
    """Features that come, go, blink, freeze and jump by orders of magnitude; labels missing, rare, late."""
    rng = np.random.default_rng(seed)
    alive, scale = set(range(int(rng.integers(1, 5)))), 10.0 ** rng.integers(-60, 60, 40)
    scale[rng.random(40) < 0.7] = 1.0
    for i in range(rows):
        if rng.random() < 0.15:
            alive ^= set(rng.integers(0, 40, rng.integers(1, 6)).tolist())
        x = {j: float(rng.normal() * scale[j]) for j in alive if rng.random() < 0.9}
        x |= {j: 1.0 for j in alive if j % 7 == 0}
        if rng.random() < 0.05:
            x = dict.fromkeys(range(3), 0.0)
        y = None if rng.random() < 0.1 else int(rng.integers(0, 2 + i // 25))
        yield x, y


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), cut=st.integers(1, 59))
def test_streams_that_keep_no_rule(seed, cut):
    events = list(unruly(seed))
    for make_it, form in (
        (Classifier, lambda y: y),
        (Regressor, lambda y: None if y is None else 1e50 * y),
        (lambda: EvolvingLearner(Softmax()), lambda y: y),
        (lambda: EvolvingLearner(Squared(), descent=OGD(1e-3, Ball(5.0))), lambda y: y if y is None else [y, -1.0]),
    ):
        pairs = [(x, form(y)) for x, y in events]
        assert_saved(train(make_it(), pairs[:cut]), pairs[cut : cut + 10])


def test_between_a_prediction_and_its_label(core):
    """What a core keeps from predicting for learning is no part of the model."""
    for pattern, task in (("blink", "binary"), ("switch", "regression")):
        events = default_stream(pattern, task, rows=60)
        model = train(make(task), events[:40])
        model.predict_one(events[40][0])
        assert_saved(model, events[40:])
    events = evolving_stream("binary")
    model = train(EvolvingLearner(), events[:40])
    asked = model.score_one(events[40][0])
    twin = loads(dumps(model))
    assert twin.cycle == 0
    np.testing.assert_array_equal(twin.score_one(events[40][0]), asked)


def test_unlabelled_events_and_classes_that_come_late():
    events = default_stream("switch", "multiclass", rows=120, width=6)
    model = Classifier()
    for i, (x, y) in enumerate(events[:70]):
        model.learn_one(x, y if i % 3 else None)
    assert_saved(model, [(x, f"late {i % 2}" if i % 2 else y) for i, (x, y) in enumerate(events[70:])])


@pytest.mark.parametrize(("first", "second"), [("1", "0"), ("0", "1")])
def test_a_file_of_one_core_loads_in_the_other(first, second, monkeypatch):
    """The file does not say which core wrote it."""
    for name, make_it in (("evolving", lambda: evolving("three", "multiclass")), ("default", Classifier)):
        events = (
            evolving_stream("multiclass") if name == "evolving" else default_stream("back", "multiclass", rows=120)
        )
        monkeypatch.setenv("FESL_PURE", first)
        data = dumps(train(make_it(), events[:76]))
        monkeypatch.setenv("FESL_PURE", second)
        moved = loads(data)
        assert moved.compiled == (second == "0") or not moved.compiled
        there = go_on(moved, events[76:100])
        monkeypatch.setenv("FESL_PURE", first)
        here = go_on(loads(data), events[76:100])
        for a, b in zip(here, there, strict=True):
            if isinstance(a, dict):
                assert list(a) == list(b)
                a, b = list(a.values()), list(b.values())
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_the_same_model_gives_the_same_bytes():
    """Made twice, copied or pickled: the file does not depend on how it came about."""
    for (name, a, _), (_, b, _) in zip(gallery(), gallery(), strict=True):
        data = dumps(a)
        assert dumps(b) == data, name
        assert dumps(copy.deepcopy(a)) == data, name
        assert dumps(pickle.loads(pickle.dumps(a))) == data, name


@pytest.mark.parametrize("way", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copy", "pickle"])
def test_copies_and_pickles_of_every_kind(way):
    for name, model, rest in gallery():
        twin = way(model)
        before = knows(model)
        assert knows(twin) == before, name
        told = go_on(twin, rest)
        assert knows(model) == before, name
        assert told == go_on(model, rest), name


def test_a_loaded_model_shares_nothing_with_its_file():
    data = dumps(Regressor().learn_one({"a": 1.0}, 2.0))
    a, b = loads(data), loads(data)
    a.learn_one({"a": 5.0, "b": 1.0}, 9.0)
    assert dumps(b) == data
