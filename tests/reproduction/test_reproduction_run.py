"""Running: right against the naive transcription, and the same bytes whatever the number of processes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reproduction_data import need

import oracle
from fesl.errors import ConfigError, DataError
from fesl.reproduction import Selection, dump, read, reproduce
from fesl.reproduction.base import Problem, methods, problems, protocols
from fesl.reproduction.experiment import order, run_cells, setting, stream_of, tables_of, trend
from fesl.reproduction.runner import run

WHOLE = ("nogd", "rogd-u", "rogd-f", "fesl-c", "fesl-s")


@pytest.mark.parametrize("method", ["nogd", "rogd_u", "rogd_f", "fesl_c"])
@pytest.mark.parametrize(("protocol", "repeats", "divisor"), [("stream", 1, 1.0), ("paper", 9, np.log(2.0))])
def test_a_cell_is_what_the_naive_transcription_gives(
    toy: Problem, method: str, protocol: str, repeats: int, divisor: float
) -> None:
    tables = tables_of("toy", 0)
    rows = np.tile(order(tables, run=1, seed=0), repeats)
    half = len(rows) // 2
    naive = oracle.run(method, tables.X1[rows], tables.X2[rows], tables.y[rows], half, 10, 10.0 / divisor)
    f, y = np.array(naive.f[half:])[:, 0], tables.y[rows][half:]
    (cell,) = run_cells(protocol, "toy", 1, 0, [method.replace("_", "-")]).cells
    assert cell.score == pytest.approx(np.mean(np.where(f > 0.0, 1, -1) == y))
    losses = oracle.logistic(f, y)
    assert cell.loss == pytest.approx(losses.mean(), rel=1e-8)
    assert cell.trend == pytest.approx(trend(losses), rel=1e-8)


def test_the_same_bytes_whatever_the_number_of_processes() -> None:
    chosen = Selection(sets=("reuters-sized",), methods=("nogd", "fesl-s"), runs=2)
    assert dump(reproduce(chosen, jobs=2).document) == dump(reproduce(chosen, jobs=1).document)


def test_the_seed_decides_what_is_drawn(toy: Problem) -> None:
    first, again, other = (dump(reproduce(Selection(seed=seed)).document) for seed in (0, 0, 1))
    assert first == again
    assert json.loads(first)["results"] != json.loads(other)["results"]


def test_the_authors_permutations_come_first() -> None:
    need("german")
    tables = tables_of("german", 0)
    assert tables.permutations is not None
    assert (order(tables, run=3, seed=9) == tables.permutations[3]).all()
    assert sorted(order(tables, run=10, seed=9)) == list(range(1000))


def test_every_run_is_told_of(toy: Problem) -> None:
    seen: list[tuple[int, int, str]] = []
    run(Selection(methods=("nogd",)), watch=lambda *what: seen.append(what))
    assert [done for done, _, _ in seen] == [1, 2, 3, 4]
    assert {total for _, total, _ in seen} == {4}
    assert seen[0][2] == "toy, stream"


def test_what_was_recorded_is_run_once(recorded_toy: Problem) -> None:
    outcome = run(Selection(methods=("nogd",), runs=5))
    assert [cell.run for cell in outcome.cells] == [0, 0]
    assert {shape.orders for shape in outcome.shapes.values()} == {"as recorded"}


def test_a_set_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FESL_DATA", "")
    monkeypatch.setenv("FESL_CACHE", str(tmp_path))
    monkeypatch.setenv("FESL_OFFLINE", "1")
    tables_of.cache_clear()
    with pytest.raises(DataError, match="diabetes"):
        run(Selection(sets=("diabetes",), runs=1))
    tables_of.cache_clear()


def test_whatever_is_not_there_is_left_out_with_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FESL_DATA", "")
    monkeypatch.setenv("FESL_CACHE", str(tmp_path))
    monkeypatch.setenv("FESL_OFFLINE", "1")
    tables_of.cache_clear()
    found = reproduce(Selection(methods=("nogd",), runs=1)).document
    assert "reuters-sized" in found["sets"]
    assert "fesl.datasets.load" in found["missing"]["credit-a"]
    assert "full collection" in found["missing"]["reuters/FR-EN"]
    assert found["agreement"]["stream"]["cells"] == 0
    tables_of.cache_clear()


def test_a_set_without_the_protocol() -> None:
    need("air-quality")
    with pytest.raises(ConfigError, match="nothing to run"):
        run(Selection(sets=("air-quality",), protocols=("paper",)))


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"runs": 0}])
def test_numbers_that_cannot_be(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="1 or more"):
        run(Selection(runs=wrong.get("runs")), jobs=wrong.get("jobs", 1))


def test_a_document_survives_the_disk(toy: Problem, tmp_path: Path) -> None:
    doc = reproduce(Selection()).document
    path = tmp_path / "results.json"
    path.write_text(dump(doc))
    assert read(path) == doc
    assert json.loads(dump(doc)) == doc
    assert max(len(line) for line in dump(doc).splitlines()) < 3000
    path.write_text("{}")
    with pytest.raises(DataError, match="run the reproduction again"):
        read(path)


def test_the_bounds_hold_where_the_losses_are_bounded(toy: Problem) -> None:
    doc = reproduce(Selection(methods=("fesl-c", "fesl-s"))).document
    for by_set in doc["results"].values():
        for found in by_set["toy"].values():
            assert found["bounded"] is not None
            assert found["bounded"]["assumption"]
            assert found["bounded"]["within"]


@pytest.mark.parametrize("name", ["rssi", "air-quality"])
def test_c_is_the_best_candidate_before_the_switch(name: str) -> None:
    """The rows after the switch, on which everything is measured, had no say in it."""
    need(name)
    problem, protocol = problems()[name], protocols()["stream"]
    stream = stream_of(protocol, problem, 0, 0)
    before = stream.switches[0]
    losses = {}
    for c in (1.0, 10.0, 50.0, 100.0, 150.0):
        model = methods()["nogd"].build(replace(setting(protocol, problem, stream, 0), c=c))
        scores = model.run(stream.X[:before], stream.y[:before], features=stream.features).scores
        losses[c] = np.nanmean(problem.loss.value(scores, stream.y[:before].reshape(before, -1)))
    assert min(losses, key=lambda c: losses[c]) == problem.c


def test_air_quality_replaces_one_sensor_where_it_died() -> None:
    need("air-quality")
    batch = run_cells("stream", "air-quality", 0, 0, WHOLE)
    assert batch.shape.t1 == 1231
    assert batch.shape.t2 == int((~np.isnan(tables_of("air-quality", 0).y[1231:])).sum())
    scores = {cell.method: cell.score for cell in batch.cells}
    assert len({round(score, 9) for score in scores.values()}) == 5
    assert all(cell.regret is None or cell.regret.cycle == 1 for cell in batch.cells)


def test_a_stream_of_full_reuters_size_takes_no_time() -> None:
    batch = run_cells("stream", "reuters-sized", 0, 0, WHOLE)
    assert (batch.shape.n, batch.shape.d1, batch.shape.d2) == (18758, 21531, 24892)
    assert min(cell.seconds for cell in batch.cells) < 1.0
