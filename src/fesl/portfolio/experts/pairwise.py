"""A surface a pair of features: what two of them say together that neither says alone.

f_k(x) = w_k0 + sum over pairs i, j of c_ijk(u_i, u_j), both present; a surface is bilinear between KNOTS x KNOTS
knots that part [-SPAN, SPAN]^2 evenly, flat outside. So a pair of values touches four knots, with heights that sum
to one, and the step is that of `additive`: a variance a knot, CURVE at first, each on its own.

Only PAIRED features are paired, so a round costs no more however many there are: all of them, or those that tell
most about the label by themselves (`choose`, each time that twice as many labels have been seen; slots that become
free are filled at once).

`paired` holds their positions, 0 for a slot that is free. The surface of slots a > b is table 1 + a (a - 1) / 2 + b
of G (tables x knots x weights); table 0 is the intercept, at its first knot. A knot holds its variance, then the
weights of the targets, or those of classes 1 to K - 1: all steps sum to zero over the classes, so that of class 0
is what the others lack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fesl._typing import Bools, Floats, Ints
from fesl.portfolio.constants import CURVE, KNOTS, PAIRED
from fesl.portfolio.experts.additive import hats

#: The slots a > b that meet in table 1, 2, ...
MEETINGS = np.tril_indices(PAIRED, -1)
#: Tables, knots of a surface, and the labels seen when features are first chosen.
TABLES, MESH, FIRST = 1 + PAIRED * (PAIRED - 1) // 2, KNOTS * KNOTS, 8


class Touched(NamedTuple):
    """What an event touches: tables, their knots, and the heights there. The intercept comes first."""

    table: Ints
    knot: Ints
    height: Floats


def start(weights: int) -> Floats:
    """The tables at first, with so many weights a knot."""
    G = np.zeros((TABLES, MESH, 1 + weights))
    G[:, :, 0] = CURVE
    G[0, 0, 0] = 1.0
    return G


def widen(G: Floats, classes: int, level: float) -> Floats:
    """Room for so many classes; the new ones start so much below the mean of the others."""
    more = np.zeros((*G.shape[:2], max(1, classes)))
    more[:, :, : G.shape[2]] = G
    late = level * (classes - G.shape[2]) / classes
    more[0, 0, 1:] += late
    more[0, 0, G.shape[2] :] -= level
    return more


def touched(paired: Ints, present: Ints, u: Floats) -> Touched:
    """By an event with the values `u` (of all positions) that holds these positions.

    >>> found = touched(np.array([3, 0, 1]), np.array([1, 3]), np.array([1.0, 0.0, 9.0, 1.0]))
    >>> found.table, found.knot     # slots 0 and 2: u_1 is on a knot, u_3 between two
    (array([0, 2, 2, 2, 2]), array([ 0, 25, 26, 32, 33]))
    >>> found.height
    array([1. , 0.5, 0.5, 0. , 0. ])
    """
    slots = np.flatnonzero(np.isin(paired, present))
    below, r = hats(u[paired[slots]])
    i, j = np.tril_indices(len(slots), -1)
    met = table(slots[i], slots[j])
    knot = (below[i] * KNOTS + below[j])[:, None] + np.array([0, 1, KNOTS, KNOTS + 1])
    height = np.stack([1.0 - r, r])[:, i].T[:, :, None] * np.stack([1.0 - r, r])[:, j].T[:, None, :]
    return Touched(
        np.concatenate([[0], np.repeat(met, 4)]),
        np.concatenate([[0], knot.ravel()]),
        np.concatenate([[1.0], height.ravel()]),
    )


def table(a: Any, b: Any) -> Any:
    """Where slots a > b meet."""
    return 1 + a * (a - 1) // 2 + b


def project(G: Floats, at: Touched) -> tuple[Floats, float]:
    """What the weights say (of classes 1 to K - 1, or of the targets), and its variance."""
    knots = G[at.table, at.knot]
    return at.height @ knots[:, 1:], float(at.height**2 @ knots[:, 0])


def margins(said: Floats) -> Floats:
    """One a class.

    >>> margins(np.array([2.0, -0.5]))
    array([-1.5,  2. , -0.5])
    """
    return np.concatenate([[-said.sum()], said])


def learn(G: Floats, at: Touched, g: Floats, c: float) -> None:
    """One step, in place: w_k += g_k V h, V /= 1 + c V h^2."""
    v = G[at.table, at.knot, 0]
    G[at.table, at.knot, 1:] += np.multiply.outer(v * at.height, g)
    G[at.table, at.knot, 0] = v / (1.0 + c * v * at.height**2)


def telling(H: Floats) -> Floats:
    """How much each feature tells about the class by itself, a sighting, from the counts of naive Bayes: the log
    likelihood ratio, less what chance would give. NaN: never seen to vary.

    >>> telling(np.array([[[9.0, 0.0], [0.0, 9.0]], [[5.0, 4.0], [4.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]]])).round(2)
    array([ 0.67, -0.02,   nan])
    """
    n, of_class, of_bin = H.sum(axis=(1, 2)), H.sum(axis=2), H.sum(axis=1)
    chance = of_class[:, :, None] * of_bin[:, None, :] / np.maximum(n, 1.0)[:, None, None]
    ratio = np.where(H > 0.0, H * np.log(np.where(H > 0.0, H, 1.0) / np.where(H > 0.0, chance, 1.0)), 0.0)
    free = np.maximum((of_class > 0.0).sum(axis=1) - 1, 0) * np.maximum((of_bin > 0.0).sum(axis=1) - 1, 0)
    varies = (of_bin > 0.0).sum(axis=1) > 1
    return np.where(varies, (ratio.sum(axis=(1, 2)) - 0.5 * free) / np.maximum(n, 1.0), np.nan)


def moving(A: Floats, q: Floats) -> Floats:
    """How far each feature moves the target by itself: the variance of its curve between the knots. NaN where the
    sum of squares q says that the feature was never seen to vary."""
    return np.where(q > 0.0, A.var(axis=2).sum(axis=1), np.nan)


def choose(paired: Ints, G: Floats, worth: Floats, tie: Floats, anew: bool) -> None:
    """Pair the features of positions 1, 2, ... that are worth most: all slots `anew`, or only those that are free.
    One whose worth is not known (NaN) is paired only if all are. Between equals `tie` decides, never their order:
    one that is no better than the first that is left out is not paired. Those that stay keep their surfaces. In
    place."""
    chosen = np.zeros(len(worth), bool)
    chosen[paired] = not anew
    chosen[0] = False
    order = 1 + np.lexsort((-tie[1:], -worth[1:].round(9)))
    if len(order) > PAIRED:
        order = order[~np.isnan(worth[order])]
    order, free = order[~chosen[order]], PAIRED - int(chosen.sum())
    if len(order) > free:
        same = _same(worth, order, free) & _same(tie, order, free)
        order = order[:free][~same[:free]]
    chosen[order] = True
    keep(paired, G, (paired == 0) | chosen[paired])  # a free slot has nothing to forget
    chosen[paired] = False
    new = np.flatnonzero(chosen)
    paired[np.flatnonzero(paired == 0)[: len(new)]] = new


def _same(v: Floats, order: Ints, i: int) -> Bools:
    """Which of these positions have the value of the i-th, but for rounding."""
    return np.asarray(np.abs(v[order] - v[order[i]]) <= 1e-12 + 1e-9 * abs(v[order[i]]))


def keep(paired: Ints, G: Floats, stays: Bools) -> None:
    """Free all slots but these; in place."""
    a, b = MEETINGS
    met = 1 + np.flatnonzero(~(stays[a] & stays[b]))
    G[met] = 0.0
    G[met, :, 0] = CURVE
    paired[~stays] = 0
