"""The benchmark of wide and sparse events: its streams are what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.report import worth

from benchmarks import wide
from fesl.portfolio.constants import QUARTER, SPARSE, WIDE


@pytest.mark.parametrize("name", wide.STREAMS)
def test_a_stream_has_both_classes_and_is_wide(name):
    """Sparse, with more features than a sparse stream may have, or full, with more than any may have."""
    X, y = wide.STREAMS[name](300, np.random.default_rng(0))
    assert set(y) == {0, 1}
    assert 0.3 < y.mean() < 0.7
    sparse = (~np.isnan(X)).sum(axis=1).max() < QUARTER * X.shape[1]
    assert X.shape[1] > (SPARSE if sparse else WIDE)


def test_where_the_zero_is_changes_the_readings_and_nothing_else():
    X, y = wide.sensors(200, np.random.default_rng(1), 0.0)
    far, same = wide.sensors(200, np.random.default_rng(1), 30.0)
    np.testing.assert_array_equal(y, same)
    gap = far - X
    assert 15.0 <= np.nanmin(gap) < np.nanmax(gap) <= 60.0
    np.testing.assert_allclose(np.nanstd(gap, axis=0), 0.0, atol=1e-9)


def test_sensors_are_replaced_when_two_thirds_are_over():
    X, _ = wide.replaced(600, np.random.default_rng(2), overlap=50)
    old, new = ~np.isnan(X[:, :120]).all(axis=1), ~np.isnan(X[:, 120:]).all(axis=1)
    assert (np.flatnonzero(old)[-1], np.flatnonzero(new)[0]) == (399, 350)


def test_the_part_is_told_by_stream_and_contestant():
    found = wide.run(["ours"], 1, full=False)
    assert set(wide.table(found)) == set(wide.STREAMS)
    assert all(0.6 < last <= 1.0 for each in wide.table(found).values() for _, last in each.values())
    page = worth.sparse(found, None)
    assert "| sensors, zero far away | 0." in page
    assert page.count("\n|") == 2 + len(wide.STREAMS)
