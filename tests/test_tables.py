"""From arrays, sparse matrices and data frames to one kind of table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from fesl.errors import DataError, FeatureError
from fesl.tables import as_table

NAN = np.nan
X = np.array([[1.0, NAN, 0.0], [NAN, NAN, NAN], [4.0, 5.0, NAN]])
ROWS = [{"a": 1.0, "c": 0.0}, {}, {"a": 4.0, "b": 5.0}]


def stored():
    """The same with what is not there not stored, and the zero stored."""
    return sparse.csr_array(
        (np.array([1.0, 0.0, 4.0, 5.0]), np.array([0, 2, 0, 1]), np.array([0, 2, 2, 4])), (3, 3)
    )


def frame(make):
    return make({n: [None if v != v else v for v in X[:, j].tolist()] for j, n in enumerate("abc")})


TABLES = {
    "array": lambda: as_table(X, list("abc")),
    "float32": lambda: as_table(X.astype(np.float32), list("abc")),
    "objects": lambda: as_table(np.where(np.isnan(X), None, X.astype(object)), list("abc")),
    "list": lambda: as_table(X.tolist(), list("abc")),
    "csr": lambda: as_table(stored(), list("abc")),
    "csr matrix": lambda: as_table(sparse.csr_matrix(stored()), list("abc")),
    "csc": lambda: as_table(stored().tocsc(), list("abc")),
    "coo": lambda: as_table(stored().tocoo(), list("abc")),
    "pandas": lambda: as_table(frame(pd.DataFrame)),
    "nullable pandas": lambda: as_table(frame(pd.DataFrame).convert_dtypes()),
    "polars": lambda: as_table(frame(pl.DataFrame)),
    "arrow": lambda: as_table(frame(pa.table)),
}


@pytest.mark.parametrize("make", TABLES)
def test_every_make_holds_the_same_rows(make):
    table = TABLES[make]()
    assert (table.names, table.rows) == (["a", "b", "c"], 3)
    for i, expected in enumerate(ROWS):
        cols, vals = table.row(i)
        assert dict(zip([table.names[j] for j in cols], vals.tolist(), strict=True)) == expected


@pytest.mark.parametrize("make", ["array", "csr"])
def test_the_columns_seen_in_some_rows(make):
    table = TABLES[make]()
    assert table.columns(0, 1).tolist() == [0, 2]
    assert table.columns(1, 2).tolist() == []
    assert table.columns(0, 3).tolist() == [0, 1, 2]


def test_a_gap_that_is_stored_is_not_observed():
    cols, vals = as_table(sparse.csr_array((np.array([NAN, 2.0]), ([0, 0], [0, 1])), (1, 2))).row(0)
    assert (cols.tolist(), vals.tolist()) == ([1], [2.0])


def test_entries_that_stand_twice_are_added():
    twice = sparse.coo_array((np.array([1.0, 2.0]), ([0, 0], [1, 1])), (1, 2))
    cols, vals = as_table(twice).row(0)
    assert (cols.tolist(), vals.tolist()) == ([1], [3.0])


def test_a_callers_matrix_is_left_alone():
    given = sparse.csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), (1, 2))
    as_table(given)
    assert given.nnz == 2
    array = np.arange(6.0).reshape(2, 3)
    as_table(array)
    np.testing.assert_array_equal(array, np.arange(6.0).reshape(2, 3))


def test_names_are_given_or_read_off_or_numbers():
    assert as_table(np.ones((1, 2))).names == [0, 1]
    assert as_table(np.ones((1, 2)), ["x", ("y", 1)]).names == ["x", ("y", 1)]
    assert as_table(pd.DataFrame(np.ones((1, 2)))).names == [0, 1]
    assert as_table(pl.DataFrame({"x": [1], "y": [True]})).names == ["x", "y"]
    assert as_table(pd.DataFrame({"x": [1.0]}), ["other"]).names == ["other"]


def test_whole_numbers_and_booleans_are_numbers():
    table = as_table(pd.DataFrame({"i": [1, 2], "b": [True, False], "n": pd.array([True, None], dtype="boolean")}))
    np.testing.assert_array_equal(table.dense, [[1.0, 1.0, 1.0], [2.0, 0.0, NAN]])
    assert as_table(np.array([[True, False]])).dense.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    "empty", [np.zeros((0, 3)), np.zeros((3, 0)), sparse.csr_array((0, 3)), sparse.csr_array((2, 3))]
)
def test_empty_tables(empty):
    table = as_table(empty)
    assert table.rows == empty.shape[0]
    assert len(table.names) == empty.shape[1]


def test_a_table_is_taken_as_it_is():
    table = as_table(X)
    assert as_table(table) is table


BAD = {
    "text column": (lambda: pd.DataFrame({"a": ["x"]}), FeatureError, "'a'"),
    "digits": (lambda: pd.DataFrame({"a": pd.Series(["1", 2.0], dtype=object)}), FeatureError, "'a'"),
    "dates": (lambda: pl.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), FeatureError, "'a'"),
    "categories": (lambda: pd.DataFrame({"a": pd.Categorical(["x"])}), FeatureError, "'a'"),
    "names twice": (lambda: pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), DataError, "'a'"),
    "array of text": (lambda: np.array([["1", "2"]]), FeatureError, "'1'"),
    "array of dates": (lambda: np.array([["2020-01-01"]], "M8[D]"), FeatureError, "2020"),
    "complex": (lambda: np.array([[1j]]), FeatureError, "1j"),
    "sparse complex": (lambda: sparse.csr_array(np.array([[1j]])), DataError, "complex"),
    "infinite": (lambda: np.array([[1.0], [np.inf]]), FeatureError, "row 1, feature 0"),
    "sparse infinite": (
        lambda: sparse.csr_array(np.array([[0.0, 0.0], [0.0, -np.inf]])),
        FeatureError,
        "row 1, feature 1",
    ),
    "one dimension": (lambda: np.ones(3), DataError, "two dimensions"),
    "a number": (lambda: 3.0, DataError, "two dimensions"),
    "lazy": (lambda: pl.LazyFrame({"a": [1.0]}), DataError, "data frame"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_table_of_numbers(case):
    make, error, match = BAD[case]
    with pytest.raises(error, match=match):
        as_table(make())


def test_what_is_masked_is_not_observed():
    masked = np.ma.masked_array(np.where(np.isnan(X), -9999.0, X), np.isnan(X))
    np.testing.assert_array_equal(as_table(masked).dense, X)
    whole = np.ma.masked_array([[1, 2], [3, 4]], [[False, True], [False, False]])
    np.testing.assert_array_equal(as_table(whole).dense, [[1.0, NAN], [3.0, 4.0]])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_nothing_is_not_observed(make):
    table = as_table(make({"a": [1.0, 2.0], "b": [None, None]}))
    assert table.names == ["a", "b"]
    np.testing.assert_array_equal(table.dense, [[1.0, NAN], [2.0, NAN]])


@pytest.mark.parametrize(
    ("cell", "says"),
    [(10**400, "finite"), (1 + 2j, "not a number"), (10**5000, "finite")],
    ids=["e400", "complex", "e5000"],
)
def test_cells_that_no_float_can_hold(cell, says):
    with pytest.raises(FeatureError, match=rf"row 1, feature 'b'.*{says}"):
        as_table([[1, 2], [3, cell]], ["a", "b"])


def test_too_few_names_for_odd_cells():
    with pytest.raises(DataError, match="1 feature names for 2 columns"):
        as_table([[1.0, 10**400]], ["x"])


def test_masked_cells_that_are_no_numbers():
    cells = np.ma.masked_array(np.array([[1, "a"]], dtype=object), [[False, True]])
    np.testing.assert_array_equal(as_table(cells).dense, [[1.0, NAN]])


def test_names_may_be_an_index_or_an_array_beside_a_frame():
    df = pd.DataFrame({"p": [1.0, 2.0], "q": [3.0, 4.0]})
    for names in (df.columns, np.array(["p", "q"])):
        assert as_table(df, names).names == ["p", "q"]
    assert as_table(df, pd.Index(["r", "s"])).names == ["r", "s"]


def test_a_name_that_cannot_be_one_is_named():
    with pytest.raises(DataError, match=r"feature name \['b'\] is a list"):
        as_table([[1.0, 2.0]], ["a", ["b"]])
