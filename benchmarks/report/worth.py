"""The page's parts on how good the learners are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import drift, gap, scores, wide
from benchmarks import regression as numbers
from benchmarks import wrapped as wrapping
from benchmarks.report import figures, reasons
from benchmarks.report.text import bullets, markdown


def quality(found: dict[str, Any], pictures: Path) -> str:
    cells = scores.averaged(found["cells"])
    runs = found["runs"]
    parts = [
        "## Quality",
        f"Accuracy in one pass, everybody's defaults, the same rows in the same order ({runs} row"
        f" order{'s' if runs > 1 else ''} a cell, {len(cells)} cells). *After*: within 200 rounds of a switch."
        " *p*: Wilcoxon, paired by cell.",
        markdown(
            ["", "cells", "mean", "ours", "we are ahead", "at worst", "after", "ours", "we are ahead", "p"],
            [_contestant(row) for row in scores.table(cells)],
        ),
    ]
    patterns = {pattern for _, pattern in cells}
    for peer in ("OpenMOA", "River", "scikit-learn", "Vowpal Wabbit"):
        best = scores.against(cells, peer, patterns)
        if best["cells"]:
            parts.append(_best(peer, best))
            if peer == "River":
                figures.margins(best["margins"], peer, pictures / "margins-river.png")
                parts.append(f"![Margin over River's best by cell]({pictures.name}/margins-river.png)")
    parts.append(reasons.QUALITY)
    if lacking := scores.missing(found):
        told = ", ".join(f"{who} {gap}" for who, gap in lacking.items())
        parts.append(f"**Cells not played yet**, so that a best may not be one: {told}.")
    if ranked := scores.ranks(cells):
        figures.critical(ranked, pictures / "ranks.png")
        parts += [
            f"Mean ranks over the {ranked['cells']} cells that everybody can play (two classes); Friedman's test:"
            f" p = {ranked['friedman']:.1g}; critical difference {ranked['difference']:.2f}.",
            f"![Mean ranks]({pictures.name}/ranks.png)",
        ]
    return "\n\n".join([*parts, _every(cells), _failed(found["cells"])])


def _contestant(row: dict[str, Any]) -> list[str]:
    us, after = (row["peer"], row["model"]) == scores.US, ["", "", ""]
    if row["cells_after"]:
        ahead = ["", ""] if us else [f"{row['ours_after']:.3f}", f"{row['ahead_after']} of {row['cells_after']}"]
        after = [f"{row['after']:.3f}", *ahead]
    p = "" if row["p"] is None else f"{row['p']:.1g}"
    return [
        f"{row['peer']} {row['model']}",
        str(row["cells"]),
        f"{row['mean']:.3f}",
        *(["", "", ""] if us else [f"{row['ours']:.3f}", str(row["ahead"]), f"{row['worst']:+.3f}"]),
        *after,
        p,
    ]


def _best(peer: str, best: dict[str, Any]) -> str:
    share = best["ahead"] / best["cells"]
    far = {cell: margin for cell, margin in best["behind"].items() if margin < -scores.MARGIN}
    text = f"**Against the best of {peer} in each cell**: ahead in {best['ahead']} of {best['cells']} ({share:.0%})"
    text += f", behind by more than {scores.MARGIN:g} in {len(far)}."
    if best["behind"]:
        told = ", ".join(
            f"{cell} ({margin:+.3f} +- {best['errors'][cell]:.3f})" for cell, margin in best["behind"].items()
        )
        text += f" Not ahead in: {told}."
    return text


def _every(cells: dict[Any, Any]) -> str:
    """Each cell: ours, and the best of each peer."""
    peers = list(dict.fromkeys(peer for peer, _ in scores.contestants(cells) if peer != scores.US[0]))
    rows = []
    for (data, pattern), by in sorted(cells.items()):
        if scores.US in by:
            row = [data, pattern, f"{by[scores.US]['accuracy']:.3f}"]
            for peer in peers:
                best = max(((f["accuracy"], who[1]) for who, f in by.items() if who[0] == peer), default=None)
                row.append(f"{best[0]:.3f} {best[1]}" if best else "")
            rows.append(row)
    table = markdown(["set", "pattern", "ours", *(f"best of {peer}" for peer in peers)], rows)
    return f"<details><summary>Every cell</summary>\n\n{table}\n\n</details>"


def _failed(rows: list[dict[str, Any]]) -> str:
    told: dict[str, set[str]] = {}
    for row in rows:
        if "error" in row:
            told.setdefault(f"{row['peer']} {row['model']}: {row['error']}", set()).add(row["set"])
    return bullets(f"{what} ({', '.join(sorted(where))})" for what, where in told.items())


def linear(found: dict[str, Any], pictures: Path) -> str:
    cells = scores.averaged(found["cells"])
    best = scores.against(cells, "River", {pattern for _, pattern in cells})
    worst = sorted(best["margins"].items(), key=lambda item: item[1])[:10]
    rows = [[cell, f"{margin:+.4f}", f"{best['errors'][cell]:.4f}"] for cell, margin in worst]
    text = (
        f"Ours and River's `StandardScaler | LogisticRegression` alone, mean of {found['runs']} row orders a cell:"
        f" ahead in {best['ahead']} of {best['cells']} cells. The ten smallest margins:"
    )
    table = markdown(["cell", "margin", "+-"], rows)
    return "\n\n".join(["### Beside River's linear learner", text, table, reasons.QUALITY])


def openmoa(found: dict[str, Any], pictures: Path) -> str:
    cells = scores.averaged(found["cells"])
    best = scores.against(cells, "OpenMOA", {pattern for _, pattern in cells})
    figures.margins(best["margins"], "OpenMOA", pictures / "margins-openmoa.png")
    text = (
        f"Ours and all of OpenMOA's on the patterns that it is made for; the mean of up to {found['runs']} row"
        " orders a cell, as far as its algorithms are quick enough."
    )
    picture = f"![Margin over OpenMOA's best by cell]({pictures.name}/margins-openmoa.png)"
    return "\n\n".join(["### Beside OpenMOA", text, _best("OpenMOA", best), picture])


def wrapped(found: list[dict[str, Any]], pictures: Path) -> str:
    rows = [
        [*key, *(f"{v:.3f}" for v in gain[:2]), *map(str, gain[2:5]), f"{gain.worst:+.3f}"]
        for key, gain in wrapping.gains(found).items()
    ]
    cells = [
        [row["set"], row["pattern"], row["model"], *(f"{row[who]:.3f}" for who in ("plain", "wrapped"))]
        for row in found
    ]
    text = (
        "`fesl.river.Evolving(model)` beside the same model of River, fed the same events: accuracy in the 200"
        " rounds after every switch (where features only ever appear: after they do), and in how many sets it is"
        " better, the same or worse for it."
    )
    head = ["pattern", "model", "plain", "wrapped", "above", "equal", "below", "worst"]
    every = markdown(["set", "pattern", "model", "plain", "wrapped"], cells)
    details = f"<details><summary>Every cell</summary>\n\n{every}\n\n</details>"
    return "\n\n".join(["## River's models, wrapped", text, markdown(head, rows), details])


def regression(found: list[dict[str, Any]], pictures: Path) -> str:
    wins = numbers.best(found)
    rows = [
        [name, pattern, *(numbers.told(each[model]) for model in wins)]
        for (pattern, name), each in numbers.cells(found).items()
    ]
    rows.append(["least error in", "", *(str(count) for count in wins.values())])
    text = (
        "The root mean square error in standard deviations of the target, over the whole stream but its first 50"
        " rows / in the 200 rows after the last switch."
    )
    return "\n\n".join(["## Forecasts of numbers", text, markdown(["set", "pattern", *wins], rows)])


def closed(found: list[dict[str, Any]], pictures: Path) -> str:
    rows = [
        [
            row["set"],
            row["pattern"],
            *(f"{row[who]:.3f}" for who in gap.WHO),
            "no gap" if row["closed"] is None else f"{row['closed']:.2f}",
        ]
        for row in found
    ]
    totals = []
    for pattern in gap.PATTERNS:
        mine = [row for row in found if row["pattern"] == pattern]
        share, possible = gap.share(mine), gap.share(mine, "always")
        if share is not None:
            most = "" if possible is None else f", {possible:.2f} of what the new features alone could close"
            totals.append(
                f"{pattern}: {share:.2f} of all gaps together{most}{'' if share > 0.5 else '. ' + reasons.GAP}"
            )
    text = (
        f"Accuracy in the 200 rounds after the last old feature is gone, B = {gap.B}: of a learner that starts at"
        " that switch with the new features, of one that starts at the first switch (where they die one by one it"
        " knows a quarter of the stream before which will stay), of ours, of one that always saw the new features"
        " and only those, and of an oracle that still sees the old ones."
    )
    head = ["set", "pattern", "fresh", "fresh at the first", "ours", "always", "oracle", "share closed"]
    return "\n\n".join(["## How much of the loss is undone", text, bullets(totals), markdown(head, rows)])


def drifted(found: dict[str, Any], pictures: Path) -> str:
    everywhere = len({row["set"] for row in found["rows"]})
    rows = [[who, *(f"{v:.3f}" for v in each)] for who, each in drift.means(found).items()]
    text = (
        f"All labels change their places half way, nothing else does: mean accuracy over {everywhere} sets,"
        f" {found['runs']} row order(s) each, by the rows since then."
    )
    return "\n\n".join(["## When the labels change", text, markdown(["", *drift.WINDOWS], rows)])


def sparse(found: dict[str, Any], pictures: Path) -> str:
    by = wide.table(found)
    everybody = list(dict.fromkeys(who for each in by.values() for who in each))
    rows = [[stream, *(_both(each.get(who)) for who in everybody)] for stream, each in by.items()]
    text = (
        f"{found['events']} events that hold a few of many features, two classes, {found['runs']} run(s): accuracy"
        " over the whole / over the last third (of the sensors that are replaced: after that)."
    )
    return "\n\n".join(["## Wide and sparse events", text, markdown(["", *everybody], rows)])


def _both(found: list[float] | None) -> str:
    return "" if found is None else f"{found[0]:.3f} / {found[1]:.3f}"


def paper(found: list[dict[str, Any]], pictures: Path) -> str:
    rows = [
        [
            row["set"],
            f"{row['paper']:.3f}",
            f"**{row['ours']:.3f}**" if row["ours"] > row["paper"] else f"{row['ours']:.3f}",
            *(f"{row[what]:.3f}" for what in ("spread", "FESL-c", "FESL-s")),
        ]
        for row in found
    ]
    above = sum(row["ours"] > row["paper"] for row in found)
    text = f"Accuracy over T2, one pass, B = {found[0]['B']}, {found[0]['runs']} permutations; the paper's best is"
    text += f" tuned per set and replayed. Above it on {above} of {len(found)}."
    head = ["set", "paper's best", "ours", "+-", "FESL-c, one pass", "FESL-s, one pass"]
    return "\n\n".join(["## The paper's setting", text, markdown(head, rows)]) if found else ""
