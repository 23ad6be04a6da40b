"""The Bayesian mixture, and its guarantee in bits, kept while it runs.

    q = sum_i a_i p_i,    a_i <- a_i p_i(y) / q(y),    a <- (1 - d) a + d v

with v_i, the weights at first, the share of expert i in M voices: an expert has one voice, or several as if there
were so many that say the same. The share step is d_t = max(1 / (t + 2), SHARE), and once more d = GAMMA at every
return and, in proportion to what is lost, at every switch; there it goes to those that inherit, whoever has the
voices.

**Bound.** Without sharing, prod_t q_t(y_t) = sum_i v_i prod_t p_it(y_t) >= (1/M) prod_t p_it(y_t) for every i. A
share step leaves expert i at least (1 - d) a_i + d v_i >= (1 - d + d / M) a_i, since a_i <= 1 <= M v_i. Hence for
every sequence of labels, whoever chose them, and every expert i

    L_mix <= L_i + log2 M - sum_steps log2(1 - d + d / M)      bits,

with 0 for 1 / M at a switch, where some experts get nothing.

The right-hand side without L_i is `allowed`. A regressor has one mixture a target, on densities: the same holds
with densities for chances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log2

import numpy as np

from fesl._typing import Floats
from fesl.portfolio.constants import SHARE


@dataclass(frozen=True)
class Bits:
    """What the stream cost so far, in bits: each expert, the mixture, and what the bound allows above the best.

    With several targets `best` is the sum of each target's best.
    """

    rounds: int
    experts: dict[str, float]
    mixture: float
    best: float
    allowed: float

    @property
    def value(self) -> float:
        """The regret itself."""
        return self.mixture - self.best

    @property
    def within(self) -> bool:
        """Whether the bound held, as it must."""
        return self.value <= self.allowed + 1e-9 * max(1.0, abs(self.mixture), abs(self.best))


class Account:
    """The sums behind `Bits`: `experts` (G x M), `mixture` (G), and `slack`, what the bound allows a target."""

    __slots__ = ("experts", "mixture", "slack")

    def __init__(self, targets: int, voices: Sequence[float] | Floats) -> None:
        self.experts: Floats = np.zeros((targets, len(voices)))
        self.mixture: Floats = np.zeros(targets)
        self.slack: Floats = np.array([-log2(min(voices))])

    def add(self, log_p: Floats, log_q: Floats) -> None:
        """The natural logarithms of what everyone gave to the label."""
        self.experts -= log_p / log(2.0)
        self.mixture -= log_q / log(2.0)

    def bits(self, names: tuple[str, ...], rounds: int) -> Bits:
        by = dict(zip(names, self.experts.sum(axis=0).tolist(), strict=True))
        best = float(self.experts.min(axis=1).sum())
        return Bits(rounds, by, float(self.mixture.sum()), best, len(self.mixture) * float(self.slack[0]))


def rate(t: int) -> float:
    """The share step of round t.

    >>> rate(0), rate(10**6)
    (0.5, 0.001)
    """
    return max(1.0 / (t + 2.0), SHARE)


def share(a: Floats, d: float, account: Account, to: Floats) -> None:
    """a <- (1 - d) a + d v for the distribution v that it goes `to`, in place, and what it may cost.

    >>> a, account = np.array([[0.8, 0.2]]), Account(1, (0.5, 0.5))
    >>> share(a, 0.5, account, np.array([0.0, 1.0])); a, account.slack
    (array([[0.4, 0.6]]), array([2.]))
    """
    a *= 1.0 - d
    a += d * to
    account.slack[0] -= log2(1.0 - d + d * float(to.min()))


def trusted(a: Floats, E: int) -> Floats:
    """How much each of the first E experts is trusted among themselves, on average over the targets.

    >>> trusted(np.array([[0.1, 0.3, 0.6]]), 2)
    array([0.25, 0.75])
    """
    trust = a.mean(axis=0)[:E]
    return np.asarray(trust / trust.sum())


def mixed(a: Floats, p: Floats) -> Floats:
    """The chances of the classes (M x K), by weight. They sum to one but for rounding, and none may be above it.

    >>> mixed(np.array([0.5, 0.5]), np.array([[0.5, 0.5], [1.0, 0.0]]))
    array([0.75, 0.25])
    """
    q = a @ p
    return np.asarray(q / q.sum())


def weigh(a: Floats, log_p: Floats, account: Account) -> None:
    """a_i <- a_i p_i / q for each target (one row of `a` and `log_p` each), in place.

    >>> a, account = np.full((1, 2), 0.5), Account(1, (0.5, 0.5))
    >>> weigh(a, np.log([[0.9, 0.1]]), account); a
    array([[0.9, 0.1]])
    >>> account.bits(("one", "two"), 1).within
    True
    """
    top = log_p.max(axis=1, keepdims=True)
    a *= np.exp(log_p - top)
    q = a.sum(axis=1, keepdims=True)
    account.add(log_p, (np.log(q) + top)[:, 0])
    a /= q
