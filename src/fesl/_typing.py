"""The few type names that the whole package shares."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]

#: The name of a feature: a string as a rule, any hashable in general.
Name: TypeAlias = Hashable
#: One event: what was observed. An absent key, `None` and NaN all mean "not observed".
Event: TypeAlias = Mapping[Any, Any]
