"""What the experts see of an event: standardised values, and for what is absent what is expected of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fesl._typing import Floats, Ints
from fesl.models import Point
from fesl.portfolio.constants import CLIP, EXPERTS, FURTHER
from fesl.portfolio.inputs.moments import expected
from fesl.portfolio.inputs.scaling import counted, squash, standard, variance
from fesl.portfolio.state import State


class Inputs(NamedTuple):
    """u with zeros for what is absent, u with what is absent recovered, the same two of plain values; and of what
    is present the positions, the values as they came, and the variances."""

    u: Floats
    full: Floats
    plain: Floats
    plain_full: Floats
    present: Ints
    x: Floats
    q: Floats

    def of(self, e: int) -> Floats:
        """What expert e sees."""
        if EXPERTS[e].plain:
            return self.plain_full if EXPERTS[e].recovers else self.plain
        return self.full if EXPERTS[e].recovers else self.u


def seen(st: State, x: Point, *, ahead: bool, recover: bool = True) -> Inputs:
    """The inputs of an event; `ahead`: it is not yet counted in the statistics."""
    j = x.idx
    sums = st.count[j], st.mean[j], st.q[j]
    count, mean, q = counted(x.val, *sums) if ahead else sums
    z = standard(x.val, count, mean, q)
    u, plain = np.zeros(st.n), np.zeros(st.n)
    u[0] = plain[0] = 1.0
    u[j] = squash(z)
    plain[j] = standard(reached(st, x, ahead=ahead), *sums) if st.regression else np.clip(z, -CLIP, CLIP)
    full, plain_full = u, plain
    if recover and len(j) < st.n - 1:
        away = absent(st, j)
        full = u.copy()
        full[away] = expected(u, j, away, st.S, st.C)
        plain_full = plain.copy()
        plain_full[away] = full[away]
    return Inputs(u, full, plain, plain_full, j, x.val, variance(count, mean, q))


def reached(st: State, x: Point, *, ahead: bool) -> Floats:
    """The values as far as a line is followed: CLIP deviations, or as far as it has been; FURTHER ahead."""
    j = x.idx
    sd = np.sqrt(variance(st.count[j], st.mean[j], st.q[j]))
    most = np.maximum(CLIP * sd, (FURTHER if ahead else 1.0) * st.reach[j])
    return np.clip(x.val, st.mean[j] - most, st.mean[j] + most)


def absent(st: State, present: Ints) -> Ints:
    """The live features beside these."""
    out = np.ones(st.n, bool)
    out[0] = False
    out[present] = False
    return np.flatnonzero(out)
