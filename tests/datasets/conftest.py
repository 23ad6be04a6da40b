"""Where the real data are, if they are anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from fesl.datasets import _files


@pytest.fixture(scope="session")
def folder() -> Path:
    """A data folder laid out with `primary/` and `paper/`; without one the test is skipped."""
    for place in _files.folders():
        if (place / "primary").is_dir() and (place / "paper").is_dir():
            return place
    pytest.skip("no data folder with primary/ and paper/: point FESL_DATA at one")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty machine: no data folder, an empty cache (returned)."""
    monkeypatch.setenv("FESL_DATA", "")
    monkeypatch.setenv("FESL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FESL_OFFLINE", raising=False)
    return tmp_path / "cache"
