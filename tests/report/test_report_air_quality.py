"""A real year at the roadside: the report tells when the NMHC analyser died."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import fesl
from fesl.datasets import load
from fesl.errors import FeslError
from fesl.evaluation import Prequential
from fesl.report import words
from fesl.report.page import page


@pytest.fixture(scope="module")
def history():
    with pytest.MonkeyPatch.context() as patch:
        if "FESL_DATA" not in os.environ:
            patch.setenv("FESL_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
        try:
            data = load("air-quality", offline=True)
        except FeslError as reason:
            pytest.skip(f"the air-quality set is not here: {reason}")
    loop = Prequential(fesl.Regressor())
    for i in range(0, len(data.y), 1000):
        at = slice(i, i + 1000)
        loop.feed(data.X1[at], data.y[at], features=data.features)
    return loop.history


def test_the_dead_analyser_shows_in_the_right_hour(history):
    for_good = words.key_changes(history)
    assert [(c.row, c.features) for c in for_good] == [(1231, ["NMHC(GT)"])]
    life = next(life for life in history.lives if life.name == "NMHC(GT)")
    assert life.last == 1230
    assert life.state == "vanished"
    told = " ".join(words.sentences(history))
    assert "At row <b>1,231</b> <b>NMHC(GT)</b> vanished for good." in told
    text = page(history)
    assert "Row <b>1,231</b>: <b>NMHC(GT)</b> vanished <em>for good</em>" in text
    assert "could not be drawn" not in text


def test_rows_without_a_label_are_told(history):
    assert history.rows == 9357
    assert history.rows - history.labelled == 1683
    assert "1,683 of them without a label" in " ".join(words.sentences(history))


def test_outages_are_not_deaths(history):
    gone = [life.name for life in history.lives if life.state == "vanished"]
    assert gone == ["NMHC(GT)"]
    assert history.counts["came back"] == history.counts["vanished"] - 1 > 20
