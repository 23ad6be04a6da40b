"""The parts that learners are made of, by name and settings: a closed table, nothing else is ever built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from fesl.errors import FeslError, SavedModelError
from fesl.evolving.parts import Fresh, Recovered
from fesl.losses import Logistic, Softmax, Squared
from fesl.projections import Ball, Box, Free
from fesl.recovery import LeastSquares
from fesl.rules import ExponentialWeights, FixedShare
from fesl.saving import values
from fesl.saving.document import LARGEST, Section
from fesl.spaces import Auto, Declared, Periods
from fesl.steps import Constant, InverseSqrt

#: Turns a setting read from a file into what the part takes, or raises.
Reader: TypeAlias = Callable[[Any], Any]

#: More overlap rows than this fit nowhere.
ROWS = 2**31
#: The largest whole number that a setting may be.
HUGE = 10**300


def _number(value: Any) -> Any:
    value = values.decode(value, "a setting")
    if type(value) not in (int, float) or (type(value) is int and abs(value) > HUGE):
        raise ValueError(f"{str(value)[:60]} is no number of a setting")
    return value


def _optional(value: Any) -> Any:
    return None if value is None else _number(value)


def _flag(value: Any) -> Any:
    if type(value) is not bool:
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _rows(value: Any) -> Any:
    if type(value) is not int or not value < ROWS:
        raise ValueError(f"{value!r} is no number of rows")
    return value


def _rounds(value: Any) -> Any:
    if type(value) is not list or not all(type(pair) is list and len(pair) == 2 for pair in value):
        raise ValueError("the rounds should be pairs")
    if not all(type(edge) is int and abs(edge) <= LARGEST for pair in value for edge in pair):
        raise ValueError("the rounds should be whole numbers")
    return [tuple(pair) for pair in value]


def _mapping(value: Any) -> Any:
    pairs = [(values.decode(name, "a name"), values.decode(space, "a space")) for name, space in value]
    values.unique([name for name, _ in pairs], "the mapping")
    return dict(pairs)


#: What may stand in each place of a learner, with its settings.
PARTS: dict[str, dict[type, dict[str, Reader]]] = {
    "loss": {Logistic: {}, Softmax: {}, Squared: {}},
    "step": {Constant: {"tau": _number}, InverseSqrt: {"c": _number}},
    "omega": {Ball: {"radius": _number}, Box: {"low": _number, "high": _number}, Free: {}},
    "recovery": {LeastSquares: {"ridge": _number, "rows": _rows}},
    "rule": {ExponentialWeights: {"horizon": _optional}, FixedShare: {"horizon": _optional}},
    "experts": {Recovered: {"learns": _flag}, Fresh: {}},
    "spaces": {
        Auto: {"doubt": _number, "adopt_after": _optional},
        Periods: {"overlaps": _rounds},
        Declared: {"space_of": _mapping},
    },
}
#: Parts that may be functions, or of your own making: a file says that they must be given again.
GIVEN = ("step", "spaces")


def encode(place: str, part: Any) -> dict[str, Any]:
    """The part in this place of a learner, as JSON.

    >>> encode("step", InverseSqrt(10.0))
    {'part': 'InverseSqrt', 'c': 10.0}
    >>> encode("step", abs)
    {'given': 'builtins.abs'}
    """
    settings = PARTS[place].get(type(part))
    if settings is None or (type(part) is Declared and not isinstance(part.space_of, Mapping)):
        if place in GIVEN:
            return {"given": _described(part)}
        known = ", ".join(kind.__name__ for kind in PARTS[place])
        raise SavedModelError(f"{place}={part!r} cannot be saved: what can is {known}")
    return {"part": type(part).__name__, **{name: _setting(getattr(part, name), place) for name in settings}}


def decode(place: str, section: Section, given: Any = None) -> Any:
    """The part; `given` is what the caller brings where the file could not hold it."""
    if "given" in section:
        text = section.typed("given", str)
        section.close()
        if given is None:
            raise SavedModelError(
                f"the model was saved with {place}={text[:200]}, which a file cannot hold: "
                f"give it again, load(..., {place}=...)"
            )
        return given
    if given is not None:
        raise SavedModelError(f"the file holds its own {place}: load it without {place}=...")
    name = section.typed("part", str)
    for kind, settings in PARTS[place].items():
        if kind.__name__ == name:
            try:
                part = kind(**{setting: read(section.take(setting)) for setting, read in settings.items()})
            except (TypeError, ValueError, FeslError) as e:
                raise SavedModelError(f"{section.where} cannot be: {e}") from None
            section.close()
            return part
    raise SavedModelError(f"{section.where} is {name[:60]!r}, which is no {place} of ours")


def _described(part: Any) -> str:
    """What must be given again, in words that do not change from run to run."""
    if type(part) is Declared:
        return f"Declared({_described(part.space_of)})"
    named = part if hasattr(part, "__qualname__") else type(part)
    return f"{named.__module__}.{named.__qualname__}"


def _setting(value: Any, place: str) -> Any:
    """A setting as JSON: a plain value, pairs of rounds, or a mapping of names to spaces."""
    if isinstance(value, Mapping):
        return [[values.encode(name), values.encode(space, "a space")] for name, space in value.items()]
    if place == "spaces" and not isinstance(value, str | tuple) and hasattr(value, "__iter__"):
        value = tuple(value)
    if isinstance(value, tuple):
        return [[values.encode(edge) for edge in pair] for pair in value]
    return values.encode(value, f"a setting of {place}")
