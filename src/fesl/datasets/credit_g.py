"""credit-g: German credit again, nominals as numbers.

The ARFF file names in words what `german.data` writes in codes, row by row in the same order, so
either file gives the same cells.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fesl.datasets._tables import cells, declared, min_max, signs
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web
from fesl.datasets.german import GERMAN, code

ARFF = RawFile(
    "primary/credit-g.arff",
    "bd94085134e4eb845c96b34c93ed65a223f89d089bacb273ef96f57509ce0bed",
    web=(Web("https://www.openml.org/data/download/31/dataset_31_credit-g.arff"),),
)
NAMES = (
    "checking_status duration credit_history purpose credit_amount savings_status employment"
    " installment_commitment personal_status other_parties residence_since property_magnitude age"
    " other_payment_plans housing existing_credits job num_dependents own_telephone"
    " foreign_worker"
)


def recipe(path: Path) -> Arrays:
    rows, values = cells(path), declared(path)
    X = [
        [float(named.index(cell) if named else cell) for cell, named in zip(row[:-1], values[:-1], strict=True)]
        for row in rows
    ]
    y = signs([row[-1] for row in rows], positive="bad")
    return Arrays(min_max(X), y, tuple(NAMES.split()))


def from_codes(path: Path) -> Arrays:
    rows = cells(path, sep=" ")
    X = [
        [float(code(j, cell) if cell.startswith("A") else cell) for j, cell in enumerate(row[:-1], 1)]
        for row in rows
    ]
    y = signs([row[-1] for row in rows], positive="2")
    return Arrays(min_max(X), y, tuple(NAMES.split()))


#: Fingerprint of the encoded cells.
CELLS = "c96eaf1c6e6761587d9a3d8dc07ccf1bab590157761382b04b36bfb2046bdb54"
FIRST = Variant((ARFF,), recipe, (1000, 20), CELLS)

ENTRY = Entry(
    name="credit-g",
    title="German credit, nominals as numbers",
    source="https://www.openml.org/d/31",
    licence="public, says OpenML",
    task="binary",
    variants=(FIRST, replace(FIRST, files=(GERMAN,), recipe=from_codes)),
    recipe="nominal -> declared index; min-max; good is -1, bad is +1",
    paper=Paper(n=1000, d1=20, d2=14, c=1.0, overlap=10),
)
