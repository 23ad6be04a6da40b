"""From a run and its labels to scores: of the ensemble, and row by row of everybody.

Blocks are judged output by output: reductions over a short last axis would cost more than the learner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.evaluation.labels import codes, column, labelled
from fesl.evaluation.metrics import LEAST, MAE, RMSE, Accuracy, BalancedAccuracy, LogLoss, RocAuc
from fesl.evaluation.window import Metric, Tail
from fesl.evolving import Run

#: The columns of `records` before those of the experts, and how many each of these has.
LABELLED, LIVE, LOSS, SCORE, FIRST = 0, 1, 2, 3, 4
OF_EACH = 3


@dataclass(frozen=True)
class Truth:
    """The labels of a block as the losses take them: class numbers (-1: none) or targets (NaN: none); which rows
    have one that can be scored, which of those do not bring a class that was not known before and so could be given
    no chance, and the number of all labels."""

    values: npt.NDArray[Any]
    there: npt.NDArray[np.bool_]
    fair: npt.NDArray[np.bool_]
    labels: int


def truth(run: Run, y: Any, *, first: bool = False) -> Truth:
    """The labels of the rows of a run; None: there are none. `first`: no target was known before, so the first one
    could not be forecast, and is not scored."""
    y = np.full(len(run.scores), np.nan) if y is None else y
    if run.loss.task == "regression":
        Y = np.asarray(column(y), np.float64)
        Y = Y[:, np.newaxis] if Y.ndim == 1 else Y
        there = labelled(Y)
        labels = int(there.sum())
        if first and there.any():
            Y, at = Y.copy(), int(there.argmax())
            Y[at], there[at] = np.nan, False
        return Truth(Y, there, there, labels)
    k = codes(y, run.labels)
    there = k >= 0
    return Truth(k, there, there & (k < run.known) & (run.known > 1), int(there.sum()))


@dataclass(frozen=True)
class Judged:
    """Losses and scores of the ensemble (the first column) and of each expert, NaN without a label or where there
    was no such expert; and the numbers of the classes that were decided for."""

    loss: Floats
    score: Floats
    decided: Ints


def judge(run: Run, true: Truth) -> Judged:
    """Everybody's losses and scores."""
    f = run.scores[:, np.newaxis]
    if len(run.experts):
        f = np.concatenate([f, run.experts], axis=1)
    if run.loss.task == "regression":
        return _judge_numbers(f, true)
    F = np.ascontiguousarray(np.moveaxis(f, 2, 0))
    absent = np.isnan(F[0])
    k = np.maximum(true.values, 0)
    loss, decided = _two(F, k) if run.loss.task == "binary" else _many(F, k, normal=run.normal)
    np.minimum(decided, (run.known - 1)[:, np.newaxis], out=decided)
    score = (decided == true.values[:, np.newaxis]).astype(np.float64)
    if absent.any():
        loss[absent] = score[absent] = np.nan
    if not true.fair.all():  # what is fair is there
        loss[~true.fair] = np.nan
        score[~true.there] = np.nan
    return Judged(loss, score, decided[:, 0])


def _judge_numbers(f: Floats, true: Truth) -> Judged:
    errors = f - true.values[:, np.newaxis]
    one = errors.shape[2] == 1
    square, size = errors**2, np.abs(errors)
    loss, score = (square[..., 0], size[..., 0]) if one else (square.sum(axis=2), size.mean(axis=2))
    return Judged(loss, score, np.zeros(0, np.int64))


def _two(F: Floats, k: Ints) -> tuple[Floats, Ints]:
    """The logistic loss in bits, and the class."""
    against = np.where(k, -1.0, 1.0)[:, np.newaxis] * F[0]
    with np.errstate(invalid="ignore"):
        return np.logaddexp(0.0, against) / np.log(2.0), (F[0] > 0.0).astype(np.int64)


