r"""The old model on recovered features, without ever touching the old space.

Symbols: w the old model, V its vanished features, x the observed features, psi(x) the recovered ones. Least
squares from the overlap rows is linear, so psi(x) = A' phi(x) for a *lens* phi(x) = P x of few coordinates, and

    f            = w_V . psi(x)  =  c . phi(x)             with  c = A w_V
    w_V -= s psi(x)              <=>   c -= s H phi(x)     with  H = A A'
    ||psi(x)||^2 = phi' H phi.

Features that survive pass through: their weights are stepped on their observed values, f gains w_K . x_K.
What was subtracted from w_V is remembered as q = sum of s phi, w_V(t) = w_V(0) - A' q: so the model can still be
read, and a late sample that *does* hold the old features scored and learned from, in the old space.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fesl._typing import Floats, Ints
from fesl.models.base import LIMIT, TINY, Point, padded, squared_norm, step_norm
from fesl.projections import Projection


class Lens(Protocol):
    """phi and A. `H` is None where A A' is the identity, which is where c is w_V itself."""

    @property
    def H(self) -> Floats | None: ...
    @property
    def vanished(self) -> Ints: ...
    def phi(self, x: Point) -> Floats: ...
    def project(self, w: Floats) -> Floats:
        """A w, for rows of w in the order of `vanished`."""

    def recover(self, q: Floats) -> Floats:
        """A' q."""

    def pull_back(self, c: Floats) -> Floats:
        """P' c: the linear function c . phi(x) as weights of x, one row a feature id."""

    def reserved(self, capacity: int) -> Lens:
        """The same lens with room for more feature ids."""


class RecoveredModel:
    """f = w . (psi(x), x_K), stepped on the recovered features: the paper's equation (6).

    Built by `fesl.recovery.LeastSquares.fit`; see there for an example.
    """

    __slots__ = ("C", "W", "W0", "learns", "lens", "num", "passes", "q")

    def __init__(self, lens: Lens, w: Floats, survivors: Ints, learns: bool = True) -> None:
        self.lens = lens
        self.learns = learns
        self.passes = np.zeros(len(w))
        self.passes[survivors] = 1.0
        self.W = w * self.passes[:, np.newaxis]
        self.W0 = np.ascontiguousarray(w[lens.vanished])
        self.C = np.nan_to_num(np.ascontiguousarray(lens.project(self.W0)), nan=0.0, posinf=0.0, neginf=0.0)
        self.q = np.zeros_like(self.C)
        self.num = np.array([1.0, squared_norm(w)])

    def score(self, x: Point) -> Floats:
        return np.asarray(self.num[0] * (x.val @ self.W[x.idx] + self.lens.phi(x) @ self.C))

    def descend(self, x: Point, f: Floats, s: Floats, omega: Projection) -> None:
        phi = self.lens.phi(x)
        h = phi if self.lens.H is None else self.lens.H @ phi
        r = s / self.num[0]
        psi2 = float(phi @ h)
        size = np.abs(r).max() * max(np.abs(h).max(initial=0.0), np.abs(phi).max(initial=0.0))
        if not (size <= LIMIT and float(s @ s) * psi2 <= LIMIT):
            return
        self.C -= np.outer(h, r)
        self.q += np.outer(phi, r)
        x2 = self._step_survivors(x, r)
        step_norm(self.num, f, s, psi2 + x2, omega)
        self._settle(omega)

    def late_score(self, old: Point) -> Floats:
        """The score of a sample that holds the old features themselves."""
        return np.asarray(old.val @ self.old_weights()[old.idx])

    def late_descend(self, old: Point, f: Floats, s: Floats, omega: Projection) -> None:
        """w <- Proj(w - s x') on a sample that holds the old features themselves."""
        r = s / self.num[0]
        x = np.zeros(len(self.W))
        x[old.idx] = old.val
        step = np.outer(x[self.lens.vanished], r)
        self.W0 -= step
        self.C -= self.lens.project(step)
        self._step_survivors(old, r)
        step_norm(self.num, f, s, float(old.val @ old.val), omega)
        self._settle(omega)

    def linear(self) -> Floats:
        return np.asarray(self.num[0] * (self.W + self.lens.pull_back(self.C)))

    def old_weights(self) -> Floats:
        """w in the old space as it stands now, one row a feature id."""
        w = self.W.copy()
        w[self.lens.vanished] = self.C if self.lens.H is None else self.W0 - self.lens.recover(self.q)
        return np.asarray(self.num[0] * w)

    def fold(self) -> None:
        """Fold the scale back into the weights."""
        for array in (self.W, self.W0, self.C, self.q):
            array *= self.num[0]
        self.num[0] = 1.0

    def reserve(self, capacity: int) -> None:
        """Room for more feature ids."""
        if capacity > len(self.W):
            self.W = padded(self.W, (capacity, self.W.shape[1]))
            self.passes = padded(self.passes, (capacity,))
            self.lens = self.lens.reserved(capacity)

    def widen(self, outputs: int) -> None:
        """Room for more outputs."""
        for field in ("W", "W0", "C", "q"):
            a = getattr(self, field)
            setattr(self, field, padded(a, (len(a), outputs)))

    def _step_survivors(self, x: Point, r: Floats) -> float:
        """Step what passes through untouched; returns its squared norm."""
        val = x.val * self.passes[x.idx]
        self.W[x.idx] -= np.outer(val, r)
        return float(val @ val)

    def _settle(self, omega: Projection) -> None:
        """Clip onto the box (the lens is then the explicit one), fold a scale that has become tiny."""
        if omega.low > -np.inf or omega.high < np.inf:
            self.C[...] = omega(self.C)
            self.W[...] = omega(self.W)
        if self.num[0] < TINY:
            self.fold()
