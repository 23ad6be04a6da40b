"""Each expert against its definition, computed another way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate, optimize, stats

from fesl import Classifier, Regressor
from fesl.models import Point
from fesl.portfolio import mixture
from fesl.portfolio.changes.lives import patience
from fesl.portfolio.constants import CURVE, KNOTS, PAIRED, SPAN
from fesl.portfolio.experts import additive, council, laplace, pairwise, stacker, student
from fesl.portfolio.inputs import moments
from fesl.portfolio.inputs.scaling import counted, squashed


@pytest.mark.parametrize("K", [2, 3, 6])
@pytest.mark.parametrize("s", [0.01, 1.0, 50.0])
def test_the_mode_minimises_the_posterior(K, s):
    rng = np.random.default_rng(K)
    m, y = rng.normal(size=K) * 3, K - 1

    def posterior(f):
        return np.logaddexp.reduce(f) - f[y] + ((f - m) ** 2).sum() / (2 * s)

    best = optimize.minimize(posterior, m, tol=1e-14, method="BFGS", options={"gtol": 1e-9}).x
    p = laplace.mode(m, s, y)
    np.testing.assert_allclose(p, np.exp(best - np.logaddexp.reduce(best)), atol=1e-6)


@pytest.mark.parametrize("m", [np.array([40.0, -40.0]), np.array([300.0, 0.0, -300.0])])
def test_the_mode_is_found_far_out(m):
    for y in range(len(m)):
        p = laplace.mode(m, 200.0, y)
        e = np.eye(len(m))[y]
        f = m + 200.0 * (e - p)
        np.testing.assert_allclose(p, np.exp(f - np.logaddexp.reduce(f)), atol=1e-6)


def test_two_classes_are_the_binary_laplace_step_with_twice_the_prior():
    rng = np.random.default_rng(0)
    U, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    w, P = np.zeros((2, 3)), 0.5 * np.eye(3)
    v, Q = np.zeros(3), 1.0 * np.eye(3)
    for u, t in zip(U, y, strict=True):
        laplace.learn(w, P, w @ u, float(u @ P @ u), P @ u, int(t))
        m, s, Qu = float(v @ u), float(u @ Q @ u), Q @ u
        f = optimize.brentq(lambda f, m=m, s=s, t=t: f - m - s * (t - 1 / (1 + np.exp(-f))), -60, 60, xtol=1e-14)
        p = 1 / (1 + np.exp(-f))
        v += (t - p) * Qu
        Q -= p * (1 - p) / (1 + p * (1 - p) * s) * np.outer(Qu, Qu)
        np.testing.assert_allclose(w[1] - w[0], v, atol=1e-8)
        np.testing.assert_allclose(2 * P, Q, atol=1e-8)


def test_the_regression_expert_is_bayesian_regression():
    rng = np.random.default_rng(1)
    U, y = rng.normal(size=(40, 4)), rng.normal(size=40)
    w, P = np.zeros((1, 4)), 0.3 * np.eye(4)
    for u, t in zip(U, y, strict=True):
        student.learn(w, P, w @ u, float(u @ P @ u), P @ u, np.array([t]), 1.0, 1.0)
    precision = np.eye(4) / 0.3 + U.T @ U
    np.testing.assert_allclose(P, np.linalg.inv(precision), rtol=1e-9)
    np.testing.assert_allclose(w[0], np.linalg.solve(precision, U.T @ y), rtol=1e-9)


def test_the_density_is_students_but_for_a_constant():
    y = np.linspace(-3, 3, 7)
    found = student.log_density(y, np.full(7, 0.2), 0.7, 2.5, np.full(7, 1.3))
    scale = np.sqrt(1.3 / 2.5 * 1.7)
    gap = found - stats.t.logpdf(y, df=5.0, loc=0.2, scale=scale)
    np.testing.assert_allclose(gap, 0.5 * np.log(np.pi), rtol=1e-12)


def test_the_stackers_rank_one_steps_are_the_newton_step():
    rng = np.random.default_rng(2)
    z = stacker.heard(np.log(rng.dirichlet(np.ones(3), size=4)), np.array([4, 1, 2]))
    b, V = stacker.start(4, frequencies=True)
    p = np.exp(b @ z) / np.exp(b @ z).sum()
    mean = z @ p
    H = (z * p) @ z.T - np.outer(mean, mean)
    W = np.linalg.inv(np.linalg.inv(V) + H)
    expected = b + W @ (z[:, 1] - mean)
    stacker.learn(b, V, z, 1)
    np.testing.assert_allclose(b, expected, rtol=1e-10)
    np.testing.assert_allclose(V, W + np.eye(5) * stacker.DRIFT / 4, rtol=1e-9, atol=1e-15)


def test_a_stacker_that_trusts_nobody_says_how_often_each_class_was():
    z = stacker.heard(np.log([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]), np.array([6, 2, 1]))
    b, V = stacker.start(2, frequencies=True)
    b[:2] = 0.0
    found = stacker.predict(b, 0.0 * V, z)
    np.testing.assert_allclose(found, np.array([6.5, 2.5, 1.5]) / 10.5, rtol=1e-12)


def test_a_stacker_starts_at_the_geometric_mean_however_often_the_classes_were():
    p = np.array([[0.3, 0.2, 0.5], [0.5, 0.3, 0.2]])
    b, V = stacker.start(2, frequencies=True)
    found = stacker.predict(b, 0.0 * V, stacker.heard(np.log(p), np.array([90, 2, 1])))
    mean = np.sqrt(p[0] * p[1])
    np.testing.assert_allclose(found, mean / mean.sum(), rtol=1e-12)


def test_the_stacker_of_numbers_is_the_ridge_regression_on_the_forecasts():
    rng = np.random.default_rng(4)
    Z, Y = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    b, V = stacker.start(3, frequencies=False)
    b, V = np.tile(b, (2, 1)), np.tile(V, (2, 1, 1))
    for z, y in zip(Z, Y, strict=True):
        m = np.repeat(z[:, None], 2, axis=1)
        stacker.fit(b, V, m, y)
        V[:, range(3), range(3)] -= stacker.DRIFT / 3  # without drift
    for g in range(2):
        ridge = np.linalg.solve(Z.T @ Z + 3.0 / stacker.START * np.eye(3), Z.T @ (Y[:, g] - Z.mean(axis=1)))
        np.testing.assert_allclose(b[g], 1.0 / 3.0 + ridge, rtol=1e-9)


def test_a_forecast_that_ran_away_is_not_heard_beyond_its_limit():
    b, V = stacker.start(2, frequencies=False)
    m, s = stacker.joined(b[None], V[None], np.array([[1e200], [0.0]]), np.zeros(2))
    assert m[-1, 0] == stacker.FAR / 2.0
    assert np.isfinite(s).all()


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_what_is_absent_is_the_conditional_mean_of_the_shrunk_moments(ridge):
    rng = np.random.default_rng(3)
    u = rng.normal(size=(500, 2)) @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(500, 5))
    u = u / u.std(axis=0)
    S, C = u.T @ u, np.full((5, 5), 500.0)
    R = S / (C + 4.0)
    np.fill_diagonal(R, (np.diag(S) + 4.0) / 504.0 + ridge)
    found = moments.expected(u[0], np.array([0, 1, 2]), np.array([3, 4]), S, C, ridge)
    exact = R[3:, :3] @ np.linalg.solve(R[:3, :3], u[0, :3])
    np.testing.assert_allclose(found, exact, atol=0.05)


def test_an_indefinite_correlation_does_no_harm():
    R = np.array([[1.0, 0.95, -0.95], [0.95, 1.0, 0.95], [-0.95, 0.95, 1.0]])
    assert np.linalg.eigvalsh(R)[0] < 0
    assert np.abs(moments.solve(R, np.array([1.0, -1.0, 1.0]))).max() < 100


def test_the_first_step_of_curves_is_that_of_a_linear_model_on_their_hats():
    H, V = np.zeros((3, 3, 7)), np.full((3, 7), 0.3)
    H[1], H[0, :, 0] = np.arange(21.0).reshape(3, 7) / 20.0, [0.1, 0.2, 0.3]
    V[0, 0] = 1.0
    u, w = np.array([0.4, -5.0]), H.transpose(1, 0, 2).reshape(3, 21).copy()
    x = np.zeros((3, 7))
    x[0, 0], x[1, 3], x[1, 4], x[2, 0] = 1.0, 0.4, 0.6, 1.0
    P, x = np.diag(V.ravel()), x.ravel()
    m, s = additive.project(H, V, np.array([1, 2]), u)
    np.testing.assert_allclose(m, w @ x, rtol=1e-12)
    np.testing.assert_allclose(s, x @ P @ x, rtol=1e-12)
    laplace.learn(w, P.copy(), m, s, P @ x, 2)
    p = laplace.mode(m, s, 2)
    additive.learn(H, V, np.array([1, 2]), u, *laplace.pull(m, s, 2))
    np.testing.assert_allclose(H.transpose(1, 0, 2).reshape(3, 21), w, rtol=1e-12)
    precision = 1.0 / np.diag(P) + (p * (1.0 - p)).sum() / 2.0 * x * x
    np.testing.assert_allclose(V.ravel(), 1.0 / precision, rtol=1e-12)


def test_running_statistics_are_the_batch_ones():
    x = np.random.default_rng(4).normal(5.0, 2.0, size=50)
    n, mean, q = np.zeros(1), np.zeros(1), np.zeros(1)
    for v in x:
        n, mean, q = counted(np.array([v]), n, mean, q)
    np.testing.assert_allclose([mean[0], q[0] / n[0]], [x.mean(), x.var()], rtol=1e-12)
    np.testing.assert_allclose(
        squashed(x[-1:], n, mean, q), 1.5 * np.arcsinh((x[-1] - x.mean()) / x.std() / 1.5), rtol=1e-10
    )


@pytest.mark.parametrize(("rounds", "misses", "low", "high"), [(50, 0, 2, 4), (1000, 0, 2, 3), (1000, 500, 20, 30)])
def test_patience_grows_with_the_rate_of_absence(rounds, misses, low, high):
    assert low <= patience(rounds, misses) <= high


@pytest.mark.parametrize("seed", range(5))
def test_the_mixture_keeps_its_bound_on_any_losses(seed):
    rng = np.random.default_rng(seed)
    M = 5
    voices = np.full(M, 1.0 / M) if seed < 3 else np.array([1.0, 8.0, 2.0, 1.0, 4.0]) / 16.0
    a, account = voices[None].copy(), mixture.Account(1, voices)
    for t in range(400):
        log_p = -rng.exponential(3.0, size=M) if seed % 2 else np.log(1e-8 + a[0][::-1] ** 2)
        mixture.weigh(a, log_p[None], account)
        mixture.share(a, 0.5 if t % 97 == 96 else mixture.rate(t), account, voices)
        assert a.sum() == pytest.approx(1.0)
    bits = account.bits(tuple("abcde"), 400)
    assert bits.within
    assert bits.value <= bits.allowed < 25


def test_the_surfaces_are_bilinear_between_their_knots():
    rng = np.random.default_rng(3)
    paired = np.array([2, 0, 4, 1, 0, 0, 0, 0, 0, 0])
    G = pairwise.start(2)
    G[:, :, 1:] = rng.normal(size=G[:, :, 1:].shape)
    u, present = np.array([1.0, -0.9, 0.4, 9.0, 1.7]), np.array([1, 2, 4])
    said, s = pairwise.project(G, pairwise.touched(paired, present, u))
    m = pairwise.margins(said)
    knots = np.linspace(-SPAN, SPAN, KNOTS)
    expected = np.r_[-G[0, 0, 1:].sum(), G[0, 0, 1:]]
    for a, b in ((2, 0), (3, 0), (3, 2)):
        table = G[1 + a * (a - 1) // 2 + b].reshape(KNOTS, KNOTS, 3)
        at = (u[paired[a]], u[paired[b]])
        there = [float(interpolate.interpn((knots, knots), table[:, :, k], at)[0]) for k in (1, 2)]
        expected += np.array([-sum(there), *there])
    np.testing.assert_allclose(m, expected, rtol=1e-12)
    assert 1.0 < s < 1.0 + 3 * CURVE


def test_a_surface_learns_what_neither_feature_says_alone():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1500, 3))
    y = X[:, 0] * X[:, 2] > 0.0
    model = Classifier()
    run = model.run(X, y, detail=True)
    assert (run.predictions[700:] == y[700:]).mean() > 0.9
    bits = model.regret().experts
    assert min(bits, key=bits.get) in ("pairwise", "stacker")
    assert bits["pairwise"] < 0.6 * bits["additive"]


def test_curves_and_surfaces_forecast_what_no_line_does():
    rng = np.random.default_rng(6)
    X = rng.uniform(-1.5, 1.5, size=(1500, 4))
    Y = np.column_stack([X[:, 0] * X[:, 1] + X[:, 2] ** 2, 1e6 * np.abs(X[:, 3]) + 5e6])
    for y in (Y[:, 0], Y[:, 1], Y):
        model = Regressor()
        run = model.run(X, y)
        gap = (run.predictions - y)[700:]
        assert (np.sqrt((gap**2).mean(axis=0)) < 0.35 * y.std(axis=0)).all()
        assert model.regret().within


def test_those_that_tell_most_are_paired_and_keep_their_surfaces():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 400)
    H = np.zeros((16, 2, 7))
    for j in range(1, 16):
        b = np.clip(y * (j % 5 if j > 1 else 0) + rng.integers(0, 3, 400), 0, 6)
        np.add.at(H[j], (y, b), 1.0)
    worth, paired, G = pairwise.telling(H), np.zeros(PAIRED, np.int64), pairwise.start(1)
    pairwise.choose(paired, G, worth[:4], worth[:4], anew=True)
    assert paired.tolist() == [1, 2, 3, *[0] * (PAIRED - 3)]
    G[1:, :, 1] = 1.0
    pairwise.choose(paired, G, worth, worth, anew=False)
    assert {1, 2, 3} <= set(paired.tolist())
    assert len(set(paired.tolist())) == PAIRED
    pairwise.choose(paired, G, worth, worth, anew=True)
    assert not {1, 5, 10, 15} & set(paired.tolist())  # they tell nothing
    kept = [a for a in range(3) if paired[a] in (2, 3)]
    assert kept == [1, 2]
    assert (G[3, :, 1] == 1.0).all()  # the surface of slots 2 and 1
    assert (G[1] == [CURVE, 0.0]).all()


def test_the_order_of_features_does_not_say_which_are_paired():
    worth = np.array([np.nan, *np.repeat([0.5, 0.1], 8)])
    tie = np.arange(17.0)
    paired = np.zeros(PAIRED, np.int64)
    pairwise.choose(paired, pairwise.start(1), worth, tie, anew=True)
    assert set(paired.tolist()) == {*range(1, 9), 15, 16}
    paired = np.zeros(PAIRED, np.int64)
    pairwise.choose(paired, pairwise.start(1), np.full(17, np.nan), tie, anew=False)
    assert (paired == 0).all()
    tie[15] = tie[14] * (1.0 + 1e-15)  # a tie that only rounding breaks: none of both
    pairwise.choose(paired, pairwise.start(1), worth, tie, anew=True)
    assert set(paired.tolist()) == {0, *range(1, 9), 16}


@pytest.mark.parametrize("task", [Classifier, Regressor])
def test_columns_that_never_vary_take_no_place_from_those_that_do(task):
    rng = np.random.default_rng(1)
    Z = rng.uniform(-1.0, 1.0, (1500, 2))
    y = Z[:, 0] * Z[:, 1] > 0.0
    model = task()
    model.learn_many(np.hstack([np.full((1500, 12), 5.0), Z]), y if task is Classifier else y.astype(float))
    assert {13, 14} <= set(model.state.paired.tolist())


@pytest.mark.parametrize("task", [Classifier, Regressor])
def test_the_order_of_the_columns_changes_nothing_but_rounding(core, task):
    rng = np.random.default_rng(0)
    X = (rng.random((200, 30)) < 0.05).astype(float)
    names = [f"f{j}" for j in range(30)]
    y = X[:, 0] - X[:, 1] + 2 * X[:, 29] * X[:, 28] + 0.3 * rng.normal(size=200)
    y = y > 0.0 if task is Classifier else y
    one = task().run(X, y, features=names).scores
    other = task().run(X[:, ::-1].copy(), y, features=names[::-1]).scores
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


def test_a_feature_that_comes_back_says_what_it_said_whatever_the_target_did_meanwhile():
    rng = np.random.default_rng(0)
    model = Regressor()
    for _ in range(300):
        x = {k: float(rng.normal()) for k in "abcdef"}
        model.learn_one(x, x["a"])
    for t in range(300):
        x = {k: float(rng.normal()) for k in "bcdef"}
        model.learn_one(x, (1.0 if t < 10 else 1e6) * x["b"])
    model.learn_one({k: float(rng.normal()) for k in "abcdef"}, None)
    st = model.state
    at = np.array([st.index[k] for k in "abcdef"])
    up, down = (
        model._core.opinions(Point(np.sort(at), np.where(np.sort(at) == st.index["a"], v, 0.0))) for v in (2, -2)
    )
    by = dict(zip(st.experts, (up - down)[:, 0].tolist(), strict=True))
    assert 0.0 < by["additive"] < 20.0
    assert 0.0 < by["observed"] < 20.0


def test_a_class_that_comes_late_starts_below_the_others():
    G = pairwise.start(1)
    G[0, 0, 1] = 0.8
    wider = pairwise.widen(G, 3, 2.0)
    nothing = pairwise.touched(np.zeros(PAIRED, np.int64), np.array([], np.int64), np.zeros(1))
    m = pairwise.margins(pairwise.project(wider, nothing)[0])
    np.testing.assert_allclose(m - m[0], np.array([-0.8, 0.8, -2.0]) + 0.8)


def test_the_council_is_half_the_mixture_and_half_those_who_were_right_of_late():
    rng = np.random.default_rng(0)
    p, a = rng.dirichlet(np.ones(3), size=5), rng.dirichlet(np.ones(6))[:5]
    wrong = np.zeros(5)
    for y in rng.integers(3, size=40).tolist():
        expected = np.zeros(3)
        trust = [np.exp(-council.RUE * r) for r in wrong]
        for k in range(3):
            expected[k] = 0.5 * sum(a[i] * p[i, k] for i in range(5)) / sum(a)
            sure = [p[i, k] ** 2 / sum(p[i] ** 2) for i in range(5)]
            expected[k] += 0.5 * sum(v * each for v, each in zip(trust, sure, strict=True)) / sum(trust)
        found = council.predict(a, wrong, p)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert found.sum() == pytest.approx(1.0)
        before = wrong.copy()
        council.learn(wrong, p, y)
        brier = ((p - np.eye(3)[y]) ** 2).sum(axis=1) / 2.0
        np.testing.assert_allclose(wrong, council.MEMORY * before + brier, rtol=1e-12)


def test_the_council_forgives():
    """Who was wrong for long, and is right now, is heard again."""
    p, wrong, a = np.array([[0.9, 0.1], [0.1, 0.9]]), np.zeros(2), np.full(2, 0.5)
    for _ in range(200):
        council.learn(wrong, p, 1)
    assert council.predict(a, wrong, p)[0] < 0.3
    for _ in range(200):
        council.learn(wrong, p, 0)
    assert council.predict(a, wrong, p)[0] > 0.7
