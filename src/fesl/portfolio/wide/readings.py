"""The readings of a wide learner, in a narrow one inside it, which is one more expert.

Beside thousands of words, or a feature a shop, an event may hold the same few sensors ever again; and among
hundreds of sensors a few may tell most. A wide learner follows lines only, each by itself; but what sensors say may
be curved, they go together, can be recovered from each other, and die one by one. So a narrow learner goes on with
READINGS of them (`choice`), and what it says, mixture that it is, is heard in the wide mixture and by the wide
stacker. If the learner was narrow before, it is that learner without all else, and takes the weight and the powers
of the experts that a wide one has not; otherwise it begins with the kept rows.

Who is followed from now on is known inside from its birth, by what the kept rows hold of it: both keep the same
rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.models import Point
from fesl.portfolio.changes import attention
from fesl.portfolio.changes.lives import Kind, Log, due, overdue
from fesl.portfolio.constants import LABELLED, LATE, READINGS, ROUND
from fesl.portfolio.inputs.scaling import squashed
from fesl.portfolio.reference import Reference
from fesl.portfolio.wide import choice
from fesl.portfolio.wide.state import WideState


class Readings:
    """The core of the narrow learner inside."""

    def __init__(self, core: Reference) -> None:
        self.core = core
        self._where: tuple[int, ...] = ()

    def say(self, st: WideState, x: Point) -> Floats:
        """What it predicts of an event of the wide learner; changes nothing."""
        if st.regression and not self.core.state.clock[LABELLED]:
            return st.y_mean.copy()
        return self.core.predict(self._part(st, x)[0].ordered())

    def begin(self, st: WideState, log: Log) -> None:
        """It has missed the kept rows."""
        for row in list(st.rows):
            self._round(st, Point(row.idx, row.val), row.y, log.but(Kind.APPEARED))
            self.settle(log)

    def learn(self, st: WideState, x: Point, y: Sequence[float] | Floats | None, log: Log) -> None:
        """The same event, with its label if it has one. Who appears the wide learner has noted."""
        inner, known = self.core.state, self._part(st, x)[0].idx
        stay = inner.n - 1
        if due(inner, known):
            stay -= len(overdue(inner, known))
            choice.fill(st, READINGS - stay, x.idx)
        self._round(st, x, y, log.but(Kind.APPEARED), READINGS - stay, recall=True)

    def _round(
        self,
        st: WideState,
        x: Point,
        y: Sequence[float] | Floats | None,
        log: Log,
        room: int = READINGS,
        *,
        recall: bool = False,
    ) -> None:
        inner, (known, strangers) = self.core.state, self._part(st, x)
        late = not len(known.idx) and all(name in inner.dead for name in strangers)
        if len(strangers) > room or (strangers and late and attention.first(inner, LATE)):
            strangers = {}  # too many, or a sample of old whose label came late
        if strangers:
            attention.join(self.core, log, list(strangers))
            new = [name for name in strangers if not inner.count[inner.index[name]]]
            if new and recall:
                self._recall(st, np.array([inner.index[k] for k in new]), np.array([st.index[k] for k in new]))
            known = self._part(st, x)[0]
        attention.learn(self.core, log, known, {}, y)

    def settle(self, log: Log) -> None:
        """What the last round left to be done."""
        if self.core.news:
            attention.settle(self.core, log)

    def moved(self, st: WideState) -> bool:
        """Whether a place, or a position inside, may have another feature than when this was last asked."""
        before, inner = self._where, self.core.state
        self._where = st.version, inner.version, inner.n
        return self._where != before

    def _part(self, st: WideState, x: Point) -> tuple[Point, dict[Name, float]]:
        """What the event holds of those that are followed, and of them what is strange inside."""
        index, mine = self.core.state.index, st.followed[x.idx]
        held = dict(zip([st.names[j] for j in x.idx[mine].tolist()], x.val[mine].tolist(), strict=True))
        known = [name for name in held if name in index]
        at, values = [index[name] for name in known], [held[name] for name in known]
        return Point(np.array(at, np.int64), np.array(values)), {k: v for k, v in held.items() if k not in index}

    def _recall(self, st: WideState, new: Ints, places: Ints) -> None:
        """What the kept rows hold of those that are new, before they are seen in a round."""
        inner = self.core.state
        mine = np.array(inner.rows(), np.int64)
        theirs = list(st.rows)[:-1]  # the last one is the round that begins
        both = min(len(mine), len(theirs))
        mine, theirs = mine[len(mine) - both :], theirs[len(theirs) - both :]
        X = st.table(theirs, places)
        there = ~np.isnan(X)
        for field in ("count", "mean", "q", "level", "moves"):
            getattr(inner, field)[new] = getattr(st, field)[places]
        inner.count[new] -= 1.0  # the round that begins counts them in
        inner.born[new] = inner.clock[ROUND] - np.where(there.any(axis=0), both - there.argmax(axis=0), 0)
        inner.row_x[np.ix_(mine, new)] = X
        for i in mine[there.any(axis=1)].tolist():
            self._relate(i, new)
        self.core.bind()

    def _relate(self, i: int, new: Ints) -> None:
        """How these go together with what else kept row i holds."""
        inner = self.core.state
        x = inner.row_x[i, : inner.n]
        here = np.flatnonzero(~np.isnan(x))
        u = squashed(x[here], inner.count[here], inner.mean[here], inner.q[here])
        late = np.isin(here, new)
        both = late | late[:, None]
        inner.S[np.ix_(here, here)] += np.where(both, np.multiply.outer(u, u), 0.0)
        inner.C[np.ix_(here, here)] += both
