"""Helpers of the tests of files: write, read everything, say what came out."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from fesl.files import Block, Settings, Stream


def put(folder: Path, name: str, content: str | bytes) -> Path:
    """A file with this content, packed as its name says."""
    data = content if isinstance(content, bytes) else content.encode()
    if name.endswith(".gz"):
        data = gzip.compress(data)
    elif name.endswith(".zst"):
        data = pa.compress(data, codec="zstd", asbytes=True)
    path = folder / name
    path.write_bytes(data)
    return path


def stream(*paths: Path, targets: tuple[str, ...] = ("y",), **settings: Any) -> Stream:
    return Stream(list(paths), Settings(targets=targets, **settings))


def everything(found: Stream) -> tuple[list[str], np.ndarray[Any, Any], list[Any], list[Block]]:
    """Names, one dense table over all names (NaN: not there), labels, and the blocks themselves."""
    blocks = list(found)
    names = list(dict.fromkeys(name for block in blocks for name in block.names))
    X = np.full((sum(map(len, blocks)), len(names)), np.nan)
    at = 0
    for block in blocks:
        dense = block.X.toarray() if sparse.issparse(block.X) else block.X
        X[at : at + len(block), [names.index(name) for name in block.names]] = dense
        at += len(block)
    return names, X, [label for block in blocks for label in block.y.tolist()], blocks
