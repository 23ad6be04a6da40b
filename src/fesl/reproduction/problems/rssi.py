"""rssi: where is the phone? The stand-in for the paper's RFID set, which is not public any more.

Two targets. Access points with odd numbers are the old sensors, those with even numbers the new ones (neighbours
in the numbering are mostly neighbours in the building: new aerials beside the old); those never heard are left
out. A signal of s dBm becomes (s + 105)/105, not heard is 0. Targets are metres from the middle of the site, in
units of half its longer side (198 m), so that a model of zeros says "the middle".

The paper prints B = 40 but no c for RFID; 1 is the best of its five candidates on the rows *before* the switch.
"""

import numpy as np

from fesl.datasets import load
from fesl.losses import Squared
from fesl.reproduction.base import Problem, Tables

FAINTEST = -105.0


def tables(seed: int) -> Tables:
    data = load("rssi")
    heard = ~np.isnan(data.X1)
    signal = np.where(heard, 1.0 - data.X1 / FAINTEST, 0.0)[:, heard.any(axis=0)]
    low, high = data.y.min(axis=0), data.y.max(axis=0)
    y = (data.y - (low + high) / 2.0) / ((high - low).max() / 2.0)
    return Tables(signal[:, 0::2], signal[:, 1::2], y)


PROBLEM = Problem(
    name="rssi",
    title="UJIIndoorLoc, old and new access points",
    group="regression",
    loss=Squared(),
    c=1.0,
    overlap=40,
    tables=tables,
    classes=(),
    caveat="stands in for RFID, which is not public; loss in units of (198 m) squared",
)
