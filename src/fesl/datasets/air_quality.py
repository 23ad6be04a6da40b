"""air-quality: a roadside station over a year, with real gaps.

The reference analysers and the chemical sensors fail now and then, and the NMHC(GT) analyser dies:
row 1230 is its last. The target is the CO concentration of the reference analyser, itself missing
in 1,683 hours: those rows have no label, and a learner may still look at them.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from fesl.datasets.base import Arrays, Entry, RawFile, Variant, Web

FILE = RawFile(
    "air-quality/AirQualityUCI.csv",
    "c53d5ba770e5202034a0ecb92746b1a73cd604316eb88b5a1848d3fc782ab055",
    web=(
        Web(
            "https://archive.ics.uci.edu/static/public/360/air+quality.zip",
            "13277ae5d8581e80b7be09d47c7d3d06fe9b8e957078f2cf6e859f955e62f996",
            "AirQualityUCI.csv",
        ),
    ),
)
MISSING = -200.0
TARGET = "CO(GT)"


def recipe(path: Path) -> Arrays:
    """UCI writes semicolons and decimal commas, other copies commas and points."""
    text = path.read_text(encoding="utf-8-sig")
    if ";" in text:
        text = text.replace(",", ".").replace(";", ",")
    header, *rows = csv.reader(text.splitlines())
    table = np.array([row[2:15] for row in rows if row and row[0]], dtype=np.float64)
    table[table == MISSING] = np.nan
    target = header[2:15].index(TARGET)
    names = tuple(name for name in header[2:15] if name != TARGET)
    return Arrays(np.delete(table, target, axis=1), table[:, target], names)


#: Fingerprint of the encoded cells.
CELLS = "f82ce8478a1f77750b1943e64852d2b208e4b734379ab9b8097393465bb27fa8"
ENTRY = Entry(
    name="air-quality",
    title="UCI air quality, hourly",
    source="https://archive.ics.uci.edu/dataset/360/air+quality",
    licence="CC BY 4.0; its donors ask for research use only",
    task="regression",
    variants=(Variant((FILE,), recipe, (9357, 12), CELLS),),
    recipe="-200 -> not observed; y is CO(GT) in mg/m3 (NaN: no label), X1 the twelve others",
)
