"""The prequential loop over wide input: many words, and experts that are left behind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import fesl
from fesl.evaluation import Prequential


def test_words_of_two_languages():
    """More happens in a part than the learner's own log holds; rare words vanish with their language."""
    rng = np.random.default_rng(0)
    blocks = [sparse.random(200, 3000, density=0.01, random_state=k, format="csr") for k in range(2)]
    none = sparse.csr_matrix((200, 3000))
    X = sparse.vstack([sparse.hstack([blocks[0], none]), sparse.hstack([none, blocks[1]])]).tocsr()
    loop = Prequential(fesl.Classifier([0, 1]))
    loop.feed(X, rng.integers(2, size=400))
    h = loop.history
    assert h.counts["appeared"] > 4000
    assert h.counts["vanished"] >= 1000
    assert len(h.events) == 1000
    assert [c.row for c in h.changes] == [pytest.approx(200, abs=8)]
    assert len(h.changes[0].features) == 100 < h.changes[0].total


def test_experts_keep_their_names_when_the_learner_becomes_wide():
    rng = np.random.default_rng(0)
    X, model = rng.normal(size=(300, 450)), fesl.Classifier()
    X[:150, 20:] = np.nan
    loop = Prequential(model)
    for first in range(0, 300, 50):
        loop.feed(X[first : first + 50], X[first : first + 50, 0] > 0)
    assert set(model.weights) < set(loop.history.experts)
    assert loop.history.experts[-1] == "readings"  # who came later comes last
    means = dict(zip(loop.history.experts, loop.history.series.weights, strict=True))
    told = {name: values[-1] for name, values in means.items()}
    assert all((told[name] is None) == (name not in model.weights) for name in told)
