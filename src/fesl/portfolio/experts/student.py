"""The second-order expert of a regressor: Bayesian linear regression with unknown noise.

Targets are standardised by their running mean and deviation; weights and noise are rescaled exactly when these
move. Belief: N(w_k, sigma_k^2 P), 1/sigma_k^2 ~ Gamma(a, b_k). With Pu = P u, s = u'Pu, m_k = w_k.u the predictive
density is Student's t with 2a degrees of freedom, mean m and scale^2 = b/a (1 + s), and a round is

    w_k += (y_k - m_k) / (r + s) Pu,   P -= Pu Pu' / (r + s)
    a <- FADE a + 1/2,   b_k <- FADE b_k + (y_k - m_k)^2 / (2 (1 + s))

with noise r = 1; a taught score (see `memory`) has its own r and leaves a and b alone. The noise is that of the
last rounds: features that come make it smaller, features that go make it larger.

After WARY labels a target further than SURPRISE deviations from what the mixture forecast is learned as if it were
that far, unless the last one was as far off on the same side: one alone may be a mistake, two are a new level, and
make the intercept of every linear expert of a narrow learner wide enough to get there at once. And no forecast
counts any more as further from the mean than FURTHER times the furthest target so far: where sensors go together,
one that glitches looks like much of the little by which they differ.
"""

from __future__ import annotations

from math import lgamma, log, sqrt

import numpy as np

from fesl._typing import Floats
from fesl.portfolio.constants import FURTHER
from fesl.portfolio.inputs import scaling
from fesl.portfolio.inputs.scaling import ROUNDING

#: The noise never falls below this share of the targets' variance.
LEAST = 1e-10
#: How an error's weight in the noise fades, a round.
FADE = 0.98
#: Deviations of the target: where forecasts are mixed, none counts as further from the mean.
FURTHEST = 50.0
#: Deviations of a forecast beyond which a target is not believed at first sight...
SURPRISE = 8.0
#: ... once there were so many labels.
WARY = 32
#: The most by which a new level widens the intercept, in noises.
LEAP = 1e6


def learn(w: Floats, P: Floats, m: Floats, s: float, Pu: Floats, y: Floats, r: float, q: float) -> None:
    """One Kalman step; w (K x n) and P (n x n) in place. The noise is r for the weights, q for the covariance."""
    w += np.multiply.outer((y - m) / (s + r), Pu)
    v = sqrt(1.0 / (s + q)) * Pu
    P -= np.multiply.outer(v, v)


def noted(a: Floats, b: Floats, gap: Floats, s: float | Floats) -> tuple[Floats, Floats]:
    """a and b after the forecasts were wrong by the gap.

    >>> noted(np.ones(1), np.ones(1), np.full(1, 2.0), 1.0)
    (array([1.48]), array([1.98]))
    """
    return FADE * a + 0.5, np.maximum(FADE * b + 0.5 * gap**2 / (1.0 + s), LEAST)


def log_density(y: Floats, m: Floats, s: float | Floats, a: float, b: Floats) -> Floats:
    """Of Student's t, but for the constant that all experts share.

    >>> log_density(np.zeros(1), np.zeros(1), 0.0, 1.0, np.ones(1)).round(4)
    array([-0.4674])
    """
    scale, nu = b / a * (1.0 + s), 2.0 * a
    peak = lgamma((nu + 1.0) / 2.0) - lgamma(nu / 2.0) - 0.5 * log(nu)
    out: Floats = peak - 0.5 * np.log(scale) - (nu + 1.0) / 2.0 * np.log1p((y - m) ** 2 / (nu * scale))
    return out


def forecast(weights: Floats, m: Floats, s: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """What the mixture forecasts (weights K x M, the rest M x K but for a), and how far it may be off.

    >>> forecast(np.full((1, 2), 0.5), np.array([[1.0], [3.0]]), np.ones((2, 1)), np.ones(2), np.full((2, 1), 2.0))
    (array([2.]), array([2.]))
    """
    v = np.minimum(b / a[:, None] * (1.0 + s), FURTHEST**2)
    return mixed(weights, m), np.sqrt(np.einsum("ge,eg->g", weights, v))


def mixed(weights: Floats, m: Floats, most: Floats | float = FURTHEST) -> Floats:
    """The forecasts of the experts (M x K) by their weights (K x M), none as further out than `most`. One that has
    lost its way has next to no weight, and must not matter because it is so far off.

    >>> mixed(np.array([[0.999, 0.001]]), np.array([[1.0], [1e12]])).round(3)
    array([1.049])
    """
    return np.asarray(np.einsum("ge,eg->g", weights, np.clip(m, -most, most)))


def most(n: float, reach: Floats, sd: Floats) -> Floats:
    """How far from the mean a forecast counts after n labels, in deviations sd, given how far any of them was.

    >>> most(10.0, np.array([3.0]), np.array([1.0])), most(100.0, np.array([3.0]), np.array([1.0]))
    (array([50.]), array([9.]))
    """
    far = np.full(len(reach), FURTHEST)
    return far if n < WARY else np.minimum(far, FURTHER * reach / sd)


def believed(y: Floats, m: Floats, sd: Floats, last: Floats) -> tuple[Floats, Floats]:
    """The targets as they are learned, given the forecasts and their deviations, and which of them surprise: -1, 0
    or 1 each, as those of the last round did.

    >>> believed(np.array([1.0, 9.0, 9.0]), np.zeros(3), np.ones(3), np.array([0.0, 0.0, 1.0]))
    (array([1., 8., 9.]), array([0., 1., 1.]))
    """
    side = np.sign(y - m) * (np.abs(y - m) > SURPRISE * sd)
    return np.where((side != 0.0) & (side != last), m + side * SURPRISE * sd, y), side


def leap(gap: Floats, shape: Floats, noise: Floats) -> Floats:
    """By how much the variances of intercepts grow that were so far from a new level, in noises.

    >>> leap(np.array([10.0, 1e9]), np.ones(2), np.array([2.0, 1.0]))
    array([5.e+01, 1.e+06])
    """
    return np.asarray(np.minimum(LEAP, gap * gap * shape / noise))


def counted(y: Floats, n: float, mean: Floats, q: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Targets counted in their own statistics, after n of them: y in deviations from their mean; the mean, and the
    sum of squares about it; and what was m of the deviations from before is now, ratio m + shift.

    >>> counted(np.array([4.0]), 2.0, np.array([1.0]), np.array([2.0]))
    (array([1.22474487]), array([2.]), array([8.]), array([0.61237244]), array([-0.61237244]))
    """
    fresh = q <= 0.0
    before, was = deviation(n, mean, q), mean
    _, mean, q = scaling.counted(y, np.full(len(y), n), mean, q)
    sd = deviation(n + 1.0, mean, q)
    shift = (was - mean) / sd if n else np.zeros(len(y))
    return np.asarray((y - mean) / sd), mean, q, np.where(fresh, 1.0, before / sd), shift


def deviation(n: float, mean: Floats, q: Floats) -> Floats:
    """The scale of the targets; where they do not vary, what is rounding of their mean, or 1.

    >>> deviation(4.0, np.array([0.0, 5.0, 0.0]), np.array([16.0, 0.0, 0.0]))
    array([2.e+00, 5.e-13, 1.e+00])
    """
    sd = np.maximum(np.sqrt(q / max(n, 1.0)), sqrt(ROUNDING) * np.abs(mean))
    return np.where(sd > 0.0, sd, 1.0)
