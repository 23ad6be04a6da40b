"""A history, built from what a loop has kept."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import numpy as np

from fesl._typing import Floats
from fesl._version import __version__
from fesl.evaluation import watch
from fesl.evaluation.bins import Bins
from fesl.evaluation.history import Change, Column, History, Life, Series, plain
from fesl.evaluation.scoring import FIRST, LABELLED, LIVE, LOSS, OF_EACH, SCORE

if TYPE_CHECKING:
    from fesl.evaluation.prequential import Prequential


def build(loop: Prequential) -> History:
    """The history of a loop as of now."""
    model, scores = loop.model, loop.scores
    return History(
        task=loop.task,
        learner=watch.learner(model),
        rows=loop.rows,
        labelled=loop.labelled,
        classes=[str(label) for label in getattr(model, "classes", ())],
        experts=list(loop.experts),
        scores=plain(scores),
        recent=plain(loop.recent),
        window=loop.window,
        series=series(loop.bins, len(loop.experts)),
        changes=[
            Change(c.row, [str(name) for name in c.features], c.total, series(c.bins, len(loop.experts)), c.time)
            for c in loop.changes.kept
        ],
        changes_total=loop.changes.total,
        life_width=loop.lives.width,
        lives=_lives(loop),
        more_features=len(loop.lives.others),
        events=[
            {"row": h.row, "kind": h.kind, "feature": str(h.feature), "count": h.count, "time": h.time}
            for h in loop.events
        ],
        counts=dict(loop.counts),
        regret=plain(loop.regret),
        settings=_settings(loop),
    )


def series(bins: Bins, experts: int) -> Series:
    """Bins of `records` as named columns."""
    means = bins.means(FIRST + OF_EACH * experts)
    each = [[short(means[:, FIRST + OF_EACH * e + i]) for e in range(experts)] for i in range(OF_EACH)]
    return Series(
        width=bins.width,
        rows=bins.starts.tolist(),
        labelled=short(bins.sums[: bins.used, LABELLED]),
        live=short(means[:, LIVE]),
        loss=short(means[:, LOSS]),
        score=short(means[:, SCORE]),
        expert_loss=each[0],
        expert_score=each[1],
        weights=each[2],
    )


def short(column: Floats) -> Column:
    """Seven digits a number are plenty for a picture; None where there is none.

    >>> short(np.array([1 / 3, np.nan]))
    [0.3333333, None]
    """
    return [float(f"{v:.7g}") if np.isfinite(v) else None for v in column.tolist()]


def _lives(loop: Prequential) -> list[Life]:
    lives, model = loop.lives, loop.model
    parts = {str(k): str(v) for k, v in (getattr(model, "features", None) or {}).items()}
    quality = {str(k): v for k, v in (model.recovery() if hasattr(model, "recovery") else {}).items()}
    found = []
    for i, name in enumerate(lives.names):
        told = quality.get(str(name))
        found.append(
            Life(
                name=str(name),
                first=int(lives.first[i]),
                last=int(lives.last[i]),
                count=int(lives.count[i]),
                there=lives.there[i, : lives.used].tolist(),
                state=parts.get(str(name), "forgotten" if parts else ""),
                error=None if told is None else short(np.array([told.error]))[0],
                checked=0 if told is None else int(told.rows),
            )
        )
    return found


def _settings(loop: Prequential) -> dict[str, Any]:
    mine = {
        "rows": loop.rows,
        "rows with a label": loop.labelled,
        "window": loop.window,
        "seconds": round(loop.seconds, 3),
        "compiled": getattr(loop.model, "compiled", None),
        "fesl": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    told: dict[str, Any] = plain(loop.settings)
    return {**told, **mine}
