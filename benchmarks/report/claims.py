"""What is aimed at, and whether the figures say so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks import gap, scores, wrapped
from benchmarks.report.text import markdown, short


class Claim(NamedTuple):
    """An aim, what was found, and whether it is met."""

    aim: str
    found: str
    met: bool


def claims(found: dict[str, Any]) -> list[Claim]:
    """Those that the parts at hand can tell."""
    tellers = (_speed, _startup, _growth, _openmoa, _quality, _linear, _wrapped, _gap, _paper)
    named = {tell.__name__.removeprefix("_"): tell for tell in tellers}
    return [claim for name, tell in named.items() if name in found for claim in tell(found[name]["found"])]


def show(found: dict[str, Any]) -> None:
    """Print them."""
    told = claims(found)
    if told:
        print("\naims, as far as these parts tell")
    for claim in told:
        print(f"{'yes' if claim.met else 'NO':5}{claim.aim:94}{claim.found}")


def table(found: dict[str, Any]) -> str:
    rows = [[claim.aim, claim.found, "yes" if claim.met else "**no**"] for claim in claims(found)]
    return "## In short\n\n" + markdown(["aim", "found", "met"], rows)


def _ratio(found: dict[str, Any], work: str, part: str, ours: str, peer: str, model: str) -> float | None:
    for block in found["works"]:
        if block["work"].startswith(work):
            for row in block["rows"]:
                if (row["peer"], row["model"]) == (peer, model) and ours in row.get("ratio", {}):
                    return float(row["ratio"][ours][block["parts"].index(part)])
    return None


def _speed(found: dict[str, Any]) -> Iterator[Claim]:
    linear = ("River", "LogisticRegression")
    aims = [
        ("dict events, 20 features", "after", "default", *linear, 0.5),
        ("dict events, 20 features", "after", "FESL-c", *linear, 4.0),
        ("dict events, 200 features", "after", "FESL-c", *linear, 6.0),
        ("a dense table", "whole", "FESL-c", "scikit-learn", "SGD.partial_fit", 1 / 3),
        ("a sparse table", "whole", "FESL-c", "scikit-learn", "SGD.partial_fit", 1 / 3),
    ]
    for work, part, ours, peer, model, least in aims:
        ratio = _ratio(found, work, part, ours, peer, model)
        if ratio is not None:
            aim = f"{work}: {ours} at least {short(least)} times as fast as {peer} {model}"
            yield Claim(aim, f"{short(ratio)}x", ratio >= least)


def _startup(found: dict[str, Any]) -> Iterator[Claim]:
    for row in found["wide"]:
        if (row["peer"], row["model"]) == ("fesl", "FESL-c") and "peak" in row:
            yield Claim("the Reuters-sized run in 300 MB", f"{row['peak']:.0f} MB", row["peak"] < 300)


def _growth(found: list[dict[str, Any]]) -> Iterator[Claim]:
    steep = [f"{row['axis']} ({row['learner']})" for row in found if row["slope"] > row["allowed"]]
    yield Claim("cost grows no faster than it should", ", ".join(steep) or "everywhere", not steep)


def _openmoa(found: dict[str, Any]) -> Iterator[Claim]:
    cells = scores.averaged(found["cells"])
    best = scores.against(cells, "OpenMOA", {pattern for _, pattern in cells})
    if best["cells"]:
        share, worst = best["ahead"] / best["cells"], min(best["margins"].values())
        lacking = sum(scores.missing(found).values())
        but = f"; {lacking} of its answers are missing yet" if lacking else ""
        aim = "evolvable, trapezoidal, capricious: ahead of OpenMOA's best in 95% of the cells"
        yield Claim(aim, f"{best['ahead']} of {best['cells']} ({share:.1%}){but}", share >= 0.95 and not lacking)
        yield Claim(
            "... and never behind by more than .01",
            f"at worst {worst:+.4f}{but}",
            worst >= -scores.MARGIN and not lacking,
        )


def _quality(found: dict[str, Any]) -> Iterator[Claim]:
    cells = scores.averaged(found["cells"])
    rows = {(row["peer"], row["model"]): row for row in scores.table(cells)}
    near = [row for (peer, _), row in rows.items() if peer == "River" and row["cells_after"]]
    if near:
        behind = [row["model"] for row in near if row["after"] >= row["ours_after"]]
        margin = min(row["ours_after"] - row["after"] for row in near)
        aim = "ahead of all of River's on average in the 200 rounds after a switch"
        yield Claim(aim, f"by {margin:+.3f} at least", not behind)


def _linear(found: dict[str, Any]) -> Iterator[Claim]:
    for row in scores.table(scores.averaged(found["cells"])):
        if row["peer"] == "River":
            aim = f"ahead of River's linear learner in every cell, the mean of {found['runs']} row orders"
            told = f"{row['ahead']} of {row['cells']}, at worst {row['worst']:+.4f}"
            yield Claim(aim, told, row["ahead"] == row["cells"])


def _wrapped(found: list[dict[str, Any]]) -> Iterator[Claim]:
    for (pattern, model), gain in wrapped.gains(found).items():
        if model == "ARF":
            told = f"{gain.above} of {gain.above + gain.equal + gain.below}, at worst {gain.worst:+.3f}"
            aim = f"{pattern}: `Evolving(ARF)` above ARF in the 200 rounds after every switch"
            yield Claim(aim, told, not gain.equal + gain.below)


def _gap(found: list[dict[str, Any]]) -> Iterator[Claim]:
    for pattern in gap.PATTERNS:
        share = gap.share([row for row in found if row["pattern"] == pattern])
        if share is not None:
            yield Claim(f"{pattern}, B = {gap.B}: more than half of the gap closed", f"{share:.2f}", share > 0.5)


def _paper(found: list[dict[str, Any]]) -> Iterator[Claim]:
    if len(found) == 9:
        above = sum(row["ours"] > row["paper"] for row in found)
        worst = min(row["ours"] - row["paper"] for row in found)
        beaten = sum(row["ours"] > max(row["FESL-c"], row["FESL-s"]) for row in found)
        aim = "the paper's setting: above its best figure on 8 of 9, the ninth within .01"
        yield Claim(aim, f"{above} of 9, at worst {worst:+.3f}", above >= 8 and worst >= -0.01)
        yield Claim("... and above FESL-c and FESL-s with the same pass on 9", f"{beaten} of 9", beaten == 9)
        yield Claim("regret in bits within its bound on every run", "", all(row["within"] for row in found))
