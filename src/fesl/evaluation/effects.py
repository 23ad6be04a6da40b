"""What a change cost, and how soon it was over."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from fesl.evaluation.history import Change, Column, History

#: The rows of one look after a change.
LOOK = 50


@dataclass(frozen=True)
class Effect:
    """The mean score (accuracy, or absolute error) `before` a change, in the `first` 50 rows after it and `later`,
    at the end of what was kept; `extra` is how much more was lost after it than at the rate before (mistakes, or
    the sum of absolute errors), over `rows` rows; `back` after how many rows the mean of the last 50 was as good as
    before, up to the usual fluctuation of such means (None: it was not, in the rows kept)."""

    before: float
    first: float
    later: float
    extra: float
    rows: int
    back: int | None


def effect(history: History, change: Change) -> Effect | None:
    """The effect of a change; None where there are too few labelled rows on either side of it.

    >>> from fesl.evaluation import Series
    >>> score = [1.0] * 10 + [0.5] * 5 + [1.0] * 5
    >>> around = Series(10, [10.0 * i for i in range(20)], [10.0] * 20, score=score)
    >>> found = effect(History(), Change(100, ["a"], 1, around))
    >>> found.first, found.extra, found.back
    (0.5, 25.0, 100)
    """
    s = change.around
    sign = -1.0 if history.task == "regression" else 1.0
    cut = next((i for i, row in enumerate(s.rows) if row is not None and row >= change.row), len(s.rows))
    look = max(1, LOOK // s.width)
    before, after = _part(s.score[:cut], s.labelled[:cut]), _part(s.score[cut:], s.labelled[cut:])
    if sum(n for _, n in before) < LOOK or sum(n for _, n in after) < LOOK:
        return None
    usual = _mean(before)
    blocks = [_mean(before[i : i + look]) for i in range(0, len(before) - look + 1, look)]
    spread = sqrt(sum((b - usual) ** 2 for b in blocks) / max(1, len(blocks)))
    back = None
    for i in range(len(after) - look + 1):
        if sign * (_mean(after[i : i + look]) - usual) >= -spread:
            back = (i + look) * s.width
            break
    extra = sign * sum(n * (usual - v) for v, n in after)
    rows = int(sum(n for _, n in after))
    return Effect(usual, _mean(after[:look]), _mean(after[-2 * look :]), extra, rows, back)


def _part(score: Column, labelled: Column) -> list[tuple[float, float]]:
    return [
        (v if v is not None else 0.0, n if v is not None and n else 0.0)
        for v, n in zip(score, labelled, strict=True)
    ]


def _mean(part: list[tuple[float, float]]) -> float:
    total = sum(n for _, n in part)
    return sum(v * n for v, n in part) / total if total else 0.0
