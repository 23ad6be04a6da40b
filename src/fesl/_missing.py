"""What stands for nothing observed, through every door."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np


def unobserved(v: Any) -> bool:
    """None, NaN of any kind, NaT, what is masked and the NA of pandas.

    >>> unobserved(None), unobserved(Decimal("NaN")), unobserved(0), unobserved("nan")
    (True, True, False, False)
    """
    if isinstance(v, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(v != v)
    if isinstance(v, Decimal):
        return v.is_nan()
    return v is None or v is np.ma.masked or type(v).__name__ in ("NAType", "NaTType")
