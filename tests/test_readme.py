"""The code of the README runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_block_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("from fesl import paper\n" + code, "README.md", "exec"), {})
    said = re.findall(r"print\(.*?\)\s+# (.*?)$", code, flags=re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(said)
    for line, claim in zip(printed, said, strict=True):
        assert claim.startswith(line)
