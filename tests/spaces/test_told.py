"""Spaces told by name or by round."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import EvolvingLearner
from fesl.errors import ConfigError
from fesl.spaces import Declared, Periods

by_first = Declared(lambda name: None if name[0] == "*" else name[0])


def feed(model, *events):
    for i, names in enumerate(events):
        model.learn_one(dict.fromkeys(names.split(), 1.0 + i), i % 2 == 0)
    return model


def test_a_label_is_looked_up_in_a_mapping_or_computed():
    told = Declared({"x": 1, "y": 2})
    assert (told.label("x"), told.label("z")) == (1, None)
    assert (by_first.label("en:bank"), by_first.label("*bias")) == ("e", None)


def test_words_come_and_go_without_a_switch():
    model = feed(EvolvingLearner(spaces=by_first), "a1 a2", "a3", "a1 a4", "a9")
    assert model.cycle == 0
    assert set(model.features.values()) == {"current"}


def test_the_switch_comes_with_the_first_event_of_the_new_space_alone():
    model = feed(EvolvingLearner(spaces=by_first), "a1 a2", "a1", "a2 b1", "a1 b2")
    assert {n: p for n, p in model.features.items() if n[0] == "b"} == {"b1": "newcomer", "b2": "newcomer"}
    feed(model, "b1 b3")
    assert model.cycle == 1
    assert {p for n, p in model.features.items() if n[0] == "a"} == {"vanished"}
    assert {p for n, p in model.features.items() if n[0] == "b"} == {"current"}


def test_what_belongs_to_every_space_survives():
    model = feed(EvolvingLearner(spaces=by_first), "*bias a1", "*bias a1 b1", "*bias b1")
    assert model.features == {"*bias": "survivor", "a1": "vanished", "b1": "current"}


def test_an_old_document_after_the_switch_came_late():
    model = feed(EvolvingLearner(spaces=by_first), "a1 a2", "a1 b1", "a2 b2", "b1 b2")
    assert model.cycle == 1
    for _ in range(50):
        feed(model, "a1 a2")
    assert model.features == {"a1": "vanished", "a2": "vanished", "b1": "current", "b2": "current"}


@pytest.mark.parametrize("overlaps", [[(5, 5)], [(5, 3)], [(0, 4), (3, 6)], [(-2, 3)], [(4, 6), (1, 2)]])
def test_periods_must_follow_one_another(overlaps):
    with pytest.raises(ConfigError, match="increase"):
        Periods(overlaps)


def test_periods_say_when_a_space_begins_and_ends():
    rng = np.random.default_rng(0)
    model = EvolvingLearner(spaces=Periods([(5, 8), (12, 14)]))
    phases = []
    for i in range(18):
        names = "a a2" if i < 5 else "a b" if i < 8 else "b b2" if i < 12 else "b c" if i < 14 else "c"
        model.learn_one({n: rng.normal() for n in names.split()}, bool(i % 2))
        phases.append(model.cycle)
    assert phases == [0] * 8 + [1] * 6 + [2] * 4
    assert model.features == {"c": "current", "b": "vanished", "b2": "vanished"}


def test_outside_the_overlaps_new_names_simply_join():
    model = EvolvingLearner(spaces=Periods([(5, 8)]))
    feed(model, "a", "a b", "c")
    assert model.features == dict.fromkeys("abc", "current")


def test_what_is_still_there_at_the_end_of_an_overlap_survives():
    model = EvolvingLearner(spaces=Periods([(2, 4)]))
    feed(model, "a b", "a b", "a b c", "a b c", "b c")
    assert model.features == {"a": "vanished", "b": "survivor", "c": "current"}


def test_an_overlap_in_which_nothing_vanished_ends_in_one_space():
    model = EvolvingLearner(spaces=Periods([(2, 4)]))
    feed(model, "a", "a", "a b", "a b", "a b")
    assert model.features == {"a": "current", "b": "current"}
    assert model.cycle == 0


def test_steady_says_how_long_an_answer_holds():
    told = Periods([(5, 8)])
    assert [told.steady(r) for r in (0, 4, 5, 8, 9)] == [5, 1, 3, None, None]
    assert by_first.steady(3) is None
