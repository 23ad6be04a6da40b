"""Thousands of damaged and hostile files, in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("saving_fuzz.py")


def run(count, first=0, pure=False):
    """What became of the cases."""
    tests = SCRIPT.parents[1]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), str(tests / "portfolio")])}
    env |= {"FESL_PURE": "1"} if pure else {}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(count), str(first)], capture_output=True, text=True, env=env, check=False
    )
    assert done.returncode == 0, f"crashed: {done.stderr[-3000:]}"
    result = json.loads(done.stdout)
    assert result["wrong"] == []
    return result["found"]


@pytest.mark.parametrize("pure", [False, True], ids=["compiled", "pure"])
def test_corrupted_files_are_refused_or_work(pure):
    found = run(500, first=500 * pure, pure=pure)
    assert sum(found.values()) == 500
    assert found["refused"] > 300
    assert found["loaded"] > 20  # changes that leave a sound model, so that more than the refusal is tested


@pytest.mark.long
@pytest.mark.parametrize("pure", [False, True], ids=["compiled", "pure"])
def test_ten_thousand_corrupted_files(pure):
    assert sum(run(10_000, first=10_000, pure=pure).values()) == 10_000
