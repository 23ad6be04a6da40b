"""Values and names that run code of their own while they are read, and events read by several threads at once."""

from __future__ import annotations

import threading
from fractions import Fraction

import numpy as np
import pytest

from fesl import EvolvingLearner

NAMES = [f"f{i}" for i in range(64)]


def learned():
    model = EvolvingLearner()
    for i in range(4):
        model.learn_one(dict.fromkeys(NAMES, float(i + 1)), i % 2 == 0)
    return model


class Named:
    """A name that asks the learner something whenever it is looked up."""

    model = None

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        type(self).model.predict_one(dict.fromkeys(reversed(NAMES), 2.0))
        return hash(self.name)

    def __eq__(self, other):
        return other == self.name


def test_a_value_may_use_the_learner_while_it_is_read():
    model = learned()
    plain = dict.fromkeys(NAMES, 1.0)

    class Number:
        def __float__(self):
            model.predict_one(dict.fromkeys(reversed(NAMES), 2.0))
            return 1.0

    for _ in range(20):
        np.testing.assert_array_equal(model.score_one({**plain, NAMES[0]: Number()}), model.score_one(plain))


def test_a_name_may_use_the_learner_while_it_is_read():
    model = learned()
    Named.model = model
    plain = dict.fromkeys(NAMES, 1.0)
    odd = {Named(NAMES[0]): 1.0, **dict.fromkeys(NAMES[1:], 1.0)}
    for _ in range(20):
        np.testing.assert_array_equal(model.score_one(odd), model.score_one(plain))


def test_threads_may_predict_at_once():
    model = learned()
    x = dict.fromkeys(NAMES, Fraction(1, 3))
    want = model.score_one(x).tolist()
    found = []

    def ask():
        found.extend(model.score_one(x).tolist() for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [want] * 150


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.5), np.int64(2), True, 3, Fraction(1, 2)])
def test_any_kind_of_number_counts(value):
    model = learned()
    plain = dict.fromkeys(NAMES, float(value))
    np.testing.assert_array_equal(model.score_one(dict.fromkeys(NAMES, value)), model.score_one(plain))
