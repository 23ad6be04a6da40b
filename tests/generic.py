"""Streams, doors and comparisons that many tests share."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse

from fesl import paper
from fesl.evolving.cores import compiled_core
from fesl.losses import Logistic, Softmax, Squared
from fesl.models import RecoveredModel

METHODS = {
    "nogd": paper.nogd,
    "rogd_u": paper.rogd_u,
    "rogd_f": paper.rogd_f,
    "fesl_c": paper.fesl_c,
    "fesl_s": paper.fesl_s,
}
#: The sets of the paper that come with both spaces, and the c of their step size.
PAPER_SETS = {
    "australian": 1.0,
    "credit-a": 1.0,
    "credit-g": 1.0,
    "diabetes": 10.0,
    "german": 50.0,
    "kr-vs-kp": 100.0,
    "svmguide3": 1.0,
}

#: The environment variable that switches compiled code off; read whenever a learner is built.
PURE = "FESL_PURE"

TASKS = {"binary": Logistic(), "multiclass": Softmax(), "regression": Squared(), "two targets": Squared()}


def use_core(name, monkeypatch):
    if name == "reference":
        monkeypatch.setenv(PURE, "1")
    elif compiled_core() is None:
        pytest.skip(f"no compiled core: it was not built, or {PURE} is set")


class Stream(NamedTuple):
    """A table with NaN where a feature is not there, and a label for every row."""

    names: list[Any]
    X: np.ndarray
    y: Any

    def event(self, i):
        return {name: v for name, v in zip(self.names, self.X[i].tolist(), strict=True) if v == v}

    def events(self):
        y = self.y.tolist() if isinstance(self.y, np.ndarray) else self.y
        return [(self.event(i), label) for i, label in enumerate(y)]

    def csr(self):
        """What is there is stored, zeros included."""
        there = ~np.isnan(self.X)
        ptr = np.concatenate([[0], there.sum(axis=1).cumsum()])
        return sparse.csr_array((self.X[there], there.nonzero()[1], ptr), shape=self.X.shape)

    def rows(self, start, stop):
        return Stream(self.names, self.X[start:stop], self.y[start:stop])


def hidden_stream(seed, lives, rows, task="binary", hidden=3):
    """Features are mixtures of a few hidden numbers, and so is the label; lives[name] = [(start, stop), ...]."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(rows, hidden))
    X = z @ rng.normal(size=(hidden, len(lives)))
    for j, spans in enumerate(lives.values()):
        alive = np.zeros(rows, bool)
        for start, stop in spans:
            alive[start:stop] = True
        X[~alive, j] = np.nan
    u = rng.normal(size=(hidden, 4))
    y = {
        "binary": lambda: (z @ u[:, 0] > 0).tolist(),
        "multiclass": lambda: [("red", "green", "blue")[i] for i in (z @ u[:, :3]).argmax(axis=1)],
        "regression": lambda: (z @ u[:, 0]).tolist(),
        "two targets": lambda: (z @ u[:, :2]).tolist(),
    }[task]()
    return Stream(list(lives), X, y)


def three_cycles(seed=0, task="binary", survivors=True, length=40, overlap=8):
    """S1 -> S2 -> S3 -> S4; with survivors, some features live through two of the spaces."""
    lives = {}
    for k, size in enumerate((3, 4, 3, 5)):
        for j in range(size):
            stays = survivors and j == 0 and k in (0, 1)
            lives[f"s{k}:{j}"] = [(max(0, k * length - overlap), (k + 1 + stays) * length)]
    return hidden_stream(seed, lives, 4 * length, task)


def play(model, stream):
    """One event at a time: the scores before each was learned; NaN for classes, zero for targets not met yet."""
    scores = []
    for x, y in stream.events():
        scores.append(model.score_one(x))
        model.learn_one(x, y)
    k, unknown = max(len(f) for f in scores), 0.0 if model.parts.loss.task == "regression" else np.nan
    return np.array([np.pad(f, (0, k - len(f)), constant_values=unknown) for f in scores])


def learn(model, stream, start=0, stop=None, labelled=True):
    """Learn from these events of a stream, one by one."""
    for x, y in stream.events()[start:stop]:
        model.learn_one(x, y if labelled else None)
    return model


def parts(model, part):
    """The features that play this part now."""
    return {name for name, p in model.features.items() if p == part}


def fingerprint(model):
    """All that a learner remembers, to the last bit, as nested tuples that can be compared."""
    return frozen((model.codec, model.state))


def frozen(thing):
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, thing.tobytes()
    if sparse.issparse(thing):
        return thing.shape, *map(frozen, (thing.data, thing.indices, thing.indptr))
    if isinstance(thing, dict):
        return tuple((key, frozen(value)) for key, value in thing.items())
    if isinstance(thing, list | tuple | deque):
        return tuple(map(frozen, thing))
    fields = [*getattr(thing, "__dict__", ()), *getattr(thing, "__slots__", ())]
    if fields and type(thing).__module__.startswith("fesl"):
        return type(thing), tuple((name, frozen(getattr(thing, name))) for name in fields)
    return thing


def weights_by_name(model, expert):
    index, W = model.state.registry.index, expert.linear()
    return {name: W[i] for name, i in index.items()}


def all_finite(model):
    """Whether every number that the learner stands on is finite."""
    state = model.state
    arrays = [state.log_a, state.ledger.sums[: 2 * state.ledger.n + 2]]
    for e in state.experts:
        arrays += [e.W, e.num, e.linear()]
        if isinstance(e, RecoveredModel):
            arrays += [e.C, e.q, e.W0, e.old_weights()]
    return all(np.isfinite(a).all() for a in arrays)


def assert_same_learner(a, b, rtol=1e-10):
    """Two learners that know the same, whatever numbers their features go by."""
    assert a.features == b.features
    assert (a.cycle, a.state.outputs, a.state.clock.tolist()) == (b.cycle, b.state.outputs, b.state.clock.tolist())
    assert a.classes == b.classes
    np.testing.assert_allclose(a.weights, b.weights, rtol=rtol, atol=1e-14)
    for mine, other in zip(a.state.experts, b.state.experts, strict=True):
        assert type(mine) is type(other)
        w, v = weights_by_name(a, mine), weights_by_name(b, other)
        scale = max([float(np.abs(row).max()) for row in v.values()], default=0.0)
        for name in v:
            np.testing.assert_allclose(w[name], v[name], rtol=rtol, atol=rtol * scale)
    np.testing.assert_allclose(a.state.ledger.sums, b.state.ledger.sums, rtol=rtol, atol=1e-14)
    assert len(a.state.history) == len(b.state.history)
    for past, other in zip(a.state.history, b.state.history, strict=True):
        np.testing.assert_allclose(past.experts, other.experts, rtol=rtol)
        np.testing.assert_allclose([past.ensemble, past.expected], [other.ensemble, other.expected], rtol=rtol)
