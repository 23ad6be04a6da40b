"""`fesl demo`: the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fesl.cli.problems import told

EXAMPLES = "Example: fesl demo --seed 3 --out out"


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the report and the picture.")] = Path("out"),
    seed: Annotated[int, typer.Option(min=0, help="Of the sensor network.")] = 0,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Show the report in a browser.")] = False,
) -> None:
    """A sensor network whose sensors are replaced twice: carried over, and from scratch. Takes seconds."""
    with told():
        from fesl.demo import run

        story = run(out / "demo.html", seed)
        if open_:
            typer.launch(story.report.resolve().as_uri())
