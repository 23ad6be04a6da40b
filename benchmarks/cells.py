"""The streams of the quality cells, and the answers that are kept of them.

An answer is kept by the version of the contestant (ours: by the learner's sources), its adapter and the stream
itself, in `.peers/cells`, a file a contestant.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import fesl
from benchmarks import patterns, sets
from benchmarks.contestants import HOME, ROOT, Worker
from benchmarks.patterns import Cell
from benchmarks.peers.base import save

#: What the default learner is made of.
SOURCES = ("portfolio", "_compiled", "evolving", "losses", "models")


class Spot(NamedTuple):
    """A set, a pattern and a run: the name of a stream."""

    data: str
    pattern: str
    run: int

    def __str__(self) -> str:
        return f"{self.data}|{self.pattern}|{self.run}"


def spots(names: list[str], kinds: list[str], runs: int) -> Iterator[Spot]:
    for data in names:
        for pattern in kinds:
            for run in range(runs):
                yield Spot(data, pattern, run)


@cache
def our_sources() -> str:
    """A hash of all that the default learner is made of, compiled or not."""
    folder = Path(fesl.__file__).parent
    files = sorted(p for part in SOURCES for p in (folder / part).rglob("*") if p.suffix in (".py", ".pyx", ".so"))
    return hashlib.sha256(b"".join(p.read_bytes() for p in files)).hexdigest()[:16]


def fingerprint(worker: Worker) -> str:
    """What must be the same for an old answer to count."""
    adapter = (ROOT / "benchmarks" / "peers" / f"{worker.peer.name}.py").read_bytes()
    state = our_sources() if worker.peer.name == "ours" else worker.version
    return f"{state}-{hashlib.sha256(adapter).hexdigest()[:8]}"


class Written(NamedTuple):
    """A stream on disk: its file, its hash, and which rows come soon after a switch."""

    path: str
    content: str
    near: np.ndarray


class Streams:
    """The streams, made once each and written where every worker can read them."""

    def __init__(self, folder: Path, maker: Worker | None) -> None:
        self.folder, self.maker = folder, maker

    def write(self, spot: Spot) -> Written | None:
        """None where nobody can make it."""
        cell = self.cell(spot)
        if cell is None:
            return None
        path = self.folder / f"{hashlib.sha256(str(spot).encode()).hexdigest()[:16]}.npz"
        save(path, cell.X, cell.y, cell.classes)
        content = hashlib.sha256(cell.X.tobytes() + cell.y.tobytes()).hexdigest()[:16]
        return Written(str(path), content, cell.around())

    def cell(self, spot: Spot) -> Cell | None:
        data = sets.load(spot.data)
        if spot.pattern in patterns.PATTERNS:
            return patterns.PATTERNS[spot.pattern](data, spot.run)
        if self.maker is None:
            return None
        return patterns.openmoa(self.maker, spot.pattern.removeprefix("OpenMOA's "), data, spot.run)


class Kept:
    """The answers of one contestant, on disk."""

    def __init__(self, peer: str, model: str) -> None:
        name = "".join(c if c.isalnum() else "-" for c in f"{peer}-{model}")
        self.path = HOME / "cells" / f"{name}.json"
        self.found: dict[str, dict[str, Any]] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def get(self, spot: Spot, key: str) -> dict[str, Any] | None:
        found = self.found.get(str(spot))
        return found if found and found["key"] == key else None

    def put(self, spot: Spot, answer: dict[str, Any]) -> None:
        self.found[str(spot)] = answer
        self.path.parent.mkdir(parents=True, exist_ok=True)
        (HOME / ".gitignore").write_text("*\n")
        scratch = self.path.with_suffix(f".{os.getpid()}")  # another part may be measured at the same time
        scratch.write_text(json.dumps(self.found))
        scratch.replace(self.path)
