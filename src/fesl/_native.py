"""The compiled module, where there is one."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

#: Set to anything but "0" or nothing to run without compiled code.
PURE = "FESL_PURE"


def native() -> ModuleType | None:
    """The compiled module; None where it was not built, or FESL_PURE switches it off."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        return import_module("fesl._compiled.core")
    except ImportError:
        return None
