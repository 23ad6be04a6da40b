"""The mixtures of the wrapper: their bound holds whoever chooses the labels."""

from __future__ import annotations

from math import isfinite, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("river")

from fesl.river.mixtures import ClassMixture, NumberMixture


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_bound_holds_for_classes_whoever_chooses_them(data):
    """The adversary sees what the mixture says, and picks the label it likes least; models switch at will."""
    mix = ClassMixture(("one", "two", "three"))
    chance = st.floats(0.0, 1.0)
    for t in range(data.draw(st.integers(1, 60))):
        said = [{"a": p, "b": 1 - p} for p in data.draw(st.lists(chance, min_size=3, max_size=3))]
        alone = data.draw(st.booleans())
        q = mix.predict(said)
        assert sum(q.values()) == pytest.approx(1.0)
        mix.learn(said, min(q, key=q.get) if t % 3 else data.draw(st.sampled_from("abc")), alone=alone)
        if t % 11 == 10:
            mix.weights.share()
        assert mix.weights.bits().within


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=1, max_size=60),
    st.integers(0, 60),
)
def test_the_bound_holds_for_numbers(rows, alone):
    mix = NumberMixture(("one", "two", "three"))
    for t, (y, one, two) in enumerate(rows):
        assert isfinite(mix.predict([one, two, float("nan")]))
        mix.learn([one, two, float("inf")], y, alone=t < alone)
        assert mix.weights.bits().within
        assert not isnan(mix.weights.a.sum())


def test_a_model_that_ran_away_does_not_matter_for_being_so_far_off():
    mix = NumberMixture(("one", "two"))
    for t in range(100):
        mix.learn([float(t % 5), float(t % 5)], float(t % 5))
    assert abs(mix.predict([2.0, 1e12]) - 2.0) < 4.0
    assert abs(mix.predict([2.0, -1e200]) - 2.0) < 4.0


def test_the_stacker_of_numbers_survives_a_first_jump():
    """Two labels that are nearly alike, then one of another order: in their deviations it is 1e12 away."""
    mix = NumberMixture(("one", "two"))
    for t in range(200):
        y = 5.0 + 1e-9 * t if t < 3 else 1e3 * (t % 7)
        mix.learn([y + 1.0, 0.0], y)
    assert np.abs(mix.b).max() < 10.0
    assert mix.predict([3001.0, 0.0]) == pytest.approx(3000.0, rel=0.05)
