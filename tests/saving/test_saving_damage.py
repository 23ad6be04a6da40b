"""Files that are damaged, hostile, or of another version."""

from __future__ import annotations

import ast
import hashlib
import json
import struct
import tracemalloc
from pathlib import Path

import pytest

from fesl import Regressor, paper, saving
from fesl.errors import FeslError, SavedModelError
from fesl.saving import container, dumps, loads, migrations


def test_every_truncation_is_refused():
    data = dumps(paper.fesl_c().learn_one({"a": 1.0}, True))
    for length in range(len(data)):
        with pytest.raises(SavedModelError):
            loads(data[:length])
    with pytest.raises(SavedModelError):
        loads(data + b"\0")


def test_every_flipped_byte_is_refused():
    data = bytearray(dumps(paper.fesl_c().learn_one({"a": 1.0}, True)))
    for i in range(len(data)):
        data[i] ^= 1 << i % 8
        with pytest.raises(SavedModelError):
            loads(bytes(data))
        data[i] ^= 1 << i % 8


def test_what_is_said_of_damage():
    data = dumps(paper.fesl_c())
    for damaged, text in (
        (b"", "cut short"),
        (data[:15], "cut short"),
        (data[:-1], "checksum"),
        (data[:200] + b"x" + data[201:], "checksum"),
        (b"\x80\x04" + data, "no model saved by fesl"),
    ):
        with pytest.raises(SavedModelError, match=text):
            loads(damaged)


def sealed(header, arrays=b"", version=1, length=None):
    """A file with a right checksum around any header."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    prefix = container.PREFIX.pack(container.MAGIC, version, 0, len(header) if length is None else length)
    content = prefix + header + bytes(-len(header) % 8) + arrays
    return content + hashlib.sha256(content).digest()


def header(**changes):
    return {"kind": "evolving", "body": {}, "extra": {}, "arrays": [], **changes}


@pytest.mark.parametrize(
    "data",
    [
        sealed(b"[" * 200_000),
        sealed(b'{"a":' * 100_000),
        sealed(b'{"kind":"evolving","kind":"evolving","body":{},"extra":{},"arrays":[]}'),
        sealed(b"\xff\xfe"),
        sealed(b"NaN"),
        sealed(header(), length=2**63),
        sealed(header(), length=2**64 - 1),
        sealed([]),
        sealed(header(kind="os.system")),
        sealed(header(kind=["evolving"])),
        sealed(header(more=1)),
        sealed(header(arrays=[["a", "<f8", [2**39, 2**39, 2**39], "C"]])),
        sealed(header(arrays=[["a", "<f8", [2**62], "C"]])),
        sealed(header(arrays=[["a", "<f8", [-1], "C"]]), bytes(8)),
        sealed(header(arrays=[["a", "<f8", [-1, -1], "C"]]), bytes(8)),
        sealed(header(arrays=[["a", "<f8", [True], "C"]]), bytes(8)),
        sealed(header(arrays=[["a", "<f8", [1.0], "C"]]), bytes(8)),
        sealed(header(arrays=[["a", "|O", [1], "C"]]), bytes(8)),
        sealed(header(arrays=[["a", ">f8", [1], "C"]]), bytes(8)),
        sealed(header(arrays=[["a", "<f8", [1], "K"]]), bytes(8)),
        sealed(header(arrays=[["a", "<f8", [1, 1, 1, 1], "C"]]), bytes(8)),
        sealed(header(arrays=[["a", "<f8", [1], "C"], ["a", "<f8", [1], "C"]]), bytes(16)),
        sealed(header(arrays=[["a", "<f8", [1], "C"]]), bytes(16)),
        sealed(header(arrays=[["a", "|b1", [1], "C"]]), b"\x02" + bytes(7)),
        sealed(header(arrays=[["a", "<f8", [0, 2**39, 2**39], "C"]])),
        sealed(header(arrays=[7])),
        sealed(header(body=[])),
        sealed(header(extra=[])),
        sealed(header(body={"parts": {}})),
        sealed(header(), version=0),
    ],
    ids=lambda data: f"{len(data)} bytes",
)
def test_hostile_headers_are_refused_before_anything_is_allocated(data):
    tracemalloc.start()
    with pytest.raises(SavedModelError):
        loads(data)
    assert tracemalloc.get_traced_memory()[1] < 40 * len(data) + 2**20
    tracemalloc.stop()


def test_nothing_in_the_package_could_execute_what_a_file_says():
    forbidden = {"eval", "exec", "compile", "__import__", "import_module", "pickle", "marshal", "shelve"}
    for path in Path(saving.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not names & forbidden, path.name


def test_the_error_is_ours_and_a_value_error():
    assert issubclass(SavedModelError, FeslError)
    assert issubclass(SavedModelError, ValueError)


# Versions


def test_a_newer_version_says_so():
    with pytest.raises(SavedModelError, match=r"format 9.*upgrade fesl"):
        loads(sealed(header(), version=9))


def test_a_step_lifts_an_older_file(monkeypatch):
    """As it will be with version 2: the same model, after one step."""
    data = dumps(Regressor().learn_one({"a": 1.0}, 2.0))

    def lift(doc):
        doc.body["labels"]["names"] = ["renamed"]
        doc.body["labels"]["scalar"] = False

    monkeypatch.setattr(container, "VERSION", 2)
    monkeypatch.setitem(migrations.STEPS, 1, lift)
    twin = loads(data)
    assert list(twin.predict_one({"a": 1.0})) == ["renamed"]
    again = dumps(twin)
    assert struct.unpack_from("<I", again, 8) == (2,)
    assert dumps(loads(again)) == again


def test_every_older_version_has_a_step():
    assert sorted(migrations.STEPS) == list(range(1, container.VERSION))
