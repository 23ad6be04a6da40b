"""`fesl run`: predict, then learn, every row of one file or several."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from fesl.cli.problems import code, say, sentence, told

EXAMPLES = """Examples:

  fesl run sensors.csv --target alarm --report sensors.html

  fesl run 2023.csv 2024.parquet --target CO --missing -200 --time Date --save model.fesl

  fesl run new.csv --resume model.fesl --save model.fesl --predictions new-predictions.csv

  tail -f events.jsonl | fesl run - --target clicked --predictions -
"""


def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, JSON lines, Parquet, Arrow, LIBSVM; plain, .gz or .zst. - reads JSON lines.",
            show_default=False,
        ),
    ],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", metavar="COL", help="What to predict; several: a regression."),
    ] = None,
    task: Annotated[
        Literal["auto", "classification", "regression"],
        typer.Option(help="By default: classes if words or at most ten whole numbers, else numbers."),
    ] = "auto",
    id_: Annotated[
        list[str] | None, typer.Option("--id", metavar="COL", help="Kept apart; stands in the predictions.")
    ] = None,
    time: Annotated[
        list[str] | None, typer.Option("--time", metavar="COL", help="Kept apart; stands in the predictions.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(metavar="COL", help="Left out.")] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="Means not observed, such as -200. Often: several times."),
    ] = None,
    learner: Annotated[
        str, typer.Option(help="default, or of the paper: fesl-c, fesl-s, nogd, rogd-u, rogd-f.")
    ] = "default",
    every: Annotated[int | None, typer.Option(min=1, metavar="N", help="Note scores every N rows.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="MODEL", help="Save the learner here at the end.")] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Go on with a saved learner, its target and its columns.")
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="Write a report, one HTML file.")] = None,
    events: Annotated[
        Path | None, typer.Option(metavar="JSONL", help="Write what happens to features, as it happens.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write predictions: .csv, .jsonl, .parquet, or - as JSON lines."),
    ] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="JSON", help="Write all about the run, for `fesl report`; or -.")
    ] = None,
    format_: Annotated[
        Literal["auto", "csv", "jsonl", "parquet", "arrow", "libsvm"],
        typer.Option("--format", help="Of the files, where they do not tell."),
    ] = "auto",
    delimiter: Annotated[
        str | None, typer.Option(metavar="CHAR", help="Between values; found out by default.")
    ] = None,
    decimal: Annotated[str | None, typer.Option(metavar="CHAR", help="Decimal mark; found out by default.")] = None,
    header: Annotated[
        bool, typer.Option(help="Whether the first row of a text table holds names (else: c1, c2, ...).")
    ] = True,
    encoding: Annotated[str | None, typer.Option(help="Of text tables; found out by default.")] = None,
    categories: Annotated[int, typer.Option(min=1, metavar="N", help="Words of a column that get a feature.")] = 50,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse dirt instead of skipping it.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
) -> None:
    """Predict, then learn, every row of one file or several; tell what happened."""
    with told():
        from fesl.files import Settings

        settings = Settings(
            targets=tuple(target or ()),
            ids=tuple(id_ or ()),
            times=tuple(time or ()),
            drop=tuple(drop or ()),
            missing=tuple(missing or ()),
            task=task,
            format=format_,
            delimiter="\t" if delimiter in ("\\t", "tab") else delimiter,
            decimal=decimal,
            header=header,
            encoding=encoding,
            categories=categories,
            strict=strict,
        )
        from fesl.cli.session import Places

        places = Places(save, report, events, predictions, json)
        places.check(files)
        _run(files, settings, places, learner, every, resume, quiet)


def _run(
    files: list[str], settings: Any, places: Any, learner: str, every: int | None, resume: Path | None, quiet: bool
) -> None:
    from rich.console import Console

    from fesl.cli import learners, stored
    from fesl.cli.screen import Meter, summary
    from fesl.cli.session import Session
    from fesl.errors import FeslError
    from fesl.files import Stream

    learners.check(learner)
    model, saved = stored.load(resume) if resume else (None, {})
    if resume:
        settings = stored.merged(settings, saved, resume)
        learner = saved.get("learner", learner)
    state = saved.get("state") or ({"task": learners.task_of(model)} if model is not None else None)
    stream = Stream(files, settings, state)
    if "-" in files and sys.stdin.isatty() and not quiet:
        say("note", "reading JSON lines from the terminal; Ctrl-D ends them")
    session = Session(stream, places, learner, every, model)
    aside = Console(stderr=True)
    wrong: Exception | None = None
    try:
        with Meter(aside, stream, quiet) as meter:
            session.run(meter)
    except BrokenPipeError:
        session.finish()
        raise
    except (FeslError, OSError) as error:
        wrong = error
    written, late = session.finish()
    wrong = wrong or late
    if not quiet:
        for line in stream.notes.lines():
            say("note", line)
        if session.loop is None and wrong is None:
            say("note", "no rows came: nothing was learned, and nothing is written")
        elif session.loop is not None:
            summary(aside if places.talks else Console(), session.loop, stream, session.seconds, written)
    if wrong is not None:
        say("error", sentence(wrong))
        if session.loop is not None and late is None:
            say("note", f"{session.loop.rows:,} rows were learned before that, and what was asked for is written")
        raise typer.Exit(code(wrong))
    if session.stopped:
        raise typer.Exit(128 + session.stopped)
