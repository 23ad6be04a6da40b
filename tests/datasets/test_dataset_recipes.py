"""The recipes, cell for cell against the encoded arrays, and across the formats of a file."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from fesl import datasets
from fesl.datasets import _load, _tables, air_quality, credit_g, dna, reuters, splice, svmguide3
from fesl.errors import DataError

PAPER = [
    "australian",
    "credit-a",
    "credit-g",
    "diabetes",
    "dna",
    "german",
    "kr-vs-kp",
    "splice",
    "svmguide3",
]
FROM_RAW = [name for name in PAPER if name != "dna"]
WITH_X2 = [name for name in PAPER if name not in ("dna", "splice")]


@pytest.mark.parametrize("name", FROM_RAW)
def test_recipe_gives_the_papers_encoding_cell_for_cell(name: str, folder: Path) -> None:
    variant = datasets.info(name).variants[0]
    arrays = variant.recipe(*(folder / raw.path for raw in variant.files))
    with np.load(folder / "paper" / f"{name}.npz") as saved:
        np.testing.assert_array_equal(arrays.X1, saved["X1"])
        np.testing.assert_array_equal(arrays.y, saved["y"])
    assert len(set(arrays.features)) == arrays.X1.shape[1]


@pytest.mark.parametrize("name", PAPER)
def test_load_agrees_with_the_entry(name: str, folder: Path) -> None:
    data = datasets.load(name, offline=True)
    assert data.X1.shape == data.entry.shape
    assert set(np.unique(data.y)) == {-1, 1}
    assert data.entry.paper is not None
    assert data.entry.paper.d1 == data.X1.shape[1]
    # the paper's own count for dna is nine short of LIBSVM's
    assert data.entry.paper.n == (940 if name == "dna" else len(data.y))
    assert not data.X1.flags.writeable
    assert datasets.load(name, offline=True) is data


@pytest.mark.parametrize("name", WITH_X2)
def test_the_authors_second_space_is_a_linear_map_of_the_first(name: str, folder: Path) -> None:
    data = datasets.load(name, offline=True)
    assert data.X2 is not None
    assert data.permutations is not None
    W, *_ = np.linalg.lstsq(data.X1, data.X2, rcond=None)
    np.testing.assert_allclose(data.X1 @ W, data.X2, atol=1e-6)
    assert data.X2.shape[1] == data.entry.paper.d2 == int(0.7 * data.X1.shape[1])
    assert (np.sort(data.permutations, axis=1) == np.arange(len(data.y))).all()
    np.testing.assert_array_equal(data.order(3), data.permutations[3])


@pytest.mark.parametrize("name", ["dna", "splice"])
def test_without_the_authors_arrays_orders_are_seeded(name: str, folder: Path) -> None:
    data = datasets.load(name, offline=True)
    assert data.X2 is None
    assert data.permutations is None
    np.testing.assert_array_equal(data.order(1), data.order(1))
    assert (data.order(1) != data.order(2)).any()
    assert sorted(data.order(11)) == list(range(len(data.y)))


def test_credit_g_is_german_in_words(folder: Path) -> None:
    words = credit_g.recipe(folder / "primary/credit-g.arff")
    codes = credit_g.from_codes(folder / "primary/german.data")
    np.testing.assert_array_equal(words.X1, codes.X1)
    np.testing.assert_array_equal(words.y, codes.y)


def test_splice_in_ucis_format_has_the_same_cells(folder: Path, tmp_path: Path) -> None:
    rows = _tables.cells(folder / "primary/splice.dat")
    lines = [f"{row[-1]},   ID-{i},      {''.join(row[:-1])}" for i, row in enumerate(rows)]
    path = tmp_path / "splice.data"
    path.write_text("\n".join(sorted(lines)) + "\n")
    uci = datasets.info("splice").variants[1]
    arrays = _load.read(datasets.info("splice"), uci, [path])  # its fingerprint is checked there
    assert uci.recipe is splice.from_uci
    assert arrays.X1.shape == (3175, 60)


def test_svmguide3_in_libsvms_format_has_the_same_cells(folder: Path, tmp_path: Path) -> None:
    raw = [folder / "primary/svmguide3", folder / "primary/svmguide3.t"]
    for path in raw:
        rows = [[float(cell) for cell in row] for row in _tables.cells(path)[1:]]
        lines = [_libsvm_line(int(row[0]), row[1:]) for row in rows]
        (tmp_path / path.name).write_text("".join(lines))
    wanted = svmguide3.recipe(*raw)
    got = svmguide3.recipe(tmp_path / "svmguide3", tmp_path / "svmguide3.t")
    np.testing.assert_array_equal(got.X1, wanted.X1)
    np.testing.assert_array_equal(got.y, wanted.y)


def test_dna_from_libsvms_training_file(folder: Path, tmp_path: Path) -> None:
    with np.load(folder / "paper/dna.npz") as saved:
        X, y = saved["X1"], saved["y"]
    lines = [_libsvm_line(2 if label > 0 else 1, row) for row, label in zip(X, y, strict=True)]
    lines.insert(5, "3 1:1 180:1 \n")  # the third class is left out
    path = tmp_path / "dna.scale"
    path.write_text("".join(lines))
    arrays = dna.recipe(path)
    np.testing.assert_array_equal(arrays.X1, X)
    np.testing.assert_array_equal(arrays.y, y)


def _libsvm_line(label: int, row: list[float]) -> str:
    pairs = [f"{j}:{float(value)!r}" for j, value in enumerate(row, 1) if value]
    return f"{label} {' '.join(pairs)}\n"


def test_air_quality(folder: Path) -> None:
    data = datasets.load("air-quality", offline=True)
    nmhc = data.X1[:, data.features.index("NMHC(GT)")]
    seen = np.flatnonzero(~np.isnan(nmhc))
    assert (len(seen), seen[-1]) == (914, 1230)
    assert (~data.labelled()).sum() == 1683
    assert "CO(GT)" not in data.features
    assert np.nanmin(data.X1) > -200


def test_air_quality_with_semicolons_and_decimal_commas(folder: Path, tmp_path: Path) -> None:
    source = folder / air_quality.FILE.path
    with source.open(newline="") as stream:
        rows = list(csv.reader(stream))
    path = tmp_path / "AirQualityUCI.csv"
    path.write_text("\r\n".join(";".join(row).replace(".", ",") for row in rows))
    got, wanted = air_quality.recipe(path), air_quality.recipe(source)
    np.testing.assert_array_equal(got.X1, wanted.X1)
    np.testing.assert_array_equal(got.y, wanted.y)


def test_rssi(folder: Path) -> None:
    data = datasets.load("rssi", offline=True)
    assert data.y.shape == (1111, 2)
    assert np.nanmax(data.X1) <= 0
    assert data.features[0] == "WAP001"
    assert data.labelled().all()
    assert np.isnan(data.X1).mean() > 0.9


@pytest.mark.parametrize("new", ["FR", "GR", "IT", "SP"])
def test_reuters_subset(new: str, folder: Path) -> None:
    if not (folder / "reuters600").is_dir():
        pytest.skip("no reuters600/ in the data folder")
    data = datasets.load(f"reuters/EN-{new}", offline=True)
    assert sparse.issparse(data.X1)
    assert data.X1.shape == (600, 21531)
    assert data.X2.shape == (600, len(data.features2))
    assert data.features[17] == "EN:17"
    assert data.features2[17] == f"{new}:17"
    assert np.bincount(data.y).tolist() == [0, *[100] * 6]
    assert (data.binary("M11") == np.where(data.y == 6, 1, -1)).all()
    assert data.variant == "600 documents"
    with pytest.raises(ValueError, match="read-only"):
        data.X1.data[0] = 0.0


def test_the_full_reuters_collection_comes_before_the_subset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reuters/rcv1rcv2aminigoutte/FR").mkdir(parents=True)
    inner = tmp_path / "reuters/rcv1rcv2aminigoutte"
    (inner / "Index_EN-EN").write_text("CCAT 1:0.5 3:-1.5\nM11 2:2.0\nC15\n")  # one without words
    (inner / "FR/Index_EN-FR").write_text("CCAT 4:1.0 \nM11 1:1.0\nC15 2:3.0\n")
    monkeypatch.setenv("FESL_DATA", str(tmp_path))
    monkeypatch.setitem(reuters.ROWS, "EN", 3)
    monkeypatch.setitem(datasets.registry(), "reuters/EN-FR", reuters.entry("EN", "FR"))
    data = datasets.load("reuters/EN-FR", offline=True)
    assert data.variant == "full"
    assert data.X1.toarray().tolist() == [[0.5, 0.0, -1.5], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]
    assert data.X2.shape == (3, 4)
    assert data.y.tolist() == [2, 6, 1]


def test_views_that_list_other_documents_are_refused(tmp_path: Path) -> None:
    (tmp_path / "Index_EN-EN").write_text("CCAT 1:0.5\n")
    (tmp_path / "Index_EN-FR").write_text("M11 1:0.5\n")
    with pytest.raises(ValueError, match="same documents"):
        reuters.from_index(tmp_path / "Index_EN-EN", tmp_path / "Index_EN-FR")


def test_a_changed_subset_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (folder / "reuters600").is_dir():
        pytest.skip("no reuters600/ in the data folder")
    shutil.copytree(folder / "reuters600", tmp_path / "reuters600", copy_function=shutil.copyfile)
    y = np.load(tmp_path / "reuters600/y.npy")
    np.save(tmp_path / "reuters600/y.npy", y[::-1])
    monkeypatch.setenv("FESL_DATA", str(tmp_path))
    with pytest.raises(DataError, match="not those of the data set"):
        datasets.load("reuters/EN-SP", offline=True)
