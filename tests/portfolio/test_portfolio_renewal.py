"""What was learned of the kept rows alone is learned anew, and nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import TASKS, make

from fesl.models import Point
from fesl.portfolio.changes.renewal import renew
from fesl.portfolio.constants import AGES, CURVE, PASSES, RENEWED, ROUND, ROWS
from fesl.portfolio.experts import additive, laplace, naive_bayes
from fesl.portfolio.inputs.scaling import squashed
from fesl.portfolio.reference import Reference


def _stream(rows, width=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, width)) * 10.0 ** np.arange(width) + 3.0
    return X, (X[:, 0] + random.normal(size=rows) > 3.0).astype(int)


def _values(st, X):
    """Standardised by what is known at the end."""
    return squashed(X, st.count[1:5], st.mean[1:5], st.q[1:5])


def test_the_counts_are_those_of_the_values_as_they_look_now():
    X, y = _stream(AGES[-1])
    learner = make("binary").learn_many(X, y)
    st = learner.state
    codes = np.array([learner.classes.index(label) for label in y])
    H = np.zeros((4, 2, st.H.shape[2]))
    for j in range(4):
        np.add.at(H[j], (codes, naive_bayes.bins(_values(st, X)[:, j])), 1.0)
    np.testing.assert_array_equal(st.H[1:5], H)
    np.testing.assert_array_equal(st.c, np.bincount(codes))


def test_the_curves_are_learned_from_their_prior_with_the_statistics_of_now():
    X, y = _stream(RENEWED[2])
    learner = make("binary").learn_many(X, y)
    st, present = learner.state, np.arange(1, 5)
    A, V = np.zeros_like(st.A), np.zeros_like(st.V)
    for _ in range(PASSES):
        V[1:5], V[0, 0] = CURVE, 1.0
        for u, label in zip(_values(st, X), y, strict=True):
            step = laplace.pull(*additive.project(A, V, present, u), learner.classes.index(label))
            additive.learn(A, V, present, u, *step)
    np.testing.assert_allclose(st.A[:5], A[:5], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(st.V[:5], V[:5], rtol=1e-9)


@pytest.mark.parametrize("task", TASKS)
def test_what_is_older_than_the_kept_rows_stays(task):
    X, y = _stream(ROWS + 100)
    late = np.full((len(X), 1), np.nan)
    late[-20:, 0] = X[-20:, 1] + X[-20:, 2]
    learner = make(task).learn_many(np.hstack([X, late]), _targets(task, y))
    st, old = learner.state, slice(0, 5)
    renew(learner._core)
    before = {name: getattr(st, name)[old].copy() for name in ("A", "V", "H")}
    surface, paired = st.surface.copy(), st.paired.copy()
    young = st.A[5].copy()
    st.A[5] += 1.0
    renew(learner._core)
    for name, was in before.items():
        np.testing.assert_array_equal(getattr(st, name)[old], was)
    assert np.array_equal(st.paired, paired)
    slots = [a for a in range(len(paired)) if 0 < paired[a] < 5]
    for a in slots:
        for b in [b for b in slots if b < a]:
            table = 1 + a * (a - 1) // 2 + b
            np.testing.assert_array_equal(st.surface[table], surface[table])
    np.testing.assert_allclose(st.A[5], young, rtol=1e-9, atol=1e-12)  # what was added is forgotten
    assert (st.V[1:6] > 0.0).all()


def _targets(task, y):
    if task == "binary":
        return y
    if task == "multiclass":
        return y + 2 * (np.arange(len(y)) % 2)
    return np.stack([y, -y], axis=1).astype(float) if task == "two targets" else y.astype(float)


def test_after_a_switch_the_curves_know_what_the_old_features_had_explained():
    random = np.random.default_rng(1)
    x = random.normal(size=(600, 2))
    y = (np.abs(x[:, 0]) > 0.7).astype(int)  # no line will do
    X = np.full((600, 4), np.nan)
    X[:500, :2], X[460:, 2:] = x[:500], x[460:]  # the same two sensors, replaced
    learner = make("binary").learn_many(X[:504], y[:504])
    assert "vanished" in {event.kind.value for event in learner.events}
    opinions = [learner._core.opinions(_point(learner, row)) for row in X[504:]]
    names = list(learner.weights)
    for expert in ("additive", "pairwise"):
        said = np.array([learner.classes[int(np.argmax(o[names.index(expert)]))] for o in opinions])
        assert (said == y[504:]).mean() > 0.8


def _point(learner, row):
    there = np.flatnonzero(~np.isnan(row))
    idx = np.array([learner.state.index[int(j)] for j in there], np.int64)
    order = np.argsort(idx)
    return Point(idx[order], row[there][order])


def test_rows_without_labels_teach_nothing():
    X, y = _stream(AGES[1])
    learner = make("binary").learn_many(X[:4], y[:4])
    st = learner.state
    for row in X[4:]:
        learner.learn_one(dict(enumerate(row.tolist())))
    assert st.c.sum() == st.H[1].sum() == 4.0


def _sightings(learner, events):
    st = learner.state
    return {name: sum(name in x for x, _ in events) for name in st.index}, {
        name: st.H[j].sum() for name, j in st.index.items()
    }


def test_a_feature_is_counted_where_it_was_seen_and_nowhere_else():
    random = np.random.default_rng(0)
    events = [
        ({"a": float(random.normal())} | ({"still": 1.0} if t % 3 == 0 else {}), t % 2) for t in range(AGES[-1])
    ]
    learner = make("binary")
    for x, y in events:
        learner.learn_one(x, y)
    seen, counted = _sightings(learner, events)
    assert counted == seen == {"a": AGES[-1], "still": 43}


def test_strangers_in_the_event_of_a_switch_are_counted_once():
    random = np.random.default_rng(0)

    def space(letter, size):
        return {f"{letter}{j}": float(v) for j, v in enumerate(random.normal(size=size))}

    events = [(space("a", 5), t % 15 == 0) for t in range(180)]
    events += [(space("b", 10) | (space("c", 10) if t >= 2 else {}), False) for t in range(4)]
    learner = make("binary")
    for x, y in events:
        learner.learn_one(x, y)
    assert learner.features["a0"] == "vanished"
    seen, counted = _sightings(learner, events)
    assert counted == seen


def test_an_interrupt_leaves_nothing_frozen():
    X, y = _stream(ROWS + 100)
    learner = make("binary").learn_many(X, y)
    st, was = learner.state, learner.state.V.copy()

    class Stopped(Reference):
        def _bend_class(self, inputs, y, least):
            raise KeyboardInterrupt

    st.surface[1, :, 0] = CURVE  # as if two features had just been paired
    surface = st.surface.copy()
    with pytest.raises(KeyboardInterrupt):
        renew(Stopped(st))
    np.testing.assert_array_equal(st.V, was)
    np.testing.assert_array_equal(st.surface[2:], surface[2:])


def test_the_rows_are_learned_anew_once_after_a_switch(core, monkeypatch):
    """At the ages of the switch, not at those of what was born before it; then at those of a later birth."""
    told = []
    monkeypatch.setattr(
        "fesl.portfolio.changes.attention.renew", lambda core: told.append(int(core.state.clock[ROUND]))
    )
    learner, random = make("binary"), np.random.default_rng(0)
    switch = late = None
    for t in range(700):
        names = "ab" if t < 300 else "abcd" if t < 305 else "cd" if t < 500 else "cde"
        learner.learn_one(
            {name: float(v) for name, v in zip(names, random.normal(size=5), strict=False)}, t % 3 == 0
        )
        if t >= 305 and switch is None and "a" not in learner.state.index:
            switch = t
        late = late or (t if "e" in learner.state.index else None)
    ages = [switch, *(switch + age for age in RENEWED)]
    pairings = {8 * 2**i for i in range(8)}
    assert [t for t in told if switch <= t < late and t not in pairings] == ages
    assert [t for t in told if t >= late and t not in pairings] == [late + age for age in RENEWED]
