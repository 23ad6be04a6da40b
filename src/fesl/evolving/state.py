"""All that a learner remembers, in one place."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from fesl._typing import Floats, Ints
from fesl.models import LinearModel, RecoveredModel
from fesl.recovery import Overlap
from fesl.regret import Ledger, Regret
from fesl.spaces import Registry

#: How many past cycles `history` remembers.
HISTORY = 1000


@dataclass
class State:
    """Everything that changes while a learner runs. Predicting reads it; only learning writes it.

    `clock` holds t, the round since the last switch, and the round of the whole stream, both counted from zero;
    `log_a` are the experts' log weights; `overlap` the rows of the overlap that is open, `past` those that the
    recovered expert was learned from.
    """

    outputs: int
    registry: Registry
    experts: list[LinearModel | RecoveredModel]
    log_a: Floats
    clock: Ints
    overlap: Overlap
    past: Overlap | None
    ledger: Ledger
    cycle: int = 0
    skipped: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    history: deque[Regret] = field(default_factory=lambda: deque(maxlen=HISTORY))

    @classmethod
    def start(cls, rows: int, outputs: int = 1) -> State:
        registry = Registry()
        model = LinearModel.zeros(registry.capacity, outputs)
        return cls(outputs, registry, [model], np.zeros(1), np.zeros(2, np.int64), Overlap(rows), None, Ledger(1))

    @property
    def round(self) -> int:
        return int(self.clock[1])

    @property
    def recovered(self) -> RecoveredModel | None:
        """The expert that still knows the old space, where there is one."""
        return next((e for e in self.experts if isinstance(e, RecoveredModel)), None)

    def fit_capacity(self) -> bool:
        """Give every expert room for the features that were registered; whether that replaced arrays."""
        grown = any(len(expert.W) < self.registry.capacity for expert in self.experts)
        for expert in self.experts:
            expert.reserve(self.registry.capacity)
        return grown

    def fit_outputs(self, outputs: int) -> None:
        """Give every expert room for more outputs: a class that came late starts from zero."""
        for expert in self.experts:
            expert.widen(outputs)
        self.outputs = outputs

    def fork(self) -> State:
        """A state whose registry can be changed without changing this one; models are shared until replaced."""
        twin = copy.copy(self)
        twin.registry = self.registry.copy()
        twin.clock = self.clock.copy()
        twin.history = self.history.copy()
        return twin
