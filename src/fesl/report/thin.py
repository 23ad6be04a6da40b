"""Fewer points: what a picture of a few hundred pixels can show."""

from __future__ import annotations

from collections.abc import Sequence

Numbers = Sequence[float | None]


def merged(columns: Sequence[Numbers], counts: Numbers, points: int) -> tuple[list[int], list[list[float | None]]]:
    """Neighbours merged into at most so many points, weighed by their counts: where each begins, and the columns.

    >>> merged([[1.0, 3.0, None, 5.0]], [1, 1, 0, 2], 2)
    ([0, 2], [[2.0, 5.0]])
    """
    n = len(counts)
    size = max(1, -(-n // points))
    starts = list(range(0, n, size))
    return starts, [[_mean(column[i : i + size], counts[i : i + size]) for i in starts] for column in columns]


def trailing(column: Numbers, counts: Numbers, size: int) -> list[float | None]:
    """The mean over the last `size` entries, weighed by their counts.

    >>> trailing([1.0, 3.0, 5.0], [1, 1, 1], 2)
    [1.0, 2.0, 4.0]
    """
    return [
        _mean(column[max(0, i + 1 - size) : i + 1], counts[max(0, i + 1 - size) : i + 1])
        for i in range(len(column))
    ]


def _mean(values: Numbers, counts: Numbers) -> float | None:
    pairs = [(v, n) for v, n in zip(values, counts, strict=True) if v is not None and n]
    total = sum(n for _, n in pairs)
    return sum(v * n for v, n in pairs) / total if total else None
