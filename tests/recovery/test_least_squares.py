"""psi against the textbook, in all three of its forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import Problem, minimum_norm, random_problem, ridge_map

from fesl.errors import ConfigError
from fesl.models import Point
from fesl.recovery import LeastSquares, least_squares

seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(1, 12), st.integers(1, 8), st.integers(1, 12))


def assert_psi(lens, problem, M, rng, rtol=1e-8):
    for _ in range(3):
        x = problem.new(rng)
        np.testing.assert_allclose(lens.psi(x), M.T @ x.val, rtol=rtol, atol=1e-9 * np.abs(M).max())


@given(seed=seeds, size=sizes, explicit=st.booleans())
def test_psi_is_the_minimum_norm_solution(seed, size, explicit):
    problem = random_problem(seed, *size)
    lens = problem.fit(explicit=explicit)
    assert_psi(lens, problem, minimum_norm(*problem), np.random.default_rng(seed))


@given(seed=seeds, size=sizes, ridge=st.sampled_from([1e-3, 0.5, 10.0]), explicit=st.booleans())
def test_ridge_is_the_textbook_formula(seed, size, ridge, explicit):
    problem = random_problem(seed, *size)
    lens = problem.fit(ridge, explicit=explicit)
    assert_psi(lens, problem, ridge_map(*problem, ridge), np.random.default_rng(seed))


@pytest.mark.parametrize(("B", "d2", "size"), [(9, 4, 4), (4, 9, 4), (200, 3, 3)])
def test_as_few_coordinates_as_rows_or_features(B, d2, size):
    lens = random_problem(0, B, 5, d2).fit()
    assert lens.size == size
    assert lens.H.shape == (size, size)
    assert random_problem(0, B, 5, d2).fit(explicit=True).size == 5


@given(seed=seeds, d2=st.integers(1, 5), extra=st.integers(0, 5))
def test_exact_on_a_noiseless_linear_map(seed, d2, extra):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d2, 6))
    O2 = rng.normal(size=(d2 + 3 + extra, d2))
    problem = Problem(O2 @ A, O2)
    assert_psi(problem.fit(), problem, A, rng, rtol=1e-7)


@given(seed=seeds, size=sizes)
def test_the_order_of_the_rows_does_not_matter(seed, size):
    problem, rng = random_problem(seed, *size), np.random.default_rng(seed)
    shuffled = problem.fit(order=rng.permutation(size[0]))
    x = problem.new(rng)
    np.testing.assert_allclose(shuffled.psi(x), problem.fit().psi(x), rtol=1e-7, atol=1e-8)


def test_rows_that_say_the_same_twice_count_like_a_rank():
    rng = np.random.default_rng(0)
    O2 = np.repeat(rng.normal(size=(3, 6)), 2, axis=0)
    problem = Problem(rng.normal(size=(6, 2)), O2)
    assert_psi(problem.fit(), problem, minimum_norm(*problem), rng)


def test_very_wide_rows_go_through_the_small_matrix(monkeypatch):
    problem, rng = random_problem(1, 8, 3, 40), np.random.default_rng(1)
    monkeypatch.setattr(least_squares, "LARGE", 0)
    assert_psi(problem.fit(), problem, minimum_norm(*problem), rng, rtol=1e-7)


def test_only_the_latest_rows_are_kept():
    problem, rng = random_problem(2, 30, 3, 4), np.random.default_rng(2)
    overlap = problem.overlap(rows=10)
    assert (len(overlap), overlap.seen) == (10, 30)
    lens = LeastSquares().fit(overlap, problem.vanished, problem.present, problem.capacity)
    assert_psi(lens, problem, minimum_norm(problem.O1[-10:], problem.O2[-10:]), rng)


def test_a_feature_that_is_there_in_most_rows_is_learned_from_those():
    problem, rng = random_problem(3, 12, 3, 5), np.random.default_rng(3)
    problem.O1[:4, 1] = np.nan
    M = minimum_norm(*problem._replace(O1=np.nan_to_num(problem.O1)))
    M[:, 1] = minimum_norm(problem.O1[4:, 1], problem.O2[4:])
    for lens in (problem.fit(), problem.fit(explicit=True)):
        assert_psi(lens, problem, M, rng)
    assert_psi(problem.wide().fit(), problem.wide(), np.vstack([M, np.zeros(M.shape)]), rng)


def test_a_rare_feature_counts_as_zero_where_it_is_absent():
    problem, rng = random_problem(4, 12, 3, 5), np.random.default_rng(4)
    problem.O1[:9, 1] = np.nan
    assert_psi(problem.fit(), problem, minimum_norm(np.nan_to_num(problem.O1), problem.O2), rng)


def test_rows_in_which_a_present_feature_was_late_do_not_count():
    problem, rng = random_problem(5, 12, 3, 5), np.random.default_rng(5)
    problem.O2[:4, 2] = np.nan
    assert_psi(problem.fit(), problem, minimum_norm(problem.O1[4:], problem.O2[4:]), rng)


def test_without_gaps_whatever_is_absent_is_zero():
    problem, rng = random_problem(5, 12, 3, 5), np.random.default_rng(5)
    problem.O1[:4, 1] = problem.O2[:3, 2] = np.nan
    zeros = [np.nan_to_num(O) for O in problem]
    assert_psi(problem.fit(gaps=False), problem, minimum_norm(*zeros), rng)


def test_what_was_zero_is_not_what_was_absent():
    problem, rng = random_problem(6, 8, 2, 3), np.random.default_rng(6)
    problem.O1[:5, 0] = 0.0
    assert_psi(problem.fit(), problem, minimum_norm(*problem), rng)


@pytest.mark.parametrize("O2", [np.zeros((4, 3)), np.full((4, 3), 1e-160)], ids=["zero", "tiny"])
def test_present_features_without_a_signal_recover_nothing(O2):
    problem = Problem(np.ones((4, 2)), O2)
    np.testing.assert_array_equal(problem.fit().psi(Point(problem.present, np.ones(3))), [0.0, 0.0])


@pytest.mark.parametrize("scale", [1e-20, 1e20, 1e40])
def test_psi_does_not_depend_on_the_unit(scale):
    problem, rng = random_problem(7, 6, 2, 9), np.random.default_rng(7)
    scaled = Problem(problem.O1, scale * problem.O2)
    x = problem.new(rng)
    np.testing.assert_allclose(scaled.fit().psi(Point(x.idx, scale * x.val)), problem.fit().psi(x), rtol=1e-7)


@pytest.mark.parametrize("old", [1e90, 1e-90])
@pytest.mark.parametrize("new", [1e90, 1e-90])
def test_far_apart_magnitudes_stay_finite(old, new):
    problem = random_problem(8, 6, 2, 4)
    lens = Problem(old * problem.O1, new * problem.O2).fit()
    assert np.isfinite(lens.H).all()
    assert np.isfinite(lens.psi(Point(problem.present, new * np.ones(4)))).all()


@pytest.mark.parametrize("keywords", [{"ridge": -1.0}, {"ridge": np.nan}, {"rows": 0}])
def test_settings_that_cannot_work(keywords):
    with pytest.raises(ConfigError, match=next(iter(keywords))):
        LeastSquares(**keywords)
