"""The compiled core gives the numbers of the reference, over whole streams."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import PATTERNS, TASKS, make, stream

from fesl._native import PURE, native

#: What is learned: every array in which both cores write the same.
LEARNED = (
    "w",
    "P",
    "H",
    "c",
    "A",
    "V",
    "coded",
    "surface",
    "S",
    "C",
    "mean",
    "q",
    "a",
    "stack_b",
    "stack_V",
    "worth",
)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_cores_agree(pattern, task, monkeypatch):
    X, y = stream(pattern, task, rows=78, width=6)
    agree(X, y, task, monkeypatch)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_cores_agree_where_labels_are_missing(pattern, task, monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    X, y = stream(pattern, task, rows=120, width=6)
    y = [None if i % 3 == 1 else label for i, label in enumerate(y)]
    states = []
    for pure in ("1", "0"):
        monkeypatch.setenv(PURE, pure)
        model = make(task)
        for row, label in zip(X.tolist(), y, strict=True):
            model.predict_one(dict(enumerate(row)))
            model.learn_one(dict(enumerate(row)), label)
        states.append(model.state)
    slow, fast = states
    for name in LEARNED:
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=1e-7, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("task", TASKS)
def test_both_cores_agree_when_every_ring_has_gone_round(task, monkeypatch):
    X, y = stream("survivors", task, rows=320, width=6)
    X[120, 0] = 1e6  # beside it, measured anew
    agree(X, y, task, monkeypatch)


def agree(X, y, task, monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    monkeypatch.setenv(PURE, "1")
    slow = make(task)
    a = slow.run(X, y)
    monkeypatch.setenv(PURE, "0")
    fast = make(task)
    b = fast.run(X, y)
    assert (slow.compiled, fast.compiled) == (False, True)
    np.testing.assert_allclose(b.scores, a.scores, rtol=1e-9, atol=1e-9)
    assert fast.events == slow.events
    assert fast.features == slow.features
    assert fast.regret().mixture == pytest.approx(slow.regret().mixture, rel=1e-9)
    for name, weight in slow.weights.items():
        assert fast.weights[name] == pytest.approx(weight, rel=1e-6, abs=1e-9)
    for name, found in slow.recovery().items():
        assert fast.recovery()[name].error == pytest.approx(found.error, rel=1e-6, nan_ok=True)
        assert fast.recovery()[name].rows == found.rows
