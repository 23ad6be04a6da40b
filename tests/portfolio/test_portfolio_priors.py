"""A prior for features that go together."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from portfolio_streams import stream

from fesl import Classifier, Regressor
from fesl.portfolio.changes import priors
from fesl.portfolio.changes.priors import whiten
from fesl.portfolio.constants import AFRESH, EXPERTS
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State

WHITENED = next(e for e, expert in enumerate(EXPERTS) if expert.whitens)


def even(Z, r):
    return priors.even(Reference(State(False)), Z, np.full(Z.shape[1], r))


def together(rows, seed=0, width=8):
    """Sensors of one thing that differ by little; the label is in the differences."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(rows, width))
    return 5.0 * rng.normal(size=(rows, 1)) + 0.2 * own, own[:, 0] - own[:, 1] + 0.5 * own[:, 2]


def test_small_differences_are_found(core):
    X, z = together(500)
    model = Classifier()
    right = model.run(X, z > 0.0).predictions == (z > 0.0)
    assert right[100:].mean() > 0.9
    alone = model.regret().experts
    assert alone["whitened"] < 0.7 * min(alone["middle prior"], alone["weak prior"])


def test_numbers_too(core):
    X, z = together(300)
    model = Regressor()
    gap = (model.run(X, z).predictions - z)[100:]
    assert np.sqrt((gap**2).mean()) < 0.2 * z.std()  # without such a prior .33
    alone = model.regret().experts
    assert alone["whitened"] < min(alone["middle prior"], alone["weak prior"]) - 2.0 * len(z)


def test_an_ill_conditioned_image_of_the_old_features_is_understood(core):
    """Ten new features that are nearly alike, exactly linear in the old ones: twenty rows show both."""
    right = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        old = rng.normal(size=(460, 10))
        new = old @ (1.0 + 0.15 * rng.normal(size=(10, 10)))
        y = old @ rng.normal(size=10) > 0.0
        X = np.full((460, 20), np.nan)
        X[:400, :10], X[380:, 10:] = old[:400], new[380:]
        right.append((Classifier().run(X, y).predictions == y)[400:].mean())
    assert np.mean(right) > 0.82  # without such a prior .78


@pytest.mark.parametrize("rows", [3, 30, 300])
def test_every_direction_is_expected_to_say_as_much(rows):
    Z = together(rows, width=4)[0]
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    G = even(Z / np.sqrt(rows), 1e-9)
    R = Z.T @ Z / rows
    assert (G * R).sum() == pytest.approx(np.trace(R))
    np.testing.assert_allclose(G, G.T, rtol=1e-6)
    seen = np.linalg.eigvalsh(R) > 1e-6
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(G @ R).real)[-seen.sum() :], 4 / seen.sum(), rtol=1e-3)


def test_features_that_say_nothing_have_the_plain_prior():
    np.testing.assert_allclose(even(np.zeros((5, 3)), 0.01), np.eye(3))


@pytest.mark.parametrize("size", [1e-7, 1e-17, 1e-160])
def test_nor_have_those_that_vary_by_a_rounding(size):
    """A sensor that is back, and stands still where its mean was."""
    np.testing.assert_allclose(even(np.full((5, 3), size), 0.01), np.eye(3), atol=1e-6)


def test_what_has_not_varied_yet_is_expected_to_say_no_more_than_others():
    """A flag that nobody has raised so far."""
    Z = np.random.default_rng(0).normal(size=(100, 3))
    Z[:, 2] = 0.0
    G = even(Z / 10.0, 0.01)
    assert G[2, 2] == pytest.approx(1.0, abs=0.1)
    assert G[2, 0] == G[2, 1] == 0.0


def test_only_what_begins_has_a_prior(core):
    X, y = stream("survivors", "binary", rows=300, width=8)
    X[50:, 0] += 1.0
    model = Classifier().learn_many(X[:100], y[:100])
    st = model.state
    assert (st.fresh[1 : st.n] == 1.0).all()
    model.learn_many(X[100:160], y[100:160])
    st = model.state
    by = {name: st.fresh[st.index[name]] for name in st.names[1:]}
    assert {by[6], by[7]} == {0.0}  # survivors
    assert {by[4], by[5]} == {AFRESH}
    old = [st.index[6], st.index[7]]
    before = st.P0[WHITENED].copy()
    whiten(model._core)
    np.testing.assert_array_equal(st.P0[WHITENED][old], before[old])
    others = [e for e in range(len(EXPERTS)) if e != WHITENED]
    new = st.index[4], st.index[5]
    assert (st.P0[np.array(others), new[0], new[1]] == 0.0).all()
    assert st.P0[WHITENED, new[0], new[1]] != 0.0


def test_features_seen_a_few_times_are_not_expected_to_say_much(core):
    """Fifteen that join shortly before the rows are learned anew, beside five that were there from the start."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 20))
    y = X[:, 0] - 0.5 * X[:, 1] + 0.5 * rng.normal(size=120)
    X[:60, 5:] = np.nan
    model = Regressor().learn_many(X[:60], y[:60])
    before = model.regret().experts
    model.learn_many(X[60:], y[60:])
    cost = {name: bits - before[name] for name, bits in model.regret().experts.items()}
    assert cost["whitened"] < cost["weak prior"] + 60.0  # it was 171 bits more


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_a_glitch_of_one_of_many_is_no_reason_to_run_away(core, value):
    """Sensors that go together, one of which reads something else now and then: far from what the others say."""
    rng = np.random.default_rng(0)
    own = rng.normal(size=(700, 8))
    X, y = rng.normal(size=(700, 1)) + 0.04 * own, own[:, 0] - own[:, 1]
    X[rng.random(X.shape) < 0.005] = value
    gap = (Regressor().run(X, y).predictions - y)[150:]
    assert np.abs(gap).max() < 4.2 * np.abs(y).max()  # it was 12 and 9 times as much


def test_the_inverse_of_both_cores(core):
    rng = np.random.default_rng(0)
    Z, ridge = rng.normal(size=(30, 12)), rng.uniform(0.01, 1.0, size=12)
    G = Classifier()._core.inverse(Z, ridge)
    np.testing.assert_allclose(G, np.linalg.inv(Z.T @ Z + np.diag(ridge)), rtol=1e-9)


THREADS = """
import hashlib, numpy as np, fesl
X = np.random.default_rng(0).normal(size=(140, 120))
run = fesl.Classifier().run(X, X[:, 0] > 0)
print(hashlib.sha256(np.ascontiguousarray(run.scores).tobytes()).hexdigest())
"""


@pytest.mark.skipif(not Classifier().compiled, reason="NumPy's products depend on the number of threads")
def test_threads_of_a_linear_algebra_library_change_nothing():
    told = []
    for threads in ("1", "2"):
        chosen = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads)
        told.append(subprocess.check_output([sys.executable, "-c", THREADS], env={**os.environ, **chosen}))
    assert told[0] == told[1]
