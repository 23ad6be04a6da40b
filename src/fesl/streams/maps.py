"""A second space for a set that has only one: a random linear map of the first."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats
from fesl.errors import ConfigError
from fesl.streams.base import matrix


def random_map(
    X1: npt.ArrayLike,
    *,
    ratio: float = 0.7,
    kind: Literal["uniform", "gaussian"] = "uniform",
    noise: float = 0.0,
    seed: int | np.random.Generator = 0,
) -> Floats:
    """X2 = X1 W + noise, with W of d1 x int(ratio d1) random numbers.

    Parameters
    ----------
    X1
        The first space.
    ratio
        The number of columns of X2 relative to X1.
    kind
        "uniform": W is uniform on [0, 1), as the authors' own data show it to be. "gaussian":
        standard normal, as the paper says.
    noise
        The standard deviation of Gaussian noise, in units of that of each column of X2.
    seed
        One seed is one W; the paper uses one for all its runs.

    Examples
    --------
    >>> X1 = np.random.default_rng(0).random((50, 10))
    >>> X2 = random_map(X1, seed=1)
    >>> X2.shape, int(np.linalg.matrix_rank(np.hstack([X1, X2])))
    ((50, 7), 10)
    """
    table, rng = matrix(X1), np.random.default_rng(seed)
    d1, d2 = table.shape[1], int(ratio * table.shape[1])
    if d2 < 1 or noise < 0 or kind not in ("uniform", "gaussian"):
        raise ConfigError("a random map needs a column or more, no negative noise and a known kind")
    W = rng.random((d1, d2)) if kind == "uniform" else rng.standard_normal((d1, d2))
    X2: Floats = np.asarray(table @ W)
    return X2 + noise * X2.std(axis=0) * rng.standard_normal(X2.shape) if noise else X2
