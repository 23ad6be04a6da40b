"""Files of every version of the format load, and go on as they did when they were written."""

from __future__ import annotations

import re

import numpy as np
import pytest
from saving_golden import HERE, models, predictions, read

from fesl.saving import container, dumps, evolving, lens, loads, narrow, parts, shelf, wide

FOLDERS = sorted(HERE.iterdir())
FILES = sorted(HERE.glob("*/*.fesl.gz"))


def test_there_are_files_of_every_version():
    assert [folder.name for folder in FOLDERS] == [f"version-{n}" for n in range(1, container.VERSION + 1)]


def test_every_kind_of_model_is_there():
    names = [name for name, _, _ in models()]
    assert all((folder / f"{name}.fesl.gz").exists() for folder in FOLDERS[-1:] for name in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name} {path.name[:-8]}")
def test_a_golden_file_loads_and_goes_on(core, path):
    folder = path.parent
    data, events, then = read(folder, path.name[:-8])
    model = loads(data)
    if folder == FOLDERS[-1]:
        assert dumps(model) == data
    told = predictions(model, events)
    assert len(told) == len(then) == len(events) > 10
    for ours, theirs in zip(told, then, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_every_field_is_described():
    """Where this fails: tell of the new field in docs/file-format.md."""
    text = (HERE.parents[2] / "docs" / "file-format.md").read_text()
    tables = (evolving.STATE, evolving.REGISTRY, evolving.LEDGER, lens.RECOVERED, lens.SPARSE, lens.BLOCK, lens.O1)
    tables += (narrow.STATE, wide.STATE, wide.TAUGHT, shelf.ACCOUNT, shelf.DEAD, shelf.DEAD_BELIEFS, shelf.SNAPSHOT)
    named = set(re.findall(r"[`.](\w+)`", text))
    assert {field.name for table in tables for field in table} - named == set()
    described = {(kind.__name__, *settings) for place in parts.PARTS.values() for kind, settings in place.items()}
    assert {word for words in described for word in words} - named == set()
    assert f"**version {container.VERSION}**" in text
