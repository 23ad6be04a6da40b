"""`fesl inspect`: what is in a saved learner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fesl.cli.problems import told

EXAMPLES = "Examples: fesl inspect model.fesl, fesl inspect model.fesl --json | jq .features"


def inspect(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Written by --save or fesl.save.", show_default=False)
    ],
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many features to show; 0 for all.")] = 20,
) -> None:
    """Show a saved learner: its features and their lives, weights, recovery, regret, settings."""
    with told():
        from fesl.cli import contents, stored

        loaded, reader = stored.load(model)
        found = contents.of(loaded, reader)
        if json:
            import json as encoder

            typer.echo(encoder.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            _show(found, top)


def _show(found: dict[str, Any], top: int) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    facts = Table(show_header=False, box=None, pad_edge=False)
    facts.add_column(style="bold")
    facts.add_column()
    for name in ("learner", "task", "target", "classes", "rounds", "labelled", "spaces", "settings"):
        if found.get(name) not in (None, [], {}):
            facts.add_row(name, _words(found[name]))
    facts.add_row("trust", _words({k: f"{v:.1%}" for k, v in found["trust"].items()}))
    regret = found["regret"]
    value, allowed = _cell(regret["regret"]), _cell(regret["allowed"])
    held = "held" if regret["within"] else "did NOT hold"
    facts.add_row("regret", f"{value} {regret['unit']} above the best, the bound of {allowed} {held}")
    console.print(facts, highlight=False)
    features = found["features"]
    table = Table("feature", "state", "first", "last", "seen", "weight", "recovery error", title="Features")
    for row in features[: top or None]:
        table.add_row(
            *(_cell(row.get(key)) for key in ("name", "state", "first", "last", "seen", "weight", "error"))
        )
    console.print(table, highlight=False)
    if top and len(features) > top:
        console.print(f"[dim]and {len(features) - top} more: --top 0 shows all[/]", highlight=False)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {_words(v)}" for k, v in value.items())
    if isinstance(value, list):
        more = f" and {len(value) - 12} more" if len(value) > 12 else ""
        return ", ".join(map(str, value[:12])) + more
    return _cell(value)


def _cell(value: Any) -> str:
    """
    >>> _cell(None), _cell(0.123456), _cell(12345)
    ('', '0.1235', '12,345')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
