"""The weights of the experts: what a round does to them, and the draw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fesl.errors import ConfigError
from fesl.rules import ExponentialWeights, FixedShare, draw, reweigh
from fesl.rules.base import uniform

seeds = st.integers(0, 2**32 - 1)


def even(n):
    return np.full(n, -np.log(n))


@pytest.mark.parametrize("n", [2, 3, 10])
@given(seed=seeds, delta=st.sampled_from([0.0, 0.01, 0.5]))
def test_a_round_is_the_papers_equation(n, seed, delta):
    rng = np.random.default_rng(seed)
    a, losses, eta = rng.dirichlet(np.ones(n)), rng.uniform(0, 1, n), 0.7
    v = a * np.exp(-eta * losses)
    expected = delta * v.sum() / n + (1 - delta) * v
    got = np.exp(reweigh(np.log(a), losses, eta, eta, delta))
    np.testing.assert_allclose(got, expected / expected.sum(), rtol=1e-10)


@given(seed=seeds)
def test_a_falling_rate_forgets_as_if_it_had_always_been_lower(seed):
    """With eta_t falling and no share, a_i ~ exp(-eta_T L_i): the whole past at today's rate."""
    losses = np.random.default_rng(seed).uniform(0, 1, (30, 3))
    eta, _ = ExponentialWeights().rates(np.arange(1.0, 32.0), 3)
    log_a = even(3)
    for t, l in enumerate(losses):
        log_a = reweigh(log_a, l, eta[t], eta[t + 1], 0.0)
    expected = np.exp(-eta[30] * losses.sum(axis=0))
    np.testing.assert_allclose(np.exp(log_a), expected / expected.sum(), rtol=1e-9)


@pytest.mark.parametrize(
    "rule", [ExponentialWeights(50), ExponentialWeights(), FixedShare(50), FixedShare()], ids=repr
)
@pytest.mark.parametrize("n", [2, 5])
@given(seed=seeds)
def test_weights_sum_to_one_and_survive_extreme_losses(rule, n, seed):
    rng = np.random.default_rng(seed)
    eta, delta = rule.rates(np.arange(1.0, 52.0), n)
    log_a = even(n)
    for t in range(50):
        losses = rng.choice([0.0, 1e-300, 1.0, 1e100], n)
        log_a = reweigh(log_a, losses, eta[t], eta[t + 1], delta[t])
        assert np.isfinite(log_a).all()
        assert np.exp(log_a).sum() == pytest.approx(1.0, abs=1e-12)


def test_a_share_brings_back_an_expert_that_was_ruined():
    eta, delta = FixedShare().rates(np.arange(1.0, 202.0), 2)
    log_a = even(2)
    for t in range(200):
        losses = np.array([1e100, 0.0]) if t == 0 else np.array([0.0, 1.0])
        log_a = reweigh(log_a, losses, eta[t], eta[t + 1], delta[t])
    assert np.exp(log_a)[0] > 0.9


def test_equal_losses_change_nothing():
    log_a = np.log([0.2, 0.8])
    np.testing.assert_allclose(reweigh(log_a, np.array([3.0, 3.0]), 1.0, 1.0, 0.0), log_a, rtol=1e-12)


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5], [1.0, 0.0]])
def test_draws_come_as_often_as_the_weights_say(weights):
    with np.errstate(divide="ignore"):
        log_a = np.log(weights)
    n = 20_000
    counts = np.bincount([draw(log_a, seed=7, round=t) for t in range(n)], minlength=len(weights))
    spread = np.sqrt(np.array(weights) * (1 - np.array(weights)) / n)
    assert (np.abs(counts / n - weights) <= 4 * spread).all()


def test_draws_do_not_depend_on_the_draw_before():
    ones = np.array([draw(even(2), seed=3, round=t) for t in range(20_000)])
    assert abs(np.corrcoef(ones[1:], ones[:-1])[0, 1]) < 0.03


def test_a_draw_is_a_pure_function():
    log_a = even(3)
    first = [draw(log_a, seed=5, round=t) for t in range(100)]
    assert [draw(log_a, seed=5, round=t) for t in reversed(range(100))] == first[::-1]
    np.testing.assert_array_equal(log_a, even(3))


@given(seed=st.integers(0, 2**63), round=st.integers(0, 2**40))
def test_the_uniform_number_lies_in_its_interval(seed, round):
    assert 0.0 <= uniform(seed, round) < 1.0


def test_seeds_give_unrelated_streams():
    a, b = (np.array([uniform(seed, t) for t in range(5000)]) for seed in (1, 2))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.06
    assert abs(np.corrcoef(a[1:], b[:-1])[0, 1]) < 0.06


@pytest.mark.parametrize("make", [lambda: ExponentialWeights(0), lambda: FixedShare(2), lambda: FixedShare(-5)])
def test_a_horizon_too_short_is_refused(make):
    with pytest.raises(ConfigError, match="horizon"):
        make()
