"""How long features live: when an absence means that one is gone, and the log of what happened.

A feature that was absent in m of its n rounds (between its first and its last sight) is absent with a chance of
about eps = (m + 1/2) / (n + 1), or, if that is more, as if it had lived ALIKE rounds more and been absent in them
as often as the live features are on average: where all blink, a young one does. It has vanished after g rounds of
absence in a row if eps^g < ALARM / n. One that was always there is gone after two or three rounds, one that blinks
half of the time after 20 to 30. Sensors go off for a while, though: if the misses came in r spells, one begins with
a chance of about (r + 1/2) / (n + 1) and goes on with one of (m - r + 1/2) / (m + 2), and that must be as unlikely.
A feature that is taken for gone and is not is back with a spell to its name: it happens once or twice.

A feature that repeated its last value a times and changed it b times before is frozen after g repeats in a row if
their chance B(a + g + 1/2, b + 1/2) / B(a + 1/2, b + 1/2), the rate being unknown, is below ALARM / (a + b + 1).
One that never changed, or is nearly always zero, is not frozen.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import floor, lgamma, log

import numpy as np

from fesl._typing import Ints, Name
from fesl.portfolio.constants import (
    AGES,
    ALARM,
    ALIKE,
    LABELLED,
    LOG,
    MEASURE,
    PAIR_AT,
    RENEWED,
    ROUND,
    SINCE,
    STILL,
    WATCH,
)
from fesl.portfolio.state import State

#: So many rounds never come.
NEVER = 1 << 40

log_ = logging.getLogger("fesl.features")


class Kind(Enum):
    """What can happen to a feature."""

    APPEARED = "appeared"
    OVERLAPPED = "overlapped"
    VANISHED = "vanished"
    CAME_BACK = "came back"
    FROZE = "froze"


@dataclass(frozen=True)
class FeatureEvent:
    """What happened to a feature, in which round, and a count: how often it had been seen; for an overlap the kept
    rows that show it beside what vanished; for a freeze how often the last value came in a row."""

    kind: Kind
    feature: Name
    time: int
    count: int


class Log:
    """The last LOG feature events. Each goes to the logger `fesl.features` as it happens, and to the callback when
    the round is over: a callback may look at the learner, and may raise, without meeting it half way.

    >>> log = Log()
    >>> log.add(Kind.APPEARED, "a", 0, 0); log.events[0].kind.value
    'appeared'
    """

    def __init__(self, callback: Callable[[FeatureEvent], None] | None = None) -> None:
        self.events: deque[FeatureEvent] = deque(maxlen=LOG)
        self.callback = callback
        self.untold: deque[FeatureEvent] = deque()
        self.passed_over: tuple[Kind, ...] = ()

    def copy(self) -> Log:
        """With the same callback."""
        twin = Log(self.callback)
        twin.events.extend(self.events)
        twin.untold.extend(self.untold)
        return twin

    def but(self, *kinds: Kind) -> Log:
        """The same log, in which somebody else notes what is of these kinds."""
        view = Log(self.callback)
        view.events, view.untold, view.passed_over = self.events, self.untold, kinds
        return view

    def add(self, kind: Kind, feature: Name, time: int, count: int) -> None:
        if kind in self.passed_over:
            return
        event = FeatureEvent(kind, feature, time, count)
        self.events.append(event)
        if log_.isEnabledFor(logging.INFO):
            log_.info("feature %r %s in round %d (%d)", feature, kind.value, time, count)
        if self.callback is not None:
            self.untold.append(event)

    def tell(self) -> None:
        """Call back for what happened in this round."""
        while self.untold and self.callback is not None:
            self.callback(self.untold.popleft())


def patience(rounds: float, misses: float, usual: float = 0.0, spells: float = 0.0) -> int:
    """The number of absences in a row that means "gone", for a feature with so many misses in its rounds, where
    `usual` is the share of rounds that live features miss: it must be unlikely if misses come by chance, and if
    they come in spells, of which there were so many (0: not known).

    >>> patience(100, 0), patience(100, 50), patience(2, 0), patience(2, 0, usual=0.5)
    (3, 20, 6, 12)
    >>> patience(1000, 300, spells=300), patience(1000, 300, spells=15)
    (14, 214)
    """
    missed = misses + 0.5
    eps = max(missed / (rounds + 1.0), (missed + ALIKE * usual) / (rounds + 1.0 + ALIKE))
    chance = floor(log(ALARM / rounds) / log(eps)) + 1
    if spells <= 0.0:
        return chance
    begins, goes_on = (spells + 0.5) / (rounds + 1.0), (max(0.0, misses - spells) + 0.5) / (misses + 2.0)
    return max(chance, floor(log(ALARM / (rounds * begins)) / log(goes_on)) + 2)


def usual_misses(st: State) -> float:
    """The share of their rounds that the live features missed."""
    lived = (st.last[1 : st.n] - st.born[1 : st.n] + 1).astype(np.float64)
    return float(np.maximum(lived - st.count[1 : st.n], 0.0).sum() / max(1.0, lived.sum()))


def stillness(repeats: float, changes: float) -> int:
    """The number of repeats in a row that means "frozen", for a value that repeated and changed so often before.

    >>> stillness(0, 100), stillness(90, 10), stillness(20, 0) > 10**9
    (8, 260, True)
    """
    limit = log(ALARM / (repeats + changes + 1.0))

    def chance(g: int) -> float:
        a, b = repeats + 0.5, repeats + changes + 1.0
        return lgamma(a + g) - lgamma(a) - lgamma(b + g) + lgamma(b)

    low, high = STILL - 1, STILL
    while chance(high) >= limit and high < NEVER:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if chance(middle) >= limit else (low, middle)
    return high


def due(st: State, present: Ints) -> bool:
    """Whether a round that holds these live features needs attention."""
    return len(present) < st.n - 1 and len(overdue(st, present)) > 0


def aged(st: State) -> bool:
    """Whether it is time to measure, learn or pair anew."""
    t, doubled = int(st.clock[ROUND]), bool(st.clock[LABELLED] >= st.clock[PAIR_AT])
    looks = t % (WATCH if st.regression else MEASURE) == 0
    return doubled or looks or t - int(st.clock[SINCE]) in AGES or youngest(st) in RENEWED


def youngest(st: State) -> int:
    """The age of the feature born last, if after the last switch; 0: none was."""
    born = int(st.born[1 : st.n].max(initial=0))
    return int(st.clock[ROUND]) - born if born > st.clock[SINCE] else 0


def overdue(st: State, present: Ints) -> Ints:
    """The live features whose absence has become too long."""
    absent = np.ones(st.n, bool)
    absent[0] = False
    absent[present] = False
    t = int(st.clock[ROUND])
    usual = usual_misses(st)
    late = []
    for j in np.flatnonzero(absent).tolist():
        if t >= st.gone_at[j]:  # not known yet, or to be asked again with what the others did meanwhile
            rounds = float(st.last[j] - st.born[j] + 1)
            misses = max(0.0, rounds - float(st.count[j]))
            st.gone_at[j] = st.last[j] + patience(rounds, misses, usual, float(st.spells[j]))
        if t >= st.gone_at[j]:
            late.append(j)
    return np.array(late, np.int64)
