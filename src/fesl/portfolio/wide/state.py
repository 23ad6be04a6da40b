"""What a wide learner remembers: the same beliefs with diagonal covariances, one row a feature.

A feature keeps its place when it vanishes: what is absent weighs nothing, and what is known is there when it comes
back. Beyond BUDGET features those longest unseen are let go.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.portfolio import mixture
from fesl.portfolio.constants import (
    BUDGET,
    EXPERTS,
    GAMMA,
    INSIDE,
    KEPT,
    LABELLED,
    LATELY,
    ROUND,
    ROWS,
    SINCE,
    WIDE_EXPERTS,
    beside,
    voices,
)
from fesl.portfolio.experts import laplace, stacker
from fesl.portfolio.experts.student import deviation
from fesl.portfolio.inputs.scaling import variance
from fesl.portfolio.mixture import Account
from fesl.portfolio.state import Dead, State

#: Arrays with one row a place.
PLACES = ("mean", "q", "count", "level", "moves", "born", "last", "asleep", "steady", "followed", "w", "P", "H")


class WideRow:
    """A kept row: places, values, the label if it had one, and what the experts taught of it, if anything."""

    __slots__ = ("F", "S", "idx", "val", "y")

    def __init__(self, idx: Ints, val: Floats, y: Sequence[float] | Floats | None) -> None:
        self.idx, self.val = idx, val
        self.y = None if y is None else tuple(map(float, y))
        self.F: Floats | None = None
        self.S = 0.0


class WideState:
    """The narrow state at the moment when it became too wide, taken over; what of it goes on inside, if any does,
    is `inner`."""

    def __init__(self, old: State, centred: bool) -> None:
        n, K = old.n, old.outputs
        self.regression, self.outputs, self.centred = old.regression, K, centred
        stays = [e for e, expert in enumerate(EXPERTS) if expert in WIDE_EXPERTS]
        self.tau, self.prior = old.tau[stays], old.prior[stays]
        self.names, self.index, self.version = list(old.names), dict(old.index), old.version + 1
        self.account, self.clock, self.c = copy.deepcopy(old.account), old.clock.copy(), old.c.copy()
        self.inner: State | None = None
        self._leave_behind(old)
        self.y_mean, self.y_q = old.y_mean.copy(), old.y_q.copy()
        self.y_reach, self.surprised = old.y_reach.copy(), old.surprised.copy()
        self.unit = np.ones(len(self.y_mean))  # of a regression: that the weights are told in
        self.dead: dict[Name, Dead] = {}
        self.suggested: deque[Any] = old.suggested
        self.free: list[int] = []
        self.mean, self.q, self.count = old.mean.copy(), old.q.copy(), old.count.copy()
        self.level, self.moves = old.level.copy(), old.moves.copy()
        self.born, self.last = old.born.copy(), old.last.copy()
        self.asleep, self.steady = np.zeros(old.capacity, bool), np.zeros(old.capacity, bool)
        self.followed = np.zeros(old.capacity, bool)  # inside
        self.w: Floats = np.ascontiguousarray(old.w[stays].transpose(2, 0, 1))
        self.P: Floats = np.ascontiguousarray(np.diagonal(old.P[stays], axis1=1, axis2=2).T)
        self.H: Floats = old.H.sum(axis=2)
        kept = int(old.clock[KEPT])
        self.rows: deque[WideRow] = deque(maxlen=ROWS)
        for i in range(max(0, kept - ROWS), kept):
            x, y = old.row_x[i % ROWS, :n], old.row_y[i % ROWS]
            there = np.flatnonzero(~np.isnan(x))
            self.rows.append(WideRow(there, x[there], None if np.isnan(y[0]) else y))
        # how many features of old an event usually holds; how many events in a row hold hardly any now, how many
        # did before, and in how many spells
        self.expect, self.missed, self.misses, self.spells = 0.0, 0, 0, 0
        self.settle = int(old.clock[ROUND]) + 8
        self.look = 0  # the round before which newcomers are looked at; 0: there are none
        assert self.w.shape[1:] == (len(WIDE_EXPERTS), K)

    def _leave_behind(self, old: State) -> None:
        """Who whitens, curves, values, surfaces and neighbours stay behind. The shares of the others can only grow
        by that, so the bound stands."""
        self.experts = tuple(e.name for e in WIDE_EXPERTS) + beside(old.regression, wide=True)
        stays = np.array([name in self.experts for name in old.experts])
        a = np.ascontiguousarray(old.a[:, stays])
        self.a: Floats = a / a.sum(axis=1, keepdims=True)
        self.account.experts = np.ascontiguousarray(self.account.experts[:, stays])
        heard = np.flatnonzero(stays[: old.stack_b.shape[1]])  # of classes the frequencies are in its own place
        self.stack_b: Floats = np.ascontiguousarray(old.stack_b[:, heard])
        self.stack_V: Floats = np.ascontiguousarray(old.stack_V[:, heard][:, :, heard])
        self.wrong = old.wrong[stays[: len(old.wrong)]]
        noisy = stays[: len(old.shape)]
        self.shape, self.noise = old.shape[noisy], old.noise[noisy]

    def keep_inside(self, old: State) -> None:
        """The narrow learner goes on with those that are followed, in place of who stayed behind: it takes their
        weight and their powers."""
        lost = np.array([name not in self.experts for name in old.experts])
        heard = np.flatnonzero(lost[: old.stack_b.shape[1]])
        doubts = np.diagonal(old.stack_V, axis1=1, axis2=2)[:, heard].mean(axis=1)
        self._admit(old, old.a[:, lost].sum(axis=1), old.stack_b[:, heard].sum(axis=1), doubts)
        old.leave(np.flatnonzero(~self.followed[: old.n])[1:])
        old.snapshots.clear()

    def begin_inside(self) -> None:
        """A narrow learner begins, before the kept rows."""
        inner, G = State(self.regression), len(self.a)
        inner.clock[[ROUND, SINCE]] = self.clock[ROUND] - len(self.rows)
        inner.fit_outputs(self.outputs)
        variance = stacker.START / self.experts.index("stacker")
        self._admit(inner, np.zeros(G), np.zeros(G), np.full(G, variance))

    def _admit(self, inner: State, weight: Floats, power: Floats, doubt: Floats) -> None:
        """One more expert, before the stacker, that has cost so far what the mixture has. It gets its share of a
        share step, by which the bound stands."""
        at = self.experts.index("stacker")
        self.inner, inner.suggested = inner, self.suggested
        self.experts = (*self.experts[:at], INSIDE, *self.experts[at:])
        self.a = np.insert(self.a * (1.0 - weight)[:, None], at, weight, axis=1)
        self.account.experts = np.insert(self.account.experts, at, self.account.mixture, axis=1)
        self.stack_b = np.insert(self.stack_b, at, power, axis=1)
        self.stack_V = np.insert(np.insert(self.stack_V, at, 0.0, axis=1), at, 0.0, axis=2)
        self.stack_V[:, at, at] = doubt
        if self.regression:
            self.shape, self.noise = np.insert(self.shape, at, 1.0), np.insert(self.noise, at, 1.0, axis=0)
        else:
            self.wrong = np.insert(self.wrong, at, self.wrong.mean())
        mixture.share(self.a, GAMMA, self.account, self.voices)

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
        return len(self.names)

    def lately(self) -> list[int]:
        """How many features each of the last LATELY kept rows holds, of those that hold any."""
        return [len(row.idx) for row in self.rows if len(row.idx)][-LATELY:]

    def places(self) -> Ints:
        """Those that have a feature."""
        return np.array(list(self.index.values()), np.int64)

    def table(self, rows: list[WideRow], places: Ints) -> Floats:
        """What these rows hold of these places, NaN where nothing."""
        X = np.full((len(rows), len(places)), np.nan)
        if rows and len(places):
            idx, val = np.concatenate([row.idx for row in rows]), np.concatenate([row.val for row in rows])
            column = np.full(len(self.mean), -1)
            column[places] = np.arange(len(places))
            at, column = np.repeat(np.arange(len(rows)), [len(row.idx) for row in rows]), column[idx]
            wanted = column >= 0
            X[at[wanted], column[wanted]] = val[wanted]
        return X

    def scales(self, j: Ints) -> tuple[Floats, Floats]:
        """Standard deviations and root mean squares. What does not vary is as wide as it is large; what was seen n
        times varies by an n-th of that at least, for a few values may be alike by chance."""
        n = np.maximum(self.count[j], 1.0)
        v = variance(self.count[j], self.mean[j], self.q[j])
        power = self.q[j] / n + self.mean[j] ** 2
        rms = np.sqrt(np.where(power > 0.0, power, 1.0))
        return np.where(v > 0.0, np.maximum(np.sqrt(v), rms / n), rms), rms

    def fold(self) -> None:
        """Tell the weights in the unit of now."""
        self.w *= self.unit
        self.unit[:] = 1.0

    def fit_outputs(self, outputs: int) -> None:
        more = outputs - self.outputs
        if more <= 0:
            return
        first, labelled = self.outputs, int(self.clock[LABELLED])
        self.w = np.pad(self.w, [(0, 0), (0, 0), (0, more)])
        self.H, self.c = np.pad(self.H, [(0, 0), (0, more)]), np.pad(self.c, [(0, more)])
        for row in self.rows:
            row.F = None
        if self.inner is not None:
            self.inner.fit_outputs(outputs)
        if self.regression:
            self.a, self.account = np.tile(self.voices, (outputs, 1)), Account(outputs, self.voices)
            self.stack_b = np.tile(self.stack_b[0], (outputs, 1))
            self.stack_V = np.tile(self.stack_V[0], (outputs, 1, 1))
            self.noise = np.ones((len(self.shape), outputs))
            self.y_mean, self.y_q = np.zeros(outputs), np.zeros(outputs)
            self.y_reach, self.surprised = np.zeros(outputs), np.zeros(outputs)
            self.unit = np.ones(outputs)
        elif first:
            self.w[0, :, first:] = (self.w[0, :, :first].mean(axis=1) - laplace.late(labelled))[:, None]
        self.outputs = outputs

    def add(self, names: list[Name], prior: Floats, beside: Ints) -> Ints:
        """Places for new features, that come beside these."""
        if self.n - len(self.free) + len(names) > BUDGET:
            self.let_go(max(len(names), BUDGET // 10), beside)
        places = [self.free.pop() for _ in range(min(len(self.free), len(names)))]
        top = self.n
        more = range(top, top + len(names) - len(places))
        self.names.extend([None] * len(more))
        places = [*places, *more]
        if self.n > len(self.mean):
            self._reserve(max(2 * len(self.mean), self.n))
        j, t = np.array(places, np.int64), int(self.clock[ROUND])
        for name, place in zip(names, places, strict=True):
            self.names[place] = name
            self.index[name] = place
        self.mean[j] = self.q[j] = self.count[j] = self.level[j] = self.moves[j] = 0.0
        self.born[j], self.last[j] = t, t - 1
        self.asleep[j] = self.steady[j] = self.followed[j] = False
        self.w[j], self.H[j], self.P[j] = 0.0, 0.0, prior
        return j

    def let_go(self, many: int, beside: Ints) -> None:
        """Forget those longest unseen, inside, too, but for those that are here now, or followed."""
        used = self.places()
        used = np.setdiff1d(used[~self.followed[used]], beside)
        gone = used[np.argsort(self.last[used], kind="stable")[:many]]
        for place in gone.tolist():
            del self.index[self.names[place]]
            if self.inner is not None:
                self.inner.dead.pop(self.names[place], None)
            self.names[place] = None
        self.free.extend(gone.tolist())
        self.asleep[gone] = self.steady[gone] = self.followed[gone] = False
        for row in self.rows:
            stays = ~np.isin(row.idx, gone)
            row.idx, row.val = row.idx[stays], row.val[stays]
        self.version += 1

    def _reserve(self, capacity: int) -> None:
        for field in PLACES:
            old = getattr(self, field)
            new = np.zeros((capacity, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, field, new)
