"""What a wrapper knows of the features themselves: which are there, and what is absent, given what is present.

Values are standardised and clipped, u = (x - mean) / sd in [-CLIP, CLIP]; sums of u_i u_j over the rows that hold
both give E[u_j | present] (`fesl.portfolio.inputs.moments`), whatever is present. So a scale changes nothing,
labels are not needed, and a feature that is absent for a moment, one that vanished, and a new one in an old row
are recovered alike.

A vanished feature never meets those that appear later. There the sums take what was recovered for it instead:
E[E[u_i | between] u_j] = E[u_i u_j] if what stood between the two tells all that they share.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from fesl._missing import unobserved
from fesl._typing import Event, Floats, Ints, Name
from fesl.evolving.events import number, read
from fesl.portfolio.changes.lives import patience
from fesl.portfolio.constants import CLIP, FLEETING, WIDE
from fesl.portfolio.inputs.moments import expected
from fesl.portfolio.inputs.scaling import counted, standard, variance

#: Arrays with one entry a feature: Welford's sums over all sightings; of the present life the first and the last
#: round and the number of sightings.
FIELDS = ("count", "mean", "q", "born", "last", "seen", "gone")
#: A share of the variance: expectations that show less of it tell next to nothing.
FAINT = 0.1


class Features:
    """At most WIDE numeric features are followed; beyond it the one longest gone is let go, and if none is gone, a
    stranger is not taken notice of.

    >>> f = Features()
    >>> for i in range(40):
    ...     f.learn({"a": i % 5, "b": 2.0 * (i % 5)} if i < 30 else {"b": 2.0 * (i % 5)})
    >>> f.names_of(f.gone), round(f.recovered({"b": 6.0})["a"], 1)
    (['a'], 2.9)
    """

    count: Floats
    mean: Floats
    q: Floats
    born: Floats
    last: Floats
    seen: Floats
    gone: Any

    def __init__(self) -> None:
        self.names: list[Name] = []
        self.index: dict[Name, int] = {}
        self.clock = 0
        for field in FIELDS:
            setattr(self, field, np.zeros(0, bool if field == "gone" else float))
        self.S: Floats = np.zeros((0, 0))
        self.C: Floats = np.zeros((0, 0))

    @property
    def live(self) -> list[Name]:
        """Those that have not vanished."""
        return self.names_of(~self.gone)

    def names_of(self, mask: Any) -> list[Name]:
        return [self.names[j] for j in np.flatnonzero(mask).tolist()]

    def recovered(self, x: Event, wanted: Iterable[Name] | None = None) -> dict[Name, float]:
        """What x, a cleaned event, does not hold of the wanted features (all that are known), as expected."""
        if all(name in x for name in self.names):
            return {}
        j, u = self._inputs(x)
        absent = self.count >= FLEETING
        if wanted is not None:
            chosen = np.zeros(len(absent), bool)
            chosen[[self.index[name] for name in wanted if name in self.index]] = True
            absent &= chosen
        absent[j] = False
        at = np.flatnonzero(absent)
        if not len(at):
            return {}
        sd = np.sqrt(variance(self.count[at], self.mean[at], self.q[at]))
        values = self.mean[at] + sd * expected(u, j, at, self.S, self.C, ridge=0.0)
        return dict(zip([self.names[i] for i in at.tolist()], values.tolist(), strict=True))

    def faint(self, told: Iterable[dict[Name, float]]) -> set[Name]:
        """The features of which these expectations, some rows of them, show less than FAINT of the variance."""
        shown: dict[Name, list[float]] = {}
        for row in told:
            for name, v in row.items():
                shown.setdefault(name, []).append(v)
        at = np.array([self.index[name] for name in shown], np.int64)
        power = np.array([np.mean((np.array(v) - self.mean[self.index[name]]) ** 2) for name, v in shown.items()])
        little = power < FAINT * variance(self.count[at], self.mean[at], self.q[at])
        return {name for name, is_little in zip(shown, little.tolist(), strict=True) if is_little}

    def learn(self, x: Event) -> None:
        """A round that holds the features of x, a cleaned event."""
        self._join(x)
        j, val = self._places(x)
        back = j[self.gone[j]]
        self.born[back], self.seen[back], self.gone[back] = self.clock, 0.0, False
        self.count[j], self.mean[j], self.q[j] = counted(val, self.count[j], self.mean[j], self.q[j])
        self.seen[j] += 1.0
        self.last[j] = self.clock
        _, u = self._inputs(x)
        self.S[np.ix_(j, j)] += np.multiply.outer(u[j], u[j])
        self.C[np.ix_(j, j)] += 1.0
        self._bridge(j, u)
        self._bury(j)
        self.clock += 1

    def longest_gone(self) -> list[Name]:
        """The vanished features, the one that went first before the others."""
        gone = np.flatnonzero(self.gone)
        return [self.names[j] for j in gone[np.argsort(self.last[gone], kind="stable")].tolist()]

    def let_go(self, names: Iterable[Name]) -> None:
        """Forget these features."""
        keep = np.ones(len(self.names), bool)
        keep[[self.index[name] for name in names]] = False
        self.names = self.names_of(keep)
        self.index = {name: i for i, name in enumerate(self.names)}
        for field in FIELDS:
            setattr(self, field, getattr(self, field)[keep])
        self.S, self.C = self.S[np.ix_(keep, keep)], self.C[np.ix_(keep, keep)]

    def _places(self, x: Event) -> tuple[Ints, Floats]:
        """Places and values in the order of the places: the order of a sum is part of its meaning."""
        found = sorted((self.index[name], float(v)) for name, v in x.items() if name in self.index and is_number(v))
        return np.array([j for j, _ in found], np.int64), np.array([v for _, v in found], np.float64)

    def _inputs(self, x: Event) -> tuple[Ints, Floats]:
        j, val = self._places(x)
        u = np.zeros(len(self.names))
        u[j] = np.clip(standard(val, self.count[j], self.mean[j], self.q[j]), -CLIP, CLIP)
        return j, u

    def _join(self, x: Event) -> None:
        """Room for the features of an event that are new."""
        strangers = [name for name in x if name not in self.index and is_number(x[name])]
        over = len(self.names) + len(strangers) - WIDE
        if over > 0:
            self.let_go([name for name in self.longest_gone() if name not in x][:over])
            strangers = sorted(strangers, key=repr)[: WIDE - len(self.names)]
        if not strangers:
            return
        more = len(strangers)
        for name in sorted(strangers, key=repr):
            self.index[name] = len(self.names)
            self.names.append(name)
        for field in FIELDS:
            setattr(self, field, np.pad(getattr(self, field), (0, more)))
        self.born[-more:] = self.clock
        self.S, self.C = np.pad(self.S, (0, more)), np.pad(self.C, (0, more))

    def _bridge(self, j: Ints, u: Floats) -> None:
        """Vanished features beside those that appeared after them."""
        g = np.flatnonzero(self.gone)
        never_met = self.born[j] > self.last[g][:, None]
        if never_met.any():
            both = np.where(never_met, np.multiply.outer(expected(u, j, g, self.S, self.C, ridge=0.0), u[j]), 0.0)
            self.S[np.ix_(g, j)] += both
            self.S[np.ix_(j, g)] += both.T
            self.C[np.ix_(g, j)] += never_met
            self.C[np.ix_(j, g)] += never_met.T

    def _bury(self, present: Ints) -> None:
        absent = ~self.gone
        absent[present] = False
        for j in np.flatnonzero(absent).tolist():
            rounds = float(self.last[j] - self.born[j] + 1.0)
            away = self.clock - self.last[j]
            self.gone[j] = away >= patience(rounds, max(0.0, rounds - float(self.seen[j])))


def cleaned(x: Event) -> dict[Name, Any]:
    """What was observed: no None, no NaN. Numbers must be finite; what is no number is left alone. Decimals and
    fractions are numbers, though River's models cannot reckon with them.

    >>> cleaned({"a": 1, "b": None, "c": float("nan"), "d": "red"})
    {'a': 1, 'd': 'red'}
    """
    if not hasattr(x, "items"):
        read(x, {})  # says what an event is
    found = {}
    for name, v in x.items():
        if not unobserved(v):
            if isinstance(v, Decimal | Fraction):
                v = number(name, v)
            elif is_number(v):
                number(name, v)  # raises where it is not finite
            found[name] = v
    return found


def numbers(x: Event) -> dict[Name, Any]:
    """Of a cleaned event what can be recovered.

    >>> numbers({"a": 1, "d": "red"})
    {'a': 1}
    """
    return {name: v for name, v in x.items() if is_number(v)}


def is_number(v: Any) -> bool:
    """Whether a value can be recovered.

    >>> is_number(1.5), is_number(True), is_number("red")
    (True, True, False)
    """
    return isinstance(v, int | float | np.number | np.bool_)
