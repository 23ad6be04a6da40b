"""The site: it builds without a warning, and leaves nothing public out."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import zlib

import pytest
from docs_pages import DOCS

import fesl

pytest.importorskip("sphinx", reason='the documentation needs its extra: pip install "fesl[docs]"')
pytest.importorskip("myst_parser", reason='the documentation needs its extra: pip install "fesl[docs]"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", DOCS, out]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return out


def public():
    """Every name of every `__all__`, with its packages."""
    for found in [None, *pkgutil.iter_modules(fesl.__path__)]:
        name = "fesl" if found is None else f"fesl.{found.name}"
        if found is not None and found.name.startswith("_"):
            continue
        module = importlib.import_module(name)
        for key in getattr(module, "__all__", ()):
            thing = getattr(module, key)
            if not inspect.ismodule(thing) and key != "__version__":
                yield f"{name}.{key}", thing


def test_everything_public_is_in_the_reference(site):
    header, packed = 4, (site / "objects.inv").read_bytes()
    listed = zlib.decompress(packed.split(b"\n", header)[header]).decode()
    described = {line.split()[0] for line in listed.splitlines() if line.split()[1].startswith("py:")}
    homes = {}
    for name, thing in public():
        homes.setdefault(id(thing) if callable(thing) else name, []).append(name)
    missing = [names for names in homes.values() if not described.intersection(names)]
    assert missing == []


def test_every_page_is_there(site):
    pages = {p.relative_to(DOCS).with_suffix(".html") for p in DOCS.rglob("*.md")}
    assert [p for p in pages if not (site / p).exists()] == []


def test_nothing_is_fetched_from_elsewhere(site):
    """The site works offline: scripts, styles and pictures are its own."""
    asked = re.compile(r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?:[^\"]+)\"")
    found = {url for page in site.rglob("*.html") for url in asked.findall(page.read_text(encoding="utf-8"))}
    assert found == set()


def test_the_pictures_are_small():
    sizes = {p.name: p.stat().st_size for p in (DOCS / "_static").iterdir()}
    assert sum(sizes.values()) < 600_000, sizes


def test_the_page_of_the_command_line_is_current():
    code = (
        "import sys; sys.path.insert(0, 'docs/tools'); import command_line; sys.stdout.write(command_line.page())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=DOCS.parent, timeout=60
    )
    shown = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert done.stdout == shown, "run: python docs/tools/command_line.py"


@pytest.mark.parametrize("command", ["demo", "run", "report", "inspect", "reproduce", "bench"])
def test_help_names_no_option_that_the_page_does_not(command):
    plain = os.environ | {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-m", "fesl.cli", command, "--help"], capture_output=True, text=True, check=True, env=plain
    )
    page = (DOCS / "cli.md").read_text(encoding="utf-8").split(f"## `fesl {command}`")[1].split("\n## ")[0]
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", done.stdout)) - {
        "--help",
        "--install-completion",
        "--show-completion",
    }
    assert options <= set(re.findall(r"--[a-z][a-z-]+", page))
