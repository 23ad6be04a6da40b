"""`Evolving` around a line that takes steps: what its clones are shown must not make them run away."""

from __future__ import annotations

import numpy as np
import pytest
from test_river_wrapper import linear

from fesl.river import Evolving


def swapped(seed, overlap, d=15, n=800, change=500):
    """d sensors that three causes move, replaced by others."""
    rng = np.random.default_rng(seed)
    causes = rng.normal(size=(n, 3))
    X = causes @ rng.normal(size=(3, 2 * d)) + 0.3 * rng.normal(size=(n, 2 * d))
    y = causes @ rng.normal(size=3) + 0.3 * rng.normal(size=n)
    for t in range(n):
        names = [*range(d * (t < change)), *range(d, d + d * (t >= change - overlap))]
        yield {f"s{j}": float(X[t, j]) for j in names}, float(y[t])


def missed(model, rows, since=500):
    gaps = []
    for x, y in rows:
        gaps.append(model.predict_one(x) - y)
        model.learn_one(x, y)
    return float(np.sqrt(np.mean(np.square(gaps[since:]))))


@pytest.mark.parametrize("overlap", [0, 5, 40])
def test_a_line_that_takes_steps_does_not_run_away_at_a_switch(overlap):
    """A clone that was shown next to nothing of a sensor would scale it by that."""
    for seed in range(2):
        rows = list(swapped(seed, overlap))
        assert missed(Evolving(linear()), rows) < 1.05 * missed(linear(), rows)


def test_sensors_that_read_garbage_at_first_make_no_clone_run_away():
    rng, rows = np.random.default_rng(3), list(swapped(3, 40, d=5))
    for x, _ in rows[460:500]:
        x.update({name: 1e-3 * float(rng.normal()) for name in x if int(name[1:]) >= 5})
    assert missed(Evolving(linear()), rows) < 1.2 * missed(linear(), rows)
