"""The old model on recovered features with the matrix M written down: w1, psi(x) = M'x2, Proj(w1 - s psi)."""

from __future__ import annotations

import numpy as np

from fesl.models import Point


class ExplicitModel:
    """w has one row a feature id, M (d2 x V) maps the present features to the vanished ones."""

    def __init__(self, w, M, vanished, present, survivors):
        self.w, self.M = w.copy(), M
        self.vanished, self.present, self.survivors = vanished, present, survivors

    def features(self, x):
        """The whole old space: recovered where it vanished, observed where it survived, zero elsewhere."""
        full = np.zeros(len(self.w))
        full[x.idx] = x.val
        old = np.zeros(len(self.w))
        old[self.survivors] = full[self.survivors]
        old[self.vanished] = self.M.T @ full[self.present]
        return old

    def old_features(self, x):
        full = np.zeros(len(self.w))
        full[x.idx] = x.val
        return full

    def score(self, x):
        return self.w.T @ self.features(x)

    def descend(self, x, s, omega):
        self.w = omega(self.w - np.outer(self.features(x), s))

    def late_score(self, x):
        return self.w.T @ self.old_features(x)

    def late_descend(self, x, s, omega):
        self.w = omega(self.w - np.outer(self.old_features(x), s))

    def linear(self):
        """The function of the present features that the model is."""
        columns = [self.score(Point(np.array([i]), np.array([1.0]))) for i in range(len(self.w))]
        return np.array(columns)
