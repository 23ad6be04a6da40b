"""Files that were damaged at random are read or refused; nothing else ever happens."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from tables import put, stream

from fesl.errors import DataError

ROWS = range(40)
TABLE = pa.table(
    {"a": [i / 3 for i in ROWS], "c": [("red", "blue")[i % 2] for i in ROWS], "y": [i % 2 for i in ROWS]}
)


def whole(kind: str, folder) -> bytes:
    if kind == "csv":
        return b"a,c,y\r\n" + b"".join(b'%.3f,"%s",%d\r\n' % (i / 3, (b"red", b"blue")[i % 2], i % 2) for i in ROWS)
    if kind == "jsonl":
        lines = [
            json.dumps({"a": i / 3, "c": ["red", "blue"][i % 2], "deep": {"z": [i, None]}, "y": i % 2})
            for i in ROWS
        ]
        return "\n".join(lines).encode()
    if kind == "libsvm":
        return b"".join(b"%d 1:%.3f %d:2\n" % (i % 2, i / 3, i) for i in ROWS)
    path = folder / "whole"
    if kind == "parquet":
        pq.write_table(TABLE, path)
    else:
        with pa.ipc.new_file(path, TABLE.schema) as out:
            out.write_table(TABLE)
    return path.read_bytes()


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes changed, cut out, put in or doubled; or cut short."""
    found = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(0, len(found)))
        match rng.integers(0, 5):
            case 0:
                found[at] = int(rng.integers(0, 256))
            case 1:
                del found[at : at + int(rng.integers(1, 20))]
            case 2:
                found[at:at] = bytes(rng.choice([*b',;"\n\t|{}[]:#\\-e.\xff\x00'], 3).astype(np.uint8).tolist())
            case 3:
                found[at:at] = found[at : at + 30]
            case _:
                del found[at:]
        if not found:
            return b"x"
    return bytes(found)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "libsvm", "parquet", "arrow"])
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_damaged_files(tmp_path, kind, packed):
    rng = np.random.default_rng(7)
    data = whole(kind, tmp_path)
    refused = 0
    for i in range(60):
        path = put(tmp_path, f"{i}.{kind}{packed}", damaged(data, rng))
        if packed and i % 2:
            path.write_bytes(damaged(path.read_bytes(), rng))
        problem = read(path, ("label",) if kind == "libsvm" else ("y",))
        assert f"{i}." in problem or not problem
        refused += bool(problem)
    assert refused > 0 or kind != "parquet"


def read(path, targets: tuple[str, ...]) -> str:
    """Read a file to its end, checking every block; what it was refused with, or nothing."""
    try:
        for block in stream(path, targets=targets):
            assert block.X.shape == (len(block), len(block.names))
            assert len(block.y) == len(block.rows)
            assert len(set(block.names)) == len(block.names)
            values = block.X.data if sparse.issparse(block.X) else block.X
            assert not np.isinf(values).any()
    except DataError as error:
        return str(error)
    return ""
