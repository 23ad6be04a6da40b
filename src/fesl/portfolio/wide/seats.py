"""The READINGS seats of the narrow learner inside a wide one. To that learner a feature of the wide one is

    OUT        not known;
    PROMISED   one of the next to come: let in as soon as an event holds it;
    INSIDE     known, live or missing for a moment;
    GONE       vanished there, which gave its seat up, and not seen since;
    WAITING    vanished there and seen since, when no seat was free.

The wide state says who is `followed`: who is promised a seat or has one, never more than there are. The rest
follows from what the narrow learner knows. A seat that becomes free goes at once to those that come back, or wait;
to others when `choice` is asked.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from fesl._typing import Bools, Ints
from fesl.portfolio.constants import NOTICED, READINGS, ROUND
from fesl.portfolio.wide.state import WideState


class Seat(Enum):
    """What a feature is to the narrow learner inside."""

    OUT = "out"
    PROMISED = "promised"
    INSIDE = "inside"
    GONE = "gone"
    WAITING = "waiting"


def seat(st: WideState, place: int) -> Seat:
    """That of the feature in this place."""
    inner, name = st.inner, st.names[place]
    if st.followed[place]:
        return Seat.INSIDE if inner is not None and name in inner.index else Seat.PROMISED
    if inner is None or name not in inner.dead:
        return Seat.OUT
    return Seat.GONE if st.last[place] <= inner.dead[name].last else Seat.WAITING


def away(st: WideState, place: int) -> bool:
    """Whether it is known to have vanished: of who is INSIDE that is noticed there, and not before."""
    where = seat(st, place)
    return where is Seat.GONE or (bool(st.asleep[place]) and where is not Seat.INSIDE)


def free(st: WideState) -> int:
    """How many seats nobody has or is promised."""
    return READINGS - int(st.followed.sum())


def wanted(st: WideState, places: Ints) -> Bools:
    """Which of these could be followed and are not: readings that are not known to be away."""
    return ~st.followed[places] & ~st.asleep[places] & (st.centred | st.steady[places])


def candidates(st: WideState) -> Ints:
    """All that could be followed and are not; once there is a narrow learner inside, of those seen lately."""
    places = st.places() if st.centred else np.flatnonzero(st.steady)
    places = places[wanted(st, places)]
    if st.inner is None:
        return places
    places = places[st.last[places] >= st.clock[ROUND] - NOTICED]
    return np.asarray(np.setdiff1d(places, back(st, places), assume_unique=True), np.int64)


def inside(st: WideState) -> Ints:
    """Who is INSIDE."""
    places = np.flatnonzero(st.followed)
    return np.array([j for j in places.tolist() if seat(st, j) is Seat.INSIDE], np.int64)


def returned(st: WideState, places: Ints) -> Ints:
    """Who of these, seen now, are known from before: GONE or WAITING until now."""
    if st.inner is None or not st.inner.dead:
        return places[:0]
    dead = st.inner.dead
    return np.array([j for j in places[wanted(st, places)].tolist() if st.names[j] in dead], np.int64)


def waited(st: WideState) -> bool:
    """Whether anybody waits."""
    known = [] if st.inner is None else [st.index[name] for name in st.inner.dead if name in st.index]
    return any(seat(st, place) is Seat.WAITING for place in known)


def back(st: WideState, places: Ints) -> Ints:
    """Who of these are GONE: they are back, if they are seen now."""
    dead = {} if st.inner is None else st.inner.dead
    known = [j for j in places.tolist() if st.names[j] in dead] if dead else []
    return np.array([j for j in known if seat(st, j) is Seat.GONE], np.int64)


def withdraw(st: WideState) -> None:
    """Promises to those that did not come."""
    there = inside(st)
    st.followed[:] = False
    st.followed[there] = True


def vacate(st: WideState) -> None:
    """Who has vanished inside gives up its seat."""
    assert st.inner is not None
    for place in np.flatnonzero(st.followed).tolist():
        name = st.names[place]
        st.followed[place] = name in st.inner.index or name not in st.inner.dead


def standing(st: WideState) -> Ints:
    """Of each place its position inside; 0: something is to be done when it is seen, for it is promised a seat, was
    GONE, or is WAITING while one is free; -1: nothing."""
    at, inner = np.full(len(st.mean), -1, np.int64), st.inner
    assert inner is not None
    for place in np.flatnonzero(st.followed).tolist():
        at[place] = inner.index.get(st.names[place], 0)
    away = [(st.index[name], dead.last) for name, dead in inner.dead.items() if name in st.index]
    places, left = np.array(away, np.int64).reshape(-1, 2).T
    waits = wanted(st, places) & (free(st) > 0)
    at[places[(st.last[places] <= left) | waits]] = 0
    return at
