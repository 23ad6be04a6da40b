"""One more expert of classes, with as many voices as all others together: half of it is what the mixture of these
says, half what they are for who were right of late.

The mixture hears hardly anybody but the one with the fewest bits, and a bit counts for as much however sure of a
class all are. Where two experts are nearly as good, more of them are right together; and what counts in the end is
the class that is named. So of every expert i it is remembered how wrong it was, by the Brier score, which fades:

    r_i <- MEMORY r_i + |p_i - e_y|^2 / 2,    v_i = exp(-RUE r_i).

With a the weights of the mixture, C experts and the stacker among them,

    p(k) = 1/2 sum_i a_i p_i(k) / sum_i a_i  +  1/2 sum_i v_i p_i(k)^2 / |p_i|^2 / sum_i v_i.

Squares, since the mean of many is less sure than each of them, and less than it should be.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats

#: How much of a regret stays a round, and how much one counts.
MEMORY, RUE = 0.99, 0.6


def predict(a: Floats, wrong: Floats, p: Floats) -> Floats:
    """Of the experts' weights, how wrong they were of late, and what they say, C x K.

    >>> p = np.array([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6]])
    >>> predict(np.array([0.5, 0.1, 0.1]), np.zeros(3), p).round(3)
    array([0.646, 0.354])
    >>> predict(np.array([0.5, 0.1, 0.1]), np.array([9.0, 0.0, 0.0]), p).round(3)
    array([0.533, 0.467])
    """
    v = np.exp(-RUE * (wrong - wrong.min()))
    square = p * p
    square /= square.sum(axis=1, keepdims=True)
    return np.asarray(0.5 * (a @ p) / a.sum() + 0.5 * (v @ square) / v.sum())


def learn(wrong: Floats, p: Floats, y: int) -> None:
    """How wrong each was, in place.

    >>> wrong = np.array([1.0, 1.0]); learn(wrong, np.array([[0.9, 0.1], [0.5, 0.5]]), 1); wrong
    array([1.8 , 1.24])
    """
    wrong *= MEMORY
    wrong += 0.5 * (p * p).sum(axis=1) - p[:, y] + 0.5
