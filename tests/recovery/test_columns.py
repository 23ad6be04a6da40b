"""P by feature id: stored dense or compressed, the numbers are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem
from scipy import sparse

from fesl.models import Point
from fesl.recovery import Columns


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 9), capacity=st.integers(2, 12))
def test_compressed_columns_equal_dense_columns(seed, size, capacity):
    rng = np.random.default_rng(seed)
    present = np.sort(rng.choice(capacity, rng.integers(1, capacity + 1), replace=False))
    P = rng.normal(size=(size, len(present))) * (rng.random((size, len(present))) < 0.4)
    x = Point(rng.permutation(capacity)[: capacity // 2], rng.normal(size=capacity // 2))
    full, c = np.zeros(capacity), rng.normal(size=(size, 2))
    full[x.idx] = x.val
    whole = np.zeros((size, capacity))
    whole[:, present] = P
    for columns in (
        Columns.dense_of(P, present, capacity),
        Columns.sparse_of(sparse.csr_array(P), present, capacity),
    ):
        for grown in (columns, columns.grown(capacity + 5)):
            np.testing.assert_allclose(grown.apply(x), whole @ full, atol=1e-12)
            np.testing.assert_allclose(grown.transposed(c)[:capacity], whole.T @ c, atol=1e-12)
        assert not columns.grown(capacity + 5).transposed(c)[capacity:].any()


@given(seed=st.integers(0, 2**32 - 1), capacity=st.integers(2, 12))
def test_columns_of_the_identity(seed, capacity):
    rng = np.random.default_rng(seed)
    present = rng.permutation(capacity)[: rng.integers(1, capacity + 1)]
    x = Point(rng.permutation(capacity), rng.normal(size=capacity))
    identity = Columns.identity_of(present, capacity)
    full = np.zeros(capacity)
    full[x.idx] = x.val
    np.testing.assert_array_equal(identity.apply(x), full[present])
    c = rng.normal(size=(len(present), 1))
    np.testing.assert_array_equal(identity.transposed(c)[present], c)


@pytest.mark.parametrize("share", [0.02, 0.9])
def test_sparse_rows_are_kept_compressed_and_full_ones_dense(share):
    problem, rng = random_problem(0, 5, 2, 400), np.random.default_rng(0)
    problem.O2[rng.random(problem.O2.shape) > share] = np.nan
    lens = problem.fit(gaps=False)
    assert (lens.columns.dense is None) == (share < 0.25)
    if share < 0.25:
        assert len(lens.columns.vals) == (~np.isnan(problem.O2)).sum()
