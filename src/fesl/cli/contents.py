"""What is in a learner, as plain values: for people who inspect one, and for programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fesl._typing import Floats
from fesl.cli.learners import task_of
from fesl.portfolio import Classifier, Regressor
from fesl.portfolio.state import State


def of(model: Any, reader: dict[str, Any] | None = None) -> dict[str, Any]:
    """Everything there is to tell about a learner; `reader` is what `fesl run` saved beside it.

    >>> import fesl
    >>> found = of(fesl.Classifier().learn_one({"a": 1.0}, "yes").learn_one({"a": -1.0}, "no"))
    >>> found["classes"], found["rounds"], found["features"][0]["state"]
    (['yes', 'no'], 2, 'live')
    """
    reader = reader or {}
    default = isinstance(model, Classifier | Regressor)
    settings = reader.get("settings", {})
    found: dict[str, Any] = _plain(
        {
            "learner": reader.get("learner") or type(model).__name__,
            "task": task_of(model),
            "target": settings.get("targets", []),
            "classes": [str(label) for label in model.classes],
            "compiled": model.compiled,
            **(_default(model) if default else _paper(model)),
            "regret": _regret(model, default),
            "settings": {k: v for k, v in settings.items() if v and k != "targets"},
        }
    )
    return found


def _default(model: Any) -> dict[str, Any]:
    state = model.state
    counts = {kind: list(model.features.values()).count(kind) for kind in ("live", "missing", "vanished")}
    return {
        "rounds": int(state.clock[0]),
        "labelled": int(state.clock[1]),
        "spaces": {**counts, "last change in round": int(state.clock[2])},
        "trust": model.weights,
        "features": _sorted(_lives(model)),
        "events": [
            {"round": e.time, "kind": e.kind.value, "feature": str(e.feature), "count": e.count}
            for e in model.events
        ],
        "aliases": {str(new): str(role) for new, role in model.aliases.items()},
    }


def _lives(model: Any) -> list[dict[str, Any]]:
    """Every feature of a default learner: its life, its weight (standardised), how well the others tell it."""
    state, told, recovery = model.state, model.features, model.recovery()
    found = []
    for name, part in told.items():
        if name in state.index:
            j = state.index[name]
            w = state.w[:, :, j] if isinstance(state, State) else state.w[j]
            life = {"first": int(state.born[j]), "last": int(state.last[j]), "seen": int(state.count[j])}
        else:
            dead = state.dead[name]
            w, life = dead.w, {"first": dead.born, "last": dead.last, "seen": int(dead.count)}
        error = recovery[name].error if name in recovery else math.nan
        found.append({"name": str(name), "state": part, **life, "weight": _size(w, state.a), "error": error})
    return found


def _size(w: Floats, trust: Floats) -> float:
    """How long a weight vector is, on average over the experts that have one, as far as they are trusted."""
    a = trust.mean(axis=0)[: len(w)]
    total = float(a.sum())
    return float(a @ np.linalg.norm(w, axis=1)) / total if total > 0.0 and w.shape[1] else 0.0


def _paper(model: Any) -> dict[str, Any]:
    state, registry = model.state, model.state.registry
    W = sum(a * expert.linear() for a, expert in zip(model.weights.tolist(), state.experts, strict=True))
    found = [
        {
            "name": str(name),
            "state": model.features[name],
            "first": int(registry.born[i]),
            "last": int(registry.last[i]),
            "seen": int(registry.count[i]),
            "weight": float(np.linalg.norm(W[i])),
            "error": math.nan,
        }
        for name, i in registry.index.items()
    ]
    parts = list(model.features.values())
    names = [type(expert).__name__ for expert in state.experts]
    return {
        "rounds": state.round,
        "labelled": None,
        "spaces": {"cycle": model.cycle, **{part: parts.count(part) for part in dict.fromkeys(parts)}},
        "trust": dict(zip(names, model.weights.tolist(), strict=True)),
        "features": _sorted(found),
        "events": [],
        "aliases": {},
    }


def _sorted(features: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is there before what is gone, heavy before light."""
    return sorted(features, key=lambda f: (f["state"] == "vanished", -f["weight"], f["name"]))


def _regret(model: Any, default: bool) -> dict[str, Any]:
    r = model.regret()
    if default:
        told = {"mixture": r.mixture, "best expert": r.best, "regret": r.value, "allowed": r.allowed}
        return {"unit": "bits", **told, "within": r.within, "experts": r.experts}
    told = {"ensemble": r.expected, "compared with": r.comparator, "regret": r.value, "allowed": r.allowed}
    return {"unit": f"loss of cycle {r.cycle}", **told, "within": r.within, "experts": list(r.experts)}


def _plain(value: Any) -> Any:
    """Without NaN and infinity, which JSON does not know."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
