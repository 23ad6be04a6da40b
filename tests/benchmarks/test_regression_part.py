"""The benchmark of forecasts beside River's, on streams small enough to look at."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("river")

from benchmarks import regression


class Mean:
    """Forecasts the mean of what it has seen."""

    def __init__(self):
        self.seen = [0.0]

    def predict_one(self, x):
        return float(np.mean(self.seen))

    def learn_one(self, x, y):
        self.seen.append(y)


def test_a_gap_is_what_was_forecast_before_the_row_was_learned_less_the_target():
    X, y = np.array([[1.0], [np.nan], [3.0]]), np.array([3.0, 6.0, 9.0])
    np.testing.assert_allclose(regression.gaps(Mean(), X, y), [-3.0, 1.5 - 6.0, 3.0 - 9.0])


def test_a_cell_tells_of_the_whole_stream_and_of_the_rows_after_its_last_switch():
    models = ["fesl", "Scaler | LinearRegression"]
    found = regression.cell("line", "full", 1, 300, models)
    assert list(found) == models
    assert all(0.0 < whole < 1.0 and np.isnan(after) for whole, after in found.values())
    found = regression.cell("line", "evolvable", 1, 300, ["fesl"])
    assert 0.0 < found["fesl"][0] < found["fesl"][1] < 1.5


def test_what_no_line_fits_is_forecast_better_than_by_a_line():
    found = regression.cell("friedman2", "full", 1, 800, ["fesl", "Scaler | LinearRegression"])
    assert found["fesl"][0] < 0.8 * found["Scaler | LinearRegression"][0]


def test_the_least_error_wins_a_cell():
    rows = [
        {"set": name, "pattern": "full", "model": model, "error": error, "after": after}
        for name, model, error, after in (("s", "a", 0.5, None), ("s", "b", 0.4, 0.6), ("t", "a", 0.1, None))
    ]
    assert regression.best(rows) == {"a": 1, "b": 1}
    assert [regression.told(row) for row in rows] == ["0.500", "0.400 / 0.600", "0.100"]
