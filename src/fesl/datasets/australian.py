"""australian: despite its name the UCI credit approval file, one-hot, with the gaps filled."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from fesl._typing import Floats
from fesl.datasets._crx import CRX, NAMES, SOURCE, VALUES
from fesl.datasets._tables import cells, min_max, one_hot, one_hot_names, signs
from fesl.datasets.base import Arrays, Entry, Paper, Variant


def nominal(column: list[str], values: list[str]) -> Floats:
    mode = Counter(cell for cell in column if cell != "?").most_common(1)[0][0]
    return one_hot([mode if cell == "?" else cell for cell in column], values)


def numeric(column: list[str]) -> Floats:
    numbers = np.array([np.nan if cell == "?" else float(cell) for cell in column])
    filled = np.where(np.isnan(numbers), np.nanmean(numbers), numbers)
    return min_max(filled[:, None])


def recipe(path: Path) -> Arrays:
    rows = cells(path)
    blocks, names = [], []
    for j, name in enumerate(NAMES):
        column, values = [row[j] for row in rows], VALUES.get(name, "").split()
        blocks.append(nominal(column, values) if values else numeric(column))
        names += one_hot_names(name, values) if values else [name]
    # The authors' file came through text with six decimals.
    X1 = np.round(np.hstack(blocks), 6)
    return Arrays(X1, signs([row[-1] for row in rows], positive="-"), tuple(names))


#: Fingerprint of the encoded cells.
CELLS = "cdc23a19c65d8813516537b0557e35770556dcd63e6aca4be693b2aba075a121"
ENTRY = Entry(
    name="australian",
    title="UCI credit approval, one-hot",
    source=SOURCE,
    licence="CC BY 4.0",
    task="binary",
    variants=(Variant((CRX,), recipe, (690, 42), CELLS),),
    recipe="missing -> mode or mean; nominals one-hot, two-valued ones one column; numbers min-max"
    " to [0, 1], six decimals; '+' is -1",
    paper=Paper(n=690, d1=42, d2=29, c=1.0, overlap=10),
)
