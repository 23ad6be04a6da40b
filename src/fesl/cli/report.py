"""`fesl report`: a report of a run that was written with --json."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fesl.cli.problems import told

EXAMPLES = "Example: fesl run sensors.csv --target alarm --json run.json && fesl report run.json -o run.html"


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN.json", help="Written by fesl run --json.", show_default=False)
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="HTML", help="The report; RUN.html by default.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Show it in a browser.")] = False,
) -> None:
    """Make the HTML report of a run."""
    with told():
        from fesl import report as reports
        from fesl.errors import ConfigError, DataError
        from fesl.evaluation import History

        place = out or run.with_suffix(".html")
        if place.is_dir():
            raise ConfigError(f"--out {place} is a directory: name a file in it")
        try:
            history = History.from_json(run)
        except OSError as reason:
            raise DataError(f"{run} cannot be read: {reason.strerror}") from None
        reports.write(history, place)
        typer.echo(str(place))
        if open_:
            typer.launch(place.resolve().as_uri())
