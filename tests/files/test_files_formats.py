"""JSON lines, Parquet, Arrow and LIBSVM."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from tables import everything, put, stream

from fesl.errors import DataError

NAN = math.nan
TABLE = pa.table(
    {
        "a": pa.array([1.5, None, 3.0]),
        "n": pa.array([1, 2, 3], pa.int16()),
        "ok": pa.array([True, False, None]),
        "colour": pa.array(["red", None, "blue"]).dictionary_encode(),
        "when": pa.array([dt.datetime(2024, 1, 1)] * 3),
        "clock": pa.array([dt.time(6), dt.time(18), None]),
        "nested": pa.array([{"x": 1.0, "deep": {"z": 2}}] * 3),
        "many": pa.array([[1, 2]] * 3),
        "y": pa.array(["a", "b", None]),
    }
)


def write(path, table=TABLE):
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=2)
    elif path.suffix == ".arrows":
        with pa.ipc.new_stream(path, table.schema) as out:
            out.write_table(table)
    else:
        with pa.ipc.new_file(path, table.schema) as out:
            out.write_table(table, max_chunksize=2)
    return path


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow", ".arrows"])
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_typed_tables(tmp_path, ending, packed):
    path = write(tmp_path / f"t{ending}")
    if packed:
        path = put(tmp_path, f"t{ending}{packed}", path.read_bytes())
    found = stream(path, times=("when",))
    names, X, y, blocks = everything(found)
    assert names[:4] == ["a", "n", "ok", "colour=red"]
    assert set(names[4:]) == {"clock (sin)", "clock (cos)", "nested.x", "nested.deep.z", "colour=blue"}
    np.testing.assert_array_equal(X[:, :4], [[1.5, 1, 1, 1], [NAN, 2, 0, NAN], [3, 3, NAN, 0]])
    np.testing.assert_allclose(X[:2, names.index("clock (sin)")], [1, -1])
    assert y == ["a", "b", None]
    assert blocks[0].apart["when"][0] == dt.datetime(2024, 1, 1)
    assert [note for note in found.notes.lines() if "'many'" in note]
    assert found.task == "classification"


def test_a_broken_parquet_file(tmp_path):
    path = write(tmp_path / "t.parquet")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"t\.parquet"):
        everything(stream(path))


def test_json_lines(tmp_path):
    lines = [
        {"a": 1, "b": "x", "ok": True, "y": 0},
        {"a": None, "new": 2.5, "deep": {"z": 1}, "list": [4, 5], "y": 1},
        {"a": "7", "b": "NA", "y": None},
        {"y": 1},
    ]
    text = "\n".join(map(json.dumps, lines)) + '\n{"a": broken\n[1, 2]\n\n{"a": 9, "y": 0}'
    path = put(tmp_path, "t.jsonl", text)
    found = stream(path)
    names, X, y, blocks = everything(found)
    assert names == ["a", "b=x", "ok", "new", "deep.z", "list.0", "list.1"]
    np.testing.assert_array_equal(X[:, 0], [1, NAN, 7, NAN, 9])
    np.testing.assert_array_equal(X[:, 3], [NAN, 2.5, NAN, NAN, NAN])
    np.testing.assert_array_equal(X[:, 1], [1, NAN, NAN, NAN, NAN])
    assert y == [0, 1, None, 1, 0]
    assert [row for block in blocks for row in block.rows.tolist()] == [1, 2, 3, 4, 8]
    assert len(found.notes.lines()) == 2
    with pytest.raises(DataError, match="row 5"):
        everything(stream(path, strict=True))


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_json_lines_without_an_ending_are_recognised(tmp_path, packed):
    path = put(tmp_path, "events" + packed, '{"a": 1.5, "y": 1}\n{"a": 2.5, "y": 0}\n')
    assert everything(stream(path))[1].tolist() == [[1.5], [2.5]]


def test_wide_json_lines_come_in_smaller_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("fesl.files.jsonl.CELLS", 500)
    lines = [json.dumps({f"w{i * 7 % 90}": 1, f"w{i}": 2, "y": i % 2}) for i in range(100)]
    found = stream(put(tmp_path, "t.jsonl", "\n".join(lines) + "\n"))
    names, X, _, blocks = everything(found)
    assert max(block.X.size for block in blocks) <= 600
    assert len(names) == 100
    assert np.isfinite(X).sum() == sum(len(json.loads(line)) - 1 for line in lines)


def test_a_pipe_gives_each_line_as_it_comes(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    more, got = threading.Semaphore(0), []

    def feed():
        with path.open("wb", buffering=0) as out:
            for i in range(3):
                out.write(b'{"a": %d, "y": %d}\n{"a"' % (i, i % 2))
                more.acquire(timeout=20)
                out.write(b': %d, "y": 1}\n' % (10 + i))
                more.acquire(timeout=20)

    writer = threading.Thread(target=feed)
    writer.start()
    for block in stream(path, format="jsonl"):
        got.append(block.X[:, 0].tolist())
        more.release()
    writer.join()
    assert got == [[0], [10], [1], [11], [2], [12]]


SVM = "+1 1:0.5 3:2 # first\n-1 qid:7 2:1e-3\n\n# nothing\n+1 3:inf 1:4\nnonsense here\n-1\n"


@pytest.mark.parametrize("name", ["t.libsvm", "t.svm.gz", "t.data.zst"])
def test_libsvm(tmp_path, name):
    text = SVM if "data" not in name else SVM.replace("nonsense here\n", "")
    found = stream(put(tmp_path, name, text), targets=(), ids=("qid",))
    (block,) = list(found)
    assert sparse.issparse(block.X)
    assert block.names == ["1", "3", "2"]
    np.testing.assert_array_equal(block.X.toarray(), [[0.5, 2, 0], [0, 0, 1e-3], [4, NAN, 0], [0, 0, 0]])
    assert block.y.tolist() == [1, -1, 1, -1]
    assert block.rows[:3].tolist() == [1, 2, 5]
    assert block.apart["qid"].tolist() == [None, "7", None, None]
    assert found.task == "classification"
    assert any("infinite" in note for note in found.notes.lines())


def test_libsvm_regression_and_dropped_columns(tmp_path):
    text = "".join(f"{i / 7} 1:{i} 2:{i * i}\n" for i in range(20))
    found = stream(put(tmp_path, "t.svm", text), targets=(), drop=("2",))
    with pytest.raises(DataError, match="no column '2'"):
        list(found)


def test_streams_go_on_with_what_they_know(tmp_path):
    one = put(tmp_path, "1.csv", "c,x,y\nred,1,a\nblue,2,b\n")
    two = put(tmp_path, "2.csv", "c,x,y\ngreen,red,b\nred,3,a\n")
    whole = everything(stream(one, two))
    first = stream(one)
    part = everything(first)
    state = json.loads(json.dumps(first.state))
    from fesl.files import Settings, Stream

    rest = everything(Stream([two], Settings(targets=("y",)), state))
    assert rest[0] == ["c=red", "c=blue", "c=green", "x"]
    np.testing.assert_array_equal(whole[1][2:, [whole[0].index(n) for n in rest[0]]], rest[1])
    assert part[2] + rest[2] == whole[2]
