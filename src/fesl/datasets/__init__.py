"""Public data sets, each encoded exactly as the paper encodes it.

>>> from fesl import datasets
>>> len([name for name in datasets.names() if name.startswith("reuters/")])
20

`names()` lists them, `info(name)` tells what is known of one, `load(name)` reads it, `available()`
lists those that need no network. One short file in this folder is one data set.
"""

from fesl.datasets._load import available, load
from fesl.datasets.base import (
    Arrays,
    Dataset,
    Entry,
    Paper,
    RawFile,
    Variant,
    Web,
    Wheel,
    info,
    names,
    registry,
)

__all__ = [
    "Arrays",
    "Dataset",
    "Entry",
    "Paper",
    "RawFile",
    "Variant",
    "Web",
    "Wheel",
    "available",
    "info",
    "load",
    "names",
    "registry",
]
