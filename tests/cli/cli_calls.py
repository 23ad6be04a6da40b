"""Helpers of the tests of the command line: run it as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

FESL = [sys.executable, "-m", "fesl.cli"]
PLAIN = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200", "PYTHONWARNINGS": "error", "TERM": "dumb"}


def fesl(*args: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [*FESL, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env=PLAIN, timeout=120, check=False, **more)


def start(*args: object, **more: Any) -> subprocess.Popen[bytes]:
    """Start a command and talk with it."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*FESL, *map(str, args)], env=PLAIN, **{**pipes, **more})


def sensors(path: Path, rows: int = 300, first: int = 0, words: bool = True) -> Path:
    """A table: sensor "old" is replaced by "new" in the middle, a colour, and an alarm."""
    lines = ["old,new,colour,y"]
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=first + rows)[first:]
    for i, a in enumerate(hidden.tolist(), first):
        old = f"{a:.6f}" if i < 160 else ""
        new = f"{3 - 2 * a:.6f}" if i >= 140 else ""
        colour = ("red", "blue", "green")[i * 7 % 3] if words else "red"
        lines.append(f"{old},{new},{colour},{'yes' if a > 0 else 'no'}")
    path.write_text("\n".join(lines) + "\n")
    return path
