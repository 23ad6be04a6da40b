"""Before and beside the learning: start-up time, memory, and what an installation brings.

    python -m benchmarks startup [--full]

Times are of whole processes, interleaved, less that of a Python that does nothing.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import workloads
from benchmarks.contestants import PEERS, ROOT, Worker, crowd

#: Their start takes seconds: full runs only.
JAVA = ("openmoa", "capymoa")
#: One model a contestant, to see what a process of it holds.
HOLDS = {
    "ours": ("default", "FESL-c"),
    "river": ("Scaler | LogisticRegression",),
    "sklearn": ("Scaler | SGD, filled",),
    "vowpal": ("VW",),
    "openmoa": ("FESL",),
    "capymoa": ("SGD",),
}


def _seconds(command: list[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
    return time.perf_counter() - start


def _snippets(peer: str) -> dict[str, str]:
    """IMPORT and FIRST of an adapter, read without importing what it adapts."""
    import ast

    tree = ast.parse((ROOT / "benchmarks" / "peers" / f"{peer}.py").read_text())
    values = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("IMPORT", "FIRST")
    }
    return {"import": values["IMPORT"], "first event": f"{values['IMPORT']}; {values['FIRST']}"}


HELP = "import sys; sys.argv = ['fesl', '--help']; from fesl.cli import app; app()"


def _commands(peer: str) -> dict[str, list[str]]:
    python = str(PEERS[peer].python)
    found = {"nothing": [python, "-c", "pass"]}
    found |= {what: [python, "-c", code] for what, code in _snippets(peer).items()}
    if peer == "ours":
        found["--help"] = [python, "-c", HELP]
    return found


def run(full: bool, peers: list[str]) -> dict[str, Any]:
    """A line a contestant: milliseconds, megabytes."""
    repeats = 9 if full else 2
    names = [name for name in peers if name != "limit" and (full or name not in JAVA)]
    with tempfile.TemporaryDirectory() as folder, crowd(names) as (here, absent):
        stream = workloads.dense(Path(folder), 1000 if full else 400, 200, 50)
        sizes = {name: worker.ask("size") for name, worker in here.items()}
        taken: dict[str, dict[str, list[float]]] = {name: {} for name in here}
        for _ in range(repeats):
            for name in here:
                for what, command in _commands(name).items():
                    taken[name].setdefault(what, []).append(_seconds(command))
        rows = [_row(name, taken[name], sizes[name]) for name in here]
        held = [_held(name, model, stream.path) for name in here for model in HOLDS[name]]
        documents = workloads.reuters_sized(Path(folder)).path
        wide = [_wide(name, model, documents) for name, model in (WIDE if full else WIDE[:1]) if name in here]
    return {"absent": absent, "rows": rows, "memory": held, "wide": wide, "repeats": repeats}


def _row(name: str, taken: dict[str, list[float]], size: dict[str, Any]) -> dict[str, Any]:
    idle = np.array(taken.pop("nothing"))
    spent = {what: float(np.median(np.array(seconds) - idle)) * 1e3 for what, seconds in taken.items()}
    return {"peer": PEERS[name].title, "ms": spent, "size": size}


def _held(name: str, model: str, path: str) -> dict[str, Any]:
    """The peak of a fresh process that plays a stream of 200 features and then 200 others."""
    worker = Worker(PEERS[name])
    before = worker.ask("memory")["megabytes"]
    reply = worker.ask("play", model=model, stream=path)
    after = worker.ask("memory")["megabytes"]
    worker.close()
    row = {"peer": PEERS[name].title, "model": model}
    return {**row, "error": reply["error"]} if "error" in reply else {**row, "imported": before, "peak": after}


WIDE = (("ours", "FESL-c"), ("ours", "default"), ("sklearn", "SGD.partial_fit"), ("vowpal", "VW, a text file"))


def _wide(name: str, model: str, path: str) -> dict[str, Any]:
    """The peak of a fresh process that holds the Reuters-sized table and runs over it."""
    worker = Worker(PEERS[name])
    reply = worker.ask("table", model=model, stream=path)
    peak = worker.ask("memory")["megabytes"]
    worker.close()
    row = {"peer": PEERS[name].title, "model": model}
    return {**row, "error": reply["error"]} if "error" in reply else {**row, "peak": peak}


def show(found: dict[str, Any]) -> None:
    print(f"\nstart-up, milliseconds over an idle Python (median of {found['repeats']}); size on disk, MB")
    print(f"{'':16}{'import':>10}{'first event':>13}{'--help':>9}{'package':>10}{'with all it needs':>19}")
    for row in found["rows"]:
        ms, size = row["ms"], row["size"]
        text = f"{ms['import']:10.0f}{ms['first event']:13.0f}" + (
            f"{ms['--help']:9.0f}" if "--help" in ms else " " * 9
        )
        print(f"{row['peer']:16}{text}{size['own'] / 1e6:10.1f}{size['all'] / 1e6:19.1f}")
    print("\nmemory, MB: after importing, and at most on a stream of 200 features and then 200 others")
    for row in found["memory"]:
        figures = row.get("error") or f"{row['imported']:8.0f}{row['peak']:8.0f}"
        print(f"{row['peer'] + ' ' + row['model']:44}{figures}")
    for row in found["wide"]:
        print(f"Reuters-sized: {row['peer']} {row['model']}: {row.get('error') or round(row['peak'])} MB at most")
