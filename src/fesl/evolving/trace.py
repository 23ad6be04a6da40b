"""What a bulk run writes down, round by round."""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats


class Trace:
    """The ensemble's scores of every row, and where asked for each expert's scores and weights.

    An expert that did not exist in a round has NaN there: before the first switch only the first one does.
    """

    __slots__ = ("experts", "scores", "weights")

    def __init__(self, rows: int, outputs: int, experts: int = 0) -> None:
        self.scores: Floats = np.full((rows, outputs), np.nan)
        self.experts: Floats = np.full((rows if experts else 0, experts, outputs), np.nan)
        self.weights: Floats = np.full((rows if experts else 0, experts), np.nan)

    @property
    def detailed(self) -> bool:
        return len(self.experts) > 0

    def put(self, row: int, score: Floats, F: Floats, a: Floats) -> None:
        self.scores[row, : len(score)] = score
        if self.detailed:
            self.experts[row, : len(F), : F.shape[1]] = F
            self.weights[row, : len(a)] = a

    def widen(self, outputs: int) -> None:
        """Room for more outputs; a class that was not known yet keeps NaN."""
        more = outputs - self.scores.shape[1]
        if more > 0:
            self.scores = np.pad(self.scores, [(0, 0), (0, more)], constant_values=np.nan)
            self.experts = np.pad(self.experts, [(0, 0), (0, 0), (0, more)], constant_values=np.nan)
