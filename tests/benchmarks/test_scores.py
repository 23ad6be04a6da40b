"""What cells add up to, against values known or worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.sets import Data

from benchmarks import contestants, drift, gap, growth, guard, patterns, scores


def rows(table, after=None):
    """A row a cell and contestant of {contestant: [accuracy by set]}."""
    return [
        {"set": f"s{k}", "pattern": "p", "run": 0, "peer": peer, "model": model, "accuracy": a, "after": after}
        | {"differ": 4, "rows": 100}
        for (peer, model), values in table.items()
        for k, a in enumerate(values)
        if a is not None
    ]


TABLE = {scores.US: [0.9, 0.8, 0.7], ("River", "A"): [0.8, 0.8, 0.75], ("River", "B"): [0.5, 0.9, None]}


def test_means_and_wins_are_over_the_cells_both_played():
    found = {row["model"]: row for row in scores.table(scores.averaged(rows(TABLE)))}
    assert found["A"]["ahead"] == 1
    assert found["A"]["worst"] == pytest.approx(-0.05)
    assert found["B"]["cells"] == 2
    assert found["B"]["ours"] == pytest.approx(0.85)


def test_against_the_best_of_a_peer():
    best = scores.against(scores.averaged(rows(TABLE)), "River", {"p"})
    assert (best["cells"], best["ahead"]) == (3, 1)
    assert list(best["behind"]) == ["s1, p", "s2, p"]
    assert best["margins"]["s1, p"] == pytest.approx(-0.1)
    assert best["errors"]["s1, p"] == pytest.approx(0.02)  # sqrt(4) / 100


def test_runs_are_averaged():
    twice = rows({scores.US: [0.8]}) + [row | {"run": 1} for row in rows({scores.US: [0.6]})]
    mean = scores.averaged(twice)["s0", "p"][scores.US]
    assert mean["accuracy"] == pytest.approx(0.7)
    assert mean["error"] == pytest.approx(0.02 / np.sqrt(2))


def test_only_runs_that_everybody_played_count():
    once = rows({scores.US: [0.8], ("River", "A"): [0.7]})
    again = [row | {"run": 1} for row in rows({scores.US: [0.2]})]
    by = scores.averaged(once + again)["s0", "p"]
    assert (by[scores.US]["accuracy"], by["River", "A"]["accuracy"]) == (0.8, 0.7)


def test_the_critical_difference_is_the_textbook_one():
    # Demšar (2006), section 3.2.2: four classifiers on 14 sets, q = 2.569, CD = 1.25.
    rng = np.random.default_rng(0)
    table = {scores.US: rng.random(14)} | {("P", name): rng.random(14) for name in "ABC"}
    assert scores.ranks(scores.averaged(rows(table)))["difference"] == pytest.approx(1.25, abs=0.005)


def test_ranks_need_cells_that_all_played():
    assert scores.ranks(scores.averaged(rows({scores.US: [0.5, 0.6]}))) is None


def test_the_rounds_after_a_switch():
    cell = patterns.Cell(np.zeros((500, 1)), np.zeros(500), 2, switches=(100, 450))
    assert np.flatnonzero(cell.around()).tolist() == [*range(100, 300), *range(450, 500)]


@pytest.mark.parametrize("pattern", patterns.PATTERNS)
def test_every_pattern_keeps_the_rows_and_hides_cells(pattern):
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 6)), rng.integers(0, 3, 60)
    data = Data(X, X[:, :4], y, lambda run: np.random.default_rng(run).permutation(60))
    cell = patterns.PATTERNS[pattern](data, 1)
    assert np.isnan(cell.X).any()
    assert not np.isnan(cell.X).all(axis=1).any()
    assert cell.y.tolist() == y[data.order(1)].tolist()
    assert bool(cell.switches) == (pattern in ("evolvable", "staggered", "paper"))


@pytest.mark.parametrize("pattern", gap.PATTERNS)
def test_the_oracle_sees_more_than_a_fresh_start(pattern):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 6))
    y = (X[:, :3].sum(axis=1) > 0).astype(int)  # what vanishes tells all, what comes tells nothing
    data = Data(X, rng.normal(size=(700, 3)), y, lambda run: np.arange(700))
    fresh, early, ours, always, oracle = gap.accuracies(pattern, data, 0)
    assert oracle > 0.9 > 0.65 > max(fresh, early, always)
    assert ours < oracle


def test_every_class_becomes_the_next_one_half_way():
    y = np.arange(900) % 3
    data = Data(np.arange(900.0)[:, None], np.zeros((900, 1)), y, lambda run: np.arange(900))
    X, found, half = drift.stream(data, 0)
    assert half == 450
    assert found[:half].tolist() == y[:half].tolist()
    assert found[half:].tolist() == ((y[half:] + 1) % 3).tolist()
    assert X[:, 0].tolist() == list(range(900))


def test_accuracy_by_the_rows_since_the_labels_changed():
    answer = "0" * 250 + "1" * 200 + "0" * 100 + "1" * 50 + "0" * 50 + "1" * 100 + "0" * 150
    assert drift._accuracies(contestants.judged({"right": answer}), 450) == [1.0, 0.0, 0.5, 0.5]


def test_a_table_without_us_is_empty():
    assert scores.table({("a", "b"): {("River", "ARF"): {"accuracy": 0.5, "after": None}}}) == []


def test_the_share_of_all_gaps_together():
    line = {"fresh": 0.5, "ours": 0.7, "always": 0.75, "oracle": 0.9}
    assert gap.share([line, line]) == pytest.approx(0.5)
    assert gap.share([line], "always") == pytest.approx(0.8)
    assert gap.share([{**line, "oracle": 0.5}]) is None


def test_a_fitted_slope_is_the_power(monkeypatch):
    axis = growth.Axis("n", (1, 2, 4, 8), {"default": 2.1, "FESL-c": 1.0}, lambda make, n: 3e-6 * n**2)
    monkeypatch.setattr(growth, "axes", lambda full: [axis])
    found = growth.run(full=False)
    assert [row["slope"] for row in found] == pytest.approx([2.0, 2.0])
    assert found[0]["us"] == pytest.approx([3, 12, 48, 192])


THEN = {"versions": {"python": "3.11"}, "instructions": {"yardstick": 1000.0, "event": 5000.0}}


def test_the_guard_allows_three_percent_with_the_same_versions():
    here = {"python": "3.11"}
    assert guard.compare({"yardstick": 1000.0, "event": 5140.0}, THEN, here) == []
    assert len(guard.compare({"yardstick": 2000.0, "event": 5160.0}, THEN, here)) == 1


def test_the_guard_counts_in_yardsticks_with_others():
    here = {"python": "3.14"}
    assert guard.compare({"yardstick": 800.0, "event": 4700.0}, THEN, here) == []
    assert len(guard.compare({"yardstick": 800.0, "event": 4900.0}, THEN, here)) == 1


def test_a_scenario_that_is_gone_is_noticed():
    assert len(guard.compare({"yardstick": 1000.0}, THEN, {"python": "3.11"})) == 1
