"""The compiled core gives the numbers of the reference, over whole streams."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import PATTERNS, TASKS, make, stream

from fesl._native import PURE, native


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_cores_agree(pattern, task, monkeypatch):
    X, y = stream(pattern, task, rows=78, width=6)
    agree(X, y, task, monkeypatch)


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
