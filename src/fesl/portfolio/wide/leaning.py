"""How much the narrow learner inside leans on each of its readings: the part that one has in what is said.

A reading may tell nothing by itself and much beside another (a difference of twins, a product), so what it tells by
itself is not all it is worth. On inputs of variance one the square of a weight is how far a line moves for it, the
variance of a curve between its knots how far the curve does, the mean square of a surface how far the pair does.
The largest of these, c_j, says how far what is said moves with reading j, and c_j / (1 + sum c) is its part.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Name
from fesl.portfolio.constants import EXPERTS
from fesl.portfolio.experts import pairwise
from fesl.portfolio.mixture import trusted
from fesl.portfolio.state import State


def parts(st: State) -> Floats:
    """Of all positions, the intercept's being none."""
    c = _moves(st)
    return np.asarray(c / (1.0 + c.sum()))


def part_then(st: State, name: Name) -> float:
    """That of one that has vanished, if it were back as it was."""
    dead, units = st.dead[name], st.y_sd if st.regression else np.ones(st.outputs)
    K = dead.w.shape[1]
    line = float(trusted(st.a, len(EXPERTS)) @ ((dead.w / units[:K]) ** 2).sum(axis=1))
    c = max(line, float(_bends(dead.A[None] / units[:K, None])[0]))
    return c / (1.0 + c + float(_moves(st).sum()))


def _bends(A: Floats) -> Floats:
    """How far curves move what is said."""
    return pairwise.moving(A, np.ones(len(A)))


def _moves(st: State) -> Floats:
    n, units = st.n, st.unit if st.regression else np.ones(st.outputs)
    line = np.einsum("e,ekj->j", trusted(st.a, len(EXPERTS)), st.w[:, :, :n] ** 2)
    surface = st.surface[1:, :, 1:] * (units if st.regression else 1.0)  # of classes all but the first
    pair, square = np.zeros(n), (surface**2).mean(axis=1).sum(axis=1)
    for slots in pairwise.MEETINGS:
        np.add.at(pair, st.paired[slots], square)
    c = np.maximum(np.maximum(line, _bends(st.A[:n] * units[:, None])), pair)
    c[0] = 0.0
    return np.asarray(c)
