"""Which core runs: the compiled one where it was built, the reference otherwise."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from types import ModuleType

from fesl._native import native
from fesl.evolving.labels import Codec
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State
from fesl.portfolio.wide.core import Wide
from fesl.portfolio.wide.state import WideState


def make_core(state: State | WideState, codec: Codec) -> Reference | Wide:
    """The fastest core there is."""
    if isinstance(state, WideState):
        return Wide(state, codec, compiled(), partial(_narrow, codec))
    return _narrow(codec, state)


def _narrow(codec: Codec, state: State) -> Reference:
    module = compiled()
    core: Reference = Reference(state) if module is None else module.Compiled(state, codec)
    return core


def compiled() -> ModuleType | None:
    """The compiled module; None where it was not built, or FESL_PURE switches it off."""
    if native() is None:
        return None
    try:
        return import_module("fesl._compiled.portfolio")
    except ImportError:
        return None
