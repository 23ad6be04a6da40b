"""Which core runs: the compiled one where it was built and fits, the reference otherwise."""

from __future__ import annotations

import os
from typing import Protocol

from fesl._typing import Event, Floats, Ints
from fesl.evolving.parts import Parts
from fesl.evolving.rates import Rates
from fesl.evolving.reference import ReferenceCore
from fesl.evolving.state import State
from fesl.evolving.trace import Trace
from fesl.losses import Logistic, Softmax, Squared
from fesl.models import Point

#: Set to anything but "0" or nothing to run without compiled code.
PURE = "FESL_PURE"


class Core(Protocol):
    """What the learner asks of a core; `ReferenceCore` documents it."""

    compiled: bool
    state: State
    rates: Rates

    def bind(self, state: State) -> None: ...
    def score_event(self, x: Event) -> Floats | None: ...
    def learn_event(self, x: Event, y: Floats | None) -> bool: ...
    def score(self, x: Point) -> Floats: ...
    def learn(self, x: Point, y: Floats | None) -> None: ...
    def run_dense(self, X: Floats, ids: Ints, Y: Floats | None, trace: Trace | None, start: int) -> int: ...
    def run_sparse(
        self, ptr: Ints, cols: Ints, vals: Floats, ids: Ints, Y: Floats | None, trace: Trace | None, start: int
    ) -> int: ...


def make_core(parts: Parts, state: State) -> Core:
    """The fastest core that can run these parts."""
    if type(parts.loss) in (Logistic, Softmax, Squared) and compiled_available():
        from fesl._compiled.core import CompiledCore

        core: Core = CompiledCore(parts, state)
        return core
    return ReferenceCore(parts, state)


def compiled_available() -> bool:
    """Whether compiled code was built, and is not switched off by the environment variable FESL_PURE."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return False
    try:
        import fesl._compiled.core  # noqa: F401
    except ImportError:
        return False
    return True
