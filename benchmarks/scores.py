"""What the quality cells add up to: means, wins, ranks, and whether the differences can be chance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import stats

US = ("fesl", "default")
#: Never behind by more than this.
MARGIN = 0.01


def averaged(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, str], dict[tuple[str, str], dict[str, Any]]]:
    """By (set, pattern), then by (peer, model): the means over the runs that everybody in the cell has played. What
    failed is left out."""
    gathered: dict[Any, dict[Any, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if "accuracy" in row:
            gathered[row["set"], row["pattern"]][row["peer"], row["model"]][row["run"]] = row
    means = {}
    for cell, by in gathered.items():
        shared = set.intersection(*(set(found) for found in by.values())) or {
            min(min(found) for found in by.values())
        }
        kept = {who: [found[run] for run in sorted(shared) if run in found] for who, found in by.items()}
        means[cell] = {who: _means(found) for who, found in kept.items() if found}
    return means


def _means(runs: list[dict[str, Any]]) -> dict[str, float | None]:
    """Accuracies, and the standard error of the difference to ours: rows on which only one of the two is right."""
    after = [run["after"] for run in runs if run["after"] is not None]
    errors = [np.sqrt(run["differ"]) / run["rows"] for run in runs if run.get("differ") is not None]
    return {
        "accuracy": float(np.mean([run["accuracy"] for run in runs])),
        "after": float(np.mean(after)) if after else None,
        "error": float(np.sqrt(np.mean(np.square(errors)) / len(errors))) if errors else None,
    }


def missing(found: dict[str, Any]) -> dict[str, int]:
    """Who has not played how many of the cells at all: a best of a peer is none while its models are missing."""
    cells = {(row["set"], row["pattern"]) for row in found["cells"]}
    played = {(row["peer"], row["model"], row["set"], row["pattern"]) for row in found["cells"]}
    by = Counter((peer, model) for peer, model, _, _ in played)
    gaps = {f"{peer} {model}": len(cells) - by[peer, model] for peer, model in found["players"]}
    return {who: gap for who, gap in gaps.items() if gap}


def contestants(cells: dict[Any, dict[tuple[str, str], Any]]) -> list[tuple[str, str]]:
    """Everybody who played anywhere, ourselves first."""
    return sorted({who for by in cells.values() for who in by}, key=lambda who: (who != US, who))


def table(cells: dict[Any, Any]) -> list[dict[str, Any]]:
    """A line a contestant: its mean, ours on the same cells, how often we are ahead, how far behind at worst; of
    those with whom we share a cell."""
    here = {cell: by for cell, by in cells.items() if US in by}
    return [_line(here, who) for who in contestants(here)]


def _line(cells: dict[Any, Any], who: tuple[str, str]) -> dict[str, Any]:
    shared = [by for by in cells.values() if who in by]
    differences = _differences(shared, who, "accuracy")
    after = [by for by in shared if by[who]["after"] is not None]
    near = _differences(after, who, "after")
    return {
        "peer": who[0],
        "model": who[1],
        "cells": len(shared),
        "mean": float(np.mean([by[who]["accuracy"] for by in shared])),
        "ours": float(np.mean([by[US]["accuracy"] for by in shared])),
        "ahead": int(np.sum(differences > 0)),
        "worst": float(differences.min()),
        "after": float(np.mean([by[who]["after"] for by in after])) if after else None,
        "ours_after": float(np.mean([by[US]["after"] for by in after])) if after else None,
        "ahead_after": int(np.sum(near > 0)),
        "cells_after": len(after),
        "p": _wilcoxon(differences),
    }


def _differences(cells: list[Any], who: tuple[str, str], what: str) -> np.ndarray:
    return np.array([by[US][what] - by[who][what] for by in cells])


def _wilcoxon(differences: np.ndarray) -> float | None:
    moved = differences[np.abs(differences) > 1e-12]
    return float(stats.wilcoxon(moved).pvalue) if len(moved) > 5 else None


def against(cells: dict[Any, Any], peer: str, patterns: Iterable[str]) -> dict[str, Any]:
    """Our margin over the best model of a peer in each cell, its standard error, and where there is none."""
    margins, errors = {}, {}
    for (data, pattern), by in cells.items():
        theirs = [found for who, found in by.items() if who[0] == peer]
        if pattern in patterns and theirs and US in by:
            best = max(theirs, key=lambda found: found["accuracy"])
            margins[f"{data}, {pattern}"] = by[US]["accuracy"] - best["accuracy"]
            errors[f"{data}, {pattern}"] = best["error"]
    ahead = sum(margin > 0 for margin in margins.values())
    behind = {cell: margin for cell, margin in sorted(margins.items(), key=lambda kv: kv[1]) if margin <= 0}
    return {"cells": len(margins), "ahead": ahead, "behind": behind, "margins": margins, "errors": errors}


def ranks(cells: dict[Any, Any]) -> dict[str, Any] | None:
    """Mean ranks, Friedman's test, and Nemenyi's critical difference, over the cells that everybody played.

    Everybody: whoever played at least half of all cells.
    """
    everybody = [who for who in contestants(cells) if 2 * sum(who in by for by in cells.values()) >= len(cells)]
    common = [by for by in cells.values() if all(who in by for who in everybody)]
    if len(common) < 2 or len(everybody) < 3:
        return None
    scores = np.array([[by[who]["accuracy"] for who in everybody] for by in common])
    found = stats.rankdata(-scores, axis=1).mean(axis=0)
    k, n = len(everybody), len(common)
    q = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
    return {
        "names": [f"{peer} {model}" for peer, model in everybody],
        "ranks": found.tolist(),
        "cells": n,
        "difference": float(q * np.sqrt(k * (k + 1) / (6 * n))),
        "friedman": float(stats.friedmanchisquare(*scores.T).pvalue),
    }
