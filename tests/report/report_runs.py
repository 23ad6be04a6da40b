"""Runs for the tests of the report, made once."""

from __future__ import annotations

from functools import cache

import numpy as np

import fesl
from fesl import paper
from fesl.evaluation import Change, History, Life, Prequential, Series

PLAIN = ("old left", "old right", "new left", "new right", "blinks")
HOSTILE = (
    "</script><script>document.title='broken'</script>",
    '"><img src=x onerror="document.title=\'broken\'">',
    "' onload='document.title=1",
    "</style></svg><b>bold",
    "&lt;b&gt; and \u202e reversed",
)

LEARNERS = {
    "default": lambda: fesl.Classifier(),
    "regressor": lambda: fesl.Regressor(),
    "FESL-c": lambda: paper.fesl_c(),
    "scratch": lambda: paper.nogd(),
}


@cache
def sensors(learner: str, names: tuple[str, ...] = PLAIN) -> History:
    """Two sensors are replaced at row 500 with 40 rows of overlap, one blinks."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(900, 3))
    X = np.column_stack([z[:, :2], z[:, :2] @ rng.normal(size=(2, 2)), z[:, 2]])
    X[500:, :2] = np.nan
    X[:460, 2:4] = np.nan
    X[rng.random(900) < 0.3, 4] = np.nan
    target = z @ [1.5, -1.0, 0.5]
    loop = Prequential(LEARNERS[learner](), settings={"seed": 0, "file": names[0]})
    loop.feed(X, target if learner == "regressor" else target > 0, features=names)
    return loop.history


@cache
def wide() -> History:
    """Four thousand features in overlapping batches, and more that are not followed."""
    bins, lives = 100, []
    for i in range(4000):
        first = i // 200 * 4
        there = [10 if first <= k < first + 20 else 0 for k in range(bins)]
        lives.append(Life(f"sensor/{i:04}", 10 * first, 10 * first + 199, sum(there), there, "vanished"))
    around = Series(10, [10.0 * k for k in range(80)], [10.0] * 80, score=[0.9] * 80, loss=[0.1] * 80)
    changes = [Change(300, [f"sensor/{i:04}" for i in range(100)], 3000, around)]
    events = [{"row": k, "kind": "appeared", "feature": f"sensor/{k}", "count": 0} for k in range(1000)]
    return History(
        rows=1000,
        labelled=1000,
        life_width=10,
        lives=lives,
        more_features=12_345,
        changes=changes,
        changes_total=70,
        events=events,
        counts={"appeared": 16_345},
    )
