"""The command line: `fesl`. Nothing heavy is imported before a command runs."""

from __future__ import annotations

from fesl.errors import MissingExtraError

try:
    import typer
except ImportError:
    raise MissingExtraError("typer", "cli") from None

from typing import Annotated

from fesl.cli import bench, demo, inspect, report, reproduce, run

app = typer.Typer(
    help="Online learning on streams whose features come and go.",
    epilog="Begin with: fesl demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from fesl._version import __version__

        typer.echo(f"fesl {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Online learning on streams whose features come and go."""


app.command(epilog=demo.EXAMPLES)(demo.demo)
app.command(epilog=run.EXAMPLES)(run.run)
app.command(epilog=report.EXAMPLES)(report.report)
app.command(epilog=inspect.EXAMPLES)(inspect.inspect)
app.command(add_help_option=False, context_settings=reproduce.PASSED_ON)(reproduce.reproduce)
app.command(epilog=bench.EXAMPLES, context_settings=bench.PASSED_ON)(bench.bench)
