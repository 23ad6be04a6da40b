"""Curves, values, surfaces and the counts of naive Bayes, learned anew from the kept rows.

When a value came, it was standardised by the few values before it; and a feature that came late only learned what
the older ones, gone by now, had left to explain. What was learned of the kept rows *alone* can be learned once more
without either: the counts, the curve and the values of a feature that was never seen but in these rows, the
surfaces it has a part in, and those that are new. They start from their prior and go through the labelled rows
PASSES times, the variances from the start each time: a weight knows nothing of the others, so one pass leaves much
of what they say together unlearned. All else stays as it is: a variance of zero never moves.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Bools, Ints
from fesl.portfolio.constants import CURVE, KEPT, ROWS
from fesl.portfolio.experts import pairwise
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State


def renew(core: Reference, also: Ints | None = None) -> None:
    """Learn anew what was learned of the kept rows alone; and of these, who know less."""
    st, n, rows = core.state, core.state.n, core.state.rows()
    if not st.outputs or not len(rows):
        return
    whole = np.zeros(st.capacity, bool)
    whole[1:n] = (~np.isnan(st.row_x[rows, 1:n])).sum(axis=0) == st.count[1:n]
    whole[0] = st.clock[KEPT] <= ROWS
    if also is not None:
        whole[also] = True
    tables = _tables(st, whole)
    if not whole.any() and not tables.any():
        return
    told = core.lessons()
    if not st.regression:
        core.recount(told, whole)
    core.practise(told, whole, tables)


def _tables(st: State, whole: Bools) -> Bools:
    """Which tables know nothing but the kept rows: of a feature that does, or as they were at first."""
    used, has = st.paired > 0, whole[st.paired]
    a, b = pairwise.MEETINGS
    blank = (st.surface[1:, :, 0] == CURVE).all(axis=1)
    return np.concatenate([whole[:1], (has[a] | has[b] | blank) & used[a] & used[b]])
