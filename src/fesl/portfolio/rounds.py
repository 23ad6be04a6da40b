"""One round, in NumPy: what the compiled core does, line by line to be read.

Predict: standardise, recover what is absent, let every expert speak, mix. Learn: count the row in the statistics,
do the same, then weigh the experts by what they gave to the label, share, and let every expert take its step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fesl._typing import Event, Floats, Ints
from fesl.models import Point
from fesl.portfolio import classes, mixture, targets
from fesl.portfolio.changes.lives import aged, due, stillness
from fesl.portfolio.constants import (
    CHECK,
    EXPERTS,
    KEPT,
    LABELLED,
    NEAR,
    OFF,
    ROUND,
    ROWS,
    STILL,
)
from fesl.portfolio.experts import additive, laplace, naive_bayes, neighbours, pairwise, stacker, student, values
from fesl.portfolio.inputs.moments import expected
from fesl.portfolio.inputs.scaling import counted, held, variance
from fesl.portfolio.state import OWN, State
from fesl.portfolio.views import Inputs, reached, seen


class Round:
    """The rounds of the core in NumPy."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.news = False

    def bind(self) -> None:
        """The arrays of the state were replaced."""

    # One event in a single call: not here

    def learn_event(self, x: Event, y: Any) -> bool:
        """Learn from an ordinary event; False: it needs attention, and nothing was changed."""
        return False

    def predict_event(self, x: Event) -> list[float] | None:
        """The prediction for an ordinary event; None: it needs attention."""
        return None

    def run_block(
        self,
        X: Floats,
        places: Ints,
        Y: Floats | None,
        scores: Floats,
        experts: Floats,
        weights: Floats,
        start: int,
        stop: int,
    ) -> int:
        """Rows of a table in a single call; returns the row that needs attention."""
        return start

    # Predicting

    def predict(self, x: Point) -> Floats:
        """Class probabilities, or one number a target; changes nothing."""
        st = self.state
        if st.regression:
            if not st.clock[LABELLED]:
                return np.zeros(st.outputs)
            return targets.mixed(st, self._forecasts(seen(st, x, ahead=True))[0])
        return mixture.mixed(st.a[0], self.opinions(x))

    def opinions(self, x: Point) -> Floats:
        """What each expert predicts (M x K); changes nothing."""
        st, inputs = self.state, seen(self.state, x, ahead=True)
        if not st.regression:
            return self._chances(inputs, *self._margins(inputs)[:2])
        m = self._forecasts(inputs)[0]
        return np.asarray(st.y_mean + st.y_sd * m)

    def _project(self, e: int, u: Floats) -> tuple[Floats, float, Floats]:
        """m = w u, s = u'Pu, Pu."""
        st, n = self.state, self.state.n
        Pu = st.P[e, range(n), range(n)] * u if EXPERTS[e].diagonal else st.P[e, :n, :n] @ u
        return st.w[e, :, :n] @ u, max(0.0, float(u @ Pu)), Pu

    def _margins(self, inputs: Inputs) -> tuple[Floats, list[float], list[Floats]]:
        found = [self._project(e, inputs.of(e)) for e in range(len(EXPERTS))]
        return np.array([f[0] for f in found]), [f[1] for f in found], [f[2] for f in found]

    def _chances(self, inputs: Inputs, m: Floats, s: list[float]) -> Floats:
        """Everyone's class probabilities, M x K."""
        st = self.state
        j, u = inputs.present, inputs.u[inputs.present]
        p = [laplace.predictive(m[e], s[e]) for e in range(len(EXPERTS))]
        p.append(laplace.softmax(naive_bayes.score(st.H, st.c, j, u)))
        p.append(laplace.predictive(*additive.project(st.A, st.V, j, u)))
        p.append(laplace.predictive(*values.project(st.coded, j, self._valued(inputs), u)))
        at = pairwise.touched(st.paired, j, inputs.u)
        said, v = pairwise.project(st.surface, at)
        p.append(laplace.predictive(pairwise.margins(said), v))
        w, labels = self._alike(inputs)
        p.append(neighbours.chances(w, labels[0], st.c))
        return classes.joined(st, np.array(p))

    def _valued(self, inputs: Inputs, least: float = 1.0) -> Ints:
        """Where in `coded` the values stand."""
        st = self.state
        return values.look_up(st.codes, st.coded, inputs.present, inputs.x, inputs.q, least)

    def _alike(self, inputs: Inputs) -> tuple[Floats, Floats]:
        """The weights of the rows that the event is compared with, and their labels (Y x rows)."""
        st, j = self.state, inputs.present
        rows = slice(min(int(st.clock[LABELLED]), NEAR))
        return neighbours.weights(st.near_x[:, rows], j, inputs.x, inputs.q, st.worth[j]), st.near_y[:, rows]

    # Learning

    def learn(self, x: Point, y: Sequence[float] | Floats | None) -> None:
        """One round; every feature of x is live. Without a label only the inputs are counted."""
        st = self.state
        self._count(x)
        inputs = seen(st, x, ahead=False, recover=y is not None)
        if y is not None:
            if st.regression:
                n = np.full(st.outputs, float(st.clock[LABELLED]))
                y = held(np.asarray(y, np.float64), n, st.y_mean, st.y_q, OFF)
                self._learn_numbers(inputs, y)
            else:
                self._learn_class(inputs, int(y[0]))
            st.clock[LABELLED] += 1
        values.notice(st.codes, st.coded, x.idx, x.val)
        self._check(inputs)
        self._keep(x, y)
        j = x.idx
        st.S[np.ix_(j, j)] += np.multiply.outer(inputs.u[j], inputs.u[j])
        st.C[np.ix_(j, j)] += 1.0
        st.clock[ROUND] += 1
        self.news = self.news or aged(st)

    def learn_ordinary(self, x: Point, y: Sequence[float] | Floats | None) -> bool:
        """The same, where the round needs no attention; False: it does, and nothing was changed."""
        if due(self.state, x.idx):
            return False
        self.learn(x, y)
        return True

    def _count(self, x: Point) -> None:
        st, j = self.state, x.idx
        same = (x.val == st.value[j]) & (st.count[j] > 0.0)
        st.still[j] = np.where(same, st.still[j] + 1, 0)
        st.repeats[j] += same
        for i in j[same & (st.still[j] == STILL)].tolist():
            st.freeze_at[i] = stillness(float(st.repeats[i]) - STILL, float(st.count[i] - st.repeats[i]))
        self.news = bool((same & (st.still[j] >= STILL) & (st.still[j] == st.freeze_at[j])).any())
        st.spells[j] += (st.count[j] > 0.0) & (st.last[j] < st.clock[ROUND] - 1)
        st.value[j] = x.val
        before = st.mean[j], variance(st.count[j], st.mean[j], st.q[j])
        if st.regression:
            st.reach[j] = np.maximum(st.reach[j], np.abs(reached(st, x, ahead=True) - st.mean[j]))
        st.count[j], st.mean[j], st.q[j] = counted(x.val, st.count[j], st.mean[j], st.q[j])
        st.last[j] = st.clock[ROUND]
        st.gone_at[j] = 0
        if st.regression:
            self._move(j, *before)

    def _move(self, j: Ints, mean: Floats, v: Floats) -> None:
        """Means and variances of these features were such. Plain weights move with them, so that they stand for the
        line that they stood for."""
        st = self.state
        now = variance(st.count[j], st.mean[j], st.q[j])
        ratio = np.sqrt(np.where((v > 0.0) & (now > 0.0), now / np.where(v > 0.0, v, 1.0), 1.0))
        shift = np.where((v > 0.0) & (now > 0.0), (st.mean[j] - mean) / np.sqrt(np.where(v > 0.0, v, 1.0)), 0.0)
        for e, expert in enumerate(EXPERTS):
            for w in (st.w[e], st.w0[e]) if expert.plain else ():
                w[:, 0] += w[:, j] @ shift
                w[:, j] *= ratio

    def _learn_class(self, inputs: Inputs, y: int) -> None:
        st = self.state
        m, s, Pu = self._margins(inputs)
        classes.weigh(st, self._chances(inputs, m, s), y)
        for e in range(len(EXPERTS)):
            self._step(e, m[e], s[e], Pu[e], np.array([float(y)]))
        naive_bayes.count(st.H, st.c, inputs.present, inputs.u[inputs.present], y)
        self._bend_class(inputs, y)

    def _bend_class(self, inputs: Inputs, y: int, least: float = 1.0) -> None:
        """Curves, values (seen so often) and surfaces learn a class."""
        st, j, u = self.state, inputs.present, inputs.u[inputs.present]
        additive.learn(st.A, st.V, j, u, *laplace.pull(*additive.project(st.A, st.V, j, u), y))
        its = self._valued(inputs, least)
        values.learn(st.coded, j, its, u, *laplace.pull(*values.project(st.coded, j, its, u), y))
        at = pairwise.touched(st.paired, j, inputs.u)
        said, v = pairwise.project(st.surface, at)
        g, c = laplace.pull(pairwise.margins(said), v, y)
        pairwise.learn(st.surface, at, g[1:], c)

    def _learn_numbers(self, inputs: Inputs, y: Floats) -> None:
        st, E = self.state, len(EXPERTS)
        y, moved = self._scaled(y)
        m, s, Pu = self._forecasts(inputs, moved)
        before = st.surprised.copy()
        taken = targets.weigh(st, y, m, s)
        for k in np.flatnonzero((st.surprised != 0.0) & (st.surprised == before)):
            width = student.leap(y[k] - m[:E, k], st.shape[:E], st.noise[:E, k])
            st.P[:, 0, 0] += width
            s[:E] += width[:, None]
            for each, more in zip(Pu, width, strict=True):
                each[0] += more
        for e in range(E):
            self._step(e, m[e], float(s[e, 0]), Pu[e], taken)
        for e in range(E, len(m)):
            self._noted(e, taken - m[e], s[e])
        stacker.fit(st.stack_b, st.stack_V, m[:-1], taken, moved)
        self._bend_numbers(inputs, taken)

    def _bend_numbers(self, inputs: Inputs, y: Floats, least: float = 1.0) -> None:
        """Curves, values (seen so often) and surfaces learn numbers."""
        st, j, u = self.state, inputs.present, inputs.u[inputs.present]
        m, s = additive.project(st.A, st.V, j, u)
        additive.learn(st.A, st.V, j, u, (y - m * st.unit) / (1.0 + s) / st.unit, 1.0)
        its = self._valued(inputs, least)
        m, s = values.project(st.coded, j, its, u)
        values.learn(st.coded, j, its, u, (y - m * st.unit) / (1.0 + s) / st.unit, 1.0)
        at = pairwise.touched(st.paired, j, inputs.u)
        m, s = pairwise.project(st.surface, at)
        pairwise.learn(st.surface, at, (y - m * st.unit) / (1.0 + s) / st.unit, 1.0)

    def _forecasts(
        self, inputs: Inputs, moved: stacker.Moved = stacker.AS_IT_WAS
    ) -> tuple[Floats, Floats, list[Floats]]:
        """The margins of all experts of a regression and their variances, M x K, with what the linear ones need to
        learn."""
        st = self.state
        m, s, Pu = self._margins(inputs)
        j, u = inputs.present, inputs.u[inputs.present]
        curved = [
            additive.project(st.A, st.V, j, u),
            values.project(st.coded, j, self._valued(inputs), u),
            pairwise.project(st.surface, pairwise.touched(st.paired, j, inputs.u)),
        ]
        alike, v = self._forecast_alike(inputs, moved)
        m = np.concatenate([m, [f * st.unit for f, _ in curved], [alike]])
        s = [*s, *(each for _, each in curved), v]
        return *stacker.joined(st.stack_b, st.stack_V, m, np.array(s), moved), Pu

    def _forecast_alike(self, inputs: Inputs, moved: stacker.Moved) -> tuple[Floats, float]:
        """What the neighbours say, about the mean from before the target was counted."""
        st, shift = self.state, moved[1]
        counted = moved is not stacker.AS_IT_WAS  # the target is one of those that count already
        sd = student.deviation(float(st.clock[LABELLED] + counted), st.y_mean, st.y_q)
        w, y = self._alike(inputs)
        m, s = neighbours.forecast(w, y - (st.y_mean + shift * sd)[:, None])
        return m / sd + shift, s

    def _scaled(self, y: Floats) -> tuple[Floats, stacker.Moved]:
        """Count y in its own statistics; weights and noise move with them, so that no prediction changes."""
        st = self.state
        y, ratio, shift = targets.count(st, y)
        for w in (st.w, st.w0):
            w[:, :, : st.n] *= ratio[:, None]
            w[:, :, 0] += shift
        st.row_F *= ratio
        st.row_F += shift
        st.A[0, :, 0] += shift / st.unit
        st.coded[0, 0, values.WEIGHTS :] += shift / st.unit
        st.surface[0, 0, 1:] += shift / st.unit
        return y, (ratio, shift)

    def _noted(self, e: int, gap: Floats, s: float | Floats) -> None:
        """Expert e of a regression was wrong by the gap, and noise is as large as that tells."""
        st = self.state
        st.shape[e], st.noise[e] = student.noted(st.shape[e], st.noise[e], gap, s)

    def _step(self, e: int, m: Floats, s: float, Pu: Floats, y: Floats) -> None:
        st, n, keep = self.state, self.state.n, EXPERTS[e].keep
        if st.regression:
            self._noted(e, y - m, s)
        if EXPERTS[e].diagonal:
            g, h = ((y - m) / (1.0 + s), 1.0) if st.regression else laplace.pull(m, s, int(y[0]))
            st.w[e, :, :n] += np.multiply.outer(g, Pu)
            v = st.P[e, range(n), range(n)]
            st.P[e, range(n), range(n)] = v * v / (v + h * Pu * Pu)
        elif st.regression:
            student.learn(st.w[e, :, :n], st.P[e, :n, :n], m, s, Pu, y, 1.0, 1.0)
        else:
            laplace.learn(st.w[e, :, :n], st.P[e, :n, :n], m, s, Pu, int(y[0]))
        if keep < 1.0:
            own = np.arange(n)
            low = own[st.P[e, own, own] < st.tau[e]]
            st.P[e, low, low] += (1.0 - keep) * st.tau[e]

    def _check(self, inputs: Inputs) -> None:
        """Now and then, how well is a present feature recovered from the others?"""
        st, t = self.state, int(self.state.clock[ROUND])
        if t % CHECK or st.n < 3:
            return
        j = 1 + t // CHECK % (st.n - 1)
        if j in inputs.present:
            found = expected(inputs.u, inputs.present[inputs.present != j], np.array([j]), st.S, st.C)
            st.error[j] += (inputs.u[j] - float(found[0])) ** 2
            st.checks[j] += 1.0

    def _keep(self, x: Point, y: Sequence[float] | Floats | None) -> None:
        st = self.state
        i = int(st.clock[KEPT]) % ROWS
        st.row_x[i] = np.nan
        st.row_x[i, x.idx] = x.val
        st.row_y[i] = np.nan if y is None else y
        st.row_kind[i] = OWN
        st.clock[KEPT] += 1
        if y is not None:
            i = int(st.clock[LABELLED] - 1) % NEAR
            st.near_x[:, i] = np.inf
            st.near_x[x.idx, i] = x.val
            st.near_y[:, i] = y
