"""The benchmark of wrapped models, on streams small enough to look at."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("river")
pytest.importorskip("sklearn")

from benchmarks.patterns import Cell

from benchmarks import wrapped

NAN = np.nan


class Echo:
    """Says what it learned last; True before that."""

    last = True

    def predict_one(self, x):
        assert all(v == v for v in x.values())
        return self.last

    def learn_one(self, x, y):
        self.last = y


def test_rows_after_a_switch_count():
    X = np.ones((500, 2))
    near = wrapped.counted(Cell(X, np.zeros(500, int), 2, switches=(100, 250)))
    assert np.flatnonzero(near).tolist() == [*range(100, 450)]


def test_where_nothing_goes_rows_after_an_arrival_count():
    X = np.ones((500, 3))
    X[:260, 1], X[:30, 2] = NAN, NAN
    near = wrapped.counted(Cell(X, np.zeros(500, int), 2))
    assert np.flatnonzero(near).tolist() == [*range(30, 230), *range(260, 460)]


def test_an_event_is_predicted_before_it_is_learned_and_two_classes_are_booleans():
    X = np.array([[1.0, NAN], [NAN, 2.0], [1.0, 1.0], [0.0, 0.0]])
    found = wrapped.right(Echo(), Cell(X, np.array([1, 1, 0, 0]), 2))
    assert found.tolist() == [True, True, False, True]


def test_a_play_tells_of_the_plain_and_of_the_wrapped_model():
    found = wrapped.play(wrapped.Play("wine", "paper", "Scaler | LogisticRegression", 1, 178))
    assert found["wrapped"] > found["plain"] > 0.6
    assert (found["set"], found["pattern"]) == ("wine", "paper")


def test_gains_are_counted_by_pattern_and_model():
    rows = [
        {"set": name, "pattern": "paper", "model": "ARF", "plain": a, "wrapped": b}
        for name, a, b in (("s", 0.5, 0.7), ("t", 0.5, 0.5), ("u", 0.5, 0.4), ("v", 0.5, 0.6))
    ]
    (gain,) = wrapped.gains(rows).values()
    assert (gain.plain, gain.wrapped, gain.above, gain.equal, gain.below) == (0.5, pytest.approx(0.55), 2, 1, 1)
    assert gain.worst == pytest.approx(-0.1)
