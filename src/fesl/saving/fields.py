"""Tables of what an object holds: a line a field. The same table saves, loads and checks.

A shape is told by symbols: `("E", "K", "cap")`. A symbol that has no value yet gets it from the first array that
has it; all others must agree. So every array that compiled code walks through by pointer has the size it relies on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fesl.errors import SavedModelError
from fesl.saving.document import LARGEST, AnyArray, Document, Section

Dims: TypeAlias = dict[str, int]

#: The largest float, and the smallest above zero.
MOST, LEAST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)


class Array(NamedTuple):
    """An array: its type ("f8", "i8", "u1" or "b1"), its shape, and the range of its values. `gaps`: NaN may be
    among them. `any_order`: it need not be in C order, and keeps the order it has (products are rounded by it)."""

    name: str
    dtype: str
    shape: tuple[str | int, ...]
    low: float = -MOST
    high: float = MOST
    gaps: bool = False
    any_order: bool = False


class Scalar(NamedTuple):
    """A plain value: its type (bool, int or float) and its range."""

    name: str
    kind: type[bool] | type[int] | type[float]
    low: float = 0.0
    high: float = LARGEST


Field: TypeAlias = Array | Scalar


def floats(names: str, *shape: str | int, low: float = -MOST, high: float = MOST) -> tuple[Array, ...]:
    """Arrays of floats that share a shape and a range."""
    return tuple(Array(name, "f8", shape, low, high) for name in names.split())


def ints(names: str, *shape: str | int, low: float = -LARGEST, high: float = LARGEST) -> tuple[Array, ...]:
    """Arrays of whole numbers that share a shape and a range."""
    return tuple(Array(name, "i8", shape, low, high) for name in names.split())


def names_of(table: Iterable[Field]) -> set[str]:
    return {field.name for field in table}


def put(doc: Document, body: dict[str, Any], where: str, thing: Any, table: Iterable[Field], dims: Dims) -> None:
    """Save the fields of a thing: arrays under `where.name`, plain values into the body."""
    for field in table:
        value = getattr(thing, field.name)
        if isinstance(field, Array):
            put_array(doc, where, field, value, dims)
        else:
            body[field.name] = _plain(where, field, field.kind(value))


def put_array(doc: Document, where: str, field: Array, value: AnyArray, dims: Dims) -> None:
    """Save one array."""
    value = _settled(value) if field.any_order else np.ascontiguousarray(value)
    check(f"{where}.{field.name}", field, value, dims)
    doc.arrays[f"{where}.{field.name}"] = value


def take(doc: Document, body: Section, where: str, table: Iterable[Field], dims: Dims) -> dict[str, Any]:
    """Load the fields of a thing, checked, by name."""
    out: dict[str, Any] = {}
    for field in table:
        if isinstance(field, Array):
            out[field.name] = take_array(doc, where, field, dims)
        else:
            out[field.name] = _plain(where, field, body.typed(field.name, field.kind))
    return out


def take_array(doc: Document, where: str, field: Array, dims: Dims) -> AnyArray:
    """Load one array, checked."""
    name = f"{where}.{field.name}"
    if name not in doc.arrays:
        raise SavedModelError(f"the array {name} is missing")
    value = doc.arrays.pop(name)
    check(name, field, value, dims)
    return value


def check(name: str, field: Array, value: AnyArray, dims: Dims) -> None:
    """Type, shape, order and values."""
    if value.dtype != np.dtype(field.dtype):
        raise SavedModelError(f"the array {name} is of type {value.dtype}, not {field.dtype}")
    if value.ndim != len(field.shape):
        raise SavedModelError(f"the array {name} has {value.ndim} axes, not {len(field.shape)}")
    for axis, size in zip(field.shape, value.shape, strict=True):
        wanted = axis if isinstance(axis, int) else dims.setdefault(axis, size)
        if size != wanted:
            raise SavedModelError(
                f"the array {name} has the shape {value.shape}: its axis {axis} should be {wanted}"
            )
    if not (value.flags.c_contiguous or field.any_order):
        raise SavedModelError(f"the array {name} should be in C order")
    if value.size and value.dtype != np.bool_:
        low, high = _ends(value, field.gaps)
        if not (field.low <= low and high <= field.high):
            span = f"[{field.low}, {field.high}]"
            raise SavedModelError(f"the array {name} holds values from {low} to {high}: they should lie in {span}")


def _ends(value: AnyArray, gaps: bool) -> tuple[float, float]:
    """The smallest and the largest value; NaN if one is NaN, unless there may be gaps."""
    if not gaps:
        return value.min(), value.max()
    low, high = np.fmin.reduce(value, axis=None), np.fmax.reduce(value, axis=None)
    return (0.0, 0.0) if np.isnan(low) else (low, high)


def _plain(where: str, field: Scalar, value: Any) -> Any:
    if field.kind is not bool and not field.low <= value <= field.high:
        raise SavedModelError(f"{where}.{field.name} is {value}: it should lie in [{field.low}, {field.high}]")
    return value


def _settled(value: AnyArray) -> AnyArray:
    """In one block of memory, rows or columns first as it was."""
    if value.flags.c_contiguous or value.flags.f_contiguous:
        return value
    first = value.ndim == 2 and value.strides[0] < value.strides[1]
    return np.asfortranarray(value) if first else np.ascontiguousarray(value)
