"""A step size is a number or a schedule: a function of the round t = 1, 2, ... since the last switch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from fesl._typing import Floats

#: tau_t for a whole array of rounds at once; t restarts at 1 when the features change.
Step: TypeAlias = Callable[[Floats], Floats]
