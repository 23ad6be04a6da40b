"""The compiled core gives the numbers of the reference, over whole streams."""

from __future__ import annotations

import numpy as np
import pytest
from portfolio_streams import PATTERNS, TASKS, make, stream

from fesl._native import PURE, native


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_cores_agree(pattern, task, monkeypatch):
    if native() is None:
        pytest.skip("no compiled core")
    X, y = stream(pattern, task, rows=78, width=6)
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
