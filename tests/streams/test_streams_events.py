"""Streams as events: dicts of what is observed, labels, and values that cannot change."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fesl import streams
from fesl.spaces import Declared, Periods

CELLS = st.floats(-9, 9) | st.just(float("nan"))


@settings(deadline=None)
@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=CELLS))
def test_events_hold_exactly_what_is_observed(X: np.ndarray) -> None:
    stream = streams.recorded(X, np.arange(len(X)))
    again = np.full(X.shape, np.nan)
    for t, (event, label) in enumerate(stream):
        assert label == t
        assert type(label) is int
        for name, value in event.items():
            assert type(value) is float
            again[t, stream.features.index(name)] = value
    np.testing.assert_array_equal(again, X)


def test_labels_of_every_kind() -> None:
    X = np.ones((2, 1))
    assert [label for _, label in streams.recorded(X, [1, -1])] == [1, -1]
    assert [label for _, label in streams.recorded(X, [0.5, np.nan])] == [0.5, None]
    assert [label for _, label in streams.recorded(X, ["a", "b"])] == ["a", "b"]
    first, second = (label for _, label in streams.recorded(X, [[1.0, 2.0], [3.0, np.nan]]))
    assert first.tolist() == [1.0, 2.0]
    assert second is None


def test_a_stream_can_be_gone_through_twice() -> None:
    stream = streams.capricious(np.ones((5, 3)), np.ones(5))
    assert list(stream) == list(stream)
    assert len(stream) == len(list(stream)) == 5


def test_streams_are_values() -> None:
    X = np.ones((6, 2))
    stream = streams.evolve(X, np.ones(6), overlap=1)
    X[:] = 0
    assert np.nansum(stream.X) == 7
    with pytest.raises(ValueError, match="read-only"):
        stream.X[0, 0] = 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        stream.name = "other"  # type: ignore[misc]
    assert dataclasses.replace(stream, name="other").name == "other"


def test_the_learners_notions_of_spaces_fit() -> None:
    stream = streams.views([np.ones((30, 2))] * 3, np.ones(30), overlap=4)
    told = Periods(stream.overlaps)
    assert [t for t in range(30) if told.inside(t)] == [6, 7, 8, 9, 16, 17, 18, 19]
    named = Declared(stream.space_of())
    assert [named.label(name) for name in stream.features] == [0, 0, 1, 1, 2, 2]


def test_no_overlap_is_no_overlap() -> None:
    assert streams.evolve(np.ones((8, 4)), np.ones(8), overlap=0).overlaps == ()


@pytest.mark.parametrize("name", ["evolve", "trapezoidal", "capricious"])
def test_seeds_repeat(name: str) -> None:
    make = getattr(streams, name)
    X = np.random.default_rng(0).random((50, 9))
    one, same, other = (make(X, np.ones(50), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.X, same.X)
    assert not np.array_equal(one.X, other.X, equal_nan=True)


def test_events_hold_what_is_there() -> None:
    stream = streams.evolve(np.ones((5000, 30)), np.ones(5000, int), groups=3)
    assert sum(len(event) for event, _ in stream) == 5000 * 10 + 2 * 10 * 10


def test_all_is_what_is_documented() -> None:
    assert sorted(streams.__all__, key=str) == sorted(set(streams.__all__))
    for name in streams.__all__:
        assert ">>>" in (getattr(streams, name).__doc__ or ""), name
