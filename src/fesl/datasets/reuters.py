"""reuters/A-B: documents written in language A, first in their own words, then translated into B.

Twenty pairs of the RCV1/RCV2 multilingual collection. With the full collection in the data folder
all of them load; without it the four English ones do, from a subset of 600 documents (100 a class).
`y` is the class number, 1 to 6, for the paper does not say how it made two classes of six: see
`Dataset.binary`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from fesl.datasets._tables import libsvm
from fesl.datasets.base import Arrays, Entry, Paper, RawFile, Variant, Web
from fesl.streams.base import Matrix

URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/00259/rcv1rcv2aminigoutte.tar.bz2"
CLASSES = ("C15", "CCAT", "E21", "ECAT", "GCAT", "M11")
ROWS = {"EN": 18758, "FR": 26648, "GR": 29953, "IT": 24039, "SP": 12342}
#: The paper's step constants; 50 for every other pair.
STEPS = {10.0: "GR-IT GR-SP SP-FR", 100.0: "FR-EN", 150.0: "EN-GR GR-FR SP-GR"}
SUBSET_SHA256 = {
    "EN-EN.npz": "64e925cffef8a70d3538fdfdbdc0daf066718fc1cc9ff230fcea187fa9cff23b",
    "EN-FR.npz": "6fde786d9e420c4054c4983e1f4a47c29d4a2f77e54518d27413fdf72dcf3d98",
    "EN-GR.npz": "25d05acdf98336ba7ba9dd5324bebc52817f4e30af33f232032160c69910c600",
    "EN-IT.npz": "1477ddef2f540036057212c39d3fd5ed3bb8b10d7625fa863a919ed7124d5347",
    "EN-SP.npz": "d0e40eea1085f35dc40a4a9962009cdb8163ef4b3737c3ffba17044ba8e1fa5b",
    "y.npy": "c2dd27bca26ec2d4bf09be567aa16422d377648ba653baa4a22a043dfe3f6b4e",
}


def index(view: str) -> RawFile:
    return RawFile(f"reuters/**/Index_{view}", web=(Web(URL, member=f"Index_{view}"),))


def subset(name: str) -> RawFile:
    return RawFile(f"reuters600/{name}", SUBSET_SHA256[name])


def from_index(first: Path, second: Path) -> Arrays:
    (labels, X1), (again, X2) = libsvm(first), libsvm(second)
    if labels != again:
        raise ValueError(f"{second.name} does not list the same documents as {first.name}")
    y = np.array([CLASSES.index(label) + 1 for label in labels])
    return Arrays(X1, y, words(first, X1), X2, words(second, X2), CLASSES)


def from_subset(first: Path, second: Path, labels: Path) -> Arrays:
    X1, X2 = (sparse.csr_matrix(sparse.load_npz(path)) for path in (first, second))
    y = np.load(labels).astype(np.int64)
    return Arrays(X1, y, words(first, X1), X2, words(second, X2), CLASSES)


def words(path: Path, X: Matrix) -> tuple[str, ...]:
    """The collection numbers its words; `FR:17` is the eighteenth of the French ones."""
    language = path.stem.rpartition("-")[2]
    return tuple(f"{language}:{j}" for j in range(X.shape[1]))


def entry(old: str, new: str) -> Entry:
    pair, own = f"{old}-{new}", f"{old}-{old}"
    step = next((c for c, pairs in STEPS.items() if pair in pairs.split()), 50.0)
    ways = [Variant((index(own), index(pair)), from_index, (ROWS[old], None), label="full")]
    if old == "EN":
        files = (subset(f"{own}.npz"), subset(f"{pair}.npz"), subset("y.npy"))
        ways.append(Variant(files, from_subset, (600, 21531), label="600 documents"))
    return Entry(
        name=f"reuters/{pair}",
        title=f"Reuters RCV1/RCV2 multilingual, {old} then {new}",
        source="https://archive.ics.uci.edu/dataset/259/reuters+rcv1+rcv2+multilingual+multiview"
        "+text+categorization+test+collection",
        licence="CC BY 4.0 (the features; the texts are Reuters')",
        task="multiclass",
        variants=tuple(ways),
        recipe="the collection's own TF-IDF weights; C15, CCAT, E21, ECAT, GCAT, M11 -> 1..6",
        paper=Paper(n=ROWS[old], d1=None, d2=None, c=step, overlap=50),
    )


ENTRIES = tuple(entry(old, new) for old in ROWS for new in ROWS if new != old)
