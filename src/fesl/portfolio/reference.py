"""The core in NumPy: the rounds, and what is done with the kept rows (`memory` says why)."""

from __future__ import annotations

from math import sqrt
from typing import TypeAlias

import numpy as np

from fesl._typing import Bools, Floats, Ints
from fesl.models import Point
from fesl.portfolio.constants import CLIP, CURVE, DOUBT, EXPERTS, HEED, PASSES, TEACH, VALUED
from fesl.portfolio.experts import naive_bayes, pairwise, student
from fesl.portfolio.experts.values import VARIANCE, WEIGHTS
from fesl.portfolio.inputs.moments import expected
from fesl.portfolio.inputs.scaling import standard
from fesl.portfolio.mixture import trusted
from fesl.portfolio.rounds import Round
from fesl.portfolio.state import NOT_USED, OWN, TAUGHT
from fesl.portfolio.views import Inputs, absent, seen

#: Kept rows as the experts see them, with their labels.
Lessons: TypeAlias = list[tuple[Inputs, Floats]]


class Reference(Round):
    """The core in NumPy."""

    busy = False
    compiled = False

    def _row(self, i: int) -> Point:
        x = self.state.row_x[i, : self.state.n]
        there = np.flatnonzero(~np.isnan(x))
        return Point(there, x[there])

    def teach(self, gone: Ints) -> None:
        """Write down what the experts, as they are, say of every kept row that holds what is gone."""
        st, E = self.state, len(EXPERTS)
        trust = trusted(st.a, E)
        for i in st.rows().tolist():
            if np.isnan(st.row_x[i, gone]).all():
                st.row_kind[i] = NOT_USED
                continue
            inputs = seen(st, self._row(i), ahead=False, recover=False)
            found = [self._project(e, inputs.of(e)) for e in range(E)]
            m = np.array([f[0] for f in found])
            F = trust @ m
            spread = float((trust @ (m * m) - F * F).mean()) if st.outputs else 0.0
            st.row_kind[i], st.row_F[i] = TAUGHT, F
            st.row_S[i] = sum(a * f[1] for a, f in zip(trust.tolist(), found, strict=True)) + max(0.0, spread)

    def relearn(self, own: bool) -> None:
        """From the saved start through the kept rows: taught ones by their score, own ones (where asked for) by
        their label, all with the statistics of now."""
        st = self.state
        who = [e for e, expert in enumerate(EXPERTS) if own or expert.recovers]
        st.w[who], st.P[who] = st.w0[who], st.P0[who]
        if own and st.regression:
            st.shape[who] = 1.0
            st.noise[who] = 1.0
        for i in st.rows().tolist():
            if st.row_kind[i] == TAUGHT:
                self._relearn_taught(i)
            elif st.row_kind[i] == OWN and own and not np.isnan(st.row_y[i, 0]):
                self._relearn_own(i)

    def _relearn_taught(self, i: int) -> None:
        st, n = self.state, self.state.n
        x = self._row(i)
        inputs = seen(st, x, ahead=False, recover=False)
        away = absent(st, x.idx)
        for e, expert in enumerate(EXPERTS):
            if expert.recovers:
                m, s, Pu = self._project(e, inputs.of(e))
                r, S = TEACH + max(0.0, float(st.P[e, away, away].sum())), float(st.row_S[i])
                noise = r + HEED * S, r + DOUBT * S
                student.learn(st.w[e, :, :n], st.P[e, :n, :n], m, s, Pu, st.row_F[i], *noise)

    def _relearn_own(self, i: int) -> None:
        y = self._label(i)
        inputs = seen(self.state, self._row(i), ahead=False)
        for e in range(len(EXPERTS)):
            self._step(e, *self._project(e, inputs.of(e)), y)

    def inverse(self, Z: Floats, ridge: Floats) -> Floats:
        """(Z'Z + diag ridge)^-1, by one step a row of Z."""
        G = np.diag(1.0 / ridge)
        for z in Z:
            Gz = G @ z
            Gz /= sqrt(1.0 + float(z @ Gz))
            G -= np.multiply.outer(Gz, Gz)
        return G

    def misses(self, gone: Ints, rows: Ints) -> tuple[Floats, Ints]:
        """The squared errors of what remains about these features, in these rows, and in how many it tells each."""
        st = self.state
        square, count = np.zeros(len(gone)), np.zeros(len(gone), np.int64)
        for i in rows.tolist():
            x = self._row(i)
            u = seen(st, x, ahead=False, recover=False).u
            present, which = np.setdiff1d(x.idx, gone), np.flatnonzero(np.isin(gone, x.idx))
            if len(present):
                square[which] += (u[gone[which]] - expected(u, present, gone[which], st.S, st.C)) ** 2
                count[which] += 1
        return square, count

    def lessons(self) -> Lessons:
        """The labelled kept rows, and of each what the experts see of it now."""
        st = self.state
        rows = [i for i in st.rows().tolist() if not np.isnan(st.row_y[i, 0])]
        return [(seen(st, self._row(i), ahead=False, recover=False), self._label(i)) for i in rows]

    def recount(self, told: Lessons, whole: Bools) -> None:
        """The counts of naive Bayes, of these rows alone, for the features (0: the classes) that are whole."""
        st = self.state
        st.H[whole] = 0.0
        if whole[0]:
            st.c[:] = 0.0
        for inputs, y in told:
            j = inputs.present[whole[inputs.present]]
            st.H[j, int(y[0]), naive_bayes.bins(inputs.u[j])] += 1.0
            st.c[int(y[0])] += float(whole[0])

    def practise(self, told: Lessons, whole: Bools, tables: Bools) -> None:
        """These rows PASSES times, through curves, values that came again, and surfaces: those of features (0: the
        intercept) that are `whole`, and these tables, from the start; the others stay as they are."""
        st = self.state
        U, G = st.coded[:, :, VARIANCE], st.surface[:, :, 0]
        before = st.V.copy(), U.copy(), G.copy()
        st.A[whole], st.coded[whole, :, WEIGHTS:], st.surface[tables, :, 1:] = 0.0, 0.0, 0.0
        st.V[~whole], U[~whole], G[~tables] = 0.0, 0.0, 0.0
        try:
            for _ in range(PASSES):
                st.V[whole], U[whole], G[tables] = CURVE, VALUED, CURVE
                if whole[0]:
                    st.V[0] = U[0] = 0.0
                    st.V[0, 0] = U[0, 0] = G[0, 0] = 1.0
                for inputs, y in told:
                    if st.regression:
                        self._bend_numbers(inputs, y, 2.0)
                    else:
                        self._bend_class(inputs, int(y[0]), 2.0)
        finally:  # whoever stops us here must not leave frozen what was to rest
            st.V[~whole], U[~whole], G[~tables] = before[0][~whole], before[1][~whole], before[2][~tables]

    def telling(self) -> Floats:
        """How much each feature tells about the class by itself."""
        return pairwise.telling(self.state.H[: self.state.n])

    def as_usual(self) -> bool:
        """Whether the statistics fit the kept rows, for sure: then it is noted that they were looked at."""
        return False

    def cut(self, ids: Ints) -> tuple[Floats, Floats]:
        """These features in the kept rows, in deviations cut at CLIP, 0 where absent; how often each is there."""
        st = self.state
        x = st.row_x[np.ix_(st.rows(), ids)]
        there = ~np.isnan(x)
        z = standard(np.where(there, x, 0.0), st.count[ids], st.mean[ids], st.q[ids])
        return np.where(there, np.clip(z, -CLIP, CLIP), 0.0), there.sum(axis=0).astype(np.float64)

    def _label(self, i: int) -> Floats:
        """Of a kept row: a class, or numbers in deviations of now."""
        st = self.state
        y: Floats = st.row_y[i]
        if not st.regression:
            return y
        return np.asarray((y - st.y_mean) / st.y_sd)
