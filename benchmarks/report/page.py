"""The page of the documentation, made of the JSON files alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.contestants import PEERS
from benchmarks.report import claims, cost, worth
from benchmarks.report.text import bullets

HEAD = """# Benchmarks

<!-- Made by `python -m benchmarks page`: change the code, not this page. -->

`make bench` puts us beside the tools a user would pick instead, on the same events in the same run: what is
installed, in under two minutes. `python -m benchmarks peers install` brings the others, each into an environment of
its own; `python -m benchmarks --full` runs everything, `python -m benchmarks page` writes this page. Only the work
itself is timed, inside each contestant's own process; repeats are interleaved and ratios are medians. A ratio above
1 means that we are faster; where it is below, a number leads to the reason."""

GUARD = """## The guard

`make bench-guard` counts the instructions of an event with valgrind in eleven scenarios and compares them with
`benchmarks/baseline.json`: 3% more is an error with the versions of the baseline, 20% in units of a yardstick in
plain Python with others. Counts repeat where times do not; `python -m benchmarks guard --update` keeps new ones."""


def write(folder: Path, path: Path) -> None:
    """Gather what there is in the folder, draw the figures beside the page, write the page."""
    found = {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}
    pictures = path.with_suffix("")
    parts = [HEAD, _conditions(found), claims.table(found)]
    makers = {
        "speed": cost.speed,
        "startup": cost.startup,
        "growth": cost.growth,
        "quality": worth.quality,
        "openmoa": worth.openmoa,
        "linear": worth.linear,
        "wrapped": worth.wrapped,
        "regression": worth.regression,
        "gap": worth.closed,
        "drift": worth.drifted,
        "wide": worth.sparse,
        "paper": worth.paper,
    }
    for name, make in makers.items():
        if name in found:
            parts.append(make(found[name]["found"], pictures))
    path.write_text("\n\n".join([*parts, GUARD]) + "\n")
    print(f"{path.name}: {', '.join(name for name in makers if name in found)}")


def _conditions(found: dict[str, Any]) -> str:
    machines = {json.dumps(part["machine"], sort_keys=True): part["machine"] for part in found.values()}
    lines = [
        f"{m['processor']}, {m['cores']} cores, {m['system']}; Python {m['python']}, NumPy {m['numpy']}, SciPy"
        f" {m['scipy']}, fesl {m['fesl']}{'' if m['compiled'] else ' (not compiled)'}."
        for m in machines.values()
    ]
    versions: dict[str, str] = {}
    absent: dict[str, str] = {}
    for part in found.values():
        if isinstance(part["found"], dict):
            versions |= part["found"].get("versions", {})
            absent |= part["found"].get("absent", {})
    peers = [f"{PEERS[k].title} {v}" for k, v in versions.items() if k not in ("ours", "limit")]
    lines.append(f"Peers: {', '.join(peers) or 'none'}.")
    lines += [f"Absent: {PEERS[name].title} ({reason})." for name, reason in absent.items()]
    if not all(part["full"] for part in found.values()):
        lines.append("**Part of this is of a quick run: few repeats, small sizes.**")
    return bullets(lines)
