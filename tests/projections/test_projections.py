"""A projection finds the nearest point of its set: feasible, idempotent, non-expansive."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fesl.errors import ConfigError
from fesl.projections import Ball, Box, Free

SETS = [Free(), Ball(0.5), Ball(7.0), Box(-1.0, 2.0), Box(0.0, 0.25), Box(-inf, 1.0)]
every_set = pytest.mark.parametrize("omega", SETS, ids=repr)
models = arrays(np.float64, (4, 2), elements=st.floats(-10, 10))


def inside(omega, w):
    return np.linalg.norm(w) <= omega.radius * (1 + 1e-12) and (w >= omega.low).all() and (w <= omega.high).all()


@every_set
@given(w=models)
def test_feasible_and_idempotent(omega, w):
    once = omega(w)
    assert inside(omega, once)
    np.testing.assert_allclose(omega(once), once, rtol=1e-15)
    if inside(omega, w):
        np.testing.assert_allclose(once, w, rtol=1e-12)


@every_set
@given(a=models, b=models)
def test_non_expansive(omega, a, b):
    assert np.linalg.norm(omega(a) - omega(b)) <= np.linalg.norm(a - b) + 1e-9


@every_set
@given(w=models, a=models)
def test_no_other_point_of_the_set_is_nearer(omega, w, a):
    other = omega(a)
    assert np.linalg.norm(w - omega(w)) <= np.linalg.norm(w - other) + 1e-9


@every_set
def test_zero_lies_inside_and_the_argument_is_left_alone(omega):
    np.testing.assert_array_equal(omega(np.zeros(3)), np.zeros(3))
    w = np.array([30.0, -40.0])
    omega(w)
    np.testing.assert_array_equal(w, [30.0, -40.0])


def test_a_matrix_is_measured_as_a_whole():
    np.testing.assert_allclose(Ball(5.0)([[6.0], [8.0]]), [[3.0], [4.0]])
    np.testing.assert_allclose(Ball(5.0)([[6.0, 8.0]]), [[3.0, 4.0]])


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan")])
def test_a_ball_needs_a_radius(radius):
    with pytest.raises(ConfigError, match="radius"):
        Ball(radius)


@pytest.mark.parametrize(("low", "high"), [(1.0, 2.0), (-2.0, -1.0), (1.0, -1.0), (float("nan"), 1.0)])
def test_a_box_holds_zero(low, high):
    with pytest.raises(ConfigError, match="zero must lie inside"):
        Box(low, high)
