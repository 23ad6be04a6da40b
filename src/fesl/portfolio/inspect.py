"""What there is to see of features."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

from fesl._typing import Name
from fesl.portfolio.constants import ROUND
from fesl.portfolio.state import State
from fesl.portfolio.wide.state import WideState


@dataclass(frozen=True)
class Recovery:
    """How well a feature is told by the others: the root mean square `error` in (squashed) standard deviations (1
    is no better than its mean; NaN: never measured), over so many `rows`."""

    error: float
    rows: int


def features(st: State | WideState) -> dict[Name, str]:
    last = int(st.clock[ROUND]) - 1
    if isinstance(st, WideState):
        part = {True: "vanished", False: "missing"}
        return {k: "live" if st.last[j] == last else part[bool(st.asleep[j])] for k, j in st.index.items()}
    now = {name: "live" if st.last[j] == last else "missing" for name, j in st.index.items()}
    return {**now, **dict.fromkeys(st.dead, "vanished")}


def recovery(st: State) -> dict[Name, Recovery]:
    out = {}
    for name, j in st.index.items():
        n = int(st.checks[j])
        out[name] = Recovery(sqrt(float(st.error[j]) / n) if n else nan, n)
    return {**out, **{name: Recovery(dead.error, dead.rows) for name, dead in st.dead.items()}}
