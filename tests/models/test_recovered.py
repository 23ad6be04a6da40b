"""The recovered model against explicit w1 and M: scores, steps, norms, the way back, late samples."""

from __future__ import annotations

import numpy as np
import pytest
from explicit import ExplicitModel
from hypothesis import given
from hypothesis import strategies as st

from fesl.models import Point, RecoveredModel
from fesl.projections import Ball, Box, Free
from fesl.recovery import LeastSquares, Overlap

V, K = 3, 2  # vanished features have the ids 0 to 2, survivors 3 and 4, new ones those from 5 on
OMEGAS = [Free(), Ball(0.8), Ball(5.0), Box(-0.3, 0.5)]
every_omega = pytest.mark.parametrize("omega", OMEGAS, ids=repr)
both_forms = pytest.mark.parametrize("B", [4, 30], ids=["dual", "primal"])


def twins(seed, B, omega, outputs=1, survivors=K, new=6, ridge=0.0):
    """The library's model and the explicit one, on the same overlap rows."""
    rng = np.random.default_rng(seed)
    capacity = V + survivors + new
    rows = rng.normal(size=(B, capacity))
    overlap = Overlap(B)
    for row in rows:
        overlap.add(Point(np.arange(capacity), row))
    vanished, present = np.arange(V), np.arange(V, capacity)
    survive = np.arange(V, V + survivors)
    w = np.zeros((capacity, outputs))
    w[: V + survivors] = omega(rng.normal(size=(V + survivors, outputs)))
    explicit = isinstance(omega, Box)
    lens = LeastSquares(ridge).fit(overlap, vanished, present, capacity, explicit=explicit)
    O2 = rows[:, present]
    M = np.linalg.solve(O2.T @ O2 + ridge * np.eye(len(present)), O2.T) if ridge else np.linalg.pinv(O2)
    M = M @ rows[:, vanished]
    return RecoveredModel(lens, w, survive), ExplicitModel(w, M, vanished, present, survive), rng


def new_point(rng, model):
    there = np.flatnonzero(rng.random(len(model.present)) < 0.8)
    return Point(model.present[there], rng.normal(size=len(there)))


def old_point(rng, model):
    ids = np.concatenate([model.vanished, model.survivors])
    return Point(ids, rng.normal(size=len(ids)))


def assert_same(got, expected, rtol=1e-9):
    np.testing.assert_allclose(got.old_weights(), expected.w, rtol=rtol, atol=1e-10)
    np.testing.assert_allclose(got.linear(), expected.linear(), rtol=rtol, atol=1e-10)


def run(got, expected, rng, omega, rounds=60, late=0.0):
    for _ in range(rounds):
        is_late = rng.random() < late
        x = old_point(rng, expected) if is_late else new_point(rng, expected)
        f = got.late_score(x) if is_late else got.score(x)
        np.testing.assert_allclose(
            f, expected.late_score(x) if is_late else expected.score(x), rtol=1e-8, atol=1e-10
        )
        s = rng.normal(size=len(f)) * 0.1
        if is_late:
            got.late_descend(x, f, s, omega)
            expected.late_descend(x, s, omega)
        else:
            got.descend(x, f, s, omega)
            expected.descend(x, s, omega)
        assert_same(got, expected)
        if omega.radius < np.inf:
            assert got.num[1] == pytest.approx(float((expected.w**2).sum()), rel=1e-9)


@every_omega
@both_forms
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("survivors", [0, K])
def test_steps_equal_the_explicit_steps(omega, B, outputs, survivors):
    got, expected, rng = twins(0, B, omega, outputs, survivors)
    assert_same(got, expected)
    run(got, expected, rng, omega)


@every_omega
@both_forms
@pytest.mark.parametrize("outputs", [1, 2])
def test_late_samples_of_the_old_space_are_stepped_in_the_old_space(omega, B, outputs):
    got, expected, rng = twins(1, B, omega, outputs)
    run(got, expected, rng, omega, late=0.4)


