"""A weight a value: what a code says, a shop's number or a mark like -200, whatever numbers stand near it.

Of each feature the last VALUES values that came again have a weight of their own; any other value, those of a
sensor above all, lies on a line:

    f_k(x) = w_k0 + sum over present j of w_jk(x_j),   w_jk(x_j) the weight of x_j, or w_jk u_j if it has none.

The step is that of `additive`, with heights h = 1 of a value and h = u_j of a line: a variance each, VALUED at
first. Absent features are left out, and so is what does not vary.

A value takes a place among the VALUES when it comes for the first time, and has a weight from the second time on.
The places are gone through in turn, one each time that a value comes which has none: where less than two sightings
are noted it moves in, otherwise what is noted there fades by FADED. So what comes often stays, and what no longer
comes goes in the end.

`codes` holds the values (a line a feature; infinity: free), `coded` what is known of them: [j, 1 + i] of the value
in place i, [j, 0] of the line (and the intercept, j = 0). There stand the sightings (of a line: the place whose
turn it is), the variance, and the weights.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.constants import FADED, VALUED, VALUES

#: Before the weights stand the sightings, or whose turn it is, and the variance.
SIGHTINGS, VARIANCE, WEIGHTS = range(3)


def start(capacity: int) -> tuple[Floats, Floats]:
    """`codes` and `coded` at first, without outputs."""
    coded = np.zeros((capacity, 1 + VALUES, WEIGHTS))
    coded[0, 0, VARIANCE] = 1.0
    return np.full((capacity, VALUES), np.inf), coded


def look_up(codes: Floats, coded: Floats, present: Ints, x: Floats, q: Floats, least: float) -> Ints:
    """Where in `coded` each value stands, if it was seen so often: 0, the line, if not.

    >>> codes, coded = start(2)
    >>> for v in (7.0, 8.0, 7.0):
    ...     notice(codes, coded, np.array([1]), np.array([v]))
    >>> [int(look_up(codes, coded, np.array([1]), np.array([v]), np.ones(1), 2.0)[0]) for v in (7.0, 8.0, 9.0)]
    [1, 0, 0]
    """
    there = codes[present] == x[:, None]
    found = np.where(there.any(axis=1), 1 + there.argmax(axis=1), 0)
    return np.where((coded[present, found, SIGHTINGS] >= least) & (q > 0.0), found, 0)


def project(coded: Floats, present: Ints, at: Ints, u: Floats) -> tuple[Floats, float]:
    """The margins (one a class or target) and their variance."""
    h, known = np.where(at > 0, 1.0, u), coded[present, at]
    return coded[0, 0, WEIGHTS:] + h @ known[:, WEIGHTS:], float(coded[0, 0, VARIANCE] + h**2 @ known[:, VARIANCE])


def learn(coded: Floats, present: Ints, at: Ints, u: Floats, g: Floats, c: float) -> None:
    """One step, in place: w_k += g_k V h, V /= 1 + c V h^2."""
    h = np.concatenate([[1.0], np.where(at > 0, 1.0, u)])
    j, at = np.concatenate([[0], present]), np.concatenate([[0], at])
    v = coded[j, at, VARIANCE]
    coded[j, at, WEIGHTS:] += np.multiply.outer(v * h, g)
    coded[j, at, VARIANCE] = v / (1.0 + c * v * h * h)


def notice(codes: Floats, coded: Floats, present: Ints, x: Floats) -> None:
    """These values came, in place."""
    for j, v in zip(present.tolist(), x.tolist(), strict=True):
        here = np.flatnonzero(codes[j] == v)
        if len(here):
            coded[j, 1 + here[0], SIGHTINGS] += 1.0
            continue
        i = int(coded[j, 0, SIGHTINGS])
        coded[j, 0, SIGHTINGS] = (i + 1) % VALUES
        if coded[j, 1 + i, SIGHTINGS] < 2.0:
            codes[j, i] = v
            coded[j, 1 + i] = 0.0
            coded[j, 1 + i, :WEIGHTS] = 1.0, VALUED
        else:
            coded[j, 1 + i, SIGHTINGS] *= FADED


def kept(codes: Floats, coded: Floats, units: Floats) -> tuple[Floats, Floats]:
    """What is worth keeping of a feature: its values that came again, weights times these units."""
    again = np.flatnonzero(coded[1:, SIGHTINGS] >= 2.0)
    out = coded[np.append(0, 1 + again)]
    out[:, WEIGHTS:] *= units
    out[0, SIGHTINGS] = len(again) % VALUES
    return codes[again], out


def put_back(codes: Floats, coded: Floats, old: tuple[Floats, Floats], units: Floats) -> None:
    """The same once more, into a feature of which nothing is known; classes that are newer know nothing."""
    n, width = old[1].shape
    codes[: n - 1] = old[0]
    coded[:n, :width] = old[1]
    coded[:n, WEIGHTS:width] /= units[: width - WEIGHTS]
