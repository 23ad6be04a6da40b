"""`python -m fesl.reproduction`."""

from fesl.errors import MissingExtraError

if __name__ == "__main__":
    try:
        import typer
    except ImportError:
        raise MissingExtraError("typer", "cli") from None
    from fesl.reproduction.command import reproduce

    typer.run(reproduce)
