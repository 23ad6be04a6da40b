"""The linear model against w <- Proj(w - s x') written out, and OGD on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fesl import OGD
from fesl.losses import Logistic, Softmax, Squared
from fesl.models import LinearModel, Point
from fesl.projections import Ball, Box, Free

D = 7
OMEGAS = [Free(), Ball(0.7), Box(-0.2, 0.4)]


def some_point(rng, share):
    idx = np.flatnonzero(rng.random(D) < share)
    return Point(idx, rng.normal(size=len(idx)))


@pytest.mark.parametrize("omega", OMEGAS, ids=repr)
@pytest.mark.parametrize("share", [0.3, 1.0], ids=["sparse", "dense"])
@pytest.mark.parametrize("k", [1, 3])
def test_steps_equal_the_written_out_ones(omega, share, k):
    rng = np.random.default_rng(0)
    got, w = LinearModel.zeros(D, k), np.zeros((D, k))
    for _ in range(100):
        x, s = some_point(rng, share), rng.normal(size=k)
        full = np.zeros(D)
        full[x.idx] = x.val
        np.testing.assert_allclose(got.score(x), w.T @ full, rtol=1e-9, atol=1e-12)
        got.descend(x, got.score(x), s, omega)
        w = omega(w - np.outer(full, s))
        np.testing.assert_allclose(got.linear(), w, rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), radius=st.floats(1e-6, 1e3))
def test_a_ball_is_never_left(seed, radius):
    rng = np.random.default_rng(seed)
    got, omega = LinearModel.zeros(D, 2), Ball(radius)
    for _ in range(50):
        x = some_point(rng, 0.5)
        got.descend(x, got.score(x), rng.normal(size=2) * 10 ** rng.uniform(-3, 3), omega)
        assert np.linalg.norm(got.linear()) <= radius * (1 + 1e-6)


def test_a_scale_that_has_become_tiny_is_folded():
    rng, omega = np.random.default_rng(1), Ball(1e-12)
    got, w = LinearModel.zeros(D, 1), np.zeros((D, 1))
    for _ in range(30):
        x, s = Point(np.arange(D), rng.normal(size=D)), rng.normal(size=1) * 10.0
        got.descend(x, got.score(x), s, omega)
        w = omega(w - np.outer(x.val, s))
        assert got.num[0] >= 1e-100
    np.testing.assert_allclose(got.linear(), w, rtol=1e-6)


def test_room_for_more_changes_no_score():
    got, x = LinearModel(np.ones((2, 1))), Point(np.array([0, 1]), np.array([2.0, 3.0]))
    got.reserve(8)
    got.widen(2)
    np.testing.assert_array_equal(got.score(x), [5.0, 0.0])
    assert got.linear().shape == (8, 2)


@pytest.mark.parametrize(
    ("loss", "k", "y"), [(Logistic(), 1, -1.0), (Squared(), 2, [1.0, -2.0]), (Softmax(), 3, 2)]
)
def test_descent_with_a_small_step_lowers_the_loss(loss, k, y):
    ogd, model = OGD(step=0.05), LinearModel.zeros(D, k)
    x = Point(np.arange(D), np.linspace(-1, 1, D))
    values = []
    for t in range(20):
        f = model.score(x)
        values.append(float(loss.value(f, y)))
        ogd.descend(model, x, f, loss.gradient(f, y), t)
    assert (np.diff(values) < 0).all()


def test_descent_projects():
    ogd, model = OGD(step=1.0, projection=Ball(1.0)), LinearModel.zeros(D, 1)
    x = Point(np.array([0, 1]), np.array([3.0, 4.0]))
    ogd.descend(model, x, model.score(x), np.array([-1.0]), t=0)
    np.testing.assert_allclose(model.linear()[:2, 0], [0.6, 0.8])


def test_the_schedule_counts_from_one():
    seen = []
    ogd, model = OGD(step=lambda t: seen.extend(t) or np.ones(len(t))), LinearModel.zeros(D, 1)
    x = Point(np.array([0]), np.array([1.0]))
    for t in range(3):
        ogd.descend(model, x, model.score(x), np.array([0.0]), t)
    assert seen == [1.0, 2.0, 3.0]
