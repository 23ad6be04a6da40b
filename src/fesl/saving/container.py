"""The file: a document as bytes, and back. `docs/file-format.md` describes it.

    magic (8) | version (u32) | zero (u32) | header length (u64) | header | arrays | SHA-256 of all before (32)

All numbers are little-endian; the header and every array are filled up with zeros to a multiple of eight bytes.
The header, JSON, lists the arrays in the order in which they lie one after the other: there are no offsets that
could point anywhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from math import inf, prod
from struct import Struct
from typing import Any

import numpy as np

from fesl.errors import SavedModelError
from fesl.saving.document import AnyArray, Document

MAGIC = b"\x89FESL\r\n\x1a"
#: The version that is written.
VERSION = 1
PREFIX = Struct("<8sIIQ")
DIGEST = 32
HEADER = [("kind", str), ("body", dict), ("extra", dict), ("arrays", list)]
#: Types of arrays in a file, and in memory.
TYPES = {"<f8": "f8", "<i8": "i8", "|u1": "u1", "|b1": "b1"}
AXES = 3


def chunks(doc: Document) -> Iterator[bytes | memoryview]:
    """The file, piece by piece; arrays are not copied."""
    header = _header(doc)
    digest = hashlib.sha256()
    for piece in (
        PREFIX.pack(MAGIC, VERSION, 0, len(header)),
        *_filled(header, len(header)),
        *(piece for array in doc.arrays.values() for piece in _filled(_raw(array), array.nbytes)),
    ):
        digest.update(piece)
        yield piece
    yield digest.digest()


def parse(data: bytes) -> tuple[int, Document]:
    """The version and the document of a file, both as they were written.

    Everything is checked against the length of the file before anything is allocated.
    """
    if len(data) < PREFIX.size or not data.startswith(MAGIC):
        raise SavedModelError(
            "this is no model saved by fesl" if data[:8] != MAGIC[: len(data)] else "the file is cut short"
        )
    view = memoryview(data)
    if len(data) < PREFIX.size + DIGEST or hashlib.sha256(view[:-DIGEST]).digest() != view[-DIGEST:]:
        raise SavedModelError("the checksum does not match: the file is cut short, or was damaged or changed")
    _, version, zero, length = PREFIX.unpack_from(data)
    start = PREFIX.size + length + -length % 8
    if zero or version < 1 or start > len(data) - DIGEST:
        raise SavedModelError("the header is longer than the file, or of no known kind")
    header = _parsed(bytes(view[PREFIX.size : PREFIX.size + length]))
    if version > VERSION:
        raise SavedModelError(
            f"the file is of format {version}, this fesl reads formats up to {VERSION}: upgrade fesl to load it"
        )
    if type(header) is not dict or [(key, type(each)) for key, each in header.items()] != HEADER:
        raise SavedModelError("the header should hold kind, body, extra and arrays, each of its type")
    arrays = _arrays(view[start:-DIGEST], header["arrays"])
    return version, Document(header["kind"], header["body"], header["extra"], arrays)


def _header(doc: Document) -> bytes:
    listed = [
        [name, _type(array), list(array.shape), "C" if array.flags.c_contiguous else "F"]
        for name, array in doc.arrays.items()
    ]
    content = {"kind": doc.kind, "body": doc.body, "extra": doc.extra, "arrays": listed}
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


def _type(array: AnyArray) -> str:
    return array.dtype.newbyteorder("<").str


def _raw(array: AnyArray) -> bytes | memoryview:
    if not array.size:
        return b""
    flat = array if array.flags.c_contiguous else array.T
    return flat.astype(_type(array), copy=False).reshape(-1).view(np.uint8).data


def _filled(content: bytes | memoryview, length: int) -> Iterator[bytes | memoryview]:
    yield content
    yield bytes(-length % 8)


def _parsed(header: bytes) -> Any:
    try:
        return json.loads(
            header.decode("ascii"), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_float
        )
    except (ValueError, RecursionError) as e:
        raise SavedModelError(f"the header cannot be read: {e}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key stands there twice")
    return out


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _float(text: str) -> float:
    value = float(text)
    if abs(value) == inf:
        _no_number(text)
    return value


def _arrays(data: memoryview, listed: list[Any]) -> dict[str, AnyArray]:
    """The arrays by name. First all sizes are added up, then they are copied out."""
    sizes = [_size(entry) for entry in listed]
    if sum(size + -size % 8 for size in sizes) != len(data):
        raise SavedModelError("the arrays in the header do not fill the file")
    out: dict[str, AnyArray] = {}
    at = 0
    for (name, dtype, shape, order), size in zip(listed, sizes, strict=True):
        if name in out:
            raise SavedModelError(f"the array {name} is there twice")
        out[name] = _array(name, data[at : at + size], dtype, shape, order)
        at += size + -size % 8
    return out


def _size(entry: Any) -> int:
    """The bytes of an array that the header lists."""
    if type(entry) is list and [type(each) for each in entry] == [str, str, list, str]:
        _, dtype, shape, order = entry
        possible = all(type(n) is int and 0 <= n < 2**40 for n in shape)
        if possible and dtype in TYPES and order in ("C", "F") and len(shape) <= AXES:
            return int(dtype[2]) * prod(shape)
    raise SavedModelError(f"the header lists an array that cannot be: {str(entry)[:80]}")


def _array(name: str, raw: memoryview, dtype: str, shape: list[int], order: str) -> AnyArray:
    if dtype == "|b1" and len(raw) and np.frombuffer(raw, np.uint8).max() > 1:
        raise SavedModelError(f"the array {name} holds something else than true and false")
    flat = np.frombuffer(raw, dtype).astype(TYPES[dtype], copy=True)
    return flat.reshape(shape) if order == "C" else flat.reshape(shape[::-1]).T
