"""air-quality: a year at the roadside, during which the NMHC analyser really dies.

As recorded, in its own order, gaps and all, but for one thing: the metal-oxide NMHC sensor is shown only from 40
hours before the analyser's last hour on, so that it is the newcomer which replaces it. The ten other instruments
survive. Every column and the target (CO) are scaled to [0, 1], as the paper scales its sets; hours without a
label are shown to the methods, not scored. c is the best of the paper's five candidates on the hours *before* the
switch.
"""

import numpy as np

from fesl._typing import Ints
from fesl.datasets import load
from fesl.losses import Squared
from fesl.reproduction.base import Problem, Tables
from fesl.reproduction.problems._of_entry import unit_range
from fesl.spaces import Declared
from fesl.streams import Stream

OLD, NEW = "NMHC(GT)", "PT08.S2(NMHC)"


def tables(seed: int) -> Tables:
    data = load("air-quality")
    X = unit_range(data.X1)
    new = data.features.index(NEW)
    return Tables(np.delete(X, new, axis=1), X[:, [new]], unit_range(data.y[:, None])[:, 0])


def stream(tables: Tables, overlap: int, order: Ints, repeats: int) -> Stream:
    """In the recorded order, whatever `order` says: this happened once."""
    names = [name for name in load("air-quality").features if name != NEW]
    old = names.index(OLD)
    last = int(np.flatnonzero(~np.isnan(tables.X1[:, old]))[-1])
    start, switch, n = last + 1 - overlap, last + 1, len(tables.y)
    new = tables.X2.copy()
    new[:start] = np.nan
    return Stream(
        X=np.hstack([tables.X1, new]),
        y=tables.y,
        features=(*names, NEW),
        spaces=(np.array([old]), np.array([len(names)])),
        spans=((0, switch), (start, n)),
        overlaps=((start, switch),),
        switches=(switch,),
        name="air-quality",
    )


PROBLEM = Problem(
    name="air-quality",
    title="UCI air quality, the NMHC analyser dies",
    group="regression",
    loss=Squared(),
    c=1.0,
    overlap=40,
    tables=tables,
    classes=(),
    recorded=True,
    runs=1,
    protocols=("stream",),
    stream=stream,
    spaces=lambda stream: Declared({OLD: 0, NEW: 1}),
    caveat="not in the paper; one of eleven instruments is replaced, ten survive",
)
