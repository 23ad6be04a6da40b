"""`fesl bench`: the benchmarks of the source tree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import typer

from fesl.cli.problems import USAGE, say

EXAMPLES = "Examples: fesl bench speed, fesl bench quality --full, fesl bench files --rows 100000"
PASSED_ON: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True}


def folder() -> Path:
    """Where the benchmarks are, if this is a source tree."""
    return Path(__file__).resolve().parents[3] / "benchmarks"


def bench(context: typer.Context) -> None:
    """Speed and quality side by side with others: passed on to `python -m benchmarks` of the source tree."""
    if not (folder() / "__main__.py").exists():
        say("error", "the benchmarks are not installed, they are in the source tree: get it, then run `make bench`")
        raise typer.Exit(USAGE)
    done = subprocess.run([sys.executable, "-m", "benchmarks", *context.args], cwd=folder().parent, check=False)
    raise typer.Exit(done.returncode)
