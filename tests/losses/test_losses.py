"""Every loss: value against derivative, known values, the ends of the scale, the ceiling."""

from __future__ import annotations

from math import log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fesl.losses import Logistic, Softmax, Squared

LOSSES = [(Logistic(), 1), (Squared(), 1), (Squared(), 3), (Softmax(), 2), (Softmax(), 5)]
every_loss = pytest.mark.parametrize(("loss", "k"), LOSSES, ids=lambda v: getattr(v, "name", v))
every_classifier = pytest.mark.parametrize(("loss", "k"), [LOSSES[0], *LOSSES[3:]])
seeds = st.integers(0, 2**32 - 1)


def draw_targets(loss, k, rng, n, radius=3.0):
    if loss.task == "binary":
        return rng.choice([-1.0, 1.0], (n, 1))
    if loss.task == "multiclass":
        return rng.integers(0, k, (n, 1)).astype(float)
    return rng.uniform(-radius, radius, (n, k))


def some(loss, k, seed=0, n=50, radius=3.0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-radius, radius, (n, k)), draw_targets(loss, k, rng, n, radius)


@every_loss
def test_gradient_is_the_derivative_of_the_value(loss, k):
    f, y = some(loss, k)
    h = 1e-6
    numerical = [(loss.value(f + h * e, y) - loss.value(f - h * e, y)) / (2 * h) for e in np.eye(k)]
    np.testing.assert_allclose(loss.gradient(f, y), np.transpose(numerical), atol=1e-8)


@every_loss
def test_a_block_equals_its_events_one_by_one(loss, k):
    f, y = some(loss, k)
    np.testing.assert_array_equal(loss.value(f, y), [loss.value(*fy) for fy in zip(f, y, strict=True)])
    np.testing.assert_array_equal(loss.gradient(f, y), [loss.gradient(*fy) for fy in zip(f, y, strict=True)])
    np.testing.assert_array_equal(loss.decide(f), [loss.decide(row) for row in f])
    assert loss.value(f, y).shape == (50,)
    assert loss.gradient(f, y).shape == f.shape


@pytest.mark.parametrize("loss", [Logistic(), Squared()])
def test_a_plain_number_is_one_output(loss):
    assert loss.value(0.3, 1.0) == loss.value([0.3], [1.0])
    assert loss.value(0.3, 1.0).shape == ()
    assert loss.gradient(0.3, 1.0) == loss.gradient([0.3], [1.0])


def test_known_values():
    assert Logistic().value(0.0, 1) == Logistic().value(0.0, -1) == 1.0
    assert Logistic().value(log(3.0), 1) == pytest.approx(log2(4 / 3))
    assert Logistic().gradient(0.0, -1) == pytest.approx(0.5 / log(2.0))
    assert Softmax().value(np.zeros(8), 3) == pytest.approx(3.0)
    assert Softmax().value([0.0, log(3.0)], 1) == pytest.approx(log2(4 / 3))
    assert Squared().value([1.0, 2.0, 3.0], [1.0, 4.0, 0.0]) == 13.0
    np.testing.assert_array_equal(Squared().gradient([1.0, 2.0], [1.0, 4.0]), [0.0, -4.0])


def test_logistic_is_stable_at_both_ends():
    loss, f = Logistic(), np.array([[-1e4], [1e4]])
    np.testing.assert_allclose(loss.value(f, [[1.0], [1.0]]), [1e4 / log(2.0), 0.0])
    np.testing.assert_allclose(loss.gradient(f, [[1.0], [1.0]])[:, 0], [-1 / log(2.0), 0.0])
    np.testing.assert_array_equal(loss.probability(f), [[1.0, 0.0], [0.0, 1.0]])


def test_softmax_is_stable_at_both_ends():
    loss, f = Softmax(), np.array([1e4, -1e4, 0.0])
    np.testing.assert_allclose([loss.value(f, y) for y in range(3)], np.array([0.0, 2e4, 1e4]) / log(2.0))
    np.testing.assert_allclose(loss.gradient(f, 1), np.array([1.0, -1.0, 0.0]) / log(2.0))
    np.testing.assert_array_equal(loss.probability(f), [1.0, 0.0, 0.0])


def test_squared_is_stable_at_both_ends():
    assert Squared().value(-1e4, 1e4) == 4e8
    np.testing.assert_array_equal(Squared().gradient(-1e4, 1e4), [-4e4])


def test_an_undecided_score_is_the_first_class():
    assert Logistic().decide(0.0) == 0
    assert Logistic().decide(np.nextafter(0.0, 1.0)) == 1
    assert Softmax().decide([0.5, 0.5, 0.1]) == 0


@every_classifier
def test_probabilities_sum_to_one_and_agree_with_the_decision(loss, k):
    f, _ = some(loss, k, radius=30.0)
    p = loss.probability(f)
    np.testing.assert_allclose(p.sum(axis=-1), 1.0)
    np.testing.assert_array_equal(p.argmax(axis=-1), loss.decide(f))


@every_classifier
def test_the_value_is_the_surprise_in_bits(loss, k):
    f, y = some(loss, k)
    codes = ((y + 1) / 2 if loss.task == "binary" else y).astype(int)
    p = np.take_along_axis(loss.probability(f), codes, axis=-1)[:, 0]
    np.testing.assert_allclose(loss.value(f, y), -np.log2(p), rtol=1e-12)


def test_a_regression_has_no_probabilities():
    assert Squared().probability([1.0]) is None
    np.testing.assert_array_equal(Squared().decide([1.5, 2.5]), [1.5, 2.5])


@given(f=st.floats(-50, 50), y=st.sampled_from([0, 1]))
def test_softmax_with_two_classes_is_the_logistic_loss(f, y):
    two, one, sign = Softmax(), Logistic(), 2 * y - 1
    assert two.value([0.0, f], y) == pytest.approx(one.value(f, sign), rel=1e-9, abs=1e-12)
    assert two.gradient([0.0, f], y)[1] == pytest.approx(one.gradient(f, sign)[0], rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(two.probability([0.0, f]), one.probability(f), rtol=1e-9)


@every_loss
@given(seed=seeds, radius=st.floats(0.01, 100.0))
def test_the_ceiling_is_never_exceeded(loss, k, seed, radius):
    f, y = some(loss, k, seed, radius=radius)
    low, high = loss.range()
    assert (loss.value(f, y) >= low).all()
    assert (loss.value(f, y) <= loss.ceiling(radius, k) * (1 + 1e-12)).all()
    assert loss.ceiling(radius, k) <= high


@pytest.mark.parametrize("radius", [0.1, 1.0, 30.0])
def test_the_ceiling_is_attained(radius):
    assert Logistic().ceiling(radius, 1) == pytest.approx(Logistic().value(-radius, 1))
    for k in (2, 5):
        worst = np.full(k, radius)
        worst[1] = -radius
        assert Softmax().ceiling(radius, k) == pytest.approx(Softmax().value(worst, 1))
        assert Squared().ceiling(radius, k) == pytest.approx(
            Squared().value(np.full(k, radius), np.full(k, -radius))
        )


@every_loss
@given(seed=seeds, mix=st.floats(0.0, 1.0))
def test_losses_are_convex_in_the_score(loss, k, seed, mix):
    f, y = some(loss, k, seed)
    g = f[::-1]
    chord = mix * loss.value(f, y) + (1 - mix) * loss.value(g, y)
    assert (loss.value(mix * f + (1 - mix) * g, y) <= chord + 1e-9).all()
