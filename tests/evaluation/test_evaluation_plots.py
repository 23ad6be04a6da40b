"""Plots: on axes given or new, of every kind of history."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt

import fesl
from fesl import paper
from fesl.errors import ConfigError
from fesl.evaluation import History, Prequential, plots


@pytest.fixture(scope="module", params=["default", "regressor", "paper"])
def history(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = X[:, 0] + X[:, 2]
    X[300:, :2] = np.nan
    X[:280, 2:] = np.nan
    make = {"default": fesl.Classifier, "regressor": fesl.Regressor, "paper": paper.fesl_c}[request.param]
    loop = Prequential(make())
    loop.feed(X, y if request.param == "regressor" else y > 0, features=["a", "b", "c", "d"])
    return loop.history


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", ["score", "loss_trend", "around", "weights", "lives", "regret"])
def test_each_draws_on_new_axes_and_on_given_ones(history, name):
    draw = getattr(plots, name)
    mine = plt.subplots()[1]
    assert draw(history, ax=mine) is mine
    new = draw(history)
    assert new is not mine
    assert new.lines or new.collections
    new.figure.canvas.draw()


def test_score_is_the_trailing_mean(history):
    line = plots.score(history, rows=100).lines[0]
    expected = np.mean([v for v in history.series.score[-100:] if v is not None])
    assert line.get_ydata()[-1] == pytest.approx(expected, rel=1e-6)
    assert line.get_xdata()[-1] == 600


def test_the_loss_trend_is_the_mean_so_far(history):
    line = plots.loss_trend({"one": history, "two": history}).lines[0]
    losses = [v for v in history.series.loss if v is not None]
    assert line.get_ydata()[-1] == pytest.approx(np.sum(losses) / history.labelled, rel=1e-2)


def test_around_begins_anew_at_the_change(history):
    ax = plots.around(history, 0, what="loss", rows=50)
    assert len([line for line in ax.lines if not line.get_label().startswith("_")]) == 1 + len(history.experts)
    x, y = ax.lines[0].get_data()
    first = int(np.flatnonzero(x > 0)[0])
    assert y[first] == pytest.approx(history.changes[0].around.loss[first], rel=1e-6)


def test_what_cannot_be_drawn_is_named(history):
    with pytest.raises(ConfigError, match="what='x'"):
        plots.around(history, what="x")
    with pytest.raises(ConfigError, match="no feature vanished"):
        plots.around(History())


def test_without_matplotlib_the_line_that_helps():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from fesl.evaluation import History, plots\n"
        "try: plots.lives(History())\nexcept ImportError as e: print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "this needs the package 'matplotlib': pip install \"fesl[plot]\""
