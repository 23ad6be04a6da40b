"""Skipping where the data are not."""

from __future__ import annotations

import pytest

from fesl.datasets import available


def need(*names: str) -> None:
    """Skip, with the reason, where a data set is not on this machine."""
    absent = sorted(set(names) - set(available()))
    if absent:
        pytest.skip(f"not on this machine: {', '.join(absent)}; point FESL_DATA at a folder that has them")
