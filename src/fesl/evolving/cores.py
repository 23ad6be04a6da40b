"""Which core runs: the compiled one where it was built and fits, the reference otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from fesl._native import native
from fesl._typing import Event, Floats, Ints
from fesl.evolving.labels import Codec
from fesl.evolving.parts import Parts
from fesl.evolving.rates import Rates
from fesl.evolving.reference import ReferenceCore
from fesl.evolving.state import State
from fesl.evolving.trace import Trace
from fesl.losses import Logistic, Softmax, Squared
from fesl.models import Point
from fesl.spaces import Quiet


class Core(Protocol):
    """What the learner asks of a core; `ReferenceCore` documents it."""

    busy: bool
    compiled: bool
    state: State
    rates: Rates

    def bind(self, state: State) -> None: ...
    def side_by_side(self, quiet: Quiet | None) -> None: ...
    def score_event(self, x: Event) -> tuple[float, ...] | None: ...
    def proba_event(self, x: Event) -> dict[Any, float] | None: ...
    def learn_event(self, x: Event, y: Any) -> bool: ...
    def score(self, x: Point) -> Floats: ...
    def learn(self, x: Point, y: Sequence[float] | Floats | None) -> None: ...
    def run_dense(self, X: Floats, ids: Ints, Y: Floats | None, trace: Trace | None, start: int) -> int: ...
    def run_sparse(
        self, ptr: Ints, cols: Ints, vals: Floats, ids: Ints, Y: Floats | None, trace: Trace | None, start: int
    ) -> int: ...


def make_core(parts: Parts, state: State, codec: Codec) -> Core:
    """The fastest core that can run these parts."""
    compiled = compiled_core()
    if compiled is not None and type(parts.loss) in (Logistic, Softmax, Squared):
        return compiled(parts, state, codec, Rates(parts.step, parts.rule))
    return ReferenceCore(parts, state, codec)


def compiled_core() -> Callable[[Parts, State, Codec, Rates], Core] | None:
    """The compiled core; None where it was not built, or FESL_PURE switches it off."""
    module = native()
    if module is None:
        return None
    found: Callable[[Parts, State, Codec, Rates], Core] = module.CompiledCore
    return found
