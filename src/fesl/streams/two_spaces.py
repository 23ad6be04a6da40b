"""The paper's stream: one space, a short time with both, the other space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from fesl.streams.base import Matrix, Stream, matrix, named
from fesl.streams.phases import assemble
from fesl.streams.rows import Order, calendar, replay


def two_spaces(
    X1: Matrix,
    X2: Matrix,
    y: npt.ArrayLike,
    *,
    overlap: int = 10,
    switch: int | None = None,
    order: Order = None,
    repeats: int = 1,
    features: Sequence[str] | None = None,
) -> Stream:
    """Rows [0, T1) show X1, rows [T1 - B, n) show X2: the last B rows of the old space show both.

    Parameters
    ----------
    X1, X2
        The two spaces, of the same rows; dense or sparse.
    y
        The labels.
    overlap
        B, the number of rows that show both spaces.
    switch
        T1, the first row without the old space; by default half of the stream.
    order, repeats
        See `replay`: the row order, and how often to go through it.
    features
        Names of the columns of X1, then of X2; by default `s1x0`, ..., `s2x0`, ...

    Examples
    --------
    >>> import numpy as np
    >>> X1 = np.arange(12.0).reshape(6, 2)
    >>> stream = two_spaces(X1, X1[:, :1] * 10, np.arange(6), overlap=1)
    >>> print(stream.X.T)
    [[  0.   2.   4.  nan  nan  nan]
     [  1.   3.   5.  nan  nan  nan]
     [ nan  nan  40.  60.  80. 100.]]
    >>> stream.overlaps, stream.switches
    (((2, 3),), (3,))

    References
    ----------
    Hou, Zhang, Zhou: Learning with feature evolvable streams, NIPS 2017.
    """
    views = [matrix(X1), matrix(X2)]
    rows = replay(views[0].shape[0], order, repeats)
    n = len(rows)
    spans = calendar(n, [n // 2 if switch is None else switch], overlap)
    names = features or [*named("s1x", views[0]), *named("s2x", views[1])]
    return assemble(views, [0, 1], spans, y, rows, names, "two_spaces")
