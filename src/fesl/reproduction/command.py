"""The command: what `fesl reproduce` and `python -m fesl.reproduction` do."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter
from typing import Annotated

from fesl.errors import FeslError, MissingExtraError

try:
    import typer
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Table as Grid
except ImportError as missing:
    raise MissingExtraError(missing.name or "typer", "cli") from None

from fesl.reproduction import docs, pages, text
from fesl.reproduction.results import Document, dump, read
from fesl.reproduction.runner import Outcome, Selection
from fesl.reproduction.tables import table_2
from fesl.reproduction.whole import reproduce as run_all


def reproduce(
    sets: Annotated[
        str, typer.Option(help="Comma-separated names of data sets; all that are there by default.")
    ] = "",
    methods: Annotated[str, typer.Option(help="Comma-separated: nogd, rogd-u, rogd-f, fesl-c, fesl-s.")] = "",
    protocols: Annotated[str, typer.Option(help="Comma-separated: stream, paper.")] = "",
    runs: Annotated[
        int | None, typer.Option(min=1, help="Runs a set; the paper's 10 (Reuters: 3) by default.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Of whatever is drawn.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("out/reproduction"),
    json: Annotated[Path | None, typer.Option(help="Write the results here too.")] = None,
    docs_page: Annotated[Path | None, typer.Option("--docs", help="Write the documentation page here.")] = None,
    results: Annotated[
        Path | None,
        typer.Option("--from", help="Make the report of these results, written before, instead of running."),
    ] = None,
) -> None:
    """Reproduce the paper's experiments: every table and figure, with our numbers beside the paper's."""
    console = Console()
    try:
        began = perf_counter()
        chosen = Selection(_names(sets), _names(methods), _names(protocols), runs, seed)
        doc = read(results) if results else _run(console, chosen, jobs or os.cpu_count() or 1)
        ran = perf_counter()
        with console.status("tables and figures"):
            page = pages.write(doc, out)
        for path, content in ((json, dump(doc)), (docs_page, docs.page(doc))):
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
    except FeslError as error:
        console.print(f"[red]error:[/] {error}", highlight=False)
        raise typer.Exit(1) from error
    _show(console, doc)
    console.print(f"\n{page}  (run {ran - began:.1f} s, report {perf_counter() - ran:.1f} s)", highlight=False)


def _names(joined: str) -> tuple[str, ...]:
    """
    >>> _names("german, splice")
    ('german', 'splice')
    """
    return tuple(name.strip() for name in joined.split(",") if name.strip())


def _run(console: Console, chosen: Selection, jobs: int) -> Document:
    columns = (TextColumn("{task.description:26.26}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("reading the data", total=None)

        def watch(done: int, total: int, what: str) -> None:
            progress.update(task, completed=done, total=total, description=what)

        doc, outcome = run_all(chosen, jobs=jobs, watch=watch)
    _slowest(console, outcome)
    return doc


def _slowest(console: Console, outcome: Outcome) -> None:
    """How long the largest stream takes a run."""
    slow = max(outcome.cells, key=lambda cell: cell.seconds)
    console.print(f"slowest single run: {slow.problem}, {slow.method}, {slow.seconds:.2f} s", highlight=False)


def _show(console: Console, doc: Document) -> None:
    """Table 2 on the terminal, and what was found."""
    for protocol in doc["results"]:
        table = table_2(doc, protocol)
        if table.rows:
            grid = Grid(*table.header, title=table.title)
            for row in table.rows:
                grid.add_row(*(f"[bold]{c.text}[/]" if c.best else c.text for c in row))
            console.print(grid)
    for line in text.headline(doc):
        console.print(line, highlight=False)
    for line in text.absent(doc):
        console.print(f"[dim]not here: {line}[/]", highlight=False)