@given(seed=st.integers(0, 2**32 - 1), B=st.integers(1, 20), omega=st.sampled_from(OMEGAS), ridge=st.floats(0.1, 5))
def test_any_shape_of_problem(seed, B, omega, ridge):
    got, expected, rng = twins(seed, B, omega, outputs=2, ridge=ridge)
    run(got, expected, rng, omega, rounds=10, late=0.2)


def test_survivors_pass_through_untouched_by_the_recovery():
    got, _, _ = twins(2, 10, Free())
    alone = Point(np.array([3]), np.array([2.0]))
    lens_only = got.lens.phi(alone) @ got.C
    np.testing.assert_allclose(got.score(alone) - lens_only, 2.0 * got.old_weights()[3])


def test_a_frozen_model_says_so():
    got, _, _ = twins(3, 10, Free())
    assert got.learns
    assert not RecoveredModel(got.lens, got.old_weights(), np.array([3, 4]), learns=False).learns


@both_forms
def test_room_for_more_features_changes_no_score(B):
    got, expected, rng = twins(4, B, Free())
    run(got, expected, rng, Free(), rounds=5)
    x = new_point(rng, expected)
    before = got.score(x)
    got.reserve(40)
    np.testing.assert_array_equal(got.score(x), before)
    assert got.score(Point(np.array([39]), np.array([1e6]))) == 0.0
    got.reserve(10)
    assert len(got.W) == 40


@both_forms
def test_room_for_more_outputs_starts_them_at_zero(B):
    got, expected, rng = twins(5, B, Free())
    x = new_point(rng, expected)
    before = got.score(x)
    got.widen(3)
    np.testing.assert_allclose(got.score(x), [*before, 0.0, 0.0], rtol=1e-12)
    got.descend(x, got.score(x), np.array([0.0, 1.0, 0.0]), Free())
    assert got.score(x)[0] == pytest.approx(before[0], rel=1e-12)
    assert got.score(x)[1] < 0.0


@both_forms
def test_a_scale_that_has_become_tiny_is_folded(B):
    omega = Ball(1e-12)
    got, expected, rng = twins(6, B, omega)
    for _ in range(30):
        x = new_point(rng, expected)
        s = rng.normal(size=1) * 10.0
        got.descend(x, got.score(x), s, omega)
        expected.descend(x, s, omega)
        assert got.num[0] >= 1e-100
    np.testing.assert_allclose(got.old_weights(), expected.w, rtol=1e-6, atol=1e-20)


@pytest.mark.parametrize("noise", [1e-3, 1e-6])
@pytest.mark.parametrize("B", [5, 12], ids=["wide", "tall"])
def test_sensors_that_nearly_agree_do_no_harm(noise, B):
    """The steps lose no more digits than `lstsq` does, however nearly collinear the overlap rows are."""
    rng = np.random.default_rng(7)
    O2 = rng.normal(size=(B, 8))
    O2[:, 1] = O2[:, 0] + noise * O2[:, 1]
    O2[1] = O2[0] + noise * O2[1]
    rows = np.hstack([O2 @ rng.normal(size=(8, V)), O2])
    overlap = Overlap(B)
    for row in rows:
        overlap.add(Point(np.arange(V + 8), row))
    vanished, present, none = np.arange(V), np.arange(V, V + 8), np.array([], int)
    w = np.zeros((V + 8, 1))
    w[:V] = 1.0
    got = RecoveredModel(LeastSquares().fit(overlap, vanished, present, V + 8), w, none)
    expected = ExplicitModel(w, np.linalg.lstsq(O2, rows[:, :V], rcond=None)[0], vanished, present, none)
    for _ in range(50):
        x = new_point(rng, expected)
        f = got.score(x)
        np.testing.assert_allclose(f, expected.score(x), rtol=1e-6, atol=1e-6)
        got.descend(x, f, 0.1 * f, Free())
        expected.descend(x, 0.1 * f, Free())
