"""Recorded: a table whose gaps are real."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fesl.streams.base import Stream, frozen, named, observed_only, paired
from fesl.streams.rows import Order, replay


def recorded(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    order: Order = None,
    repeats: int = 1,
    features: Sequence[str] | None = None,
) -> Stream:
    """The table as it is: NaN where a sensor was silent, NaN in `y` where there is no label.

    Parameters
    ----------
    X, y
        The table (dense) and its labels or targets.
    order, repeats
        See `replay`.
    features
        Names of the columns; by default `x0`, `x1`, ...

    Examples
    --------
    >>> list(recorded([[1.0, np.nan], [2.0, 3.0]], [0.5, np.nan], features=["CO", "NOx"]))
    [({'CO': 1.0}, 0.5), ({'CO': 2.0, 'NOx': 3.0}, None)]
    """
    table, labels = paired(X, y)
    rows = replay(len(table), order, repeats)
    shown = table[rows]
    return Stream(
        X=observed_only(shown, ~np.isnan(shown)),
        y=frozen(labels[rows]),
        features=tuple(features or named("x", table)),
        spaces=(np.arange(table.shape[1]),),
        spans=((0, len(rows)),),
        name="recorded",
    )
