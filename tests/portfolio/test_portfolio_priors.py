"""A prior for features that go together."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import stream

from fesl import Classifier, Regressor
from fesl.portfolio.changes.priors import even, whiten
from fesl.portfolio.constants import AFRESH, EXPERTS

WHITENED = next(e for e, expert in enumerate(EXPERTS) if expert.whitens)


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
    G = even(Z, np.full(4, rows), 1e-9)
    R = Z.T @ Z / rows
    assert (G * R).sum() == pytest.approx(np.trace(R))
    np.testing.assert_allclose(G, G.T, rtol=1e-6)
    seen = np.linalg.eigvalsh(R) > 1e-6
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(G @ R).real)[-seen.sum() :], 4 / seen.sum(), rtol=1e-3)


def test_features_that_say_nothing_have_the_plain_prior():
    np.testing.assert_allclose(even(np.zeros((5, 3)), np.full(3, 5.0), 0.01), np.eye(3))


def test_what_has_not_varied_yet_is_expected_to_say_no_more_than_others():
    """A flag that nobody has raised so far."""
    Z = np.random.default_rng(0).normal(size=(100, 3))
    Z[:, 2] = 0.0
    G = even(Z, np.full(3, 100.0), 0.01)
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
    whiten(st)
    np.testing.assert_array_equal(st.P0[WHITENED][old], before[old])
    others = [e for e in range(len(EXPERTS)) if e != WHITENED]
    new = st.index[4], st.index[5]
    assert (st.P0[np.array(others), new[0], new[1]] == 0.0).all()
    assert st.P0[WHITENED, new[0], new[1]] != 0.0
