"""The page's parts on what things cost: speed, start-up, memory, size, growth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import scores
from benchmarks.report import figures, reasons
from benchmarks.report.text import Notes, bullets, markdown, short


def speed(found: dict[str, Any], pictures: Path) -> str:
    notes, parts = Notes(), ["## Speed", "Microseconds an event, and in brackets how many times that of our"]
    parts[1] += " default learner and of FESL-c it is. *Just after* are the 200 rounds after the switch."
    parts[1] += " Times are the processor's." if found["clock"] == "cpu" else ""
    ahead = rows = 0
    for work in found["works"]:
        lines = []
        for row in work["rows"]:
            cells = [f"{row['peer']} {row['model']}"]
            if "error" in row:
                cells += [row["error"]] + [""] * (len(work["parts"]) - 1)
            else:
                cells += [_timed(work, row, k, notes) for k in range(len(work["parts"]))]
            lines.append(cells)
            if row["peer"] not in ("fesl", "physical limit") and "us" in row:
                ratios = [row["ratio"][who][k] for k in range(len(work["parts"])) for who in row["ratio"]]
                ahead, rows = ahead + sum(r > 1 for r in ratios), rows + len(ratios)
        parts.append(f"### {work['work'][0].upper()}{work['work'][1:]}\n\n" + markdown(["", *work["parts"]], lines))
    parts.append(f"Ahead in {ahead} of {rows} comparisons (two learners of ours, each part by itself). Where not:")
    return "\n\n".join([*parts, notes.listed()])


def _timed(work: dict[str, Any], row: dict[str, Any], part: int, notes: Notes) -> str:
    figures = short(row["us"][part])
    if row["peer"] == "fesl":
        return figures
    told = []
    for ours, ratios in row["ratio"].items():
        behind = ratios[part] < 1
        why = notes.mark(reasons.speed(work["door"], work["parts"][part], row["peer"], ours)) if behind else ""
        told.append(f"{short(ratios[part])}x{why}")
    return f"{figures} ({', '.join(told)})"


def startup(found: dict[str, Any], pictures: Path) -> str:
    rows = [
        [
            row["peer"],
            *(
                f"{row['ms'][what]:.0f}" if what in row["ms"] else ""
                for what in ("import", "first event", "--help")
            ),
            f"{row['size']['own'] / 1e6:.1f}",
            f"{row['size']['all'] / 1e6:.0f}",
        ]
        for row in found["rows"]
    ]
    head = ["", "import, ms", "first event, ms", "--help, ms", "package, MB", "with all it needs, MB"]
    held = [
        [f"{row['peer']} {row['model']}", *([row["error"], ""] if "error" in row else _megabytes(row))]
        for row in found["memory"]
    ]
    wide = [[f"{row['peer']} {row['model']}", row.get("error") or f"{row['peak']:.0f}"] for row in found["wide"]]
    parts = [
        "## Start-up, memory, size",
        "Over a Python that does nothing. The first event includes the import.",
        markdown(head, rows),
        _first(found["rows"]),
        "Memory of a process, MB: after the import, and at most on a stream of 200 features and then 200 others.",
        markdown(["", "imported", "at most"], held),
        _held(found["memory"]),
    ]
    if wide:
        parts += ["At most with the Reuters-sized table, which takes 23 MB itself:", markdown(["", "MB"], wide)]
    return "\n\n".join(parts)


def _megabytes(row: dict[str, Any]) -> list[str]:
    return [f"{row['imported']:.0f}", f"{row['peak']:.0f}"]


def _held(rows: list[dict[str, Any]]) -> str:
    """Who needs less memory than our default learner, and why."""
    us = next((row["peak"] for row in rows if (row["peer"], row["model"]) == scores.US and "peak" in row), None)
    less = [
        f"{row['peer']} {row['model']}" for row in rows if us and row["peer"] != "fesl" and row.get("peak", us) < us
    ]
    return bullets([f"Less than our default learner: {', '.join(less)}. {reasons.MEMORY}"] if less else [])


def _first(rows: list[dict[str, Any]]) -> str:
    """Who is ahead of us in what, and why."""
    us = next(row for row in rows if row["peer"] == "fesl")
    lines = []
    for row in rows:
        better = [what for what in ("import", "first event") if row["ms"][what] < us["ms"][what]]
        if better:
            lines.append(f"{row['peer']} is ahead in {' and '.join(better)}. {reasons.STARTUP}")
        if row["size"]["own"] < us["size"]["own"]:
            lines.append(f"{row['peer']}'s package is smaller. {reasons.SIZE}")
        if row["size"]["all"] < us["size"]["all"]:
            lines.append(f"{row['peer']} needs less beside it. {reasons.NEEDS}")
    return bullets(lines or ["Nobody is ahead of us in time or size."])


def growth(found: list[dict[str, Any]], pictures: Path) -> str:
    figures.growth(found, pictures / "growth.png")
    rows = [
        [
            row["axis"],
            row["learner"],
            f"{row['values'][0]:,} to {row['values'][-1]:,}",
            f"{short(row['us'][0])} to {short(row['us'][-1])}",
            f"{row['slope']:.2f}",
            f"{row['allowed']:.2f}",
            "yes"
            if row["slope"] <= row["allowed"]
            else f"**no**: {reasons.GROWTH.get(row['axis'], 'not explained')}",
        ]
        for row in found
    ]
    head = ["what grows", "learner", "from, to", "µs an event", "slope", "at most", "as it should be"]
    text = "Slopes are of straight lines through the logarithms: 0 is flat, 1 is proportional, 2 is d²."
    picture = f"![Time of an event over what grows]({pictures.name}/growth.png)"
    return "\n\n".join(["## How cost grows", text, markdown(head, rows), picture])
