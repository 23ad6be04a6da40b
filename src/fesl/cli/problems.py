"""Errors for people: one sentence, no traceback, and an exit code.

0 all is well, 1 the data or a file is at fault, 2 the command is, 130 interrupted, 141 nobody reads the output.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from fesl.errors import ConfigError, FeslError, MissingExtraError

DATA, USAGE, PIPE = 1, 2, 141


def say(kind: str, text: str) -> None:
    """A line on standard error."""
    colour = typer.colors.RED if kind == "error" else typer.colors.YELLOW
    typer.echo(typer.style(f"{kind}:", fg=colour, bold=True) + f" {text}", err=True)


def sentence(error: Exception) -> str:
    """What went wrong, in words.

    >>> sentence(OSError(errno.ENOSPC, "No space left on device", "p.csv"))
    'p.csv cannot be written: No space left on device'
    """
    if isinstance(error, OSError) and not isinstance(error, FeslError):
        name = f"{error.filename} cannot be written: " if error.filename else ""
        return f"{name}{error.strerror or error}"
    return str(error)


def code(error: Exception) -> int:
    """The exit code of an error."""
    return USAGE if isinstance(error, ConfigError | MissingExtraError) else DATA


@contextmanager
def told() -> Iterator[None]:
    """Whatever is wrong inside ends the command with a sentence and its exit code."""
    try:
        yield
    except BrokenPipeError:
        # Python would complain once more when it flushes the dead pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE) from None
    except (FeslError, OSError) as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE:
            raise typer.Exit(PIPE) from None
        say("error", sentence(error))
        raise typer.Exit(code(error)) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
