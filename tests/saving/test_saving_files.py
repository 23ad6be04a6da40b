"""Files: whole or not at all, refused when damaged, of every version."""

from __future__ import annotations

import io
import os
import stat
import tracemalloc

import numpy as np
import pytest
from saving_models import gallery, wide_stream

from fesl import Classifier, Regressor, paper
from fesl.errors import SavedModelError
from fesl.saving import dumps, files, load, load_with_extra, save


def test_a_file(tmp_path):
    for name, model, _ in gallery():
        path = tmp_path / f"{name}.fesl"
        save(model, path)
        assert path.read_bytes() == dumps(model)
        assert dumps(load(str(path))) == path.read_bytes()
    assert len(list(tmp_path.iterdir())) == len(list(gallery()))


def test_a_file_object():
    place = io.BytesIO()
    save(Regressor(), place)
    place.seek(0)
    assert isinstance(load(place), Regressor)


def test_a_file_object_of_text_is_refused():
    with pytest.raises(SavedModelError, match="binary mode"):
        load(io.StringIO("model"))
    with pytest.raises(TypeError):
        save(Regressor(), io.StringIO())


def test_something_beside_the_model(tmp_path):
    extra = {
        "columns": ["a", ("b", 1)],
        "task": None,
        "share": 0.5,
        "words": {"colour": ["red", "blue"]},
        "é": True,
    }
    save(Regressor(), tmp_path / "model", extra=extra)
    model, found = load_with_extra(tmp_path / "model")
    assert isinstance(model, Regressor)
    assert found == {**extra, "columns": ["a", ["b", 1]]}
    assert isinstance(load(tmp_path / "model"), Regressor)
    save(Regressor(), tmp_path / "model")
    assert load_with_extra(tmp_path / "model")[1] == {}


@pytest.mark.parametrize("extra", [{1: 2}, {"a": {2: 3}}, {"a": float("nan")}, {"a": b"b"}, {"a": {"b": object()}}])
def test_what_cannot_stand_beside_a_model(tmp_path, extra):
    with pytest.raises(SavedModelError, match="extra holds"):
        save(Regressor(), tmp_path / "model", extra=extra)


def test_permissions_are_those_of_any_new_file_and_stay(tmp_path):
    path, other = tmp_path / "model", tmp_path / "other"
    other.touch()
    save(Classifier(), path)
    assert path.stat().st_mode == other.stat().st_mode
    path.chmod(0o640)
    save(Classifier(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    path, link = tmp_path / "model", tmp_path / "link"
    path.touch()
    link.symlink_to(path)
    save(Classifier(), link)
    assert link.is_symlink()
    assert isinstance(load(path), Classifier)


def test_a_pipe_is_written_to_not_replaced(tmp_path):
    reader, writer = os.pipe()
    save(paper.nogd(), f"/dev/fd/{writer}")
    os.close(writer)
    with open(reader, "rb") as file:
        assert load(file).parts == paper.nogd().parts


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, broken):
    path = tmp_path / "model"
    save(Regressor(), path)
    before = path.read_bytes()

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(files.os, broken, full)
    with pytest.raises(OSError, match="no space left"):
        save(Classifier(), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_model_that_cannot_be_saved_touches_nothing(tmp_path):
    with pytest.raises(SavedModelError):
        save(Classifier().learn_one({frozenset("a"): 1.0}, 0), tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_errors_of_the_system_are_its_own(tmp_path):
    with pytest.raises(FileNotFoundError):
        save(Classifier(), tmp_path / "nowhere" / "model")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        save(Classifier(), tmp_path)


def test_the_error_names_the_file(tmp_path):
    path = tmp_path / "model.fesl"
    path.write_bytes(b"PK\x03\x04 something else altogether")
    with pytest.raises(SavedModelError, match=r"model\.fesl: this is no model saved by fesl"):
        load(path)


# Cost


def test_saving_copies_nothing_and_loading_one_file(tmp_path):
    model = Classifier()
    rng = np.random.default_rng(0)
    for i in range(40):
        model.learn_one({f"word {j}": 1.0 for j in rng.choice(20_000, 500)}, i % 3)
    size = len(dumps(model))
    tracemalloc.start()
    save(model, tmp_path / "model")
    peak = tracemalloc.get_traced_memory()[1]
    assert peak < size
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    twin = load(tmp_path / "model")
    assert tracemalloc.get_traced_memory()[1] - before < 3.0 * size
    tracemalloc.stop()
    assert twin.compiled == model.compiled


def test_wide_words_survive_a_file(tmp_path):
    events = wide_stream("binary")
    model = Classifier()
    for x, y in events[:60]:
        model.learn_one(x, y)
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").features == model.features
