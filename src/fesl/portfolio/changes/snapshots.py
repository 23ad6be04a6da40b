"""Coming back: the experts as they were before a switch, for the day when their features are there again.

A snapshot is taken at a switch that loses a QUARTER of the features or more, and at a smaller one if there is none
for it. It is wanted back when BACK of the features that were its `own` are live, and BACK of those of them that
were lost since. Its own are those that the switch lost, and those seen beside them half of the time: not what just
came to take their place, which may have gone again. As long as few were lost it grows stale: those that stayed have
learned for longer since than all of them had before.

There are as many as SPACES, the last ones, and no more than have the size of one with WIDE features.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Ints
from fesl.portfolio.constants import BACK, EXPERTS, GAMMA, OUTAGE, QUARTER, ROUND, SINCE, SPACES, WIDE
from fesl.portfolio.experts import pairwise
from fesl.portfolio.mixture import share
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import NOT_USED, Snapshot, State

#: No replay before the next switch.
NEVER = -(10**9)


def remember(st: State, gone: Ints) -> None:
    """Take a snapshot if these features, about to go, are worth one; and note in all of them who goes."""
    names = {st.names[j] for j in gone.tolist()}
    st.snapshots = [shot for shot in st.snapshots if not _stale(st, shot)]
    knowing = [shot for shot in st.snapshots if names <= _own(shot)]
    if not any(_of_now(st, shot) for shot in knowing) and (not knowing or len(gone) >= QUARTER * (st.n - 1)):
        _add(st, _take(st, gone))
    for shot in st.snapshots:
        shot.lost |= np.array([0, *(name in names for name in shot.names)])


def come_back(core: Reference) -> bool:
    """If the features of a snapshot are live again, so are its experts; what the others know is kept as one, since
    they may be about to go."""
    st = core.state
    for shot in reversed(st.snapshots):
        if not _stale(st, shot) and _returned(st, shot):
            own = _own(shot)
            others = np.array([j for j in range(1, st.n) if st.names[j] not in own], np.int64)
            if len(others):
                _add(st, _take(st, others))
            restore(core, shot)
            return True
    return False


def interrupted(st: State, gone: Ints) -> Snapshot | None:
    """Of those that were there when these features came back, which was but a moment ago."""
    names = {st.names[j] for j in gone.tolist()}
    for shot in reversed(st.snapshots):
        if _of_now(st, shot) and not names & _own(shot) and names <= set(shot.names):
            return shot
    return None


def _add(st: State, new: Snapshot) -> None:
    st.snapshots = [shot for shot in st.snapshots if not _own(shot) <= _own(new)] + [new]
    while len(st.snapshots) > SPACES or sum(len(shot.lost) ** 2 for shot in st.snapshots) > (WIDE + 1) ** 2:
        st.snapshots.pop(0)


def _of_now(st: State, shot: Snapshot) -> bool:
    """Whether it was taken when others came back, a moment ago."""
    return bool(not shot.lost.any() and st.clock[ROUND] - shot.taken[0] <= OUTAGE)


def _own(shot: Snapshot) -> set[object]:
    return {name for name, own in zip(shot.names, shot.own[1:].tolist(), strict=True) if own}


def _stale(st: State, shot: Snapshot) -> bool:
    few = (shot.lost & shot.own).sum() < QUARTER * shot.own.sum()
    return bool(few and st.clock[ROUND] > 2 * shot.taken[0])


def _returned(st: State, shot: Snapshot) -> bool:
    live = np.array([name in st.index for name in shot.names])
    own = shot.own[1:] == 1
    lost = own & (shot.lost[1:] == 1)
    return bool(lost.any() and live[own].mean() >= BACK and live[lost].mean() >= BACK)


def _take(st: State, gone: Ints) -> Snapshot:
    n = st.n
    st.fold()
    own = st.C[:n, gone].mean(axis=1) >= 0.5 * st.C[gone, gone].mean()
    own[0], own[gone] = False, True
    return Snapshot(
        st.names[1:],
        st.clock[:1].copy(),
        np.zeros(n, np.int64),
        own.astype(np.int64),
        st.w[:, :, :n].copy(),
        st.P[:, :n, :n].copy(),
        st.S[:n, :n].copy(),
        st.C[:n, :n].copy(),
        st.paired.copy(),
        st.surface.copy(),
        st.y_mean.copy(),
        st.y_sd,
    )


def _rescale(st: State, shot: Snapshot) -> None:
    """The targets' mean and deviation have moved since."""
    sd = st.y_sd
    shot.w *= (shot.y_sd / sd)[:, None]
    shot.w[:, :, 0] += (shot.y_mean - st.y_mean) / sd
    shot.surface[:, :, 1:] *= shot.y_sd / sd
    shot.surface[0, 0, 1:] += (shot.y_mean - st.y_mean) / sd


def restore(core: Reference, shot: Snapshot) -> None:
    """Features that are newer start at their prior, and classes that are newer stay as they are."""
    st = core.state
    st.snapshots = [other for other in st.snapshots if other is not shot]
    there = [i + 1 for i, name in enumerate(shot.names) if name in st.index]
    was = np.array([0, *there])
    now = np.array([0, *(st.index[shot.names[i - 1]] for i in there)])
    newer = np.setdiff1d(np.arange(st.n), now)
    K = shot.w.shape[1]
    if st.regression and K:
        _rescale(st, shot)
    for e, expert in enumerate(EXPERTS):
        if expert.recovers:
            late = st.w[e, K:].copy()
            st.P[e, : st.n, : st.n] = 0.0
            st.P[e][np.ix_(now, now)] = shot.P[e][np.ix_(was, was)]
            st.reset(e, newer)
            st.w[e][np.ix_(np.arange(K), now)] = shot.w[e][:, was]
            st.w[e, K:] = late
    st.S[np.ix_(now, now)] = shot.S[np.ix_(was, was)]
    st.C[np.ix_(now, now)] = shot.C[np.ix_(was, was)]
    st.fold()
    st.surface[1:, :, shot.surface.shape[2] :] = 0.0
    st.surface[:, :, : shot.surface.shape[2]] = shot.surface
    back = np.zeros(len(shot.names) + 1, np.int64)
    back[was] = now
    st.paired[:] = back[shot.paired]
    pairwise.keep(st.paired, st.surface, st.paired > 0)
    st.fresh[: st.n] = 0.0
    st.w0, st.P0 = st.w.copy(), st.P.copy()
    st.clock[SINCE] = NEVER
    st.row_kind[:] = NOT_USED
    share(st.a, GAMMA, st.account, st.voices)
    core.bind()
