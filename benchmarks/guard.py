"""The guard against getting slower: instructions an event, counted by valgrind, beside those in the repository.

    python -m benchmarks guard             compare with benchmarks/baseline.json
    python -m benchmarks guard --update    keep what is counted now

Counting is repeatable where timing is not. A scenario runs twice, the second time with more events; the difference
over the difference in events is what an event costs, start-up left out. A small logistic regression in plain Python
is counted too. With the versions of the baseline an event may cost 3% more than it did; with another Python or
NumPy the costs are divided by those of that yardstick, and may be 20% higher.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.contestants import ROOT
from benchmarks.machine import versions

BASELINE = Path(__file__).with_name("baseline.json")
SAME, OTHER = 0.03, 0.20
YARDSTICK = "yardstick"

#: By name: code that makes `play(n)`, and the two numbers of events.
SCENARIOS: dict[str, tuple[str, int, int]] = {
    YARDSTICK: ("yardstick", 200, 600),
    "default, 20 features": ("default(20)", 400, 800),
    "default, 100 features": ("default(100)", 300, 500),
    "default, half of 20 features absent": ("blinking(20)", 400, 800),
    "default, a sparse table": ("wide(fesl.Classifier)", 100, 200),
    "default, a switch": ("switches(fesl.Classifier)", 2, 6),
    "FESL-c, 20 features": ("paper_events(20)", 400, 1200),
    "FESL-c, 200 features": ("paper_events(200)", 300, 700),
    "FESL-c, a dense table": ("paper_table(20)", 1000, 3000),
    "FESL-c, a switch": ("switches(paper.fesl_c)", 2, 6),
}
#: Counted once, over a Python that does nothing.
IMPORTS = {"import fesl": "import fesl"}


def count(code: str) -> int:
    """Instructions of a Python that runs the code."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OPENBLAS_CORETYPE": "Haswell",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [*command, sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or not found:
        raise RuntimeError(f"valgrind could not count: {done.stderr[-500:]}")
    return int(found[1].replace(",", ""))


def costs() -> dict[str, float]:
    """Instructions an event (a switch, an import) by scenario."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(SCENARIOS, pool.map(_cost, SCENARIOS.values()), strict=True))
        idle, *imports = pool.map(count, ["pass", *IMPORTS.values()])
    return found | {name: float(taken - idle) for name, taken in zip(IMPORTS, imports, strict=True)}


def _cost(scenario: tuple[str, int, int]) -> float:
    play, few, many = scenario
    code = f"from benchmarks.scenarios import *; play = {play}; play({{}})"
    return (count(code.format(many)) - count(code.format(few))) / (many - few)


def compare(now: dict[str, float], then: dict[str, Any], here: dict[str, str]) -> list[str]:
    """What got dearer than it may."""
    same = then["versions"] == here
    tolerance = SAME if same else OTHER
    scale = 1.0 if same else now[YARDSTICK] / then["instructions"][YARDSTICK]
    worse = []
    for name, before in then["instructions"].items():
        ratio = now.get(name, float("inf")) / before / scale
        if name != YARDSTICK and ratio > 1 + tolerance:
            worse.append(f"{name}: {ratio:.3f} times the baseline (at most {1 + tolerance:.2f})")
    return worse


def main(update: bool) -> int:
    """0: nothing got dearer, or nothing can be counted here."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: nothing was counted")
        return 0
    here, now = versions(), costs()
    for name, cost in now.items():
        print(f"{name:38} {cost:14,.0f} instructions")
    if update or not BASELINE.exists():
        BASELINE.write_text(json.dumps({"versions": here, "instructions": now}, indent=1) + "\n")
        print(f"kept in {BASELINE.name}")
        return 0
    then = json.loads(BASELINE.read_text())
    if then["versions"] != here:
        print(f"baseline of {then['versions']}, here {here}: compared in yardsticks")
    worse = compare(now, then, here)
    print("\n".join(worse) or "no scenario is dearer than its baseline allows")
    return int(bool(worse))
