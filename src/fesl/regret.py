"""The guarantee, measured while it runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fesl._typing import Floats
from fesl.rules import Rule, bound


class Ledger:
    """The losses of one cycle, counted in from its first round on.

    `sums` holds, one after the other: L_i of every expert; S_j, the best "an earlier expert until s, then j";
    the ensemble's realised and expected loss; the smallest and the largest loss of an expert so far.

    Symbols: L_1, L_2 the experts' cumulative losses, L12 the ensemble's, L^s = L_1 until s and L_2 from then on.
    Its minimum over s is kept by S_j <- min(S_j, min over i < j of L_i) + l_j, with s before the first round
    allowed, so that it never exceeds L_1 or L_2.

    >>> ledger = Ledger(experts=2)
    >>> for l in (0.0, 1.0), (0.2, 0.9), (1.0, 0.1):
    ...     ledger.add(np.array(l), realised=0.5, expected=0.5)
    >>> ledger.experts, round(ledger.best_switch, 3)
    (array([1.2, 2. ]), 0.3)
    """

    __slots__ = ("n", "rounds", "sums")

    def __init__(self, experts: int) -> None:
        self.n = experts
        self.rounds = np.zeros(1, np.int64)
        self.sums = np.zeros(2 * experts + 4)
        self.sums[2 * experts + 2] = np.inf
        self.sums[2 * experts + 3] = -np.inf

    def add(self, losses: Floats, realised: float, expected: float) -> None:
        n, s = self.n, self.sums
        best = np.inf
        for j in range(n):
            s[n + j] = min(s[n + j], best) + losses[j]
            best = min(best, s[j])
        s[:n] += losses
        s[2 * n] += realised
        s[2 * n + 1] += expected
        s[2 * n + 2] = min(s[2 * n + 2], losses.min())
        s[2 * n + 3] = max(s[2 * n + 3], losses.max())
        self.rounds[0] += 1

    @property
    def experts(self) -> Floats:
        return self.sums[: self.n].copy()

    @property
    def best_switch(self) -> float:
        return float(self.sums[self.n : 2 * self.n].min())

    def regret(self, rule: Rule, cycle: int = 0) -> Regret:
        """The figures so far, with what the rule's theorem allows."""
        n, s, rounds = self.n, self.sums, int(self.rounds[0])
        return Regret(
            cycle=cycle,
            rounds=rounds,
            experts=tuple(self.experts.tolist()),
            ensemble=float(s[2 * n]),
            expected=float(s[2 * n + 1]),
            best_expert=float(s[:n].min()),
            best_switch=self.best_switch,
            allowed=bound(rule, rounds, n),
            tracks=rule.draws,
            assumption_held=rounds == 0 or bool(s[2 * n + 2] >= 0.0 and s[2 * n + 3] <= 1.0 + 1e-12),
        )


@dataclass(frozen=True)
class Regret:
    """What one cycle cost, and what the theorem allows it to cost.

    `experts` are L_1, L_2, ...; `ensemble` is L12 as suffered and `expected` its mean over the rule's draws (the
    two agree where nothing is drawn); `best_switch` is min over s of L^s. The theorem compares `expected` with
    `best_switch` for a rule that tracks (FESL-s) and with `best_expert` for one that does not (FESL-c), and
    allows `allowed` above it, provided that every loss lay in [0, 1] (`assumption_held`).

    >>> from fesl.rules import ExponentialWeights
    >>> ledger = Ledger(experts=2)
    >>> for l in (0.0, 1.0), (0.2, 0.9), (1.0, 0.1):
    ...     ledger.add(np.array(l), realised=0.5, expected=0.5)
    >>> regret = ledger.regret(ExponentialWeights(horizon=3))
    >>> round(regret.value, 2), round(regret.allowed, 2), regret.within
    (0.3, 1.02, True)
    """

    cycle: int
    rounds: int
    experts: tuple[float, ...]
    ensemble: float
    expected: float
    best_expert: float
    best_switch: float
    allowed: float
    tracks: bool
    assumption_held: bool

    @property
    def comparator(self) -> float:
        """What the theorem compares with."""
        return self.best_switch if self.tracks else self.best_expert

    @property
    def value(self) -> float:
        """The regret itself: expected loss minus the comparator's."""
        return self.expected - self.comparator

    @property
    def within(self) -> bool:
        """Whether the regret is within what the theorem allows (it must be where its assumption held)."""
        return self.value <= self.allowed + 1e-9 * max(1.0, self.expected)
