"""Small random problems against the naive transcription: both losses, two targets, balls, softmax, three cycles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracle
from fesl import OGD, EvolvingLearner
from fesl.losses import Logistic, Softmax, Squared
from fesl.projections import Ball, Box, Free
from fesl.rules import draw
from fesl.steps import InverseSqrt
from generic import METHODS, Stream, play

SEED = 11
LN2 = np.log(2.0)


def pick(t, p):
    return draw(np.log(p), SEED, t - 1)


def paper_stream(seed, T1, T2, B, d1, d2, task):
    """The paper's setting on random numbers."""
    rng = np.random.default_rng(seed)
    X1 = rng.normal(size=(T1 + T2, d1))
    X2 = (X1 @ rng.normal(size=(d1, d2)) + rng.normal(size=(T1 + T2, d2))) / np.sqrt(d1 * d2)
    y = {
        "binary": lambda: np.sign(X1[:, 0] + 1e-9),
        "regression": lambda: X1[:, 0] - 0.5,
        "two targets": lambda: X1[:, [0, -1]] + 0.1,
        "multiclass": lambda: np.digitize(X1[:, 0], [-0.4, 0.4]),
    }[task]()
    table = np.full((T1 + T2, d1 + d2), np.nan)
    table[:T1, :d1] = X1[:T1]
    table[T1 - B :, d1:] = X2[T1 - B :]
    return X1, X2, y, Stream([*range(d1 + d2)], table, y)


def learner(method, T2, loss, projection=Free()):
    horizon = {"horizon": T2} if method.startswith("fesl") else {}
    classes = {"binary": [-1.0, 1.0], "multiclass": [0, 1, 2], "regression": None}[loss.task]
    return METHODS[method](c=10.0, projection=projection, loss=loss, seed=SEED, classes=classes, **horizon)


def assert_close(got, expected):
    expected = np.asarray(expected)
    np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("task", ["binary", "regression", "two targets"])
@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**32 - 1),
    B=st.integers(1, 12),
    sizes=st.tuples(st.integers(1, 6), st.integers(1, 8)),
    radius=st.sampled_from([None, 0.5, 3.0]),
)
def test_a_random_problem_agrees_round_by_round(core, method, task, seed, B, sizes, radius):
    T1, T2 = 20, 25
    X1, X2, y, stream = paper_stream(seed, T1, T2, B, *sizes, task)
    assume(np.linalg.cond(X2[T1 - B : T1]) < 100)  # the transcription squares it
    loss = Logistic() if task == "binary" else Squared()
    projection = Free() if radius is None else Ball(radius)
    expected = oracle.run(
        method, X1, X2, y, T1, B, 10.0, "logistic" if task == "binary" else "squared", projection, pick
    )
    model = learner(method, T2, loss, projection)
    run = model.run(stream.X, stream.y, detail=True)
    assert_close(run.scores, expected.f)
    if method.startswith("fesl"):
        assert_close(run.weights[T1:], expected.a)
    assert_close(play(learner(method, T2, loss, projection), stream), expected.f)


# Softmax, which the paper does not have: its own short transcription


def softmax(f):
    e = np.exp(f - f.max())
    return e / e.sum()


def softmax_run(X1, X2, y, T1, B, c, T2, project=lambda w: w):
    """FESL-c with three classes: scores of the ensemble in every round."""
    k, scores, one = 3, [], np.eye(3)
    w1, w2, a = np.zeros((X1.shape[1], k)), np.zeros((X2.shape[1], k)), np.full(2, 0.5)
    for t in range(T1):
        f = w1.T @ X1[t]
        scores.append(f)
        w1 = project(w1 - np.outer(X1[t], softmax(f) - one[y[t]]) / LN2 / (c * np.sqrt(t + 1)))
    M = np.linalg.lstsq(X2[T1 - B : T1], X1[T1 - B : T1], rcond=None)[0]
    eta = np.sqrt(8 * np.log(2) / T2)
    for t in range(T1, T1 + T2):
        xs = M.T @ X2[t], X2[t]
        fs = w1.T @ xs[0], w2.T @ xs[1]
        scores.append(a[0] * fs[0] + a[1] * fs[1])
        a = a * [np.exp(-eta * -np.log2(softmax(f)[y[t]])) for f in fs]
        a = a / a.sum()
        tau = 1 / (c * np.sqrt(t + 1 - T1)) / LN2
        w1 = project(w1 - tau * np.outer(xs[0], softmax(fs[0]) - one[y[t]]))
        w2 = project(w2 - tau * np.outer(xs[1], softmax(fs[1]) - one[y[t]]))
    return scores


@pytest.mark.parametrize("omega", [Free(), Ball(1.0), Box(-0.2, 0.3)], ids=repr)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1), B=st.integers(1, 12))
def test_three_classes_agree_with_a_softmax_transcription(core, omega, seed, B):
    X1, X2, y, stream = paper_stream(seed, 20, 25, B, 4, 5, "multiclass")
    model = learner("fesl_c", 25, Softmax(), omega)
    assert_close(model.run(stream.X, stream.y).scores, softmax_run(X1, X2, y, 20, B, 10.0, 25, omega))


# Many cycles: at each switch the ensemble is the next old model


def many_cycles_by_hand(Xs, y, T, B, c):
    """FESL-c (squared loss, anytime rates) through the spaces Xs, T rounds each, with explicit maps."""
    scores, w_old, space = [], None, 0
    for space, X in enumerate(Xs):
        rows = range(space * T, (space + 1) * T)
        fresh, a = np.zeros(X.shape[1]), np.array([0.5, 0.5])
        if space == 0:
            experts, maps, a = [fresh], [np.eye(X.shape[1])], np.ones(1)
        else:
            old = Xs[space - 1]
            M = np.linalg.lstsq(X[rows[0] - B : rows[0]], old[rows[0] - B : rows[0]], rcond=None)[0]
            experts, maps = [w_old, fresh], [M, np.eye(X.shape[1])]
        L = np.zeros(len(experts))
        for t, i in enumerate(rows, start=1):
            xs = [M.T @ X[i] for M in maps]
            fs = np.array([w @ x for w, x in zip(experts, xs, strict=True)])
            scores.append(a @ fs)
            L += (fs - y[i]) ** 2
            experts = [w - 2 * (f - y[i]) * x / (c * np.sqrt(t)) for w, f, x in zip(experts, fs, xs, strict=True)]
            v = np.exp(-2 * np.sqrt(np.log(2) / (t + 1)) * (L - L.min()))
            a = v / v.sum()
        w_old = sum(p * (M @ w) for p, M, w in zip(a, maps, experts, strict=True))
    return scores


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), B=st.integers(2, 12))
def test_three_switches_agree_with_explicit_maps(core, seed, B):
    rng, T = np.random.default_rng(seed), 25
    z = rng.normal(size=(4 * T, 3))
    Xs = [z @ rng.normal(size=(3, d)) + 0.2 * rng.normal(size=(4 * T, d)) for d in (3, 5, 4, 6)]
    table = np.full((4 * T, 18), np.nan)
    for k, (X, first) in enumerate(zip(Xs, (0, 3, 8, 12), strict=True)):
        rows = slice(max(0, k * T - B), (k + 1) * T)
        table[rows, first : first + X.shape[1]] = X[rows]
    model = EvolvingLearner(Squared(), descent=OGD(InverseSqrt(20.0)))
    run = model.run(table, z[:, 0])
    assert model.cycle == 3
    assert_close(run.scores[:, 0], many_cycles_by_hand(Xs, z[:, 0], T, B, 20.0))
