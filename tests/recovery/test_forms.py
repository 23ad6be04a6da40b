"""One model, however it is written: dense or compressed rows, more features than rows or fewer, or psi itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import minimum_norm, random_problem, ridge_map

from fesl.models import Point, RecoveredModel
from fesl.projections import Free
from fesl.recovery import least_squares


def lenses_of(problem, ridge):
    """The same psi in every form; the wide one has features besides that are always zero."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_squares, "DENSE", -1.0)
        dense = problem.fit(ridge)
        wide = problem.wide().fit(ridge)
        explicit = problem.fit(ridge, explicit=True)
        patch.setattr(least_squares, "fit_table", lambda *_: None)
        long, long_explicit = problem.fit(ridge), problem.fit(ridge, explicit=True)
        patch.setattr(least_squares, "DENSE", 2.0)
        patch.setattr(least_squares, "ROUND", 1e3)
        rows = problem.fit(ridge)
        patch.setattr(least_squares, "ROUND", 0.0)
        compressed = problem.fit(ridge)
        both = problem.fit(ridge, explicit=True)
        patch.setattr(least_squares, "LARGE", 0)
        squared = problem.fit(ridge)
    assert dense.lift is None
    assert compressed.lift is not None
    assert rows.lift is None or rows.size < len(problem.O2)
    assert explicit.H is both.H is long_explicit.H is None
    return [dense, wide, long, rows, compressed, squared, explicit, long_explicit, both]


def models_of(problem, ridge, outputs=2):
    w = np.zeros((problem.wide().capacity, outputs))
    w[problem.vanished] = np.random.default_rng(0).normal(size=(len(problem.vanished), outputs))
    none = np.array([], int)
    return [RecoveredModel(lens.reserved(len(w)), w, none) for lens in lenses_of(problem, ridge)]


@given(
    seed=st.integers(0, 2**32 - 1),
    B=st.integers(1, 10),
    d2=st.integers(1, 10),
    ridge=st.sampled_from([0.0, 0.0, 0.3]),
)
def test_all_forms_agree_in_all_they_say(seed, B, d2, ridge):
    problem, rng = random_problem(seed, B, 4, d2), np.random.default_rng(seed)
    if np.linalg.cond(problem.O2) > 100:  # one of the forms goes through the squares
        return
    models = models_of(problem, ridge)
    M = ridge_map(*problem, ridge) if ridge else minimum_norm(*problem)

    def assert_agreement(read):
        first, *others = (read(m) for m in models)
        for other in others:
            np.testing.assert_allclose(other, first, rtol=1e-7, atol=1e-8)
        return first

    for t in range(6):
        x, late = problem.new(rng), Point(problem.vanished, rng.normal(size=4))
        s = rng.normal(size=2) * 0.1
        psi = assert_agreement(lambda m: m.lens.psi(x))  # noqa: B023
        np.testing.assert_allclose(psi, M.T @ x.val, rtol=1e-7, atol=1e-8)
        assert_agreement(lambda m: m.score(x))  # noqa: B023
        assert_agreement(lambda m: m.late_score(late))  # noqa: B023
        for m in models:
            if t % 3 == 2:
                m.late_descend(late, m.late_score(late), s, Free())
            else:
                m.descend(x, m.score(x), s, Free())
    assert_agreement(lambda m: m.linear())
    assert_agreement(lambda m: m.old_weights())


def test_many_vanished_features_are_taken_a_few_at_a_time(monkeypatch):
    problem = random_problem(3, 6, 25, 9)
    whole = problem.fit().H
    monkeypatch.setattr(least_squares, "CHUNK", 4)
    np.testing.assert_allclose(problem.fit().H, whole, rtol=1e-12)
