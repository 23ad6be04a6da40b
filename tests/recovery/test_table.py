"""The short way to the recovery map: the same lens, where the overlap rows allow it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import minimum_norm, random_problem

from fesl.models import Point
from fesl.recovery import LeastSquares, Overlap, least_squares, table


@given(seed=st.integers(0, 2**32 - 1), B=st.integers(1, 40), d2=st.integers(1, 40), worse=st.sampled_from([1, 40]))
def test_orthonormal_coordinates_and_the_pseudo_inverse(seed, B, d2, worse):
    O2 = random_problem(seed, B, 1, d2).O2 * np.geomspace(1, worse, d2)
    found = table.pseudo_inverse(O2)
    if found is None:
        assert np.linalg.cond(O2) > 100
        return
    T, P = found
    P = np.eye(d2) if P is None else P
    np.testing.assert_allclose(P @ P.T, np.eye(len(P)), atol=1e-10)
    np.testing.assert_allclose(P.T @ T, np.linalg.pinv(O2), rtol=1e-8, atol=1e-9 * np.abs(T).max())


@pytest.mark.parametrize("more", ["features", "rows"])
def test_what_is_not_well_conditioned_goes_the_long_way(more):
    O2 = np.random.default_rng(0).normal(size=(6, 20))
    twice, apart = np.vstack([O2, O2[:1]]), O2 * np.geomspace(1e-7, 1, 6)[:, np.newaxis]
    for spoilt in (twice, apart, 0.0 * O2, 1e60 * O2, 1e-60 * O2, O2[:0]):
        assert table.pseudo_inverse(spoilt if more == "features" else spoilt.T) is None
    assert table.pseudo_inverse(O2 if more == "features" else O2.T) is not None


@pytest.mark.parametrize("rows", [5, 300])
def test_products_of_every_size(monkeypatch, rows):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(rows, 70)), rng.normal(size=(70, 90))
    for alone, worth in ((1, 2**26), (2**16, 2**26), (2**30, 2**26), (1, 1)):
        monkeypatch.setattr(table, "ALONE", alone)
        monkeypatch.setattr(table, "WORTH", worth)
        np.testing.assert_allclose(table.product(A, B), A @ B, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("B", "d2"), [(4, 9), (9, 4)])
def test_rows_in_any_order_of_their_features_are_a_table(B, d2):
    problem, rng = random_problem(1, B, 3, d2), np.random.default_rng(1)
    mixed = Overlap(100)
    for p in problem.overlap():
        order = rng.permutation(len(p.idx))
        mixed.add(Point(p.idx[order], p.val[order]))
    ids, values = mixed.table()
    np.testing.assert_array_equal(ids, np.arange(problem.capacity))
    np.testing.assert_array_equal(values, np.hstack([problem.O1, problem.O2]))
    lens = LeastSquares().fit(mixed, problem.vanished, problem.present, problem.capacity)
    x = problem.new(rng)
    np.testing.assert_allclose(lens.psi(x), minimum_norm(*problem).T @ x.val, rtol=1e-9)


def test_rows_with_other_features_are_no_table():
    problem = random_problem(2, 6, 3, 4)
    problem.O1[2, 1] = np.nan
    assert problem.overlap().table() is None
    assert Overlap(3).table() is None


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize(("B", "d2"), [(5, 12), (25, 6)])
def test_features_that_no_row_holds(monkeypatch, B, d2, explicit):
    """Neither what vanished unseen nor what is present since is recovered, or recovers anything."""
    problem, rng = random_problem(3, B, 3, d2), np.random.default_rng(3)
    problem.O1[:, 1], problem.O2[:, 2] = np.nan, np.nan
    short = problem.fit(explicit=explicit)
    monkeypatch.setattr(least_squares, "fit_table", lambda *_: None)
    long = problem.fit(explicit=explicit)
    x, w = problem.new(rng), rng.normal(size=(3, 2))
    np.testing.assert_allclose(short.psi(x), long.psi(x), rtol=1e-9, atol=1e-12)
    assert short.psi(x)[1] == 0.0
    np.testing.assert_allclose(
        short.pull_back(short.project(w)), long.pull_back(long.project(w)), rtol=1e-8, atol=1e-10
    )
