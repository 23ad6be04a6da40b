"""What a prediction computed serves to learn the same event: not a bit differs from never having predicted."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fesl import OGD, EvolvingLearner
from fesl.projections import Ball, Box, Free
from fesl.rules import ExponentialWeights, FixedShare
from fesl.saving import dumps
from generic import METHODS, TASKS, fingerprint, hidden_stream, learn, three_cycles

OMEGAS = [Free(), Ball(0.8), Box(-0.3, 0.5)]


@pytest.mark.parametrize("omega", OMEGAS, ids=repr)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("rule", [ExponentialWeights(), FixedShare()], ids=repr)
def test_predicting_first_changes_nothing(core, task, omega, rule):
    stream = three_cycles(1, task)
    predicting, silent = (
        EvolvingLearner(TASKS[task], rule=rule, descent=OGD(0.1, omega), clip=2.0, seed=5) for _ in range(2)
    )
    for x, y in stream.events():
        first = predicting.score_one(x)
        np.testing.assert_array_equal(predicting.score_one(x), first)
        np.testing.assert_array_equal(copy.deepcopy(predicting).score_one(x), first)
        predicting.learn_one(x, y)
        silent.learn_one(x, y)
    assert fingerprint(predicting) == fingerprint(silent)


def ways_to_change(x):
    """What a user may do to an event between its prediction and its learning, in place."""
    first, last = next(iter(x)), next(reversed(x))
    return {
        "another value": lambda: x.update({last: x[last] + 1.0}),
        "a bit more": lambda: x.update({first: np.nextafter(x[first], 9.9).item()}),
        "another zero": lambda: x.update({first: -0.0 if x[first] == 0.0 else 0.0}),
        "a whole number": lambda: x.update({first: 3}),
        "nothing observed": lambda: x.update({last: None}),
        "one less": lambda: x.pop(last),
        "another order": lambda: x.update({first: x.pop(first)}),
        "swapped": lambda: x.update({first: x[last], last: x[first]}),
        "there and back": lambda: (x.update({first: 7.0}), x.update({first: x[first]})),
    }


@pytest.mark.parametrize("change", list(ways_to_change({"a": 0.0, "b": 1.0})))
@pytest.mark.parametrize("at", [20, 36, 60])
def test_an_event_that_is_changed_after_its_prediction(core, change, at):
    stream = three_cycles(2, survivors=False)
    predicting, silent = learn(METHODS["fesl_c"](), stream, 0, at), learn(METHODS["fesl_c"](), stream, 0, at)
    x = stream.event(at)
    predicting.predict_proba_one(x)
    ways_to_change(x)[change]()
    predicting.learn_one(x, True)
    silent.learn_one(dict(x), True)
    assert fingerprint(predicting) == fingerprint(silent)
    learn(predicting, stream, at + 1), learn(silent, stream, at + 1)
    assert fingerprint(predicting) == fingerprint(silent)


def test_a_value_that_is_no_plain_number_may_change_by_itself(core):
    class Gauge:
        reads = 1.0

        def __float__(self):
            return self.reads

    stream, gauge = three_cycles(3), Gauge()
    predicting, silent = learn(EvolvingLearner(), stream, 0, 20), learn(EvolvingLearner(), stream, 0, 20)
    x = stream.event(20) | {"s0:0": gauge}
    predicting.predict_one(x)
    gauge.reads = 2.0
    predicting.learn_one(x, True)
    silent.learn_one(stream.event(20) | {"s0:0": 2.0}, True)
    assert fingerprint(predicting) == fingerprint(silent)


def test_labels_of_other_events_come_in_between(core):
    """Predicted now, learned a few events later, some of them after the switch."""
    stream = three_cycles(4, survivors=False)
    events = stream.events()
    predicting, silent = METHODS["fesl_s"](seed=2), METHODS["fesl_s"](seed=2)
    for i, (x, _) in enumerate(events):
        predicting.predict_proba_one(x)
        for model in (predicting, silent):
            if i % 4 == 0:
                model.learn_one(x, None)
            if i >= 3:
                model.learn_one(*events[i - 3])
    assert predicting.cycle == 3
    assert fingerprint(predicting) == fingerprint(silent)


def test_a_prediction_is_not_saved(core):
    stream, model = three_cycles(5), EvolvingLearner()
    for i, (x, y) in enumerate(stream.events()[:60]):
        before = dumps(model)
        model.predict_one(x)
        if i:
            model.predict_one(stream.event(i - 1))
        assert dumps(model) == before
        model.learn_one(x, y)


@settings(max_examples=15)
@given(data=st.data())
def test_whatever_is_asked_in_between(core, data):
    """Predictions of the same, of changed and of bad events, tables and copies, in any order."""
    lives = {"a": [(0, 20)], "b": [(0, 20)], "c": [(12, 60)], "d": [(12, 60)]}
    stream = hidden_stream(data.draw(st.integers(0, 3)), lives, 40)
    predicting, silent = EvolvingLearner(rule=FixedShare()), EvolvingLearner(rule=FixedShare())
    asked = st.sampled_from(["same", "same", "other", "bad", "changed", "table", "late", "copy"])
    for i, (x, y) in enumerate(stream.events()):
        for what in data.draw(st.lists(asked, max_size=3)):
            if what == "same":
                predicting.predict_proba_one(x)
            elif what == "other":
                predicting.predict_one(stream.event(data.draw(st.integers(0, 39))))
            elif what == "bad":
                with pytest.raises(ValueError):
                    predicting.predict_one({**stream.event((i + 1) % 40), "d": "high"})
            elif what == "changed":
                kept = dict(x)
                x.update(stream.event(data.draw(st.integers(0, 39))))
                predicting.predict_one(x)
                x.clear()
                x.update(kept)
            elif what == "table":
                predicting.predict_many(stream.X[:5], features=stream.names)
            elif what == "late":
                for model in (predicting, silent):
                    model.learn_one(stream.event(0), True)
            else:
                predicting = copy.deepcopy(predicting)
        y = data.draw(st.sampled_from([y, y, None]))
        predicting.learn_one(x, y)
        silent.learn_one(dict(x), y)
        assert fingerprint(predicting) == fingerprint(silent)
