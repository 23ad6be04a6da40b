"""Plots with matplotlib (`pip install "fesl[plot]"`): each draws on the axes it is given, or on new ones, and
returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fesl._typing import Floats
from fesl.errors import ConfigError, MissingExtraError
from fesl.evaluation.history import Change, History, Life

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Names of the y axis.
SCORES = {"regression": "absolute error"}
LOSSES = {"regression": "squared error"}
#: Told apart by those who see colours differently, too.
COLOURS = (
    *("#0072b2", "#c4500a", "#00805f", "#a8478f", "#d9a400", "#5b55c9", "#6c7683"),
    *("#7a4a1e", "#1596aa", "#8f1d3a", "#557a17", "#2b3f8c", "#c0617a", "#9c5fd0"),
)


def score(histories: History | Mapping[str, History], *, rows: int = 200, ax: Axes | None = None) -> Axes:
    """Accuracy (or absolute error) over the stream: trailing means over so many rows.

    >>> from fesl.evaluation import Series
    >>> ax = score(History(series=Series(1, [0.0, 1.0], [1.0, 1.0], [], [], [0.0, 1.0])))
    >>> ax.get_ylabel()
    'accuracy, last 200 rows'
    """
    ax, many = _axes(ax), _named(histories)
    for name, h in many.items():
        s = h.series
        y = _trailing(_floats(s.score), _floats(s.labelled), max(1, rows // s.width))
        ax.plot(_floats(s.rows) + s.width, y, label=name, linewidth=1.6)
    first = next(iter(many.values()))
    _marks(ax, first.changes)
    return _finished(ax, f"{SCORES.get(first.task, 'accuracy')}, last {rows} rows", len(many) > 1)


def loss_trend(histories: History | Mapping[str, History], *, ax: Axes | None = None) -> Axes:
    """The mean loss of all rows so far, as in the paper's figures."""
    ax, many = _axes(ax), _named(histories)
    for name, h in many.items():
        s = h.series
        n = _floats(s.labelled)
        total = np.cumsum(np.nan_to_num(_floats(s.loss)) * n)
        ax.plot(_floats(s.rows) + s.width, total / np.maximum(np.cumsum(n), 1.0), label=name, linewidth=1.6)
    first = next(iter(many.values()))
    _marks(ax, first.changes)
    return _finished(ax, f"mean {LOSSES.get(first.task, 'loss, bits')} so far", len(many) > 1)


def around(
    history: History, change: int | Change = 0, *, what: str = "score", rows: int = 50, ax: Axes | None = None
) -> Axes:
    """`what` ("score" or "loss") around a change (or the number of one): the ensemble and each expert, trailing
    means over so many rows that begin anew at the change."""
    if what not in ("score", "loss"):
        raise ConfigError(f'what={what!r}: "score" or "loss"')
    if not history.changes:
        raise ConfigError("no feature vanished in this history: there is no change to look at")
    ax, c = _axes(ax), history.changes[change] if isinstance(change, int) else change
    s, x = c.around, _floats(c.around.rows)
    curves = [("ensemble", getattr(s, what)), *zip(history.experts, getattr(s, f"expert_{what}"), strict=True)]
    for i, (name, column) in enumerate(curves):
        cut, size, n = int((x < c.row).sum()), max(1, rows // s.width), _floats(s.labelled)
        values = _floats(column)
        y = np.concatenate([_trailing(values[at], n[at], size) for at in (slice(cut), slice(cut, None))])
        ax.plot(x + s.width - c.row, y, "k" if i == 0 else "", label=name, linewidth=2.2 if i == 0 else 1.0)
    ax.axvline(0, color="0.5", linestyle=":", linewidth=1)
    names = {"score": SCORES.get(history.task, "accuracy"), "loss": LOSSES.get(history.task, "loss, bits")}
    _finished(ax, names[what], len(curves) > 1)
    ax.set_xlabel(f"rows after row {c.row}")
    return ax


def weights(history: History, *, ax: Axes | None = None) -> Axes:
    """How much each expert was trusted, stacked."""
    ax, s = _axes(ax), history.series
    stack = np.array([np.nan_to_num(_floats(column)) for column in s.weights]).reshape(len(s.weights), -1)
    if stack.size:
        ax.stackplot(_floats(s.rows), stack, labels=history.experts, colors=COLOURS, linewidth=0)
    ax.set_ylim(0, 1)
    _finished(ax, "trust", False)
    if len(s.weights) > 1:
        ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def lives(history: History, *, most: int = 60, ax: Axes | None = None) -> Axes:
    """When each feature was there, in order of appearance; of many features so many."""
    ax = _axes(ax)
    shown = sorted(history.lives, key=lambda life: (life.first, life.last, life.name))
    step = max(1, -(-len(shown) // most))
    shown = shown[::step]
    for i, life in enumerate(shown):
        grey = life.state in ("vanished", "forgotten")
        for a, b, share in _stretches(life, history.life_width):
            colour = (0.6, 0.6, 0.6, share) if grey else (0.0, 0.45, 0.7, share)
            ax.broken_barh([(a, b - a)], (i - 0.36, 0.72), facecolors=[colour])
    apart = max(1, -(-len(shown) // 24))
    ax.set_yticks(range(0, len(shown), apart), [life.name for life in shown[::apart]], fontsize=7)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    _marks(ax, history.changes)
    return _finished(ax, "", False)


def regret(history: History, *, ax: Axes | None = None) -> Axes:
    """The regret over time, and what its bound allows."""
    ax = _axes(ax)
    rows, value, allowed = (_floats([r[key] for r in history.regret]) for key in ("row", "value", "allowed"))
    ax.plot(rows, value, "k", label="regret")
    ax.plot(rows, allowed, "C1--", label="what the bound allows")
    return _finished(ax, "regret", True)


def _stretches(life: Life, width: int) -> list[tuple[int, int, float]]:
    """Neighbouring bins with about the same share of rows: from row, to row, share (up to the next quarter)."""
    found: list[tuple[int, int, float]] = []
    for i, n in enumerate(life.there):
        a, b = max(life.first, i * width), min(life.last + 1, (i + 1) * width)
        share = min(1.0, float(np.ceil(4.0 * n / max(1, b - a))) / 4.0)
        if n and found and found[-1][1:] == (a, share):
            found[-1] = (found[-1][0], b, share)
        elif n:
            found.append((a, b, share))
    return found


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    return plt.subplots(figsize=(8, 4), layout="constrained")[1]


def _named(histories: History | Mapping[str, History]) -> dict[str, History]:
    return {histories.learner: histories} if isinstance(histories, History) else dict(histories)


def _floats(column: Sequence[Any]) -> Floats:
    return np.array([np.nan if v is None else v for v in column], np.float64)


def _trailing(y: Floats, n: Floats, size: int) -> Floats:
    there = np.where(np.isnan(y), 0.0, n)
    sums, counts = (np.concatenate([[0.0], np.cumsum(a)]) for a in (np.nan_to_num(y) * there, there))
    stop = np.arange(1, len(y) + 1)
    start = np.maximum(stop - size, 0)
    total = counts[stop] - counts[start]
    return np.where(total > 0, (sums[stop] - sums[start]) / np.maximum(total, 1.0), np.nan)


def _marks(ax: Axes, changes: Sequence[Change]) -> None:
    for change in changes:
        ax.axvline(change.row, color="0.6", linestyle=":", linewidth=0.8, zorder=0)


def _finished(ax: Axes, ylabel: str, legend: bool) -> Axes:
    ax.set_ylabel(ylabel)
    ax.set_xlabel("row")
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize="small")
    return ax
