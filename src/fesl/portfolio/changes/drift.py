"""An expert of numbers that has lost its way begins anew.

Second-order experts that never forget grow ever surer. If what they learned is no longer so, they stay wrong for as
long as they had been right; the forgetting one is not, but it is never sure. So it serves as the yardstick: every
WATCH rounds, with the bits x_i by which expert i has lost more than the forgetting one since the last time, and m_i
their mean before (a curve that shall be a line, say, is always behind),

    b_i <- max(0, b_i + x_i - max(0, m_i)),

Page's test for a change of the mean. Beyond LOST bits the covariance of expert i is what it was at first, and
b_i = 0. Its weights stay: what is still right is confirmed at once. Nobody is judged while rows are learned anew
after a start or switch, and for another USUAL looks, which tell what is usual.

Not so for classes: there the stacker turns round what has become wrong, and is at a loss if the wrong ones begin
anew beneath it.
"""

from __future__ import annotations

import numpy as np

from fesl.portfolio.changes.priors import begin
from fesl.portfolio.constants import AGES, CURVE, EXPERTS, LOST, ROUND, SINCE, USUAL, VALUED, WATCH
from fesl.portfolio.experts.values import VARIANCE
from fesl.portfolio.reference import Reference

#: The yardstick.
FORGETTING = next(e for e, expert in enumerate(EXPERTS) if expert.keep < 1.0)


def watch(core: Reference) -> None:
    """Look at what everyone has lost since the last time."""
    st = core.state
    bits = st.account.experts.sum(axis=0)
    beyond = bits - bits[FORGETTING]
    more, st.beyond = beyond - st.beyond, beyond
    looks = int(st.clock[ROUND] - st.clock[SINCE] - AGES[-1]) // WATCH
    if looks < 1:
        st.behind[:] = st.usual[:] = 0.0
        return
    if looks > USUAL:
        st.behind = np.maximum(0.0, st.behind + more - np.maximum(0.0, st.usual))
    st.usual += (more - st.usual) / looks
    for i in np.flatnonzero(st.behind > LOST).tolist():
        _begin_anew(core, i)
        st.behind[i] = 0.0


def _begin_anew(core: Reference, i: int) -> None:
    """Neighbours forget by themselves, and the stacker is never sure."""
    st = core.state
    name = st.experts[i]
    if i < len(EXPERTS):
        begin(core, i)
    elif name == "additive":
        st.V[1 : st.n] = CURVE
    elif name == "values":
        st.coded[1 : st.n, :, VARIANCE] = VALUED
    elif name == "pairwise":
        st.surface[1:, :, 0] = CURVE
