"""Which features the narrow learner inside a wide one follows: readings, READINGS at most.

Where events hold nearly all features every feature is a reading, else those that are steady. If there are more than
so many, those are followed that tell most about the label by themselves in the kept rows: the larger of

    r^2(u, y)   and   r^2(u^2, y)

(of classes their indicators e_k, sum_k (1 - mean e_k) r^2(., e_k)), less what chance would give. They are chosen
once; as these die, others take their places, and before they are gone: so what they know is taught to the others.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Bools, Floats, Ints
from fesl.portfolio.constants import CLIP, MEASURE
from fesl.portfolio.inputs.scaling import squashed
from fesl.portfolio.wide.state import WideState


def fill(st: WideState, room: int, here: Ints | None = None) -> bool:
    """Follow so many more at most, of these places if any are named; whether there are any."""
    if room <= 0:
        return False
    readings = ~st.asleep & ~st.followed
    readings &= st.used() if st.centred else st.steady
    places = np.flatnonzero(readings) if here is None else here[readings[here]]
    if len(places) > room:
        told = telling(st, places)
        places = places[np.argsort(-told, kind="stable")[:room]] if told is not None else places[:0]
    st.followed[places] = True
    return bool(len(places))


def telling(st: WideState, places: Ints) -> Floats | None:
    """What each of these features tells about the label by itself; None where too few rows tell."""
    rows = [row for row in st.rows if row.y is not None]
    if 2 * len(rows) < MEASURE:
        return None
    X, E = st.table(rows, places), _labels(st, np.array([row.y for row in rows]))
    there = ~np.isnan(X)
    n = np.maximum(there.sum(axis=0), 1)
    u = squashed(np.where(there, X, 0.0), st.count[places], st.mean[places], st.q[places])
    found = np.maximum(_explained(st, u, there, E), _explained(st, u * u, there, E))
    chance = max(1, E.shape[1] - (not st.regression)) / np.maximum(n - 1.0, 1.0)
    return np.where(n > 2, np.maximum(0.0, found - chance), 0.0)


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
