"""Speed, side by side: the same events by us and by the tool a user would pick instead, in one run, as ratios.

    python -m benchmarks speed [--full] [--peers ...]

The repeats of all contestants are interleaved, the medians of the ratios of neighbours are what counts, so that a
noisy machine slows all alike. `--clock cpu` counts the processor's time instead of that on the wall: for a machine
that others use too.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import workloads
from benchmarks.contestants import PEERS, Worker, crowd
from benchmarks.workloads import Stream

#: Of a learner's rounds, what the peers are compared with.
OURS = ("ours", "default")
#: Those whose rounds take milliseconds.
SLOW = {"ARF", "HoeffdingAdaptiveTree", "SGD", "Scaler | SGD, filled"}
EVENTS = {
    "ours": ("default", "FESL-c", "FESL-s", "NOGD"),
    "river": ("LogisticRegression", "Scaler | LogisticRegression", "HoeffdingAdaptiveTree", "ARF"),
    "sklearn": ("Scaler | SGD, filled",),
    "vowpal": ("VW",),
    "openmoa": ("FESL", "FTRL"),
    "capymoa": ("SGD",),
    "limit": ("read once",),
}
TABLES = {
    "ours": ("default", "FESL-c", "FESL-s", "NOGD"),
    "sklearn": ("SGD.partial_fit",),
    "vowpal": ("VW, a text file",),
    "limit": ("read once",),
}


class Work(NamedTuple):
    """One comparison: its title, its stream, one at a time or as a table, who plays, how often."""

    title: str
    make: Callable[[Path], Stream]
    do: str
    players: dict[str, tuple[str, ...]]
    repeats: int


def _events(d: int, n: int, repeats: int, slow: bool) -> Work:
    players = {peer: tuple(m for m in models if slow or m not in SLOW) for peer, models in EVENTS.items()}
    overlap = min(100, n // 6)
    return Work(
        f"dict events, {d:,} features",
        lambda folder: workloads.dense(folder, n, d, overlap),
        "play",
        players,
        repeats,
    )


def _dense(d: int, n: int, repeats: int) -> Work:
    title = f"a dense table, {n:,} rows, {d} features"
    return Work(title, lambda folder: workloads.dense(folder, n, d, 50), "table", TABLES, repeats)


def _sparse(n: int, repeats: int) -> Work:
    title = (
        f"a sparse table, {n:,} rows, 46,423 features (Reuters-sized)" if n > 10_000 else f"documents, {n:,} rows"
    )
    return Work(title, lambda folder: workloads.reuters_sized(folder, n), "table", TABLES, repeats)


def works(full: bool) -> list[Work]:
    """Everything, or what fits into a minute."""
    if full:
        events = [(5, 3000, 9), (20, 3000, 9), (200, 1500, 7), (2000, 500, 5)]
        several = [_events(d, n, repeats, slow=True) for d, n, repeats in events]
        return [*several, _dense(20, 50_000, 9), _dense(200, 10_000, 5), _sparse(18_758, 3)]
    return [
        _events(20, 600, 2, slow=True),
        _events(200, 800, 2, slow=False),
        _dense(20, 10_000, 3),
        _sparse(2_000, 3),
    ]


def run(full: bool, peers: list[str], clock: str = "wall") -> dict[str, Any]:
    """Every work by everybody who is here."""
    with tempfile.TemporaryDirectory() as folder, crowd(peers) as (here, absent):
        found = [_compare(work, work.make(Path(folder)), here, clock) for work in works(full)]
        versions = {name: worker.version for name, worker in here.items()}
    return {"absent": absent, "versions": versions, "clock": clock, "works": found}


def _compare(work: Work, stream: Stream, here: dict[str, Worker], clock: str) -> dict[str, Any]:
    players = [(peer, model) for peer, models in work.players.items() if peer in here for model in models]
    taken: dict[tuple[str, str], list[np.ndarray]] = {player: [] for player in players}
    failed: dict[tuple[str, str], str] = {}
    for repeat in range(work.repeats):
        print(f"{work.title}: {repeat + 1} of {work.repeats}", file=sys.stderr, flush=True)
        for peer, model in players:
            if (peer, model) in failed:
                continue
            reply = here[peer].ask(work.do, model=model, stream=stream.path, cuts=stream.cuts)
            if "error" in reply:
                failed[peer, model] = reply["error"]
            else:
                taken[peer, model].append(np.array(reply[clock]))
    if work.do == "play":
        parts, lengths = (*stream.parts, "whole"), np.diff([0, *stream.cuts, stream.rows, 2 * stream.rows])
        taken = {player: [np.append(s, s.sum()) for s in seconds] for player, seconds in taken.items()}
    else:
        parts, lengths = ("whole",), np.array([stream.rows])
    rows = [_row(player, taken, failed, lengths) for player in players]
    return {"work": work.title, "door": work.do, "parts": list(parts), "repeats": work.repeats, "rows": rows}


def _row(player: tuple[str, str], taken: Any, failed: dict[Any, str], lengths: np.ndarray) -> dict[str, Any]:
    row = {"peer": PEERS[player[0]].title, "model": player[1]}
    if player in failed:
        return {**row, "error": failed[player]}
    seconds = np.array(taken[player])
    ratios = {}
    for model in ("default", "FESL-c"):
        ours = np.array(taken.get(("ours", model), []))
        if len(ours) == len(seconds):
            ratios[model] = np.median(seconds / ours, axis=0).tolist()
    return {**row, "us": (np.median(seconds, axis=0) / lengths * 1e6).tolist(), "ratio": ratios}


def show(found: dict[str, Any]) -> None:
    """The tables, for people: microseconds an event, and how many times longer than ours it takes."""
    for work in found["works"]:
        print(
            f"\n{work['work']} (median of {work['repeats']}): microseconds an event; x: times our default, FESL-c"
        )
        print(f"{'':44}" + "".join(f"{part:>24}" for part in work["parts"]))
        for row in work["rows"]:
            name = f"{row['peer']} {row['model']}"
            print(f"{name:44}" + (row.get("error") or "".join(_figures(row, k) for k in range(len(work["parts"])))))
    for name, reason in found["absent"].items():
        print(f"absent: {PEERS[name].title}: {reason}")


def _figures(row: dict[str, Any], part: int) -> str:
    ratios = " ".join(f"{row['ratio'][model][part]:6.2f}x" for model in row["ratio"])
    return f"{row['us'][part]:9.2f} {ratios}"
