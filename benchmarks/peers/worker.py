"""The process in which a contestant runs: reads one JSON request a line, writes one JSON reply a line.

    python -m benchmarks.peers.worker river

Only the work itself is timed, here and not in the process that asks. What the contestant prints goes to stderr.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata as metadata
import json
import os
import re
import sys
import time
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.peers.base import load

#: An algorithm that cannot predict before it has learned a little has not failed.
PATIENCE = 10


def hello(adapter: ModuleType) -> dict[str, Any]:
    """Who is here."""
    adapter.ready()
    return {"version": metadata.version(adapter.PACKAGE), "models": [*adapter.MODELS]}


def play(adapter: ModuleType, model: str, stream: str, cuts: Sequence[int] = (), **_: Any) -> dict[str, Any]:
    """Predict, then learn, event by event: the seconds between the cuts, and which answers were right."""
    table = load(stream)
    events, labels = adapter.events(table), table.y.tolist()
    player = adapter.MODELS[model](table)
    found: list[Any] = []
    gc.collect()
    spent = [
        _seconds(player, events[start:stop], labels[start:stop], found)
        for start, stop in pairwise([0, *cuts, len(labels)])
    ]
    right = "".join("1" if player.answer(f) == y else "0" for f, y in zip(found, labels, strict=True))
    return {"wall": [wall for wall, _ in spent], "cpu": [cpu for _, cpu in spent], "right": right}


def _seconds(player: Any, events: Sequence[Any], labels: Sequence[int], found: list[Any]) -> tuple[float, float]:
    predict, learn, keep = player.predict, player.learn, found.append
    early = PATIENCE - len(found)
    start = time.perf_counter(), time.process_time()
    for t, (x, y) in enumerate(zip(events, labels, strict=True)):
        try:
            keep(predict(x))
        except Exception:
            if t >= early:
                raise
            keep(None)
        learn(x, y)
    return time.perf_counter() - start[0], time.process_time() - start[1]


def table(adapter: ModuleType, model: str, stream: str, **_: Any) -> dict[str, Any]:
    """The whole table in one call."""
    work = adapter.TABLES[model](load(stream))
    gc.collect()
    start = time.perf_counter(), time.process_time()
    work()
    return {"wall": [time.perf_counter() - start[0]], "cpu": [time.process_time() - start[1]]}


def masks(adapter: ModuleType, pattern: str, rows: int, columns: int, **_: Any) -> dict[str, Any]:
    """Which cells a stream maker of the contestant's own leaves observed, a string of 0 and 1 a row."""
    return {"mask": adapter.mask(pattern, rows, columns)}


def memory(adapter: ModuleType, **_: Any) -> dict[str, Any]:
    """The most memory this process ever held, in MB (Linux)."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return {"megabytes": int(found[1]) / 1024 if found else None}


def size(adapter: ModuleType, **_: Any) -> dict[str, Any]:
    """Bytes on disk: of the package, and of all that it installs."""
    wanted, seen = [adapter.PACKAGE], {}
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in seen:
            continue
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        seen[name] = _bytes(found)
        for line in found.requires or []:
            if "extra ==" not in line:
                wanted.append(re.split(r"[\s;<>=!~\[(]", line, maxsplit=1)[0])
    own = seen[re.sub(r"[-_.]+", "-", adapter.PACKAGE).lower()]
    return {"own": own, "all": sum(seen.values()), "packages": len(seen)}


def _bytes(found: metadata.Distribution) -> int:
    files = [Path(str(found.locate_file(f))) for f in found.files or [] if not str(f).endswith((".pyc", ".c"))]
    if any(path.name.startswith("__editable__") for path in files):
        folder = Path(importlib.import_module(found.metadata["Name"]).__path__[0])
        files = [path for path in folder.rglob("*") if path.suffix not in (".pyc", ".c")]
    return sum(path.stat().st_size for path in files if path.is_file())


TASKS = {"play": play, "table": table, "masks": masks, "memory": memory, "size": size}


def answer(adapter: ModuleType, request: dict[str, Any]) -> dict[str, Any]:
    """One reply; whatever goes wrong inside the contestant is part of the reply."""
    try:
        return TASKS[request.pop("do")](adapter, **request)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def main() -> None:
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    try:
        adapter = importlib.import_module(f"benchmarks.peers.{sys.argv[1]}")
        greeting = hello(adapter)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:200]}), file=replies, flush=True)
        return
    print(json.dumps(greeting), file=replies, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(adapter, json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
