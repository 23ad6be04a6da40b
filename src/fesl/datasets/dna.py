"""dna: the two kinds of splice junction of the Statlog DNA set, three bits a base."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fesl.datasets._tables import libsvm
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web

FILE = RawFile(
    "primary/dna.scale",
    web=(Web("https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/dna.scale"),),
)


def recipe(path: Path) -> Arrays:
    labels, X = libsvm(path)
    X.resize(len(labels), 180)
    y = np.array(labels, dtype=np.float64).astype(np.int64)
    kept = np.flatnonzero(y < 3)
    names = tuple(f"b{j}" for j in range(1, 181))
    return Arrays(X[kept].toarray(), np.where(y[kept] == 2, 1, -1).astype(np.int64), names)


#: Fingerprint of the encoded cells.
CELLS = "bd3b23ec86276d64faae8892544f2c8dd22ba61d9522f848b7ce780749dc17ab"
ENTRY = Entry(
    name="dna",
    title="Statlog DNA, donors against acceptors",
    source="https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html#dna",
    licence="none stated by LIBSVM",
    task="binary",
    variants=(Variant((FILE,), recipe, (949, 180), CELLS),),
    recipe="classes 1 (-1) and 2 (+1) of LIBSVM's 2,000 training rows (the paper prints 940 rows;"
    " its sign is not known)",
    # int(.7 * 180) is 125 in floating point
    paper=Paper(n=940, d1=180, d2=125, c=150.0, overlap=10),
)
