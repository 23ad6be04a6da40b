"""Which features the narrow learner inside a wide one follows: readings, READINGS at most.

Where events hold nearly all features every feature is a reading, else those that are steady. If there are more than
there are seats, those are followed that tell most about the label by themselves in the kept rows: the larger of

    r^2(u, y)   and   r^2(u^2, y)

(of classes their indicators e_k, sum_k (1 - mean e_k) r^2(., e_k)), less what chance would give. As these die,
others take their seats, and before they are gone: so what they know is taught to the others.

What tells changes. So seats are contested every MEASURE rounds: who is followed and worth little gives its seat up
to one that tells twice as much, and more than any of them would by chance; SWAPPED of them at most. Who is inside
is worth what it tells by itself, or the part that it has in what the narrow learner says (`leaning`), if that is
more: two may tell much together, and neither alone. Of m features that tell nothing the best hardly ever shows more
in N rows than

    (k + 2 sqrt(k l) + 2 l) / N,   l = log 20m,

with k degrees of freedom (classes less one). Who waits for a seat that was its own need not show that much, if it
had more than its even part in what was said: it has it back from one worth half of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fesl._typing import Bools, Floats, Ints
from fesl.portfolio.constants import CLIP, MEASURE, READINGS, SHOWN, SWAPPED
from fesl.portfolio.inputs.scaling import squashed
from fesl.portfolio.wide import leaning, seats
from fesl.portfolio.wide.state import WideState


class Told(NamedTuple):
    """What features tell about the label by themselves, less what chance would; and in how many rows they are."""

    share: Floats
    rows: Ints

    def of(self, those: slice) -> Told:
        """Of these features only."""
        return Told(self.share[those], self.rows[those])


def fill(st: WideState, leaving: int = 0, here: Ints | None = None) -> bool:
    """Give the free seats, and those of so many who leave, to readings, of these places if any are named; whether
    there are any."""
    room = seats.free(st) + leaving
    places = seats.candidates(st) if here is None else here[seats.wanted(st, here)]
    chosen = best(st, places, room) if room > 0 else places[:0]
    st.followed[chosen] = True
    return bool(len(chosen))


def best(st: WideState, places: Ints, room: int) -> Ints:
    """So many of these at most, those that tell most; of too many only such as were followed before, while too few
    rows tell."""
    if len(places) <= room:
        return places
    told, known = telling(st, places), np.isin(places, seats.returned(st, places))
    if told is None:
        return places[known][:room]
    worth = np.where(known, np.maximum(told.share, by_chance(st, told, READINGS)), told.share)
    return places[np.argsort(-worth, kind="stable")[:room]]


def misplaced(st: WideState) -> Ints:
    """Who is inside and no reading any more."""
    held = seats.inside(st)
    return held[~(st.centred | st.steady[held])]


def reclaim(st: WideState) -> Ints:
    """Those that wait for a seat have it back from those that are worth half as much; returns who these are. (Not
    before enough rows show who waits: it could be gone again.)"""
    held, rivals = seats.inside(st), seats.returned(st, seats.candidates(st))
    if st.inner is None or not len(rivals):
        return rivals
    told, theirs = _compared(st, held, rivals)
    then = np.array([leaning.part_then(st.inner, st.names[j]) for j in rivals.tolist()])
    missed = (theirs.rows >= SHOWN) & (then > 1.0 / READINGS)
    return _swap(st, held, _worth(st, held, told), rivals, 0.5 * np.maximum(then, theirs.share) * missed, READINGS)


def contest(st: WideState) -> Ints:
    """Others have the seats of those that are worth half as much, if they tell more than any would by chance;
    returns whose."""
    held, rivals = seats.inside(st), seats.candidates(st)
    if not len(rivals):
        return rivals
    told, theirs = _compared(st, held, rivals)
    sure = theirs.share > by_chance(st, theirs, len(rivals))
    return _swap(st, held, _worth(st, held, told), rivals, 0.5 * theirs.share * sure, SWAPPED)


def _worth(st: WideState, held: Ints, told: Told) -> Floats:
    """What those inside are worth."""
    assert st.inner is not None
    at = [st.inner.index[st.names[j]] for j in held.tolist()]
    return np.maximum(told.share, leaning.parts(st.inner)[at])


def _compared(st: WideState, held: Ints, rivals: Ints) -> tuple[Told, Told]:
    """What both tell; as if they were in no row where that is not known."""
    told = telling(st, np.concatenate([held, rivals]))
    if told is None:
        told = Told(np.zeros(len(held) + len(rivals)), np.zeros(len(held) + len(rivals), np.int64))
    return told.of(slice(len(held))), told.of(slice(len(held), None))


def _swap(st: WideState, held: Ints, worth: Floats, rivals: Ints, bar: Floats, most: int) -> Ints:
    """The first of the rivals, by their bars, are promised the seats of those worth least, and less than that;
    returns whose."""
    up, down = np.argsort(-bar, kind="stable")[:most], np.argsort(worth, kind="stable")
    many = int((worth[down[: len(up)]] < bar[up[: len(down)]]).sum())
    st.followed[rivals[up[:many]]] = True
    return held[down[:many]]


def by_chance(st: WideState, told: Told, many: int) -> Floats:
    """The most that so many features would tell by chance, beyond the mean of that."""
    freedom, tail = _freedom(st), np.log(20.0 * max(1, many))
    return np.asarray((2.0 * np.sqrt(freedom * tail) + 2.0 * tail) / np.maximum(told.rows, 1))


def telling(st: WideState, places: Ints) -> Told | None:
    """What these features tell; None where too few rows do."""
    rows = [row for row in st.rows if row.y is not None]
    if 2 * len(rows) < MEASURE:
        return None
    X, E = st.table(rows, places), _labels(st, np.array([row.y for row in rows]))
    there = ~np.isnan(X)
    n = there.sum(axis=0)
    u = squashed(np.where(there, X, 0.0), st.count[places], st.mean[places], st.q[places])
    found = np.maximum(_explained(st, u, there, E), _explained(st, u * u, there, E))
    chance = _freedom(st) / np.maximum(n - 1.0, 1.0)
    return Told(np.where(n > 2, np.maximum(0.0, found - chance), 0.0), n)


def _freedom(st: WideState) -> int:
    return max(1, st.outputs - 1) if not st.regression else 1


def _labels(st: WideState, Y: Floats) -> Floats:
    """One column a class, or a target in its deviations, no further out than CLIP."""
    if st.regression:
        return np.clip((Y - st.y_mean) / st.y_sd, -CLIP, CLIP)
    return np.asarray(np.arange(st.outputs) == Y, np.float64)


def _explained(st: WideState, v: Floats, there: Bools, E: Floats) -> Floats:
    """How much of the variance of each column goes with the labels, over the rows in which it is there."""
    n = np.maximum(there.sum(axis=0), 1)[:, None]
    v = np.where(there, v - (np.where(there, v, 0.0).sum(axis=0) / n[:, 0]), 0.0)
    mean = there.T @ E / n
    spread = (there.T @ (E * E) / n - mean**2) * (v * v).mean(axis=0)[:, None] * len(v) / n
    square = (v.T @ E / n) ** 2
    r2 = np.where(spread > 1e-12, square / np.where(spread > 1e-12, spread, 1.0), 0.0)
    return np.asarray(r2.mean(axis=1) if st.regression else ((1.0 - mean) * r2).sum(axis=1))
