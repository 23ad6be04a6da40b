"""Reading the coming and going of features off the samples themselves."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import EvolvingLearner
from fesl.spaces import Auto


def feed(model, *spells):
    """Spells of (number of events, names); values are random."""
    rng = np.random.default_rng(0)
    for n, names in spells:
        for _ in range(n):
            model.learn_one({name: rng.normal() for name in names}, bool(rng.integers(2)))
    return model


def test_before_anything_is_known_all_features_belong_to_the_first_space():
    assert feed(EvolvingLearner(), (1, "abc")).features == dict.fromkeys("abc", "current")


def test_strangers_beside_known_features_are_newcomers():
    assert feed(EvolvingLearner(), (5, "ab"), (1, "abc")).features["c"] == "newcomer"
    assert feed(EvolvingLearner(), (5, "ab"), (1, "ac")).features["c"] == "newcomer"


def test_all_gone_at_once_is_believed_at_once():
    model = feed(EvolvingLearner(), (5, "ab"), (3, "abcd"), (1, "cd"))
    assert model.features == {"a": "vanished", "b": "vanished", "c": "current", "d": "current"}
    assert model.cycle == 1


def test_one_of_several_is_believed_after_two_rounds_or_at_once_when_it_never_missed_many():
    model = feed(EvolvingLearner(), (20, "ab"), (3, "abc"), (1, "bc"))
    assert model.cycle == 0
    feed(model, (1, "bc"))
    assert (model.cycle, model.features["a"], model.features["b"]) == (1, "vanished", "survivor")
    assert feed(EvolvingLearner(), (600, "ab"), (3, "abc"), (1, "bc")).cycle == 1


def test_a_feature_that_often_blinks_is_believed_gone_later():
    blinking = feed(EvolvingLearner(), *[(1, "ab"), (1, "b")] * 20, (6, "abc"), (4, "bc"))
    assert blinking.cycle == 0
    feed(blinking, (20, "bc"))
    assert (blinking.cycle, blinking.features["a"]) == (1, "vanished")


@pytest.mark.parametrize(("doubt", "rounds"), [(0.5, 1), (1e-3, 2), (1e-9, 6)])
def test_doubt_says_how_long_it_takes(doubt, rounds):
    model = feed(EvolvingLearner(spaces=Auto(doubt=doubt)), (20, "ab"), (3, "abc"))
    waited = 0
    while model.cycle == 0:
        feed(model, (1, "bc"))
        waited += 1
    assert waited == rounds


def test_without_newcomers_nothing_vanishes():
    """There is nothing to recover from: an absent feature just does not count in the score."""
    model = feed(EvolvingLearner(), (30, "ab"), (30, "b"))
    assert model.features == {"a": "current", "b": "current"}


@pytest.mark.parametrize("n", [1, 10])
def test_adoption_takes_so_many_events(n):
    model = feed(EvolvingLearner(spaces=Auto(adopt_after=n)), (5, "a"), (n - 1, "ab"))
    assert model.features.get("b", "newcomer") == "newcomer"
    assert feed(model, (1, "ab")).features["b"] == "current"
    assert (
        "newcomer" in feed(EvolvingLearner(spaces=Auto(adopt_after=None)), (5, "a"), (500, "ab")).features.values()
    )


def test_unlabelled_events_count_for_the_spaces():
    labelled = feed(EvolvingLearner(), (5, "ab"), (3, "abcd"), (2, "cd"))
    silent = EvolvingLearner()
    for n, names in (5, "ab"), (3, "abcd"), (2, "cd"):
        for _ in range(n):
            silent.learn_one(dict.fromkeys(names, 1.0))
    assert silent.features == labelled.features
    assert silent.cycle == 1
