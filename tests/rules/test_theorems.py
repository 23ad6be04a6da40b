"""Theorems 1 and 2 on random and adversarial losses, at the horizon and at every round before it."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fesl.rules import ExponentialWeights, FixedShare, bound, reweigh
from fesl.rules.fixed_share import entropy

T = 60
RULES = [ExponentialWeights(T), ExponentialWeights(), FixedShare(T), FixedShare()]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)


# Adversaries: the losses of round t, given the weights


def alternate(t, a):
    return np.roll(np.eye(len(a))[0], t)


def against_the_leader(t, a):
    return np.eye(len(a))[a.argmax()]


def tease(t, a):
    """Against the leader for most of the time, then one of them is simply better."""
    return against_the_leader(t, a) if t < 2 * T // 3 else 1.0 - np.eye(len(a))[0]


def switch_in_the_middle(t, a):
    good = 0 if t < T // 2 else len(a) - 1
    return 1.0 - np.eye(len(a))[good]


def switch_late(t, a):
    good = 0 if t < T - 8 else 1
    return 1.0 - np.eye(len(a))[good]


def fading(t, a):
    """The last expert becomes better little by little, as in the paper's Figure 1."""
    return np.linspace(t / T, 1 - t / T, len(a))


def there_and_back(t, a):
    return 1.0 - np.eye(len(a))[(t // 15) % len(a)]


ADVERSARIES = [
    alternate,
    against_the_leader,
    tease,
    switch_in_the_middle,
    switch_late,
    fading,
    there_and_back,
]


def play(rule, adversary, rounds=T, n=2):
    """Losses of the experts (T x N) and the mean loss of the rule in each round."""
    eta, delta = rule.rates(np.arange(1.0, rounds + 2.0), n)
    log_a = np.full(n, -log(n))
    losses, suffered = np.zeros((rounds, n)), np.zeros(rounds)
    for t in range(rounds):
        a = np.exp(log_a)
        losses[t] = adversary(t, a)
        suffered[t] = a @ losses[t]
        log_a = reweigh(log_a, losses[t], eta[t], eta[t + 1], delta[t])
    return losses, suffered


def best_switch(losses):
    """min over i < j and s of L_i until s, L_j from then on; the experts alone included."""
    L = np.vstack([np.zeros(losses.shape[1]), losses.cumsum(axis=0)])
    n = losses.shape[1]
    pairs = [(L[:, i] + L[-1, j] - L[:, j]).min() for i in range(n) for j in range(i, n)]
    return min(pairs)


def assert_theorem_holds(rule, losses, suffered):
    for rounds in range(1, len(losses) + 1):
        best = best_switch(losses[:rounds]) if rule.draws else losses[:rounds].sum(axis=0).min()
        assert suffered[:rounds].sum() - best <= bound(rule, rounds, losses.shape[1]) + 1e-9


@every_rule
@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda f: f.__name__)
def test_the_theorem_holds_against_adversaries(rule, adversary, n):
    assert_theorem_holds(rule, *play(rule, adversary, n=n))


@every_rule
@given(losses=arrays(np.float64, (T, 2), elements=st.floats(0, 1)))
def test_the_theorem_holds_on_any_losses(rule, losses):
    assert_theorem_holds(rule, *play(rule, lambda t, a: losses[t]))


@every_rule
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 6))
def test_the_theorem_holds_on_random_losses_of_many_experts(rule, seed, n):
    losses = np.random.default_rng(seed).integers(0, 2, (T, n)).astype(float)
    assert_theorem_holds(rule, *play(rule, lambda t, a: losses[t], n=n))


def test_the_bound_is_not_idle():
    """An adversary comes close to Theorem 1's bound, so the tests above could fail."""
    rule = ExponentialWeights(T)
    losses, suffered = play(rule, tease)
    assert suffered.sum() - losses.sum(axis=0).min() > 0.8 * bound(rule, T, 2)


def test_only_the_share_follows_a_switch():
    losses, followed = play(FixedShare(T), switch_in_the_middle)
    _, stayed = play(ExponentialWeights(T), switch_in_the_middle)
    assert best_switch(losses) == 0.0
    assert followed.sum() < 0.6 * stayed.sum()


@pytest.mark.parametrize("T2", [3, 10, 345, 5000])
@pytest.mark.parametrize("n", [2, 5])
def test_rates_and_bounds_are_the_papers_closed_forms(T2, n):
    t = np.arange(1.0, T2 + 1.0)
    eta, delta = ExponentialWeights(T2).rates(t, n)
    np.testing.assert_allclose(eta, sqrt(8 * log(n) / T2))
    np.testing.assert_array_equal(delta, 0.0)
    assert bound(ExponentialWeights(T2), T2, n) == pytest.approx(sqrt(T2 * log(n) / 2), rel=1e-9)

    share = 1 / (T2 - 1)
    eta, delta = FixedShare(T2).rates(t, n)
    np.testing.assert_allclose(delta, share)
    np.testing.assert_allclose(eta, sqrt(8 / T2 * (2 * log(n) + (T2 - 1) * entropy(share))))
    allowed = sqrt(T2 / 2 * (2 * log(n) + entropy(share) / share))
    assert bound(FixedShare(T2), T2, n) == pytest.approx(allowed, rel=1e-9)


@pytest.mark.parametrize("rule", [ExponentialWeights(), FixedShare()], ids=repr)
def test_anytime_rates_never_rise_and_keep_the_order(rule):
    eta, _ = rule.rates(np.arange(1.0, 5001.0), 2)
    assert (np.diff(eta) <= 0).all()
    allowed = np.array([bound(rule, r, 2) for r in (100, 400, 1600, 6400)])
    order = 1.0 if not rule.draws else np.log([100, 400, 1600, 6400]) ** 0.5
    ratio = allowed / (np.sqrt([100, 400, 1600, 6400]) * order)
    assert ratio.max() / ratio.min() < 1.25


@pytest.mark.parametrize("rounds", [1, 2, 10, 1000])
def test_not_knowing_the_horizon_costs_a_root_of_two(rounds):
    assert bound(ExponentialWeights(), rounds, 2) <= sqrt(rounds * log(2)) + 1e-9


def test_one_expert_or_no_round_has_no_regret():
    assert bound(ExponentialWeights(), 100, 1) == 0.0
    assert bound(FixedShare(), 0, 2) == 0.0


@every_rule
@pytest.mark.parametrize("rounds", [1, 2, 3, 65_535, 65_536, 65_537, 65_539, 131_073, 300_000])
def test_the_bound_is_the_sum_over_every_round(rule, rounds):
    """However it is summed."""
    eta, delta = rule.rates(np.arange(1.0, rounds + 1.0), 3)
    expected = log(3) / eta[-1] + eta.sum() / 8.0
    if rounds > 1 and delta[0] > 0.0:
        stay = -np.log1p(-delta[:-1]) / eta[1:]
        expected += stay.sum() - stay.min() + log(3 / delta[-2]) / eta[-1]
    assert bound(rule, rounds, 3) == pytest.approx(expected, rel=1e-9)


@every_rule
def test_a_bound_takes_no_longer_for_more_rounds(rule):
    assert np.isfinite(bound(rule, 2**60, 2))
