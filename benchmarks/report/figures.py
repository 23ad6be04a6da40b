"""The figures of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def growth(found: list[dict[str, Any]], path: Path) -> None:
    """A panel an axis: time of an event over what grows, both logarithmic, with the fitted slope."""
    plt = _pyplot()
    names = list(dict.fromkeys(row["axis"] for row in found))
    columns = 4
    lines = -(-len(names) // columns)
    figure, panels = plt.subplots(lines, columns, figsize=(3.4 * columns, 3.0 * lines), squeeze=False)
    for panel, name in zip(panels.flat, names, strict=False):
        for row in (row for row in found if row["axis"] == name):
            label = f"{row['learner']}: slope {row['slope']:.2f}"
            panel.loglog(row["values"], row["us"], "o-", ms=4, label=label)
            _ticks(panel, row["values"])
        low, high = panel.get_ylim()
        panel.set_ylim(low / 1.5, max(high * 3, low * 100))  # a flat line shall look flat
        panel.set_xlabel(name)
        panel.set_ylabel("µs an event")
        panel.legend(fontsize=7, frameon=False)
    for panel in list(panels.flat)[len(names) :]:
        panel.axis("off")
    _write(figure, path)


def _ticks(panel: Any, values: list[int]) -> None:
    """At most four of the values, as plain numbers."""
    shown = values[:: -(-len(values) // 4)]
    panel.set_xticks(shown, [f"{value:,}" for value in shown], fontsize=8)
    panel.set_xticks([], minor=True)


def critical(ranks: dict[str, Any], path: Path) -> None:
    """Mean ranks, best at the left; the bar is the difference that chance explains (Nemenyi, 5%)."""
    plt = _pyplot()
    order = np.argsort(ranks["ranks"])
    best = ranks["ranks"][order[0]]
    figure, panel = plt.subplots(figsize=(8, 0.9 + 0.28 * len(order)))
    for place, k in enumerate(order):
        rank = ranks["ranks"][k]
        panel.plot(rank, place, "o", color="C3" if ranks["names"][k].startswith("fesl ") else "C0")
        panel.text(rank + 0.15, place, f"{ranks['names'][k]}  {rank:.2f}", va="center", fontsize=8)
    panel.axvspan(best, best + ranks["difference"], color="0.9", zorder=0)
    panel.set_xlim(0.5, len(order) + 4)
    panel.invert_yaxis()
    panel.set_yticks([])
    title = f"Mean rank over {ranks['cells']} cells; grey: not told apart from the first (Nemenyi, 5%)"
    panel.set_title(title, fontsize=9)
    _write(figure, path)


def margins(found: dict[str, float], peer: str, path: Path) -> None:
    """Our accuracy less that of the peer's best model, a bar a cell."""
    plt = _pyplot()
    cells = sorted(found, key=lambda cell: found[cell])
    values = [found[cell] for cell in cells]
    figure, panel = plt.subplots(figsize=(8, 0.8 + 0.16 * len(cells)))
    panel.barh(range(len(cells)), values, color=["C0" if v > 0 else "C3" for v in values])
    panel.set_yticks(range(len(cells)), cells, fontsize=6)
    panel.axvline(0, color="k", lw=0.8)
    panel.set_ylim(-0.8, len(cells) - 0.2)
    panel.set_xlabel(f"our accuracy less that of {peer}'s best in the cell")
    _write(figure, path)


def _write(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    _pyplot().close(figure)
