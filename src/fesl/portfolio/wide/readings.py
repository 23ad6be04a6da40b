"""The readings of a wide learner, in a narrow one inside it, which is one more expert.

Beside thousands of words, or a feature a shop, an event may hold the same few sensors ever again; and among
hundreds of sensors a few may tell most. A wide learner follows lines only, each by itself; but what sensors say may
be curved, they go together, can be recovered from each other, and die one by one. So a narrow learner goes on with
READINGS of them (`choice`, `seats`), and what it says, mixture that it is, is heard in the wide mixture and by the
wide stacker. If the learner was narrow before, it is that learner without all else, and takes the weight and the
powers of the experts that a wide one has not; otherwise it begins with the kept rows.

Who is followed from now on is known inside from its birth, by what the kept rows hold of it: both keep the same
rows. Who vanishes or comes back is noticed before the round, as in a narrow learner.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fesl._typing import Floats, Ints, Name
from fesl.models import Point
from fesl.portfolio.changes import attention
from fesl.portfolio.changes.lives import Kind, Log, due, overdue
from fesl.portfolio.changes.renewal import renew
from fesl.portfolio.constants import LABELLED, LATE, PAIR_AT, ROUND
from fesl.portfolio.inputs.scaling import squashed
from fesl.portfolio.reference import Reference
from fesl.portfolio.wide import choice, seats
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
        """It has missed the kept rows. Who has vanished in these, as it turns out, is noted now."""
        quiet = log.but(*Kind)
        for row in list(st.rows):
            x = Point(row.idx, row.val)
            self._attend(st, x, quiet)
            self.learn(st, x, row.y)
            self.settle(quiet)
        seats.vacate(st)
        for name, dead in self.core.state.dead.items():
            if not st.asleep[st.index[name]]:
                log.add(Kind.VANISHED, name, int(st.clock[ROUND]), int(dead.count))

    def attend(self, st: WideState, x: Point, log: Log) -> None:
        """Before a round that holds these places: who joins, who has vanished? The wide learner notes who appears
        and who is back."""
        inner, back = self.core.state, seats.returned(st, x.idx)
        if len(back):
            st.followed[choice.best(st, back, seats.free(st))] = True
            self._where = ()
        known = self._part(st, x)[0].idx
        leaving = overdue(inner, known) if due(inner, known) else known[:0]
        if len(leaving):
            choice.fill(st, len(leaving), x.idx)
        version = inner.version
        joined, new = self._attend(st, x, log.but(Kind.APPEARED, Kind.CAME_BACK), recall=True)
        if version != inner.version:
            seats.vacate(st)
        room = seats.free(st) if joined else 0
        if room < 0:  # some stay after all: beside those that joined they have not missed much
            self._part_with(st, np.array([st.index[name] for name in joined[room:]], np.int64))
        elif new and not len(leaving):  # heirs are taught, others learn the kept rows
            renew(self.core, np.array([inner.index[name] for name in new], np.int64))

    def learn(self, st: WideState, x: Point, y: Sequence[float] | Floats | None) -> None:
        """The same event, with its label if it has one."""
        self.core.learn(self._part(st, x)[0].ordered(), y)

    def settle(self, log: Log) -> None:
        """What the last round left to be done."""
        if self.core.news:
            attention.settle(self.core, log)

    def welcome(self, st: WideState) -> None:
        """Seats for newcomers, as far as there are any, and for those that have waited."""
        choice.fill(st)
        self._part_with(st, choice.reclaim(st))

    def review(self, st: WideState) -> None:
        """Who is followed from now on? Where others tell more than before, other features are paired."""
        seats.withdraw(st)
        self._part_with(st, choice.misplaced(st))
        self.welcome(st)
        inner, n = self.core.state, self.core.state.n
        self._part_with(st, choice.contest(st))
        if inner.n < n and inner.clock[LABELLED]:
            inner.clock[PAIR_AT] = min(inner.clock[PAIR_AT], inner.clock[LABELLED])

    def _part_with(self, st: WideState, losers: Ints) -> None:
        """These give their seats up. They were worth next to nothing, so nobody need be taught."""
        if len(losers):
            inner, st.followed[losers] = self.core.state, False
            inner.leave(np.array([inner.index[st.names[j]] for j in losers.tolist()], np.int64))
            self.core.bind()

    def moved(self, st: WideState) -> bool:
        """Whether a place, or a position inside, may have another feature than when this was last asked."""
        before, inner = self._where, self.core.state
        self._where = st.version, inner.version, inner.n
        return self._where != before

    def _attend(self, st: WideState, x: Point, log: Log, *, recall: bool = False) -> tuple[list[Name], list[Name]]:
        """Make the narrow learner ready for this event; who has joined, and who of these is new there."""
        inner, (known, strangers) = self.core.state, self._part(st, x)
        late = strangers and not len(known.idx) and all(name in inner.dead for name in strangers)
        if late and inner.n > 1 and attention.first(inner, LATE):
            strangers = {}  # a sample of old whose label came late
        new = [name for name in strangers if name not in inner.dead] if recall else []
        if strangers:
            attention.join(self.core, log, list(strangers))
            if new:
                self._recall(st, np.array([inner.index[k] for k in new]), np.array([st.index[k] for k in new]))
            known = self._part(st, x)[0]
        if due(inner, known.idx):
            attention.attend(self.core, log, [inner.names[j] for j in known.idx.tolist()])
        return list(strangers), new

    def _part(self, st: WideState, x: Point) -> tuple[Point, dict[Name, float]]:
        """What the event holds of those that are followed, and of them what is strange inside."""
        index, mine = self.core.state.index, np.flatnonzero(st.followed[x.idx])
        known: list[tuple[int, float]] = []
        strangers: dict[Name, float] = {}
        for place, value in zip(x.idx[mine].tolist(), x.val[mine].tolist(), strict=True):
            name = st.names[place]
            if name in index:
                known.append((index[name], value))
            else:
                strangers[name] = value
        return Point(np.array([j for j, _ in known], np.int64), np.array([v for _, v in known])), strangers

    def _recall(self, st: WideState, new: Ints, places: Ints) -> None:
        """What the kept rows hold of those that are new, before they are seen in a round."""
        inner, rows = self.core.state, list(st.rows)
        mine = inner.rows()
        both = min(len(mine), len(rows))
        mine, rows = mine[len(mine) - both :], rows[len(rows) - both :]
        X = st.table(rows, places)
        there = ~np.isnan(X)
        for field in ("count", "mean", "q", "level", "moves"):
            getattr(inner, field)[new] = getattr(st, field)[places]
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
