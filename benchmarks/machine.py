"""On what it was measured: kind of processor and versions, no names and no paths."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import fesl


def processor() -> str:
    """The model of the processor, as it calls itself."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpuinfo.read_text()) if cpuinfo.exists() else None
    return found[1] if found else platform.machine()


def versions() -> dict[str, str]:
    """What decides how many instructions a round takes."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"machine": platform.machine(), "python": python, "numpy": version("numpy"), "scipy": version("scipy")}


def describe() -> dict[str, Any]:
    """All of it."""
    return {
        **versions(),
        "python": platform.python_version(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "fesl": version("fesl"),
        "compiled": fesl.Classifier().compiled,
    }
