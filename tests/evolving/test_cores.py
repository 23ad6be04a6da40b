"""The compiled core against the reference: equal to 1e-10 over whole streams."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import OGD, EvolvingLearner, Fresh, Recovered
from fesl.losses import Logistic, Squared
from fesl.projections import Ball, Box, Free
from fesl.recovery import LeastSquares
from fesl.rules import ExponentialWeights, FixedShare
from fesl.spaces import Declared
from generic import METHODS, TASKS, assert_same_learner, hidden_stream, play, three_cycles, use_core

RTOL = 1e-10
OMEGAS = {"free": Free(), "ball": Ball(0.8), "box": Box(-0.3, np.inf)}


def on_both(monkeypatch, act):
    """The result of an act on each core, the reference first."""
    results = []
    for core in ("reference", "compiled"):
        with monkeypatch.context() as patch:
            use_core(core, patch)
            results.append(act())
    return results


def assert_close(got, expected):
    scale = np.nanmax(np.abs(expected), initial=0.0)
    np.testing.assert_allclose(got, expected, rtol=RTOL, atol=RTOL * scale)


def assert_cores_agree(monkeypatch, make, stream, table=lambda s: s.X):
    """Scores, experts and weights of every round, the state at the end, and events as well as tables."""

    def act():
        model = make()
        run = model.run(table(stream), stream.y, features=stream.names, detail=True)
        one = make()
        return model, run, one, play(one, stream)

    (reference, expected, one, events), (compiled, got, other, compiled_events) = on_both(monkeypatch, act)
    assert (reference.compiled, compiled.compiled) == (False, True)
    assert_close(got.scores, expected.scores)
    assert_close(got.experts, expected.experts)
    assert_close(got.weights, expected.weights)
    assert_same_learner(compiled, reference, RTOL)
    assert_close(compiled_events, events)
    assert_same_learner(other, one, RTOL)


@pytest.mark.parametrize("table", ["dense", "sparse"])
@pytest.mark.parametrize("omega", OMEGAS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("method", METHODS)
def test_every_configuration(monkeypatch, method, task, omega, table):
    stream = three_cycles(3, task, length=25, overlap=6)

    def make():
        return METHODS[method](c=5.0, loss=TASKS[task], projection=OMEGAS[omega], seed=7)

    assert_cores_agree(
        monkeypatch, make, stream, table=(lambda s: s.X) if table == "dense" else (lambda s: s.csr())
    )


@pytest.mark.parametrize(
    "rule", [ExponentialWeights(40), ExponentialWeights(), FixedShare(40), FixedShare()], ids=repr
)
@pytest.mark.parametrize("clip", [None, 1.5])
@pytest.mark.parametrize("task", TASKS)
def test_rules_and_clipping(monkeypatch, rule, clip, task):
    def make():
        return EvolvingLearner(TASKS[task], rule=rule, clip=clip, seed=1)

    assert_cores_agree(monkeypatch, make, three_cycles(4, task))


@pytest.mark.parametrize(
    "experts", [(Fresh(),), (Fresh(), Recovered()), (Recovered(), Recovered(learns=False), Fresh())]
)
def test_any_experts_in_any_order(monkeypatch, experts):
    assert_cores_agree(monkeypatch, lambda: EvolvingLearner(experts=experts), three_cycles(5))


@pytest.mark.parametrize("B", [3, 25])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_short_and_long_overlaps(monkeypatch, B, ridge):
    stream = three_cycles(6, "regression", length=50, overlap=B)

    def make():
        return EvolvingLearner(Squared(), recovery=LeastSquares(ridge), descent=OGD(0.02))

    assert_cores_agree(monkeypatch, make, stream)


def test_gaps_returns_and_late_samples(monkeypatch):
    lives = {"a": [(0, 60), (90, 130)], "b": [(0, 50)], "c": [(0, 200)]} | {f"n{j}": [(40, 200)] for j in range(4)}
    stream, rng = hidden_stream(7, lives, 200), np.random.default_rng(0)
    stream.X[rng.random(stream.X.shape) < 0.05] = np.nan
    for i in (70, 80, 150, 170):
        stream.X[i] = np.nan
        stream.X[i, :2] = 1.0
    labels = [None if rng.random() < 0.2 else y for y in stream.y]
    assert_cores_agree(monkeypatch, EvolvingLearner, stream._replace(y=labels))


def test_wide_sparse_rows(monkeypatch):
    rng = np.random.default_rng(8)
    X = np.full((120, 600), np.nan)
    for i in range(120):
        space = 0 if i < 60 else 300
        words = rng.choice(300, 12, replace=False)
        X[i, space + words] = rng.normal(size=12)
        if 40 <= i < 60:
            X[i, 300 + words] = rng.normal(size=12)
    stream = three_cycles()._replace(names=[f"{'old' if j < 300 else 'new'}{j}" for j in range(600)], X=X)
    stream = stream._replace(y=(rng.random(120) < 0.5).tolist())

    def make():
        return EvolvingLearner(spaces=Declared(lambda n: n[:3]))

    assert_cores_agree(monkeypatch, make, stream, table=lambda s: s.csr())


@pytest.mark.parametrize("omega", OMEGAS)
@pytest.mark.parametrize("outputs", ["regression", "two targets"])
def test_an_overlap_without_any_signal(monkeypatch, omega, outputs):
    """New sensors that read zero while the old ones live: nothing can be recovered, and nothing is."""
    lives = {"a": [(0, 30)], "b": [(0, 30)], "c": [(20, 60)], "d": [(20, 60)]}
    stream = hidden_stream(12, lives, 60, outputs)
    stream.X[20:30, 2:] = 0.0

    def make():
        return EvolvingLearner(TASKS[outputs], descent=OGD(0.05, OMEGAS[omega]))

    assert_cores_agree(monkeypatch, make, stream)


def test_extreme_values(monkeypatch):
    """Steps that would leave the range of floats are skipped by both, and counted."""
    stream, rng = three_cycles(9, "regression"), np.random.default_rng(0)
    stream.X[rng.random(stream.X.shape) < 0.03] *= 1e60
    models = on_both(monkeypatch, lambda: EvolvingLearner(Squared()).learn_many(stream.X, stream.y))
    assert models[0].state.skipped.tolist() == models[1].state.skipped.tolist()
    assert models[0].state.skipped[0] > 0


def test_probabilities_and_predictions(monkeypatch):
    stream = three_cycles(10, "multiclass")

    def act():
        model = EvolvingLearner(TASKS["multiclass"]).learn_many(stream.X, stream.y, features=stream.names)
        return [model.predict_proba_one(stream.event(i)) for i in range(120, 160)], model.predict_many(
            stream.X[:160], features=stream.names
        )

    (p, labels), (compiled_p, compiled_labels) = on_both(monkeypatch, act)
    assert labels.tolist() == compiled_labels.tolist()
    for mine, other in zip(p, compiled_p, strict=True):
        assert mine.keys() == other.keys()
        np.testing.assert_allclose(list(other.values()), list(mine.values()), rtol=RTOL)


def test_a_loss_of_your_own_runs_on_the_reference(core):
    class Scaled(Logistic):
        name = "mine"

        def value(self, f, y):
            return 0.5 * super().value(f, y)

        def gradient(self, f, y):
            return 0.5 * super().gradient(f, y)

    model = EvolvingLearner(Scaled())
    play(model, three_cycles(11))
    assert not model.compiled
    assert model.cycle == 3


def test_the_variable_forces_the_reference(monkeypatch):
    for value, pure in (("1", True), ("yes", True)):
        monkeypatch.setenv("FESL_PURE", value)
        assert EvolvingLearner().compiled is not pure


def test_which_core_runs(core):
    assert EvolvingLearner().compiled == (core == "compiled")
