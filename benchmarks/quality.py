"""Quality: every contestant on the same rows in the same order, one pass, each with its defaults.

    python -m benchmarks quality [--full] [--sets ...] [--patterns ...] [--peers ...] [--runs 1] [--kept]

What was computed is kept (`benchmarks.cells`): an interrupted run goes on, and only what changed is computed again.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import patterns, scores
from benchmarks.cells import Kept, Spot, Streams, Written, fingerprint, spots
from benchmarks.contestants import PEERS, AbsentError, Worker, crowd, judged

#: Of ours, the learner that people should use.
OURS = {"ours": ["default"]}
#: Left out when time is short.
SLOW = {"ARF", "ORF3V", "OVFM", "OSLMF"}
ENDED = "its process ended"


class Bench:
    """Workers that wait for work, at most as many a peer as there are jobs. (Lists are safe among threads.)"""

    def __init__(self, here: dict[str, Worker]) -> None:
        self.waiting = {name: [worker] for name, worker in here.items()}
        self.started: list[Worker] = []

    def play(self, peer: str, model: str, path: str) -> dict[str, Any]:
        """By a worker that waits, or by a new one."""
        try:
            worker = self.waiting[peer].pop()
        except IndexError:
            worker = Worker(PEERS[peer])
            self.started.append(worker)
        reply = worker.ask("play", model=model, stream=path)
        if reply.get("error") != ENDED:
            self.waiting[peer].append(worker)
        return reply

    def close(self) -> None:
        for worker in self.started:
            worker.close()


def run(
    names: list[str],
    kinds: list[str],
    peers: list[str],
    runs: int,
    jobs: int = 2,
    quick: bool = False,
    kept: bool = False,
    models: Collection[str] = (),
) -> dict[str, Any]:
    """Play every spot by every contestant that is here, or by these `models` only. `kept`: of the peers, only what
    earlier runs left."""
    wanted = list(spots(names, kinds, runs))
    with tempfile.TemporaryDirectory() as folder, crowd(peers) as (here, absent):
        files = _written(wanted, Path(folder), here)
        plays = [(name, model) for name, worker in here.items() for model in _models(worker, quick)]
        plays = [(name, model) for name, model in plays if not models or model in models]
        versions = {name: worker.version for name, worker in here.items()}
        keys = {name: fingerprint(worker) for name, worker in here.items()}
        bench = Bench(here)
        with ThreadPoolExecutor(jobs) as pool:
            answers = list(
                pool.map(lambda who: _play(who, keys[who[0]], files, bench, kept and who[0] != "ours"), plays)
            )
        bench.close()
    ours = dict(zip(plays, answers, strict=True)).get(("ours", "default"), {})
    rows = [
        _row(spot, PEERS[name].title, model, answer, files[spot].near, ours.get(spot, {}))
        for (name, model), found in zip(plays, answers, strict=True)
        for spot, answer in found.items()
    ]
    players = [(PEERS[name].title, model) for name, model in plays]
    return {"absent": absent, "versions": versions, "runs": runs, "players": players, "cells": rows}


def _written(wanted: list[Spot], folder: Path, here: dict[str, Worker]) -> dict[Spot, Written]:
    """The streams on disk; those that only OpenMOA can make, if it is installed."""
    maker, started = here.get("openmoa"), None
    if maker is None and any(spot.pattern not in patterns.PATTERNS for spot in wanted):
        try:
            maker = started = Worker(PEERS["openmoa"])
        except AbsentError:
            maker = None
    streams = Streams(folder, maker)
    files = {spot: found for spot in wanted if (found := streams.write(spot))}
    if started is not None:
        started.close()
    return files


def _models(worker: Worker, quick: bool) -> list[str]:
    everything = OURS.get(worker.peer.name, worker.greeting["models"])
    return [model for model in everything if not (quick and (model in SLOW or model.endswith("NaN")))]


def _play(
    who: tuple[str, str], key: str, files: dict[Spot, Written], bench: Bench, only: bool
) -> dict[Spot, dict[str, Any]]:
    """One contestant through all streams. `only` what is kept: nothing is computed."""
    kept, answers = Kept(*who), {}
    for spot, (path, content, _) in files.items():
        answer = kept.get(spot, f"{key}-{content}")
        if answer is None and only:
            continue
        if answer is None:
            answer = {"key": f"{key}-{content}", **bench.play(*who, path)}
            _tell(f"{PEERS[who[0]].title} {who[1]}: {spot}", answer)
            if answer.get("error") != ENDED:
                kept.put(spot, answer)
        answers[spot] = answer
    return answers


def _tell(what: str, reply: dict[str, Any]) -> None:
    right = reply.get("right", "")
    score = reply.get("error") or f"{right.count('1') / len(right):.4f}"
    print(f"{what} {score}", file=sys.stderr, flush=True)


def _row(
    spot: Spot, peer: str, model: str, answer: dict[str, Any], near: np.ndarray, ours: dict[str, Any]
) -> dict[str, Any]:
    row = {"set": spot.data, "pattern": spot.pattern, "run": spot.run, "peer": peer, "model": model}
    if "error" in answer:
        return {**row, "error": answer["error"]}
    right = judged(answer)
    after = float(right[near].mean()) if near.any() else None
    differ = int(np.sum(right != judged(ours))) if "right" in ours else None
    return {**row, "accuracy": float(right.mean()), "after": after, "differ": differ, "rows": len(right)}


def show(found: dict[str, Any]) -> None:
    """A line a contestant, and what OpenMOA's best does in each cell."""
    cells = scores.averaged(found["cells"])
    print(f"\nquality, one pass, defaults, {len(cells)} cells; after: within 200 rounds of a switch")
    print(f"{'':40}{'cells':>6}{'mean':>8}{'ours':>8}{'ahead':>7}{'worst':>8}{'after':>8}{'ours':>8}{'ahead':>7}")
    for row in scores.table(cells):
        after = f"{row['after']:8.3f}{row['ours_after']:8.3f}{row['ahead_after']:7}" if row["cells_after"] else ""
        figures = f"{row['cells']:6}{row['mean']:8.3f}{row['ours']:8.3f}{row['ahead']:7}{row['worst']:+8.3f}{after}"
        print(f"{row['peer'] + ' ' + row['model']:40}{figures}")
    for peer in ("OpenMOA", "River"):
        best = scores.against(cells, peer, {pattern for _, pattern in cells})
        if best["cells"]:
            behind = "; ".join(f"{cell} {margin:+.3f}" for cell, margin in best["behind"].items())
            print(f"ahead of {peer}'s best in {best['ahead']} of {best['cells']} cells; not in: {behind or 'none'}")
    for who, gap in scores.missing(found).items():
        print(f"{who}: {gap} cells not played yet")
