"""The registry: one short file is one data set."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

from fesl import datasets
from fesl.datasets import base
from fesl.errors import DataError

ONE_FILE = """
import numpy as np
from fesl.datasets.base import Arrays, Entry, RawFile, Variant

def recipe(path):
    return Arrays(np.loadtxt(path, delimiter=",", ndmin=2), np.array([1]))

WAY = Variant((RawFile("tiny.csv"),), recipe, (1, 2))
ENTRY = Entry("tiny", "Tiny", "-", "-", "binary", (WAY,), "-")
"""


def test_the_papers_sets_and_the_others_are_there() -> None:
    names = datasets.names()
    assert names == sorted(names)
    assert sum(name.startswith("reuters/") for name in names) == 20
    assert {name for name in names if "/" not in name} == {
        "air-quality",
        "australian",
        "credit-a",
        "credit-g",
        "diabetes",
        "dna",
        "german",
        "kr-vs-kp",
        "rssi",
        "splice",
        "svmguide3",
    }


def test_adding_a_data_set_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny.py").write_text(ONE_FILE)
    (tmp_path / "tiny.csv").write_text("1,2\n")
    monkeypatch.setattr(datasets, "__path__", [*datasets.__path__, str(tmp_path)])
    monkeypatch.setenv("FESL_DATA", str(tmp_path))
    base.registry.cache_clear()
    try:
        assert "tiny" in datasets.names()
        assert "tiny" in datasets.available()
        assert datasets.load("tiny").X1.tolist() == [[1.0, 2.0]]
    finally:
        base.registry.cache_clear()


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(DataError, match=r"did you mean .*credit-a"):
        datasets.info("credit_a")
    with pytest.raises(DataError, match="air-quality, australian"):
        datasets.load("zzz")


@pytest.mark.parametrize("name", datasets.names())
def test_every_entry_is_complete(name: str) -> None:
    entry = datasets.info(name)
    assert entry.title
    assert entry.licence
    assert entry.recipe
    assert entry.source.startswith("https://")
    assert entry.urls
    assert all(url.startswith("https://") for url in entry.urls)
    files = [raw for variant in entry.variants for raw in variant.files]
    copies = [copy for raw in files for copy in (raw, *raw.web, *raw.wheels)]
    sums = [*(copy.sha256 for copy in copies), *(v.fingerprint for v in entry.variants)]
    assert all(re.fullmatch("[0-9a-f]{64}", s) for s in sums if s)
    assert name in str(entry)
    # either the bytes or the cells are known, but for the full Reuters collection
    assert all(v.fingerprint or v.label == "full" or all(raw.sha256 for raw in v.files) for v in entry.variants)


def test_entries_are_short_files() -> None:
    for info in pkgutil.iter_modules(datasets.__path__):
        path = Path(datasets.__path__[0]) / f"{info.name}.py"
        if not info.name.startswith("_") and info.name != "base":
            assert len(path.read_text().splitlines()) <= 85, info.name


def test_the_papers_step_constants() -> None:
    entries = [datasets.info(name) for name in datasets.names()]
    steps = {entry.name: entry.paper.c for entry in entries if entry.paper}
    assert steps["dna"] == 150
    assert steps["reuters/GR-IT"] == 10
    assert steps["reuters/EN-IT"] == 50
    assert sum(steps[name] == 50 for name in steps if name.startswith("reuters/")) == 13
    assert datasets.info("rssi").paper is None


def test_all_is_what_is_documented() -> None:
    assert sorted(datasets.__all__, key=str) == sorted(set(datasets.__all__))
    for name in datasets.__all__:
        assert ">>>" in (getattr(datasets, name).__doc__ or ""), name
