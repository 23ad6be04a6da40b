"""Evaluation: the prequential loop, metrics of streams, comparisons, plots.

>>> import numpy as np
>>> import fesl
>>> from fesl.evaluation import Prequential
>>> X = np.random.default_rng(0).normal(size=(400, 3))
>>> loop = Prequential(fesl.Regressor(), window=100)
>>> run = loop.feed(X, X @ [1.0, 2.0, 3.0])
>>> loop.recent["rmse"] < 0.5
True
"""

from fesl.evaluation.compare import compare, evaluate, table
from fesl.evaluation.effects import Effect, effect
from fesl.evaluation.history import Change, History, Life, Series
from fesl.evaluation.metrics import MAE, RMSE, Accuracy, BalancedAccuracy, LogLoss, RocAuc
from fesl.evaluation.prequential import Prequential
from fesl.evaluation.window import Metric, Windowed

__all__ = [
    "MAE",
    "RMSE",
    "Accuracy",
    "BalancedAccuracy",
    "Change",
    "Effect",
    "History",
    "Life",
    "LogLoss",
    "Metric",
    "Prequential",
    "RocAuc",
    "Series",
    "Windowed",
    "compare",
    "effect",
    "evaluate",
    "table",
]
