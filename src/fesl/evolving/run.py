"""What a bulk run gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fesl._typing import Floats, Ints
from fesl.errors import LabelError
from fesl.losses import Loss


@dataclass(frozen=True)
class Run:
    """The prequential predictions of a block: each row was predicted before its label was learned.

    `scores` are the ensemble's (n x k). With `detail=True`, `experts` (n x N x k) are each expert's own and
    `weights` (n x N) their weights, NaN where an expert did not exist yet. `labels` are the classes known at the
    end (empty for regression) and `known` how many of them were known before each row. `normal`: the scores are
    log-probabilities. `names` are those of the experts, where they have any.
    """

    loss: Loss
    scores: Floats
    experts: Floats
    weights: Floats
    labels: Sequence[Any]
    known: Ints
    normal: bool = False
    names: Sequence[str] = ()

    @property
    def predictions(self) -> np.ndarray[Any, np.dtype[Any]]:
        """One label a row, or one number a row and target."""
        if self.loss.task == "regression":
            return self.scores[:, 0] if self.scores.shape[1] == 1 else self.scores
        codes = np.asarray(self.loss.decide(np.where(np.isnan(self.scores), -np.inf, self.scores)))
        codes = np.minimum(codes, self.known - 1)
        # NumPy would make strings of mixed labels, and a matrix of tuples.
        alike = len({type(label) for label in self.labels}) == 1 and np.ndim(self.labels[0]) == 0
        if alike and (self.known > 0).all():
            return np.array(self.labels)[codes]
        return np.array([*self.labels, None], dtype=object)[codes]

    @property
    def probabilities(self) -> Floats:
        """One column a class of `labels`; a class not known before the row has zero."""
        p = self.loss.probability(np.where(np.isnan(self.scores), -np.inf, self.scores))
        if p is None:
            raise LabelError("a regression has no class probabilities: use `predictions`")
        known = np.arange(p.shape[1]) < self.known[:, np.newaxis]
        p = np.where(known, p, 0.0)
        alone = self.known == 1
        p[alone, 0] = 1.0
        return p[:, : len(self.labels)]
