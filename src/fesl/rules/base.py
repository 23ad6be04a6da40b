r"""The one update that both of the paper's rules are cases of, and its guarantee.

Symbols: a_i the weight of expert i of N, l_i its loss, eta_t the learning rate and delta_t the share of round t.
A round's losses turn the weights into

    v_i  ~  a_i^(eta_{t+1}/eta_t) exp(-eta_{t+1} l_i),        a_i  <-  delta_t/N + (1 - delta_t) v_i,

which with a constant eta and no share is the paper's (5), with a constant eta and share its (9). Weights live
as logarithms, so that no loss, however large, turns one into an irrevocable zero.

**Guarantee.** For losses in [0, 1], eta_t not increasing, and every T: against any expert until s and another
from then on (or against one alone, then without the switching term),

    sum of p.l - L^s  <=  ln N/eta_T + sum_t eta_t/8 + sum_t ln(1/(1-delta_t))/eta_{t+1} + ln(N/delta_T)/eta_T.

*Proof.* Let m_t = -(1/eta_t) ln sum_i a_i exp(-eta_t l_i); Hoeffding's lemma gives p.l <= m_t + eta_t/8. Let u be
the weights after the losses and before the power and the share. Then m_t - l_i = (ln 1/a_i - ln 1/u_i)/eta_t. The
power r = eta_{t+1}/eta_t <= 1 costs ln sum u^r <= (1-r) ln N, so (ln 1/v_i)/eta_{t+1} <= (ln 1/u_i)/eta_t +
(1/eta_{t+1} - 1/eta_t) ln N. The share costs ln 1/(1-delta_t) where the comparator stays and at most ln N/delta_t
where it moves. Sum over t: everything else telescopes. With constant rates this is the paper's Theorem 5, and with
the paper's rates its Theorems 1 and 2.
"""

from __future__ import annotations

from math import log
from typing import ClassVar, Protocol

import numpy as np

from fesl._typing import Floats

#: So many rounds are summed one by one.
EACH = 1 << 16
_MASK = (1 << 64) - 1


class Rule(Protocol):
    """How much each expert is trusted: eta_t and delta_t for every round, and whether it draws or combines."""

    #: True: predict with one expert, drawn by weight (FESL-s). False: with the weighted mean (FESL-c).
    draws: ClassVar[bool]

    def rates(self, t: Floats, experts: int) -> tuple[Floats, Floats]:
        """eta_t and delta_t at the rounds t = 1, 2, ... since the experts started."""


def reweigh(log_a: Floats, losses: Floats, eta: float, eta_next: float, delta: float) -> Floats:
    """The log weights after a round's losses.

    >>> a = reweigh(np.log([0.5, 0.5]), np.array([0.0, 1.0]), eta=1.0, eta_next=1.0, delta=0.1)
    >>> np.exp(a).round(4)
    array([0.708, 0.292])
    """
    v = (eta_next / eta) * log_a - eta_next * (losses - losses.min())
    v = v - v.max()  # first, or huge losses would swallow the logarithm of the sum
    v = v - np.log(np.exp(v).sum())
    if delta <= 0.0:
        return np.asarray(v)
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp(log(delta / len(v)), np.log1p(-delta) + v))


def draw(log_a: Floats, seed: int, round: int) -> int:
    """The expert drawn in a round: a pure function of the weights, the seed and the number of the round.

    So predicting changes nothing, asking twice gives the same answer, and nothing but the number of the round
    has to be saved. The uniform number is SplitMix64's (Steele, Lea, Flood, 2014) at `seed + round`.

    >>> [draw(np.log([0.5, 0.5]), seed=1, round=t) for t in range(8)]
    [1, 1, 1, 1, 0, 0, 0, 1]
    """
    u = uniform(seed, round)
    for i, edge in enumerate(np.exp(log_a).cumsum()):
        if u < edge:
            return i
    return len(log_a) - 1


def uniform(seed: int, round: int) -> float:
    """A number in [0, 1) that depends on nothing but its arguments."""
    z = (seed * 0xD1342543DE82EF95 + (round + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0


def bound(rule: Rule, rounds: int, experts: int) -> float:
    """What the guarantee above allows after so many rounds: above the best expert alone where the rule does not
    share, above the best "one expert until s, then a later one" where it does.

    >>> from fesl.rules import ExponentialWeights
    >>> round(bound(ExponentialWeights(horizon=345), 345, 2), 3)    # sqrt(345 ln 2 / 2)
    10.935
    """
    if rounds < 1 or experts < 2:
        return 0.0
    t, weight = spread(rounds)
    last = float(rule.rates(np.array([float(rounds)]), experts)[0][0])
    total = log(experts) / last + float((weight * rule.rates(t, experts)[0]).sum()) / 8.0
    t, weight = spread(rounds - 1)
    delta = rule.rates(t, experts)[1]
    if rounds < 2 or not delta[0] > 0.0:
        return total
    stay = -np.log1p(-delta) / rule.rates(t + 1.0, experts)[0]
    move = log(experts / float(delta[-1])) / last
    return total + float((weight * stay).sum() - stay.min()) + move


def spread(rounds: int) -> tuple[Floats, Floats]:
    """Rounds t and weights, such that sum weight f(t) is the sum of a smooth f over the rounds 1, 2, ..., whatever
    their number: all of them up to 2^16, then the nodes of an integral over each doubling, and the last one.

    >>> t, weight = spread(10_000_000)
    >>> len(t) < 70_000, round(float((weight / t).sum()), 7)    # the ten-millionth harmonic number
    (True, 16.6953114)
    """
    t = [np.arange(1.0, min(rounds, EACH) + 1.0)]
    weight = [np.ones(len(t[0]))]
    start = EACH
    while start < rounds - 1:
        stop = min(2 * start, rounds - 1)
        node, share = np.polynomial.legendre.leggauss(16)
        half = (stop - start) / 2.0  # over the rounds start + 1, ..., stop, each half a round wide to both sides
        t.append(start + 0.5 + half * (1.0 + node))
        weight.append(half * share)
        start = stop
    if rounds > EACH:
        t.append(np.array([float(rounds)]))
        weight.append(np.ones(1))
    return np.concatenate(t), np.concatenate(weight)
