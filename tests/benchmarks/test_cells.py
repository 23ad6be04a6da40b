"""The quality cells: kept from run to run, computed again when something changed; and the page made of it all."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.__main__ import main, parser
from benchmarks.report import page, reasons
from benchmarks.sets import Data

from benchmarks import cells, contestants, quality, sets

pytest.importorskip("matplotlib")


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A set of sixty rows, and nothing kept."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    data = Data(X, X[:, :3], (X[:, 0] > 0).astype(int), lambda run: np.random.default_rng(run).permutation(60))
    monkeypatch.setattr(sets, "load", lambda name: data)
    for module in (contestants, cells):
        monkeypatch.setattr(module, "HOME", tmp_path / ".peers")
    return tmp_path


def run():
    return quality.run(["tiny"], ["evolvable", "capricious"], ["ours", "limit"], runs=1, jobs=1)


def test_cells_are_kept_and_go_on(tiny, monkeypatch, capsys):
    first = run()
    told = capsys.readouterr().err
    assert told.count("fesl default") == 2
    ours = [row for row in first["cells"] if row["peer"] == "fesl"]
    assert all(row["accuracy"] > 0.4 for row in ours)
    assert {row["pattern"]: row["after"] is None for row in ours} == {"evolvable": False, "capricious": True}

    kept = tiny / ".peers" / "cells" / "ours-default.json"
    answers = json.loads(kept.read_text())
    del answers["tiny|capricious|0"]
    kept.write_text(json.dumps(answers))
    assert run() == first
    assert capsys.readouterr().err.count("fesl default") == 1  # only what was missing

    monkeypatch.setattr(cells, "our_sources", lambda: "another learner")
    assert run() == first
    assert capsys.readouterr().err.count("fesl default") == 2


def test_a_failure_is_a_row_without_figures():
    near = np.zeros(3, bool)
    row = quality._row(SPOT, "P", "m", {"error": "ValueError: two classes"}, near, {"right": "011"})
    assert row["error"] == "ValueError: two classes"
    assert "accuracy" not in row


def test_a_row_counts_where_only_one_of_two_is_right():
    near = np.array([False, True, True])
    row = quality._row(SPOT, "P", "m", {"right": "110"}, near, {"right": "011"})
    assert (row["accuracy"], row["after"], row["differ"], row["rows"]) == (2 / 3, 0.5, 2, 3)


def speed():
    row = {"us": [3.0], "ratio": {"default": [0.5], "FESL-c": [2.0]}}
    names = [("fesl", "default"), ("River", "LogisticRegression"), ("physical limit", "read once")]
    return {
        "absent": {"capymoa": "not installed"},
        "versions": {"ours": "0", "river": "1"},
        "clock": "wall",
        "works": [
            {
                "work": "dict events, 20 features",
                "door": "play",
                "parts": ["after"],
                "repeats": 3,
                "rows": [{"peer": peer, "model": model, **row} for peer, model in names],
            }
        ],
    }


SPOT = cells.Spot("tiny", "evolvable", 0)
MACHINE = {"processor": "P", "cores": 2, "system": "S", "python": "3", "numpy": "2", "scipy": "1", "fesl": "0"}


def test_the_page_tells_of_absent_peers_and_why_rows_are_behind(tmp_path):
    part = {"machine": {**MACHINE, "compiled": True}, "full": True, "found": speed()}
    (tmp_path / "speed.json").write_text(json.dumps(part))
    page.write(tmp_path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "Absent: CapyMOA (not installed)" in text
    assert "| River LogisticRegression | 3 (0.5x [1], 2x) |" in text
    assert reasons.EXPERTS in text
    assert reasons.LIMIT in text
    assert "at least 0.5 times as fast as River LogisticRegression | 0.5x | yes |" in text


def test_the_page_of_quality_has_its_figures(tmp_path):
    spots = [cells.Spot("tiny", pattern, 0) for pattern in ("evolvable", "capricious")]
    players = {("fesl", "default"): "1111", ("OpenMOA", "A"): "0111", ("OpenMOA", "B"): "0011"}
    rows = [
        quality._row(spot, *who, {"right": right}, np.array([False, False, True, True]), {"right": "1111"})
        for spot in spots
        for who, right in players.items()
    ]
    found = {"absent": {}, "versions": {}, "runs": 1, "players": [*players, ("OpenMOA", "C")], "cells": rows}
    part = {"machine": {**MACHINE, "compiled": True}, "full": False, "found": found}
    (tmp_path / "quality.json").write_text(json.dumps(part))
    (tmp_path / "openmoa.json").write_text(json.dumps(part))
    page.write(tmp_path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "2 of 2 (100.0%); 2 of its answers are missing yet | **no** |" in text
    assert "Against the best of OpenMOA in each cell**: ahead in 2 of 2 (100%)" in text
    assert {p.name for p in (tmp_path / "page").iterdir()} == {"margins-openmoa.png", "ranks.png"}
    assert "quick run" in text
    assert "not played yet**, so that a best may not be one: OpenMOA C 2." in text


@pytest.mark.parametrize("door", ["play", "table"])
@pytest.mark.parametrize("part", ["before", "overlap", "just after", "after", "whole"])
@pytest.mark.parametrize("peer", [peer.title for peer in contestants.PEERS.values()])
def test_no_row_can_be_behind_without_a_reason(door, part, peer):
    for ours in ("default", "FESL-c"):
        assert reasons.speed(door, part, peer, ours).endswith(".")


def test_the_command_knows_its_parts():
    args = parser().parse_args(["quality", "--full", "--sets", "wine", "--runs", "2"])
    assert (args.full, args.sets, args.runs, args.clock) == (True, ["wine"], 2, "wall")
    with pytest.raises(SystemExit):
        main(["speed", "--peers", "nobody"])
