"""The command line: `fesl`."""

from __future__ import annotations

from fesl.errors import MissingExtraError

try:
    import typer
except ImportError:
    raise MissingExtraError("typer", "cli") from None

from fesl.reproduction.command import reproduce

app = typer.Typer(help="Online learning on streams whose features come and go.", no_args_is_help=True)


@app.callback()
def main() -> None:
    """Online learning on streams whose features come and go."""


app.command()(reproduce)

if __name__ == "__main__":
    app()
