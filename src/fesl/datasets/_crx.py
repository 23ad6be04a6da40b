"""The UCI credit approval file, which the paper uses twice: as `australian` and as `credit-a`."""

from __future__ import annotations

from fesl.datasets.base import RawFile, Web

SHA256 = "fff49bc186cbddb3ace7371d40d9fbbb3af4f126019c13ff3f562249b1454f4d"
CRX = RawFile(
    "primary/crx.data",
    SHA256,
    web=(
        Web("https://archive.ics.uci.edu/static/public/27/credit+approval.zip", SHA256, "crx.data"),
        Web("https://archive.ics.uci.edu/ml/machine-learning-databases/credit-screening/crx.data", SHA256),
    ),
)
SOURCE = "https://archive.ics.uci.edu/dataset/27/credit+approval"
NAMES = tuple(f"A{number}" for number in range(1, 16))
#: The values of each nominal attribute in the paper's order (A4 = `t` is documented, never used).
VALUES = {
    "A1": "b a",
    "A4": "u y l",
    "A5": "g p gg",
    "A6": "c d cc i j k m r q w x e aa ff",
    "A7": "v h bb j n z dd ff o",
    "A9": "t f",
    "A10": "t f",
    "A12": "t f",
    "A13": "g p s",
}
