"""Bounded memory over a thousand cycles; ten thousand sparse features; wide spaces without a wide matrix."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from fesl import EvolvingLearner
from fesl.evolving.state import HISTORY
from fesl.losses import Squared
from fesl.recovery import LeastSquares
from fesl.spaces import Declared, Periods
from generic import METHODS, all_finite


def live_through(model, cycles, start=0):
    """Three sensors are replaced by three others every eight events, with two events of overlap."""
    rng = np.random.default_rng(start)
    for k in range(start, start + cycles):
        for i in range(8):
            z = rng.normal(size=3)
            x = {f"c{k}s{j}": v for j, v in enumerate(z)}
            if i >= 6:
                x |= {f"c{k + 1}s{j}": v for j, v in enumerate(2 * z)}
            model.learn_one(x, bool(z[0] > 0))
    return model


def size_of(state):
    state = copy.deepcopy(state)
    state.history.clear()
    return len(pickle.dumps(state))


@pytest.mark.parametrize(("method", "cycles"), [("fesl_c", 1000), ("fesl_s", 100), ("nogd", 100)])
def test_many_cycles_take_no_more_memory_than_a_few(core, method, cycles):
    cycles = cycles if core == "compiled" else min(cycles, 200)
    model = live_through(METHODS[method](), 20)
    registry, size = model.state.registry, size_of(model.state)
    capacity, names = registry.capacity, len(registry.names)
    live_through(model, cycles, start=20)
    registry = model.state.registry
    assert model.cycle == 19 + cycles
    assert (registry.capacity, len(registry.names)) == (capacity, names)
    assert len(registry.index) <= 9
    assert len(model.state.history) == min(model.cycle, HISTORY)
    assert size_of(model.state) < size + 1000
    assert all_finite(model)


def test_the_history_forgets_its_oldest_cycles_by_name(core):
    model = live_through(METHODS["fesl_c"](), 3)
    assert [r.cycle for r in model.state.history] == [0, 1]
    assert model.state.history.maxlen == HISTORY


def sparse_views(rng, rows, width, stored):
    """Two sparse views of the same hidden topics, and which topic it is."""
    topic = rng.integers(0, 2, rows)
    views = []
    for _ in range(2):
        words = rng.integers(0, width // 2, (rows, stored)) + np.where(topic, width // 2, 0)[:, np.newaxis]
        data = rng.random((rows, stored)) + 0.5
        views.append(sparse.csr_array((data.ravel(), (np.repeat(np.arange(rows), stored), words.ravel()))))
        views[-1].resize(rows, width)
    return views, topic.astype(bool)


@pytest.mark.parametrize("spaces", ["declared", "periods"])
def test_ten_thousand_sparse_features(core, spaces):
    rng, rows, width, T1, B = np.random.default_rng(0), 300, 5000, 200, 40
    (old, new), y = sparse_views(rng, rows, width, 30)
    there = np.arange(rows)
    old = sparse.diags_array((there < T1).astype(float)) @ old
    new = sparse.diags_array((there >= T1 - B).astype(float)) @ new
    X = sparse.csr_array(sparse.hstack([old, new]))
    X.eliminate_zeros()
    names = [f"old:{j}" for j in range(width)] + [f"new:{j}" for j in range(width)]
    told = Declared(lambda n: n[:3]) if spaces == "declared" else Periods([(T1 - B, T1)])
    model, one = EvolvingLearner(spaces=told), EvolvingLearner(spaces=told)
    run = model.run(X, y, features=names, detail=True)
    assert model.cycle == 1
    assert all_finite(model)
    assert (run.predictions[T1 // 2 : T1] == y[T1 // 2 : T1]).mean() > 0.9
    assert (run.predictions[T1:] == y[T1:]).mean() > 0.9
    assert model.state.recovered.lens.columns.dense is None
    for i in range(rows):
        at = slice(X.indptr[i], X.indptr[i + 1])
        x = {names[j]: v for j, v in zip(X.indices[at], X.data[at], strict=True)}
        if i % 20 == 0 or i >= T1:
            np.testing.assert_allclose(one.score_one(x), run.scores[i], rtol=1e-9, atol=1e-12)
        one.learn_one(x, bool(y[i]))


def test_no_matrix_of_old_times_new_features(core):
    """2,000 old and 2,000 new features: the explicit map alone would be 32 MB."""
    rng, d, B = np.random.default_rng(1), 2000, 10
    rows = rng.normal(size=(60, d))
    X = np.full((60, 2 * d), np.nan)
    X[:40, :d], X[40 - B :, d:] = rows[:40], rows[40 - B :, ::-1]
    model = EvolvingLearner(Squared(), recovery=LeastSquares(rows=B))
    model.learn_many(X[:40], rows[:40, 0])
    tracemalloc.start()
    model.learn_many(X[40:], rows[40:, 0])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert model.cycle == 1
    assert peak < 12e6
