"""From what people pass to what the core sees: one event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fesl._missing import unobserved
from fesl._typing import Event, Name
from fesl.errors import FeatureError, shown
from fesl.models import LIMIT, Point


def read(x: Event, index: Mapping[Name, int]) -> tuple[Point, dict[Name, float]]:
    """The observed features of an event: those with an id, and the strangers by name.

    >>> read({"a": 1, "b": None, "c": 2.5}, {"a": 0})
    (Point(idx=array([0]), val=array([1.])), {'c': 2.5})
    """
    if not isinstance(x, Mapping):
        raise FeatureError(
            f"an event is a mapping from feature names to numbers, not {type(x).__name__}: "
            "pass a dict, or a whole table to run(), learn_many() or predict_many()"
        )
    idx: list[int] = []
    val: list[float] = []
    strangers: dict[Name, float] = {}
    for name, raw in x.items():
        v = raw if type(raw) is float and abs(raw) <= LIMIT else number(name, raw)
        if v != v:
            continue
        i = index.get(name)
        if i is None:
            strangers[name] = v
        else:
            idx.append(i)
            val.append(v)
    return Point(np.array(idx, np.int64), np.array(val, np.float64)), strangers


def number(name: Name, raw: Any) -> float:
    """A value as a float; NaN where nothing was observed.

    >>> number("a", True), number("a", None)
    (1.0, nan)
    """
    if unobserved(raw):
        return float("nan")
    if isinstance(raw, str | bytes | bytearray | memoryview | complex | np.complexfloating):
        raise not_a_number(name, raw)
    try:
        v = float(raw)
    except OverflowError:
        raise not_finite(name, raw) from None
    except (TypeError, ValueError):
        raise not_a_number(name, raw) from None
    if abs(v) > LIMIT:
        raise not_finite(name, v)
    return v


def not_a_number(name: Name, raw: Any) -> FeatureError:
    return FeatureError(
        f"feature {name!r} is {shown(raw)}, a {type(raw).__name__}, not a number: convert it "
        "(one-hot for categories), drop it, or pass None where nothing was observed"
    )


def not_finite(name: Name, v: float) -> FeatureError:
    return FeatureError(
        f"feature {name!r} is {shown(v)}: values must be finite (up to {LIMIT:g}); "
        "pass None where nothing was observed"
    )
