"""What there is to see of features."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

from fesl._typing import Name
from fesl.portfolio.constants import ROUND
from fesl.portfolio.state import State
from fesl.portfolio.wide import seats
from fesl.portfolio.wide.state import WideState


@dataclass(frozen=True)
class Recovery:
    """How well a feature is told by the others: the root mean square `error` as a share of what its mean would make
    (0 is perfect, 1 no better than the mean; NaN: never measured), over so many `rows`."""

    error: float
    rows: int


def features(st: State | WideState) -> dict[Name, str]:
    last = int(st.clock[ROUND]) - 1
    if isinstance(st, WideState):
        part = {k: "vanished" if seats.away(st, j) else "missing" for k, j in st.index.items()}
        found = {k: "live" if st.last[j] == last else part[k] for k, j in st.index.items()}
        return {**dict.fromkeys(st.inner.dead if st.inner is not None else (), "vanished"), **found}
    now = {name: "live" if st.last[j] == last else "missing" for name, j in st.index.items()}
    return {**now, **dict.fromkeys(st.dead, "vanished")}


def recovery(st: State) -> dict[Name, Recovery]:
    out = {}
    for name, j in st.index.items():
        n, power = int(st.checks[j]), float(st.S[j, j])
        square = float(st.error[j]) / n * float(st.C[j, j]) / power if n and power else nan
        out[name] = Recovery(sqrt(square), n)
    return {**out, **{name: Recovery(dead.error, dead.rows) for name, dead in st.dead.items()}}
