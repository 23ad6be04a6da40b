"""The demonstration: a network that does what it says, the same numbers under the same seed, its files."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

import fesl
from fesl.demo import Restarted, network, run
from fesl.demo.network import BLINKS, FREEZES, OVERLAP
from fesl.demo.show import after


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    out = io.StringIO()
    found = run(tmp_path_factory.mktemp("demo") / "demo.html", console=Console(file=out, width=100))
    return found, out.getvalue()


def test_the_network_is_what_it_says():
    net = network(3)
    there = ~np.isnan(net.X)
    first, last = there.argmax(axis=0), len(there) - 1 - there[::-1].argmax(axis=0)
    for generation, letter in enumerate("abc"):
        mine = [j for j, name in enumerate(net.names) if name.startswith(f"{letter}.")]
        assert len(mine) == 18
        born = 0 if generation == 0 else net.replaced[generation - 1] - OVERLAP
        assert (first[mine] == born).all()
        if generation < 2:
            dies = net.replaced[generation] - 1
            assert (last[mine] <= dies).all()
            assert (last[mine] >= dies - 3).all()
    frozen = net.X[:, net.names.index(FREEZES)]
    assert (np.diff(frozen) == 0).sum() == 5 * 24 - 1
    blinks = np.isnan(net.X[:, net.names.index(BLINKS)])
    assert 0.25 < blinks.mean() < 0.45
    scales = np.nanstd(net.X, axis=0)
    assert scales.max() / scales.min() > 100
    assert 0.3 < net.alarm.mean() < 0.7
    assert len(set(net.times)) == len(net.X)


def test_seeds_are_kept_and_differ():
    a, b, c = network(1, 10), network(1, 10), network(2, 10)
    np.testing.assert_array_equal(a.X, b.X)
    np.testing.assert_array_equal(a.alarm, b.alarm)
    assert not np.array_equal(a.alarm, c.alarm)


def test_restarting_is_a_fresh_learner_in_the_row_told():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = X[:, 0] > 0
    whole = Restarted(lambda: fesl.Classifier([False, True]), [30, 50])
    scores = np.concatenate([whole.run(X[i : i + 20], y[i : i + 20]).scores for i in range(0, 90, 20)])
    for a, b in ((0, 30), (30, 50), (50, 90)):
        np.testing.assert_array_equal(scores[a:b], fesl.Classifier([False, True]).run(X[a:b], y[a:b]).scores)


def test_the_story_is_told(story):
    found, text = story
    assert found.report.exists()
    assert found.picture.read_bytes().startswith(b"\x89PNG")
    assert "carried over" in text
    assert "froze: mast.humidity_pct" in text
    assert str(found.report) in text.replace("\n", "")
    assert {c.row for c in found.ours.changes if c.total == 18} == {1198, 2398}
    page = found.report.read_text(encoding="utf-8")
    assert "restarted from scratch" in page
    assert "2026-04-20 22:00" in page


def test_carrying_over_is_worth_it(story):
    found, _ = story
    mine, theirs = (sum(after(h, row, 200) for row in (1200, 2400)) / 2 for h in (found.ours, found.scratch))
    assert mine > theirs
    assert found.ours.scores["accuracy"] > found.scratch.scores["accuracy"]
    assert found.ours.scores["log_loss"] < found.scratch.scores["log_loss"]


def test_the_same_seed_gives_the_same_numbers(tmp_path):
    once, again = (run(tmp_path, seed=5, days=12, console=Console(file=io.StringIO())) for _ in range(2))
    assert again.report == tmp_path / "demo.html"
    for mine, theirs in ((again.ours, once.ours), (again.scratch, once.scratch)):
        a, b = mine.as_dict(), theirs.as_dict()
        a["settings"].pop("seconds")
        b["settings"].pop("seconds")
        assert a == b


def test_it_runs_as_a_module_and_without_matplotlib(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pathlib import Path\nfrom fesl.demo import run\n"
        f"print(run(Path({str(tmp_path)!r}), days=10).picture)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("None")
    assert 'pip install "fesl[plot]"' in done.stdout
    asked = subprocess.run(
        [sys.executable, "-m", "fesl.demo", "--help"], capture_output=True, text=True, check=True
    )
    assert "--seed" in asked.stdout
