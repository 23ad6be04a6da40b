"""All code of the documentation runs, and prints what the pages say it prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_pages import DOCS, ROOT, Block, Said, blocks, console, pages, run

WITH_CODE = [p for p in pages() if any(b.language in ("python", "console") for b in blocks(p))]


def check(said: Said) -> None:
    assert said.same, f"{said.where} prints\n{said.printed}\nand the page shows\n{said.shown}"


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda p: str(p.relative_to(DOCS).with_suffix("")))
def test_the_code_of_a_page_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for said in run(path):
        check(said)


def test_the_command_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 7},{i % 3},{'yes' if i % 7 > 3 else 'no'}" for i in range(200)]
    Path("my.csv").write_text("\n".join(["a,b,y", *rows]))
    found = [b for b in blocks(ROOT / "README.md") if b.text.startswith("$ fesl run my.csv")]
    assert len(found) == 1
    for said in console(found[0], ROOT / "README.md"):
        check(said)
    assert "<!doctype html>" in Path("r.html").read_text()


def test_few_blocks_do_not_run():
    everything = [b for p in pages() for b in blocks(p) if b.language == "python"]
    idle = [b for b in everything if not b.runs]
    assert len(everything) > 30
    assert len(idle) <= 3


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [
        ("1.0\n", "1.0\n", True),
        ("1.0\n", "1.1\n", False),
        ("a 2 s (3/s)  \n", "a 0.4 s (1,200/s)\n", True),
        ("x = 1, y = 2", "x = ..., y = 2", True),
        ("", "something", False),
        ("something", "", False),
    ],
)
def test_a_page_that_does_not_tell_the_truth_is_found(printed, shown, same):
    assert Said(printed, shown, "here", 0).same is same


def test_a_block_that_cannot_run_says_why():
    assert not Block("python", "# not run: needs a printer\n", 0, 1).runs
    assert Block("python", "# not run:\n", 0, 1).runs


def test_every_block_of_code_has_a_language():
    for page in pages():
        if page.name == "reproduction.md":  # written by a command
            continue
        fences = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("```")]
        assert len(fences) % 2 == 0, page
        assert all(fence != "```" for fence in fences[::2]), page
