"""Which features of sparse events are steady: as good as always there, with ever other values.

Everybody sees these as in dense events, by how much they differ from their mean; to who is not central all else is
zero where it is absent. What turns out to be steady says the same as before, as far as it is linear. A newcomer is
taken to be steady after a few events, so what was is looked at again.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Ints
from fesl.portfolio.constants import AFRESH, NOTICED, STEADY, WIDE_EXPERTS
from fesl.portfolio.wide.state import WideRow, WideState

CENTRAL = np.array([e.central for e in WIDE_EXPERTS])
OTHERS = np.flatnonzero(~CENTRAL).tolist()


def part_with_means(st: WideState) -> None:
    """Events turn out to be sparse: what is absent is no longer like its mean, but for what is steady. At first the
    stacker hears, for those that are central, the one like them in all else."""
    st.centred = False
    st.steady[found(st, list(st.rows))] = True
    j = st.places()
    _shift_origin(st, j[~st.steady[j]])
    for e in np.flatnonzero(CENTRAL).tolist():
        twin = next(i for i, other in enumerate(WIDE_EXPERTS) if other.tau == WIDE_EXPERTS[e].tau and i != e)
        for b, V in zip(st.stack_b, st.stack_V, strict=True):
            b[twin], b[e] = b[twin] + b[e], 0.0
            V[twin, twin] += V[e, e]


def found(st: WideState, rows: list[WideRow]) -> Ints:
    """Which features, not known to be, are steady: nearly all of the rows hold them, mostly with other values. What
    always says the same when it is there (a word, a flag) says it by being there; and a few events say nothing of
    either."""
    if len(rows) < NOTICED:
        return np.zeros(0, np.int64)
    idx, val = np.concatenate([row.idx for row in rows]), np.concatenate([row.val for row in rows])
    places, held = np.unique(idx, return_counts=True)
    often = ~st.steady[places] & (held >= STEADY * len(rows))
    places, held = places[often], held[often]
    differ = np.array([len(np.unique(val[idx == j])) for j in places.tolist()], np.int64)
    return np.asarray(places[2 * differ > held], np.int64)


def lost(st: WideState, rows: list[WideRow]) -> Ints:
    """Which features were taken to be steady and are not: they come and go, and are away for longer. (One that has
    died was there until then; one that had an outage was away once.)"""
    places = np.flatnonzero(st.steady)
    there = ~np.isnan(st.table(rows, places))
    lived = np.logical_or.accumulate(there, axis=0) & np.logical_or.accumulate(there[::-1], axis=0)[::-1]
    rare, spells = 2 * there.sum(axis=0) < lived.sum(axis=0), (there[1:] & ~there[:-1]).sum(axis=0)
    return np.asarray(places[rare & (spells >= NOTICED)], np.int64)


def take(st: WideState, j: Ints) -> None:
    """These are steady: from x / rms to (x - mean) / sd, the same functions while they are there. What a difference
    from the mean tells is known as far as it made a difference in x / rms."""
    sd, rms = st.scales(j)
    for e in OTHERS:
        slope = st.w[j, e] / rms[:, None]
        st.w[0, e] += st.mean[j] @ slope
        st.w[j, e] = slope * sd[:, None]
        known = (sd / rms) ** 2 * np.maximum(0.0, 1.0 / st.P[j, e] - 1.0 / st.tau[e])
        st.P[j, e] = 1.0 / (1.0 / st.tau[e] + known)
    st.steady[j] = True


def drop(st: WideState, j: Ints) -> None:
    """These are not steady after all. Nobody knows what being there says: the mean and absence were the same."""
    st.steady[j] = False
    for e in OTHERS:
        st.w[j, e], st.P[j, e] = 0.0, AFRESH * st.tau[e]


def _shift_origin(st: WideState, j: Ints) -> None:
    """From (x - mean) / sd to x / rms, for those that are not central."""
    sd, rms = st.scales(j)
    for e in OTHERS:
        slope = st.w[j, e] / sd[:, None]
        st.w[0, e] -= st.mean[j] @ slope
        st.w[j, e] = slope * rms[:, None]
        st.P[j, e] = np.minimum(st.P[j, e] * (rms / sd) ** 2, st.tau[e])