def _many(F: Floats, k: Ints, *, normal: bool) -> tuple[Floats, Ints]:
    """The cross-entropy in bits, and the first class of the largest score; an output that is NaN is not there.
    `normal`: the scores are log-probabilities."""
    if normal and len(F) == 2 and not np.isnan(F).any():
        return np.where(k[:, np.newaxis] == 1, F[1], F[0]) / -np.log(2.0), (F[1] > F[0]).astype(np.int64)
    top = np.where(np.isnan(F[0]), -np.inf, F[0])
    decided = np.zeros(top.shape, np.int64)
    for i in range(1, len(F)):
        better = F[i] > top
        decided[better] = i
        top = np.where(better, F[i], top)
    total = np.zeros(top.shape)
    with np.errstate(invalid="ignore"):
        for f in F:
            e = np.exp(f - top)
            total += np.where(np.isnan(e), 0.0, e)
        mine = F[0] if len(F) == 1 else np.take_along_axis(F, k[np.newaxis, :, np.newaxis], axis=0)[0]
        return np.asarray((top + np.log(np.maximum(total, 1.0)) - mine) / np.log(2.0)), decided


class Scores:
    """The metrics of a task, over everything and over a window.

    >>> Scores("regression", 10).overall()
    {'mae': nan, 'rmse': nan}
    """

    def __init__(self, task: str, window: int) -> None:
        self.task, self.tail, self.decided = task, Tail(window), Tail(window)
        self.hard: list[Metric] = [] if task == "regression" else [Accuracy(), BalancedAccuracy()]
        self.soft: list[Metric] = [MAE(), RMSE()] if task == "regression" else []
        self.bits = LogLoss()

    def add(self, run: Run, true: Truth, judged: Judged) -> None:
        """Count a block."""
        if self.task == "regression":
            y, p = true.values[true.there], run.scores[true.there]
            for metric in self.soft:
                metric.update(y, p)
            self.tail.add(y, p)
            return
        k, decided = true.values[true.there], judged.decided[true.there]
        for metric in self.hard:
            metric.update(k, decided)
        self.decided.add(k, decided)
        loss = judged.loss[true.fair, 0]
        self.bits.rows += len(loss)
        self.bits.bits += float(np.minimum(loss, -np.log2(LEAST)).sum())
        at = np.flatnonzero(true.fair)[-self.tail.size :]
        if len(at):
            last = Run(run.loss, run.scores[at], run.experts[:0], run.weights[:0], run.labels, run.known[at])
            self.tail.add(true.values[at], last.probabilities)

    def overall(self) -> dict[str, float]:
        """By name."""
        found = {m.name: m.value for m in (*self.hard, *self.soft)}
        return found if self.task == "regression" else {**found, self.bits.name: self.bits.value, **self._auc()}

    def recent(self) -> dict[str, float]:
        """By name, over the window."""
        found = {m.name: _over(type(m)(), self.decided) for m in self.hard}
        found.update({m.name: _over(type(m)(), self.tail) for m in self.soft})
        if self.task == "regression":
            return found
        return {**found, self.bits.name: _over(LogLoss(), self.tail), **self._auc()}

    def _auc(self) -> dict[str, float]:
        return {RocAuc.name: _over(RocAuc(self.tail.size), self.tail)}


def _over(metric: Metric, tail: Tail) -> float:
    return metric.update(*tail.rows()).value if len(tail) else np.nan


def records(judged: Judged, run: Run, true: Truth, live: Floats, experts: list[str]) -> Floats:
    """A row for each row: labelled or not, live features, the ensemble's loss and score, then loss, score and
    weight of each expert. NaN where there is nothing to tell: a run may know fewer experts, by their names."""
    M = len(experts)
    out = np.full((len(live), FIRST + OF_EACH * M), np.nan)
    out[:, LABELLED], out[:, LIVE] = true.there, live
    out[:, LOSS], out[:, SCORE] = judged.loss[:, 0], judged.score[:, 0]
    m = min(M, judged.loss.shape[1] - 1)
    who = np.array([experts.index(name) for name in run.names] if run.names else range(M), np.int64)[:m]
    for i, columns in enumerate((judged.loss[:, 1:], judged.score[:, 1:], run.weights)):
        if m:
            out[:, FIRST + OF_EACH * who + i] = columns[:, :m]
    return out
