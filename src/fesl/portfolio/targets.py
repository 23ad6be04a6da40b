"""The half of a round of a regression that is about its targets, the same in a narrow and in a wide learner.

A target is counted in its own statistics, and what is told in its deviations moves with these; the experts are
weighed by their densities; and a target that surprises everybody is not believed at first sight.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio import mixture
from fesl.portfolio.constants import LABELLED
from fesl.portfolio.experts import student


class Told(Protocol):
    """What of a state is about targets."""

    clock: Ints
    a: Floats
    account: mixture.Account
    shape: Floats
    noise: Floats
    unit: Floats
    y_mean: Floats
    y_q: Floats
    y_reach: Floats
    surprised: Floats

    @property
    def voices(self) -> Floats: ...

    def fold(self) -> None: ...


def count(st: Told, y: Floats) -> tuple[Floats, Floats, Floats]:
    """y in the deviations of now, and by which ratio and shift these have moved: what was m is ratio m + shift. The
    noise and the unit of weights move with them; that no prediction changes is left to do."""
    n = float(st.clock[LABELLED])
    z, st.y_mean, st.y_q, ratio, shift = student.counted(y, n, st.y_mean, st.y_q)
    st.y_reach[:] = np.maximum(st.y_reach, np.abs(y - st.y_mean))
    st.noise = np.maximum(st.noise * ratio**2, student.LEAST)
    st.unit *= ratio
    if not ((st.unit > 0.5) & (st.unit < 2.0)).all():
        st.fold()
    return z, ratio, shift


def mixed(st: Told, m: Floats) -> Floats:
    """The forecasts of the experts, M x K in deviations, as one number a target."""
    sd = student.deviation(float(st.clock[LABELLED]), st.y_mean, st.y_q)
    most = student.most(float(st.clock[LABELLED]), st.y_reach, sd)
    return np.asarray(st.y_mean + sd * student.mixed(st.a, m, most))


def weigh(st: Told, y: Floats, m: Floats, s: Floats) -> Floats:
    """Weigh the experts by what their forecasts m with variances s, M x K, gave to the targets; returns these as
    far as they are believed."""
    log_p = [student.log_density(y, m[e], s[e], float(st.shape[e]), st.noise[e]) for e in range(len(m))]
    taken = y
    if st.clock[LABELLED] >= student.WARY:
        forecast = student.forecast(st.a, m, s, st.shape, st.noise)
        taken, st.surprised[:] = student.believed(y, *forecast, st.surprised)
    mixture.weigh(st.a, np.array(log_p).T, st.account)
    mixture.share(st.a, mixture.rate(int(st.clock[LABELLED])), st.account, st.voices)
    return taken
