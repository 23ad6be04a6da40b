"""rssi: where in a building is a phone, from the Wi-Fi access points that it hears.

The nearest public relative of the paper's RFID set, which is not public any more: two targets, and
sensors that come and go. An access point that was not heard is not observed.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from fesl.datasets.base import Arrays, Entry, RawFile, Variant, Web

SHA256 = "5f90c536648cd657b2c516d20c4e0968d4003279ea6bd5d5d5322d3f1e8905c0"
FILE = RawFile(
    "rssi/UJIIndoorLoc_validationData.csv",
    SHA256,
    web=(Web("https://archive.ics.uci.edu/static/public/310/ujiindoorloc.zip", SHA256, "validationData.csv"),),
)
NOT_HEARD = 100.0


def recipe(path: Path) -> Arrays:
    with path.open(newline="") as stream:
        header, *rows = csv.reader(stream)
    table = np.array([row[:522] for row in rows], dtype=np.float64)
    X1 = np.where(table[:, :520] == NOT_HEARD, np.nan, table[:, :520])
    return Arrays(X1, table[:, 520:522], tuple(header[:520]))


#: Fingerprint of the encoded cells.
CELLS = "e46ac87bde60eb0b389943438785f687a278734b05ca08f585f629570bbd03c7"
ENTRY = Entry(
    name="rssi",
    title="UJIIndoorLoc, validation part",
    source="https://archive.ics.uci.edu/dataset/310/ujiindoorloc",
    licence="CC BY 4.0",
    task="regression",
    variants=(Variant((FILE,), recipe, (1111, 520), CELLS),),
    recipe="520 signal strengths in dBm, 100 (not heard) -> not observed; y is longitude and latitude in metres",
)
