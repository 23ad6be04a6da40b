"""The package builds without a compiler: what cannot be compiled is left out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_building_without_a_compiler_succeeds_and_builds_nothing(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.so", "*.c", "*.egg-info"))
    command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(tmp_path / "lib")]
    environment = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false"}
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "failed" in done.stdout + done.stderr
    assert not list((tmp_path / "lib").rglob("*.so"))
