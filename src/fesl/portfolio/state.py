"""All that the default learner remembers, in one place.

Live features have positions 1, 2, ... (0 is the intercept); arrays have room for `capacity` of them. A feature that
vanishes gives its position up, and what is remembered of it moves to `dead`, a bounded shelf.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from fesl._typing import Bools, Floats, Ints, Name
from fesl.portfolio.constants import (
    BINS,
    CURVE,
    DEAD,
    EXPERTS,
    KEPT,
    KNOTS,
    LABELLED,
    LATELY,
    NEAR,
    OUTAGE,
    PAIRED,
    ROUND,
    ROWS,
    VALUED,
    beside,
    voices,
)
from fesl.portfolio.experts import laplace, pairwise, stacker, values
from fesl.portfolio.experts.student import deviation
from fesl.portfolio.mixture import Account

#: Numbers and whole numbers, one a position each.
READINGS = (
    "mean",
    "q",
    "count",
    "reach",
    "value",
    "repeats",
    "spells",
    "error",
    "checks",
    "worth",
    "level",
    "moves",
    "fresh",
)
LIFE = ("born", "last", "still", "gone_at", "freeze_at")
#: Those of a feature that has vanished.
REMEMBERED = ("mean", "q", "count", "value", "born", "last", "repeats", "spells", "level", "moves")
#: The axes of each array that run over positions.
PLACES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys((*READINGS, *LIFE), (0,)),
    **dict.fromkeys(("w", "w0"), (2,)),
    **dict.fromkeys(("P", "P0"), (1, 2)),
    **dict.fromkeys(("S", "C"), (0, 1)),
    **dict.fromkeys(("H", "A", "V", "codes", "coded", "near_x"), (0,)),
    **dict.fromkeys(("row_x",), (1,)),
}
#: The axis of each array that runs over outputs (classes or targets).
OUTPUTS = {"w": 1, "w0": 1, "H": 1, "A": 1, "coded": 2, "c": 0, "row_F": 1}
#: What stands in an array for a feature that is not there, where it is not zero.
EMPTY = {"row_x": np.nan, "near_x": np.inf, "codes": np.inf}
NOT_USED, TAUGHT, OWN = range(3)


@dataclass
class Dead:
    """What is remembered of a vanished feature; its weights in the units of the targets."""

    mean: float
    q: float
    count: float
    value: float
    born: int
    last: int
    repeats: float
    spells: float
    level: float
    moves: float
    w: Floats
    P: Floats
    H: Floats
    A: Floats
    V: Floats
    codes: Floats
    coded: Floats
    error: float
    rows: int


@dataclass
class Snapshot:
    """The experts as they were before a switch, by the names of their features; the round in which they were, and
    of each position whether its feature was lost since, and whether it was one of their own (`snapshots`)."""

    names: list[Name]
    taken: Ints
    lost: Ints
    own: Ints
    w: Floats
    P: Floats
    S: Floats
    C: Floats
    paired: Ints
    surface: Floats
    y_mean: Floats
    y_sd: Floats


class State:
    """Everything that changes while the learner runs. Predicting reads it; only learning writes it."""

    mean: Floats
    q: Floats
    count: Floats
    reach: Floats
    value: Floats
    repeats: Floats
    spells: Floats
    error: Floats
    checks: Floats
    worth: Floats
    level: Floats
    moves: Floats
    fresh: Floats
    born: Ints
    last: Ints
    still: Ints
    gone_at: Ints
    freeze_at: Ints
    w: Floats
    w0: Floats
    P: Floats
    P0: Floats
    S: Floats
    C: Floats
    H: Floats
    A: Floats
    V: Floats
    codes: Floats
    coded: Floats
    row_x: Floats
    near_x: Floats

    def __init__(self, regression: bool, capacity: int = 8) -> None:
        E, self.regression = len(EXPERTS), regression
        self.names: list[Name] = [None]
        self.index: dict[Name, int] = {}
        self.dead: dict[Name, Dead] = {}
        self.snapshots: list[Snapshot] = []
        self.version = 0  # how often positions have moved
        self.outputs = 0
        # of classes the difference of two weights counts, which varies twice as much
        self.tau: Floats = np.array([e.tau for e in EXPERTS]) * (1.0 if regression else 0.5)
        self.prior: Floats = np.maximum(1.0, self.tau)
        for name in READINGS:
            setattr(self, name, np.zeros(capacity))
        for name in LIFE:
            setattr(self, name, np.zeros(capacity, np.int64))
        self.w, self.w0 = np.zeros((E, 0, capacity)), np.zeros((E, 0, capacity))
        self.P = np.zeros((E, capacity, capacity))
        self.P[:, 0, 0] = self.prior
        self.P0 = self.P.copy()
        self.S, self.C = np.zeros((capacity, capacity)), np.zeros((capacity, capacity))
        self.H, self.c = np.zeros((capacity, 0, BINS)), np.zeros(0)
        self.A, self.V = np.zeros((capacity, 0, KNOTS)), np.zeros((capacity, KNOTS))
        self.V[0, 0] = 1.0
        self.codes, self.coded = values.start(capacity)
        self.paired: Ints = np.zeros(PAIRED, np.int64)
        self.surface = pairwise.start(0)
        # the rows that events are compared with, a ring: a line a feature, and the labels
        self.near_x, self.near_y = np.full((capacity, NEAR), np.inf), np.full((1, NEAR), np.nan)
        # the kept rows, a ring: values by position, label, what it is good for, taught score and its variance
        self.row_x, self.row_y = np.full((ROWS, capacity), np.nan), np.full((ROWS, 1), np.nan)
        self.row_kind, self.row_F, self.row_S = np.zeros(ROWS, np.int64), np.zeros((ROWS, 0)), np.zeros(ROWS)
        self.clock: Ints = np.array([0, 0, 0, 0, 0, pairwise.FIRST, 0], np.int64)
        self.suggested: deque[Any] = deque(maxlen=100)
        self._start_mixture(1)
        # of everyone: the bits lost beyond the forgetting expert when last looked at, by a look, and of late
        self.beyond: Floats = np.zeros(len(self.experts))
        self.usual: Floats = np.zeros(len(self.experts))
        self.behind: Floats = np.zeros(len(self.experts))
        # of a regression: noise, and the targets with the unit that curves and surfaces are told in
        self.shape: Floats = np.ones(len(self.experts) if regression else E)
        self.noise: Floats = np.ones((len(self.shape), 0))
        self.unit: Floats = np.zeros(0)
        self.y_mean: Floats = np.zeros(0)
        self.y_q: Floats = np.zeros(0)
        self.y_reach: Floats = np.zeros(0)  # the furthest from the mean so far
        self.surprised: Floats = np.zeros(0)

    def _start_mixture(self, targets: int) -> None:
        self.a: Floats = np.tile(self.voices, (targets, 1))
        self.wrong: Floats = np.zeros(0 if self.regression else len(self.experts) - 2)  # of late, for the council
        self.account = Account(targets, self.voices)
        b, V = stacker.start(self.experts.index("stacker"), frequencies=not self.regression)
        self.stack_b: Floats = np.tile(b, (targets, 1))
        self.stack_V: Floats = np.tile(V, (targets, 1, 1))

    @property
    def experts(self) -> tuple[str, ...]:
        """The names of the experts."""
        return tuple(e.name for e in EXPERTS) + beside(self.regression, wide=False)

    @property
    def voices(self) -> Floats:
        """The shares of the experts in all voices."""
        return np.array(voices(self.experts))

    @property
    def y_sd(self) -> Floats:
        """The deviations of the targets."""
        return deviation(float(self.clock[LABELLED]), self.y_mean, self.y_q)

    @property
    def n(self) -> int:
        """Positions in use, the intercept's included."""
        return len(self.names)

    @property
    def capacity(self) -> int:
        return len(self.mean)

    def rows(self) -> Ints:
        """The kept rows, oldest first."""
        kept = int(self.clock[KEPT])
        return np.arange(max(0, kept - ROWS), kept) % ROWS

    def newcomers(self) -> Bools:
        """Which features were never seen but in the kept rows."""
        held = (~np.isnan(self.row_x[self.rows(), : self.n])).sum(axis=0)
        return np.asarray(self.count[: self.n] <= held)

    def lately(self) -> list[int]:
        """How many features each of the last LATELY kept rows holds, of those that hold any."""
        held = (~np.isnan(self.row_x[self.rows(), : self.n])).sum(axis=1)
        return [int(k) for k in held if k][-LATELY:]

    def fit_outputs(self, outputs: int) -> None:
        """Room for more classes, or for the targets that the first label brings."""
        more = outputs - self.outputs
        if more <= 0:
            return
        for name, axis in OUTPUTS.items():
            old = getattr(self, name)
            new = np.zeros([k + more * (i == axis) for i, k in enumerate(old.shape)])
            new[tuple(slice(k) for k in old.shape)] = old
            setattr(self, name, new)
        if self.regression:
            self._start_mixture(outputs)
            self.noise, self.unit = np.ones((len(self.shape), outputs)), np.ones(outputs)
            self.surface = pairwise.start(outputs)
            self.y_mean, self.y_q = np.zeros(outputs), np.zeros(outputs)
            self.y_reach, self.surprised = np.zeros(outputs), np.zeros(outputs)
            self.row_y, self.near_y = np.full((ROWS, outputs), np.nan), np.full((outputs, NEAR), np.nan)
        else:
            self._begin_classes(self.outputs, outputs)
        self.outputs = outputs

    def _begin_classes(self, first: int, stop: int) -> None:
        """A class that comes late starts well below the mean of the others; those of the start are level."""
        below = laplace.late(int(self.clock[LABELLED]) if first else 0)
        self.surface = pairwise.widen(self.surface, stop, below)
        if below:
            for w in (self.w, self.w0):
                w[:, first:stop, 0] = (w[:, :first, 0].mean(axis=1) - below)[:, None]
            self.A[0, first:stop, 0] = self.A[0, :first, 0].mean() - below
            level = self.coded[0, 0, values.WEIGHTS :]
            level[first:stop] = level[:first].mean() - below
            self.row_F[:, first:stop] = (self.row_F[:, :first].mean(axis=1) - below)[:, None]

    def reserve(self, more: int) -> None:
        """Room for so many features more."""
        capacity = self.capacity
        while self.n + more > capacity:
            capacity *= 2
        if capacity > self.capacity:
            self._take(np.arange(self.n), capacity)

    def add(self, name: Name, prior: Floats) -> int:
        """A position for a feature; its weights are N(0, prior) unless it is known from before."""
        self.reserve(1)
        j, t = self.n, int(self.clock[ROUND])
        self.names.append(name)
        self.index[name] = j
        self.born[j] = t
        self.last[j] = t - 1
        self.V[j] = CURVE
        self.coded[j, 0, values.VARIANCE] = VALUED
        self.fresh[j] = float((prior / self.tau).max())
        known = self.dead.pop(name, None)
        if known is not None:
            self.fold()
            self.mean[j], self.q[j], self.count[j], self.value[j] = known.mean, known.q, known.count, known.value
            # back soon: it had not gone, so the gap counts as misses. Otherwise the gap is no part of its life
            away = t - known.last - 1
            self.born[j], self.spells[j] = known.born, known.spells + 1.0
            if away > OUTAGE:
                self.born[j], self.spells[j] = known.born + away, known.spells
            self.repeats[j], self.level[j], self.moves[j] = known.repeats, known.level, known.moves
            self.H[j, : known.H.shape[0]], self.V[j] = known.H, known.V
            K = known.A.shape[0]
            self.A[j, :K] = known.A / self._units()[:K, None]
            values.put_back(self.codes[j], self.coded[j], (known.codes, known.coded), self._units())
        self.w[:, :, j], self.P[:, j, j] = 0.0, prior
        if known is not None:
            K, own = known.w.shape[1], [e for e, expert in enumerate(EXPERTS) if not expert.recovers]
            self.w[own, :K, j], self.P[own, j, j] = known.w[own] / self._units()[:K], known.P[own]
        self.w0[:, :, j], self.P0[:, j, j] = self.w[:, :, j], self.P[:, j, j]
        return j

    def reset(self, e: int, ids: Ints, width: float = 1.0) -> None:
        """These weights of an expert back to the prior, or to so many times its variance."""
        self.w[e][:, ids] = 0.0
        self.P[e, ids, :] = 0.0
        self.P[e, :, ids] = 0.0
        self.P[e, ids, ids] = width * self.tau[e]

    def begin_anew(self, e: int, ids: Ints) -> None:
        """These weights of an expert back to the prior, also where rows are learned anew from."""
        self.reset(e, ids)
        for start, now in ((self.w0[e], self.w[e]), (self.P0[e], self.P[e]), (self.P0[e].T, self.P[e].T)):
            start[:, ids] = now[:, ids]

    def bury(self, gone: Ints, errors: Floats, rows: Ints) -> None:
        """Give up the positions of vanished features; the shelf keeps what may be wanted again."""
        self.fold()
        units = self._units()
        for j, error, both in zip(gone.tolist(), errors.tolist(), rows.tolist(), strict=True):
            codes, coded = values.kept(self.codes[j], self.coded[j], units)
            self.dead[self.names[j]] = Dead(
                **{name: getattr(self, name).item(j) for name in REMEMBERED},
                w=self.w[:, :, j] * units,
                P=self.P[:, j, j].copy(),
                H=self.H[j].copy(),
                A=self.A[j] * units[:, None],
                V=self.V[j].copy(),
                codes=codes,
                coded=coded,
                error=error,
                rows=both,
            )
        while len(self.dead) > DEAD:
            self.dead.pop(next(iter(self.dead)))
        self.leave(gone)

    def leave(self, gone: Ints) -> None:
        """Give up these positions, and remember nothing."""
        keep = np.ones(self.n, bool)
        keep[gone] = False
        self._take(np.flatnonzero(keep), self.capacity)

    def _units(self) -> Floats:
        """What weights are to be multiplied by, an output, for the shelf: the deviation of a target moves on."""
        if not self.regression:
            return np.ones(self.outputs)
        return self.y_sd

    def fold(self) -> None:
        """Tell curves, values and surfaces in the unit of now."""
        if self.regression:
            self.A *= self.unit[:, None]
            self.coded[:, :, values.WEIGHTS :] *= self.unit
            self.surface[:, :, 1:] *= self.unit
            self.unit[:] = 1.0

    def _take(self, keep: Ints, capacity: int) -> None:
        """Arrays with these positions only, in this order, and room for so many."""
        m = len(keep)
        self.version += 1
        self.names = [self.names[j] for j in keep.tolist()]
        self.index = {name: j for j, name in enumerate(self.names) if j}
        now = np.zeros(self.capacity, np.int64)
        now[keep] = np.arange(m)
        self.paired[:] = now[self.paired]
        pairwise.keep(self.paired, self.surface, self.paired > 0)
        for field, axes in PLACES.items():
            old = getattr(self, field)
            shape = [capacity if i in axes else k for i, k in enumerate(old.shape)]
            new = np.full(shape, EMPTY.get(field, 0), old.dtype)
            to = tuple(slice(m) if i in axes else slice(None) for i in range(old.ndim))
            for axis in axes:
                old = old.take(keep, axis=axis)
            new[to] = old
            setattr(self, field, new)
