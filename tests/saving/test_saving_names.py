"""What can be saved, what cannot, and what the error says."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from saving_models import evolving_stream, go_on, train, wide_stream

import fesl
from fesl import Classifier, EvolvingLearner, Regressor, paper
from fesl.descent import OGD
from fesl.errors import ConfigError, SavedModelError
from fesl.losses import Logistic, Softmax, Squared
from fesl.portfolio.state import State
from fesl.projections import Ball, Box
from fesl.recovery import LeastSquares
from fesl.rules import ExponentialWeights
from fesl.saving import dumps, loads, narrow, parts, values, wide
from fesl.saving.fields import Array, names_of
from fesl.spaces import Auto, Declared, Periods
from fesl.steps import Constant

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("aé\ud800\0🙂", max_size=4)
NAMES = st.recursive(PLAIN, lambda inner: st.tuples(inner) | st.tuples(inner, inner), max_leaves=5)


def typed(name):
    """A name with its type, all the way down."""
    return tuple(map(typed, name)) if type(name) is tuple else (type(name), repr(name))


@given(NAMES)
def test_names_come_back_with_their_types(name):
    encoded = json.loads(json.dumps(values.encode(name)))
    assert typed(values.decode(encoded, "a name")) == typed(name)


@settings(max_examples=15)
@given(st.lists(NAMES, min_size=3, max_size=5, unique=True))
def test_models_with_any_names_and_labels(names):
    for model in (Classifier(), EvolvingLearner(Softmax())):
        for i in range(6):
            model.learn_one({name: float(i + j) for j, name in enumerate(names)}, names[1 + i % 2])
        twin = loads(dumps(model))
        assert list(map(typed, twin.features)) == list(map(typed, model.features))
        assert list(map(typed, twin.classes)) == list(map(typed, model.classes))


def test_numpy_scalars_are_saved_as_what_they_stand_for():
    names = [np.str_("a"), np.int32(3), np.float32(0.1), np.bool_(True), (np.int64(1), "b")]
    model = Classifier().learn_one(dict.fromkeys(names, 1.0), np.str_("yes"))
    twin = loads(dumps(model))
    assert list(twin.features) == list(model.features)
    assert {type(name) for name in twin.features} == {str, int, float, bool, tuple}
    assert twin.features == model.features
    twin.learn_one(dict.fromkeys(names, 2.0), "no")
    assert len(twin.features) == len(names)


class Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    "name",
    [frozenset("a"), Fraction(1, 2), datetime.time(1), Level.LOW, ("a", Fraction(1, 2)), 10**5000],
    ids=lambda name: type(name).__name__,
)
def test_any_other_name_is_refused_by_name(name):
    for model in (
        Classifier().learn_one({name: 1.0}, 1),
        Classifier().learn_one({"a": 1.0}, name),
        Classifier(aliases={"a": name}),
        paper.fesl_c().learn_one({name: 1.0}, True),
    ):
        with pytest.raises(SavedModelError) as caught:
            dumps(model)
        assert "a string, a number" in str(caught.value)
        assert type(name).__name__ in str(caught.value) or isinstance(name, tuple | int)


@pytest.mark.parametrize("y", [{"up": 1.0, ("a", 2): 2.0}, [1.0, 2.0], 3.0, (4.0,)])
def test_targets_keep_their_form(y):
    for model in (Regressor(), EvolvingLearner(Squared())):
        model.learn_one({"a": 1.0}, y)
        twin = loads(dumps(model))
        assert twin.predict_one({"a": 2.0}) == model.predict_one({"a": 2.0})
        assert type(twin.predict_one({"a": 2.0})) is type(model.predict_one({"a": 2.0}))


@pytest.mark.parametrize(
    "model",
    [
        EvolvingLearner(descent=OGD(Constant(np.float32(0.5)), Ball(np.inf)), clip=np.float64(2.0), seed=3),
        EvolvingLearner(descent=OGD(projection=Box(-np.inf, 1)), rule=ExponentialWeights(7), classes=[2, "two"]),
        EvolvingLearner(recovery=LeastSquares(np.float64(0.5), 9), spaces=Auto(adopt_after=None)),
        EvolvingLearner(spaces=Periods(((1, 2), (np.int64(5), 9)))),
        EvolvingLearner(spaces=Declared({("a", 1): "x", "b": None})),
    ],
    ids=range(5),
)
def test_settings_come_back(model):
    twin = loads(dumps(model))
    assert twin.parts.clip == model.parts.clip
    assert twin.parts.seed == model.parts.seed
    assert twin.parts.experts == model.parts.experts
    for place in ("loss", "step", "omega", "recovery", "rule"):
        assert getattr(twin.parts, place) == getattr(model.parts, place)
    if not isinstance(model.parts.spaces, Periods):
        assert twin.parts.spaces == model.parts.spaces
    assert twin.classes == model.classes


# Functions


def test_a_function_that_tells_the_spaces_is_given_again():
    spaces = Declared(lambda name: name[:2])
    events = evolving_stream("binary")
    model = train(paper.fesl_c(spaces=spaces), events[:36])
    data = dumps(model)
    with pytest.raises(SavedModelError, match=r"Declared\(.*give it again, load\(\.\.\., spaces=\.\.\.\)"):
        loads(data)
    assert b" at 0x" not in data  # addresses differ from run to run
    twin = loads(data, spaces=spaces)
    assert dumps(twin) == data
    assert go_on(twin, events[36:]) == go_on(model, events[36:])


def test_a_step_size_that_is_a_function_is_given_again():
    def schedule(t):
        return 0.1 / t

    events = evolving_stream("binary")
    model = train(EvolvingLearner(descent=OGD(schedule)), events[:36])
    data = dumps(model)
    with pytest.raises(SavedModelError, match=r"schedule.*step="):
        loads(data)
    assert go_on(loads(data, step=schedule), events[36:60]) == go_on(model, events[36:60])


def test_what_the_file_holds_is_not_replaced():
    with pytest.raises(SavedModelError, match="holds its own spaces"):
        loads(dumps(paper.fesl_c()), spaces=Auto())
    with pytest.raises(ConfigError, match="on_event"):
        loads(dumps(paper.fesl_c()), on_event=print)
    with pytest.raises(ConfigError, match="step"):
        loads(dumps(Classifier()), step=Constant(0.1))


def test_a_callback_is_given_again():
    heard = []
    model = Classifier(on_event=heard.append).learn_one({"a": 1.0}, 0)
    twin = loads(dumps(model), on_event=heard.append)
    twin.learn_one({"a": 1.0, "b": 2.0}, 1)
    assert [event.feature for event in heard] == ["a", "b"]
    assert twin.events == heard
    loads(dumps(model)).learn_one({"c": 1.0}, 1)
    assert len(heard) == 2


def test_aliases_are_saved():
    model = Classifier(aliases={"temp2": "temp"}).learn_one({"temp2": 1.0}, 0)
    assert list(loads(dumps(model)).learn_one({"temp": 2.0}, 1).features) == ["temp"]


# Nothing is lost in silence


class OwnLoss(Logistic):
    pass


class OwnLearner(EvolvingLearner):
    pass


@pytest.mark.parametrize(
    "thing", [OwnLearner(), "a model", None, fesl.losses.Softmax()], ids=lambda thing: type(thing).__name__
)
def test_other_things_are_refused(thing):
    with pytest.raises(SavedModelError, match=type(thing).__name__):
        dumps(thing)


def test_a_part_of_ones_own_is_refused():
    with pytest.raises(SavedModelError, match=r"loss=OwnLoss\(\) cannot be saved"):
        dumps(EvolvingLearner(OwnLoss()))


def test_an_attribute_that_the_format_does_not_know_is_an_error():
    for model in (Classifier(), train(Classifier(), wide_stream("binary")[:30])):
        model.state.novelty = np.zeros(3)
        with pytest.raises(SavedModelError, match="novelty"):
            dumps(model)
    model = Classifier()
    model.note = "mine"
    with pytest.raises(SavedModelError, match="note"):
        dumps(model)
    learner = paper.fesl_c()
    learner.state.novelty = 1
    with pytest.raises(SavedModelError, match="novelty"):
        dumps(learner)


def test_every_attribute_of_the_states_is_in_the_tables():
    """Where this fails: enter the new attribute into the table, with its type and shape."""
    state = State(regression=False)
    assert set(vars(state)) == names_of(narrow.STATE) | narrow.OTHERS
    broad = train(Classifier(), wide_stream("binary")[:30]).state
    assert set(vars(broad)) == names_of(wide.STATE) | wide.OTHERS
    arrays = {name for name, value in vars(state).items() if isinstance(value, np.ndarray)}
    assert arrays == {field.name for field in narrow.STATE if isinstance(field, Array)}


def test_every_part_of_the_library_can_be_saved():
    for place, module in (
        ("loss", fesl.losses),
        ("omega", fesl.projections),
        ("rule", fesl.rules),
        ("step", fesl.steps),
        ("spaces", fesl.spaces),
    ):
        protocols = {"Loss", "Projection", "Rule", "Step", "Spaces", "Sighting", "Registry", "Quiet"}
        kinds = {name for name in module.__all__ if isinstance(getattr(module, name), type)} - protocols
        assert kinds == {kind.__name__ for kind in parts.PARTS[place]}


def test_a_state_that_is_not_finite_is_refused_when_it_is_saved():
    model = Classifier().learn_one({"a": 1.0}, 0)
    model.state.mean[1] = np.nan
    with pytest.raises(SavedModelError, match=r"state\.mean"):
        dumps(model)


@pytest.mark.parametrize(
    "label",
    [b"p\x00", Decimal("1.50"), datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5, 6, datetime.UTC)],
)
def test_bytes_decimals_and_dates_are_saved_as_what_they_are(label):
    model = Classifier().learn_one({"a": 1.0, label: 2.0}, label).learn_one({"a": -1.0}, "other")
    again = loads(dumps(model))
    assert again.classes == model.classes
    assert type(again.classes[0]) is type(label)
    assert again.features == model.features


@pytest.mark.parametrize(
    "wrong", [{"bytes": "0g"}, {"Decimal": "one"}, {"date": "2020-13-01"}, {"date": 3}, {"int": "3"}]
)
def test_what_is_no_such_value_is_refused(wrong):
    with pytest.raises(SavedModelError, match="no name or label"):
        values.decode(wrong, "labels")
