"""Text tables, clean and dirty."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import everything, put, stream

from fesl.errors import ConfigError, DataError

NAN = math.nan


def same(X, rows):
    np.testing.assert_array_equal(X, np.array(rows, dtype=float))


@pytest.mark.parametrize(
    "text",
    [
        "a,b,y\n1,2,0\n3,4,1\n",
        "a;b;y\n1;2;0\n3;4;1\n",
        "a\tb\ty\n1\t2\t0\n3\t4\t1\n",
        "a|b|y\n1|2|0\n3|4|1\n",
        "a b y\n1 2 0\n3 4 1\n",
        "\ufeffa,b,y\n1,2,0\n3,4,1\n",
        "a,b,y\r\n1,2,0\r\n3,4,1\r\n",
        "a,b,y\n1,2,0\n3,4,1",
        '"a","b","y"\n"1","2","0"\n"3","4","1"\n',
        "a,b,y,,\n1,2,0,,\n3,4,1,,\n,,,,\n,,,,\n",
        "\n\na,b,y\n\n1,2,0\n\n3,4,1\n\n",
        " a , b , y \n 1 , 2 , 0 \n 3 , 4 , 1 \n",
        "a,b,y\n+1,2.0,0\n3e0,4,1\n",
        "a;b;y\n1,0;2,0;0\n3,0;4,0;1\n",
        'a,b,y\n"1","2",0\n3,"4",1\n',
    ],
)
def test_however_it_is_written_it_is_the_same_table(tmp_path, text):
    found = stream(put(tmp_path, "t.csv", text))
    names, X, y, _ = everything(found)
    assert names == ["a", "b"]
    same(X, [[1, 2], [3, 4]])
    assert y == [0, 1]
    assert found.notes.lines() == []
    assert found.done == found.size


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_how_far_a_stream_is(tmp_path, ending):
    """Though the parser reads ahead, what is told follows the rows that came out."""
    text = "a,b,y\n" + "".join(f"{i * i % 10007},{i * 0.37:.3f},{i % 2}\n" for i in range(200_000))
    found, rows, told = stream(put(tmp_path, "t.csv" + ending, text)), 0, []
    for block in found:
        rows += len(block)
        told.append(abs(found.done / found.size - rows / 200_000))
    assert len(told) > 5
    assert max(told) < 0.15
    assert found.done == found.size


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_packed_and_encoded(tmp_path, ending, coding):
    text = "größe,y\n1.5,ä\n2.5,b\n"
    path = put(tmp_path, "t.csv" + ending, text.encode(coding))
    names, X, y, _ = everything(stream(path))
    assert names == ["größe"]
    same(X, [[1.5], [2.5]])
    assert y == ["ä", "b"]


MISSING = ["", "NA", "nan", "NaN", "?", "null", "N/A", " ", "-", "None", "#VALUE!"]


@pytest.mark.parametrize("cell", MISSING)
def test_what_is_missing_is_not_observed(tmp_path, cell):
    found = stream(put(tmp_path, "t.csv", f"a,b,y\n{cell},2,0\n3,4,1\n5,6,0\n"))
    _, X, _, _ = everything(found)
    same(X, [[NAN, 2], [3, 4], [5, 6]])
    assert found.notes.lines() == []


def test_missing_codes(tmp_path):
    path = put(tmp_path, "t.csv", "a,b,y\n-200,2,1.5\n3,-200.0,-200\n5,6,2.5\n")
    found = stream(path, missing=("-200",))
    _, X, y, _ = everything(found)
    same(X, [[NAN, 2], [3, NAN], [5, 6]])
    assert y[0] == 1.5
    assert math.isnan(y[1])
    assert found.task == "regression"


def test_infinities_are_not_observed_and_told(tmp_path):
    found = stream(put(tmp_path, "t.csv", "a,y\ninf,0\n-Infinity,1\n1e200,0\n4,1\n"))
    _, X, _, _ = everything(found)
    same(X, [[NAN], [NAN], [NAN], [4]])
    assert found.notes.lines() == [
        f"3 x cell in column 'a' is infinite: not observed (first: {tmp_path}/t.csv, row 2, column 'a': 'inf')"
    ]


def test_a_word_after_ten_thousand_numbers_is_that_cells_problem(tmp_path):
    rows = [f"{i},{i % 2}" for i in range(100_000)]
    rows[90_000] = "word,1"
    path = put(tmp_path, "t.csv", "a,y\n" + "\n".join(rows) + "\n")
    found = stream(path)
    _, X, y, blocks = everything(found)
    assert len(blocks) > 1
    assert np.flatnonzero(np.isnan(X[:, 0])).tolist() == [90_000]
    assert len(y) == 100_000
    assert found.notes.lines() == [
        f"cell in column 'a' is no number: not observed ({path}, row 90002, column 'a': 'word')"
    ]
    with pytest.raises(DataError, match="row 90002"):
        everything(stream(path, strict=True))


def test_thousands_and_decimal_commas(tmp_path):
    _, X, _, _ = everything(stream(put(tmp_path, "t.csv", 'a,y\n"1,234",0\n"12,345,678.5",1\n2,0\n')))
    same(X, [[1234], [12345678.5], [2]])
    _, X, _, _ = everything(stream(put(tmp_path, "u.csv", "a;b;y\n1.234,5;7;0\n2,25;8;1\n")))
    same(X, [[1234.5, 7], [2.25, 8]])


def test_the_airquality_way_of_writing(tmp_path):
    text = "Date;Time;CO(GT);T;;\n10/03/2004;18.00.00;2,6;13,6;;\n10/03/2004;19.00.00;2;13,3;;\n;;;;;\n;;;;;\n"
    found = stream(put(tmp_path, "a.csv", text), targets=("CO(GT)",))
    names, X, y, _ = everything(found)
    assert names == ["Time (sin)", "Time (cos)", "T"]
    np.testing.assert_allclose(X[0], [-1, 0, 13.6], atol=1e-12)
    assert y == [2.6, 2.0]
    assert found.task == "regression"


def test_words_become_features_when_they_are_met(tmp_path):
    found = stream(put(tmp_path, "t.csv", "c,y\nred,0\n,1\nblue,0\nred,1\n"))
    names, X, _, _ = everything(found)
    assert names == ["c=red", "c=blue"]
    same(X, [[1, NAN], [NAN, NAN], [0, 1], [1, 0]])


def test_words_do_not_depend_on_blocks(tmp_path, monkeypatch):
    words = ["red", "blue", "green", "rare"]
    rows = [f"{words[min(i // 40, 3)] if i % 7 else words[i % 3]},{i % 2}" for i in range(200)]
    path = put(tmp_path, "t.csv", "c,y\n" + "\n".join(rows) + "\n")
    whole = everything(stream(path, categories=2))
    monkeypatch.setattr("fesl.files.delimited.BLOCK", 60)
    parts = everything(stream(path, categories=2))
    assert len(parts[3]) > len(whole[3])
    assert whole[0] == parts[0] == ["c=red", "c=blue", "c=(other)"]
    np.testing.assert_array_equal(whole[1], parts[1])


def test_true_and_false(tmp_path):
    names, X, _, _ = everything(stream(put(tmp_path, "t.csv", "c,y\nTrue,0\nfalse,1\nTRUE,0\n")))
    assert names == ["c"]
    same(X, [[1], [0], [1]])


def test_ids_and_dates_are_no_features(tmp_path):
    rows = "".join(f"user{i},2024-01-{i % 28 + 1:02},{i / 7},{i % 2}\n" for i in range(300))
    found = stream(put(tmp_path, "t.csv", "user,day,x,y\n" + rows))
    names, _, _, _ = everything(found)
    assert names == ["x"]
    assert len(found.notes.lines()) == 2
    kept = stream(put(tmp_path, "t.csv", "user,day,x,y\n" + rows), ids=("user",), times=("day",))
    assert everything(kept)[3][0].apart["user"][:2].tolist() == ["user0", "user1"]
    assert kept.notes.lines() == []


def test_names_that_are_missing_or_twice(tmp_path):
    names, X, _, _ = everything(stream(put(tmp_path, "t.csv", "a,,a,y\n1,2,3,0\n4,5,6,1\n")))
    assert names == ["a", "c2", "a_2"]
    same(X, [[1, 2, 3], [4, 5, 6]])


def test_without_a_header(tmp_path):
    names, X, y, _ = everything(
        stream(put(tmp_path, "t.csv", "1.5,2,no\n3,4,yes\n"), targets=("c3",), header=False)
    )
    assert names == ["c1", "c2"]
    same(X, [[1.5, 2], [3, 4]])
    assert y == ["no", "yes"]
    with pytest.raises(DataError, match="--no-header"):
        everything(stream(put(tmp_path, "t.csv", "1.5,2,no\n3,4,yes\n")))


def test_a_header_without_the_name_of_the_first_column(tmp_path):
    names, X, _, _ = everything(stream(put(tmp_path, "t.csv", "a,y\n1,2,0\n2,3,1\n")))
    assert names == ["c1", "a"]
    same(X, [[1, 2], [2, 3]])


def test_ragged_rows_are_skipped_and_counted(tmp_path):
    path = put(tmp_path, "t.csv", "a,b,y\n1,2,0\n3\n4,5,1,9\n6,7,0\n")
    found = stream(path)
    _, X, _, blocks = everything(found)
    same(X, [[1, 2], [6, 7]])
    assert blocks[0].rows.tolist() == [2, 5]
    assert found.notes.lines() == [f"2 x row that does not have 3 values, skipped (first: {path}, row 3 has 1)"]
    with pytest.raises(DataError, match="row 3"):
        everything(stream(path, strict=True))


def test_a_file_that_ends_in_mid_row(tmp_path):
    path = put(tmp_path, "t.csv", "a,b,y\n1,2,0\n3,4,1\n5,6")
    found = stream(path)
    assert len(everything(found)[2]) == 2
    assert found.notes.lines() == [f"the file ends in the middle of a row: that row is skipped ({path}, row 4)"]


def test_a_delimiter_that_changes(tmp_path):
    text = "a,b,y\n" + "1,2,0\n" * 50 + "1;2;0\n" * 400
    with pytest.raises(DataError, match="delimiter has changed from ',' to ';'"):
        everything(stream(put(tmp_path, "t.csv", text)))
    few = stream(put(tmp_path, "u.csv", "a,b,y\n" + "1,2,0\n" * 50 + "1;2;0\n" * 4))
    assert len(everything(few)[2]) == 50
    assert "separated by ';'" in few.notes.lines()[0]


def test_a_quotation_mark_that_is_never_closed(tmp_path):
    text = 'a,y\n1,0\n"2,1\n' + "3,0\n" * 600_000
    with pytest.raises(DataError, match="quotation mark"):
        everything(stream(put(tmp_path, "t.csv", text)))


def test_lines_within_quotes(tmp_path):
    names, X, _, _ = everything(stream(put(tmp_path, "t.csv", 'a,"b\nc",y\n1,"two\nlines",0\n2,one,1\n')))
    assert names[:2] == ["a", "b\nc=two\nlines"]
    same(X[:, 0], [1, 2])


def test_several_files_with_other_columns(tmp_path):
    one = put(tmp_path, "1.csv", "a,b,y\n1,2,0\n3,4,1\n")
    two = put(tmp_path, "2.tsv", "y\tb\tc\n1\t5\t6\n")
    three = put(tmp_path, "3.csv", "c\n7\n")
    found = stream(one, two, three)
    names, X, y, blocks = everything(found)
    assert names == ["a", "b", "c"]
    same(X, [[1, 2, NAN], [3, 4, NAN], [NAN, 5, 6], [NAN, NAN, 7]])
    assert y[:3] == [0, 1, 1]
    assert math.isnan(y[3])
    assert [block.source for block in blocks] == [str(one), str(two), str(three)]
    assert found.notes.lines() == [f"no column 'y': rows are predicted and not learned from ({three})"]


def test_empty_columns_are_told(tmp_path):
    found = stream(put(tmp_path, "t.csv", "a,dead,y\n1,,0\n2,,1\n"))
    assert everything(found)[0] == ["a"]
    assert found.notes.lines() == [f"empty throughout, no features: 'dead' ({tmp_path}/t.csv)"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", "\n\n", "is empty"),
        ("t.csv", "a,y\n", "no rows"),
        ("t.csv", "a,Y\n1,0\n", "did you mean 'Y'"),
        ("t.csv", "a,b\n1,0\n", "has no column 'y' to predict: it has 'a', 'b'"),
        ("t.csv", "d,y\n2024-01-01,1\n2024-01-02,0\n", "no column to learn from"),
        ("t.csv", "y\n1\n0\n", "no column left"),
        ("t.csv", b"PK\x03\x04abc", "Excel"),
        ("t.csv", b"\x00\x01\x02\x03" * 10, "not text"),
        ("t.parquet", "a,y\n1,0\n", "no parquet file"),
        ("t.parquet", b"PAR1 and then junk", "broken"),
        ("t.arrow", b"ARROW1 and then junk", "broken"),
        ("t.arff", "@relation x\n", "ARFF"),
        ("t.json", '[{"a": 1, "y": 0}]', "one JSON array"),
        ("t.csv.bz2", b"BZh91AY", "bzip2"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    with pytest.raises(DataError, match=message) as caught:
        everything(stream(put(tmp_path, name, content)))
    assert name in str(caught.value)


def test_packed_files_that_are_cut_off(tmp_path):
    text = "a,y\n" + "".join(f"{i * i * 7919 % 1000003},{i % 2}\n" for i in range(300_000))
    for ending in (".gz", ".zst"):
        path = put(tmp_path, "t.csv" + ending, text)
        packed = path.read_bytes()
        path.write_bytes(packed[: 2 * len(packed) // 3])
        rows = []
        with pytest.raises(DataError, match="cut off, or its compression is broken"):
            rows.extend(len(block) for block in stream(path))
        assert sum(rows) > 100_000


def test_an_empty_file_among_others_is_skipped(tmp_path):
    one, two = put(tmp_path, "1.csv", "a,y\n1,0\n2,1\n"), put(tmp_path, "2.csv", "")
    found = stream(one, two, one)
    assert len(everything(found)[2]) == 4
    assert found.notes.lines() == [f"file without rows, skipped ({two})"]


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(DataError, match="is a directory"):
        stream(tmp_path)
    put(tmp_path, "sensors.csv", "a,y\n1,2\n")
    with pytest.raises(DataError, match=r"no such file; did you mean .*sensors.csv"):
        stream(tmp_path / "sensor.csv")
    with pytest.raises(ConfigError, match="no files"):
        stream()
    with pytest.raises(ConfigError, match="no target"):
        everything(stream(tmp_path / "sensors.csv", targets=()))
    with pytest.raises(DataError, match="no column 'when'"):
        everything(stream(tmp_path / "sensors.csv", targets=("a",), times=("when",)))


cells = st.one_of(st.none(), st.floats(-1e9, 1e9), st.integers(-(10**9), 10**9))
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=30),
    delimiter=st.sampled_from(",;\t|"),
    ending=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_numbers_come_back_as_they_were_written(tmp_path, rows, delimiter, ending, quoting):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    writer.writerows([["a", "b", "y"], *((a, b, i % 2) for i, (a, b) in enumerate(rows))])
    path = put(tmp_path, "t.csv", text.getvalue())
    if all(a is None and b is None for a, b in rows):
        return
    names, X, y, _ = everything(stream(path))
    truth = np.array([[NAN if v is None else v for v in row] for row in rows], dtype=float)
    for j, name in enumerate(("a", "b")):
        if name in names:
            np.testing.assert_array_equal(X[:, names.index(name)], truth[:, j])
        else:
            assert np.isnan(truth[:, j]).all()
    assert y == [i % 2 for i in range(len(rows))]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(labels=st.lists(words, min_size=2, max_size=30))
def test_any_words_are_labels(tmp_path, labels):
    text = io.StringIO()
    csv.writer(text).writerows([["a", "y"], *((i, label) for i, label in enumerate(labels))])
    _, X, y, _ = everything(stream(put(tmp_path, "t.csv", text.getvalue()), task="classification"))
    assert len(y) == len(labels)
    same(X[:, 0], range(len(labels)))
    for label, found in zip(labels, y, strict=True):
        assert str(found) == label.strip() or found is None or isinstance(found, int | float)
