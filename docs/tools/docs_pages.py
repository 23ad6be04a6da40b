"""The pages of the documentation and the code in them: the tests run it, `python docs/tools/docs_pages.py` writes
anew what it prints.

A ```python block runs in order with those before it on the page. What it prints must be shown: as a comment behind
each `print(...)`, or whole in the ```output block that follows. A ```console block that begins with `$ fesl` runs
too, and what it prints must match the lines below each command. `...` stands for what differs from run to run. A
block that cannot run says so in its first line: `# not run: ` and the reason.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOT_RUN = re.compile(r"# not run: \S")
FENCE = re.compile(r"^```(python|output|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CLAIM = re.compile(r"^\s*print\(.*\)\s+# (.*?)$", re.MULTILINE)
#: How fast it was: no two runs say the same.
SPEED = re.compile(r"[\d.,]+ s \([\d.,]+/s\)")
HOW = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text and where the text begins."""

    language: str
    text: str
    start: int
    line: int

    @property
    def runs(self) -> bool:
        """Whether it is said to run."""
        return not NOT_RUN.match(self.text)


@dataclass(frozen=True)
class Said:
    """What was printed, what the page shows of it, and where in the page that stands (-1: in comments)."""

    printed: str
    shown: str
    where: str
    start: int

    @property
    def same(self) -> bool:
        """Whether the page tells the truth."""
        printed, shown = (SPEED.sub("... s", text.strip()) + "\n" for text in (self.printed, self.shown))
        return doctest.OutputChecker().check_output(shown, printed, HOW)


def pages() -> list[Path]:
    """Every page."""
    return sorted(DOCS.rglob("*.md"))


def blocks(path: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = path.read_text(encoding="utf-8")
    found = FENCE.finditer(text)
    return [Block(m[1], m[2], m.start(2), text.count("\n", 0, m.start()) + 2) for m in found]


def run(path: Path) -> Iterator[Said]:
    """Run the code of a page in the present folder."""
    found = blocks(path)
    names: dict[str, Any] = {"__name__": path.stem}
    for block, follower in zip(found, [*found[1:], None], strict=False):
        if block.language == "python" and block.runs:
            yield _python(block, follower, names, path)
        elif block.language == "console" and block.text.startswith("$ fesl"):
            yield from console(block, path)


def _python(block: Block, follower: Block | None, names: dict[str, Any], path: Path) -> Said:
    code = compile("\n" * (block.line - 1) + block.text, str(path), "exec")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, names)
    where = f"{path.name}:{block.line}"
    if follower is not None and follower.language == "output":
        return Said(out.getvalue(), follower.text, where, follower.start)
    return Said(out.getvalue(), "\n".join(CLAIM.findall(block.text)), where, -1)


def console(block: Block, path: Path) -> Iterator[Said]:
    """Run the commands of a console block."""
    folder = Path(sys.executable).parent
    clean = {"COLUMNS": "100", "NO_COLOR": "1", "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    for command, shown, start in _commands(block):
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=os.environ | clean, check=False, timeout=60
        )
        if done.returncode:
            raise RuntimeError(f"{path.name}:{block.line} $ {command}\n{done.stdout}{done.stderr}")
        yield Said(done.stdout + done.stderr, shown, f"{path.name}:{block.line} $ {command}", start)


def _commands(block: Block) -> Iterator[tuple[str, str, int]]:
    """The commands of a console block, each with the output shown below it, and where that stands."""
    for m in re.finditer(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        yield m[1].split("  #")[0].strip(), m[2], block.start + m.start(2)


def rewritten(path: Path) -> str:
    """The page with what its code prints today; what is said in comments is left to people."""
    text = path.read_text(encoding="utf-8")
    for said in reversed(list(run(path))):
        if not said.same and said.start < 0:
            print(f"{said.where} prints\n{said.printed}")
        elif not said.same:
            lines = [line.rstrip() for line in said.printed.rstrip().splitlines()]
            text = text[: said.start] + "\n".join(lines) + "\n" + text[said.start + len(said.shown) :]
    return text


def main() -> None:
    """Write the outputs of all pages anew."""
    for path in pages():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = rewritten(path)
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
