"""`fesl reproduce`: the command of `fesl.reproduction`, imported only when it is asked for."""

from __future__ import annotations

from typing import Any

import typer

EXAMPLES = "Example: fesl reproduce --sets german,splice --runs 2 --out out/reproduction"
PASSED_ON: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def reproduce(context: typer.Context) -> None:
    """Reproduce the paper's experiments: every table and figure, with our numbers beside the paper's."""
    from fesl.reproduction.command import reproduce as command

    inner = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    inner.command(epilog=EXAMPLES)(command)
    inner(context.args, prog_name="fesl reproduce")
