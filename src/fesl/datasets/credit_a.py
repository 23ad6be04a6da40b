"""credit-a: the UCI credit approval file without its incomplete rows, nominals as numbers."""

from __future__ import annotations

from pathlib import Path

from fesl.datasets._crx import CRX, NAMES, SOURCE, VALUES
from fesl.datasets._tables import cells, min_max, signs
from fesl.datasets.base import Arrays, Entry, Paper, Variant


def number(name: str, cell: str) -> float:
    return VALUES[name].split().index(cell) if name in VALUES else float(cell)


def recipe(path: Path) -> Arrays:
    rows = [row for row in cells(path) if "?" not in row]
    X = [[number(name, cell) for name, cell in zip(NAMES, row, strict=False)] for row in rows]
    return Arrays(min_max(X), signs([row[-1] for row in rows], positive="-"), NAMES)


#: Fingerprint of the encoded cells.
CELLS = "82b4d6135a9df18652cac621d584e7084a854cdfb95f0a2055d099aff90cc655"
ENTRY = Entry(
    name="credit-a",
    title="UCI credit approval, complete rows",
    source=SOURCE,
    licence="CC BY 4.0",
    task="binary",
    variants=(Variant((CRX,), recipe, (653, 15), CELLS),),
    recipe="rows with '?' dropped; nominal -> index in a fixed order; min-max; '+' is -1",
    paper=Paper(n=653, d1=15, d2=10, c=1.0, overlap=5),
)
