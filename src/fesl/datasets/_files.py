"""Where a raw file is: the data folder, the cache, an installed package, the public source.

`FESL_DATA` names the data folder (empty: none); unset, `../shared/data` beside the working
directory or the checkout is used if it is there. `FESL_CACHE` moves the cache. The two are laid out
alike.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import IO

from fesl.datasets.base import RawFile, Web, Wheel
from fesl.errors import DataError, MissingExtraError

Folders = tuple[Path, ...]


def cache() -> Path:
    """The folder that downloads go to."""
    if chosen := os.environ.get("FESL_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fesl"


def folders() -> Folders:
    """The data folder, if there is one, then the cache."""
    chosen = os.environ.get("FESL_DATA")
    if chosen is not None:
        return (Path(chosen), cache()) if chosen else (cache(),)
    roots = (Path.cwd(), Path(__file__).resolve().parents[3])
    beside = [root.parent / "shared" / "data" for root in roots]
    return (*[folder for folder in beside if folder.is_dir()][:1], cache())


def find(raw: RawFile, where: Folders) -> Path | None:
    """The file if it is on this machine already, else None."""
    for folder in where:
        if found := next(iter(sorted(folder.glob(raw.path))), None):
            return found
    return next((path for wheel in raw.wheels if (path := in_wheel(wheel))), None)


def in_wheel(wheel: Wheel) -> Path | None:
    """The copy inside an installed package, unless its bytes are not the known ones."""
    try:
        found = metadata.distribution(wheel.package.partition("==")[0]).locate_file(wheel.path)
    except metadata.PackageNotFoundError:
        return None
    path = Path(str(found))
    return path if path.is_file() and digest(path) == wheel.sha256 else None


def digest(path: Path) -> str:
    """sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch(raw: RawFile, web: Web) -> Path:
    """Download one file into the cache, with a progress bar, and check it.

    The target bears the name in the data folder, so that the next look-up finds it there.
    """
    target = cache() / raw.path.replace("**/", "")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not web.member:
        return _retrieve(web.url, target, web.sha256)
    archive = _retrieve(web.url, cache() / "downloads" / web.url.rsplit("/", 1)[1], None)
    part = target.with_name(target.name + ".part")
    try:
        _unpack(archive, web.member, part)
        if web.sha256 not in (None, digest(part)):
            raise DataError(f"{web.url}: sha256 of {web.member} is {digest(part)}, not {web.sha256}")
    except DataError:  # a broken download must not be found again the next time
        for path in (archive, part):
            path.unlink(missing_ok=True)
        raise
    return part.replace(target)


def _retrieve(url: str, target: Path, sha256: str | None) -> Path:
    try:
        import pooch
    except ImportError:
        raise MissingExtraError("pooch", "data") from None
    pooch.get_logger().setLevel("WARNING")
    getter = pooch.HTTPDownloader(progressbar=_has("tqdm"), timeout=30)
    try:
        pooch.retrieve(url, sha256, target.name, target.parent, downloader=getter)
    except (OSError, ValueError) as reason:  # no network, not found, wrong checksum
        raise DataError(f"{url}: {reason}") from reason
    return target


def _unpack(archive: Path, member: str, target: Path) -> None:
    """Copy the one file whose name ends in `member` out of a zip or tar archive."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as box:
                _copy(box.open(_inside(box.namelist(), member)), target)
        else:
            with tarfile.open(archive) as roll:
                _copy(roll.extractfile(_inside(roll.getnames(), member)), target)
    except (KeyError, EOFError, OSError, tarfile.TarError, zipfile.BadZipFile, zlib.error) as reason:
        raise DataError(f"{archive} holds no readable {member}: {reason}") from reason


def _inside(names: Sequence[str], member: str) -> str:
    return next((name for name in names if f"/{name}".endswith(f"/{member}")), member)


def _copy(source: IO[bytes] | None, target: Path) -> None:
    if source is None:
        raise KeyError("not a file")
    with source, target.open("wb") as out:
        shutil.copyfileobj(source, out)


def _has(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True
