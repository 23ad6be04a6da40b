"""The conversation with contestants: what is absent, what fails, what is measured."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.contestants import PEERS, AbsentError, Peer, Worker, crowd
from benchmarks.peers.base import dicts, load, save
from benchmarks.workloads import documents, two_spaces

import fesl
from benchmarks import contestants

NOBODY = Peer("nobody", "Nobody", "a_module_that_nobody_has")


@pytest.fixture(scope="module")
def ours():
    worker = Worker(PEERS["ours"])
    yield worker
    worker.close()


@pytest.fixture
def stream(tmp_path):
    X, y, _ = two_spaces(120, 3, 10)
    save(tmp_path / "stream.npz", X, y, 2)
    return X, y, str(tmp_path / "stream.npz")


def test_an_absent_peer_is_a_reason_and_no_error(monkeypatch, tmp_path):
    monkeypatch.setattr(contestants, "HOME", tmp_path)
    monkeypatch.setitem(PEERS, "nobody", NOBODY)
    with crowd(["nobody"]) as (here, absent):
        assert here == {}
        assert "peers install nobody" in absent["nobody"]


def test_a_peer_that_does_not_start_says_why(monkeypatch):
    broken = Peer("no_such_adapter", "Broken", "json")
    with pytest.raises(AbsentError, match="ModuleNotFoundError"):
        Worker(broken)


def test_each_answer_is_that_of_the_learner(ours, stream):
    X, y, path = stream
    reply = ours.ask("play", model="default", stream=path, cuts=[50, 60])
    predictions = fesl.Classifier().run(X, y, features=[f"x{j}" for j in range(6)]).predictions
    assert reply["right"] == "".join("01"[int(p == t)] for p, t in zip(predictions, y, strict=True))
    assert len(reply["wall"]) == len(reply["cpu"]) == 3
    assert min(reply["wall"]) > 0


def test_a_failure_is_part_of_the_reply_and_the_worker_lives_on(ours, stream):
    _, _, path = stream
    assert "no such model" in ours.ask("play", model="no such model", stream=path)["error"]
    assert ours.ask("table", model="FESL-c", stream=path)["wall"][0] > 0


def test_size_and_memory(ours):
    size = ours.ask("size")
    assert 1e5 < size["own"] < size["all"]
    assert size["packages"] == 3  # ourselves, NumPy, SciPy
    assert ours.ask("memory")["megabytes"] > 10


def test_tables_survive_the_disk(tmp_path):
    X, y = documents(40, 30, 20, words=4, B=5)
    save(tmp_path / "t.npz", X, y, 2)
    table = load(tmp_path / "t.npz")
    assert (table.columns, table.classes, len(table.y)) == (50, 2, 40)
    first = dicts(table)[0]
    assert first == {f"x{j}": v for j, v in zip(X[[0]].indices.tolist(), X[[0]].data.tolist(), strict=True)}


def test_what_is_not_observed_is_not_in_the_event(tmp_path):
    save(tmp_path / "t.npz", np.array([[1.0, np.nan], [np.nan, 2.0]]), [0, 1], 2)
    assert dicts(load(tmp_path / "t.npz")) == [{"x0": 1.0}, {"x1": 2.0}]


def test_the_overlap_of_documents_is_found_again():
    from benchmarks.peers.ours import _overlap

    X, _ = documents(200, 300, 200, words=30, B=20)
    assert _overlap(X) == (80, 100)
