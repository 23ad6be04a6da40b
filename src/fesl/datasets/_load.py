"""From a name to arrays: find the files, run the recipe, check the cells, add the authors' second
space."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fesl.datasets._files import Folders, cache, digest, fetch, find, folders
from fesl.datasets._tables import fingerprint
from fesl.datasets.base import Arrays, Dataset, Entry, RawFile, Variant, Web, info, names
from fesl.errors import DataError, MissingExtraError
from fesl.streams.base import frozen


def load(name: str, *, offline: bool | None = None) -> Dataset:
    """Read a data set, from wherever it is nearest; the same arrays each time within a process.

    Looked for in the data folder (`FESL_DATA`), the user's cache, packages that ship the raw file,
    and last, unless `offline`, at the public source. `offline=None` asks the variable
    `FESL_OFFLINE`.

    >>> data = load("german") if "german" in available() else None
    >>> data is None or (data.X1.shape, data.y[:3].tolist()) == ((1000, 59), [-1, 1, -1])
    True
    """
    if offline is None:
        offline = os.environ.get("FESL_OFFLINE", "").lower() not in ("", "0", "false", "no")
    return _load(name, folders(), offline)


def available() -> list[str]:
    """The names of the data sets that can be loaded right now without a network.

    >>> set(available()) <= set(names())
    True
    """
    where = folders()
    return [name for name in names() if any(_local(v, where) for v in variants(info(name)))]


def variants(entry: Entry) -> tuple[Variant, ...]:
    """The entry's own, and for the paper's one-space sets the encoded `paper/NAME.npz` as the
    last."""
    if entry.paper is None or "/" in entry.name:
        return entry.variants
    npz = RawFile(f"paper/{entry.name}.npz")
    return (*entry.variants, replace(entry.variants[0], files=(npz,), recipe=_encoded))


def _encoded(path: Path) -> Arrays:
    with np.load(path) as saved:
        return Arrays(X1=saved["X1"], y=saved["y"])


@lru_cache(maxsize=64)
def _load(name: str, where: Folders, offline: bool) -> Dataset:
    entry = info(name)
    arrays, variant = _arrays(entry, where, offline)
    second = {} if arrays.X2 is not None else _authors(entry, where)
    found: dict[str, Any] = {**arrays._asdict(), **second}
    found["features"] = arrays.features or tuple(f"x{j}" for j in range(arrays.X1.shape[1]))
    return Dataset(entry, variant=variant.label, **{key: frozen(found[key]) for key in found})


def _local(variant: Variant, where: Folders) -> list[Path] | None:
    paths = [find(raw, where) for raw in variant.files]
    return [path for path in paths if path] if all(paths) else None


def _arrays(entry: Entry, where: Folders, offline: bool) -> tuple[Arrays, Variant]:
    for variant in variants(entry):
        if paths := _local(variant, where):
            return read(entry, variant, paths), variant
    tried: list[str] = []
    for variant in () if offline else variants(entry):
        try:
            if paths := _download(variant, where):
                return _read_new(entry, variant, paths), variant
        except MissingExtraError as missing:
            raise missing from DataError(remedy(entry, where, tried))
        except DataError as reason:
            tried.append(str(reason))
    raise DataError(remedy(entry, where, tried))


def _download(variant: Variant, where: Folders) -> list[Path] | None:
    """Every file of the variant, from its first address that works; None if it has none."""
    paths = []
    for raw in variant.files:
        path = find(raw, where)
        for position, web in enumerate(raw.web if path is None else ()):
            try:
                path = fetch(raw, web)
                break
            except DataError:
                if position + 1 == len(raw.web):
                    raise
        if path is None:
            return None
        paths.append(path)
    return paths


def _read_new(entry: Entry, variant: Variant, paths: list[Path]) -> Arrays:
    """Like `read`, but a download that proves wrong is not kept for the next time."""
    try:
        return read(entry, variant, paths)
    except DataError:
        for path in paths:
            if cache() in path.parents:
                path.unlink()
        raise


def read(entry: Entry, variant: Variant, paths: list[Path]) -> Arrays:
    """Run the recipe and compare shape and cells with what the entry promises."""
    try:
        arrays = variant.recipe(*paths)
    except (ValueError, KeyError, IndexError, OSError) as reason:
        raise DataError(f"{entry.name}: {paths[0]} cannot be read: {reason}") from reason
    shape = tuple(arrays.X1.shape)
    if len(shape) != 2 or shape[0] != variant.shape[0] or variant.shape[1] not in (None, shape[1]):
        raise DataError(f"{entry.name}: {paths[0]} gives {shape}, expected {variant.shape}")
    if not _genuine(variant, arrays, paths):
        sums = ", ".join(f"{path} (sha256 {digest(path)})" for path in paths)
        raise DataError(f"{entry.name}: the cells made of {sums} are not those of the data set")
    return arrays


def _genuine(variant: Variant, arrays: Arrays, paths: list[Path]) -> bool:
    """The cells are those expected; where these are not known, the bytes of the files are."""
    if variant.fingerprint:
        return variant.fingerprint == fingerprint(arrays.X1, arrays.y, any_order=variant.any_order)
    pairs = zip(variant.files, paths, strict=True)
    return all(raw.sha256 in (None, digest(path)) for raw, path in pairs)


def _authors(entry: Entry, where: Folders) -> dict[str, Any]:
    """The authors' second space and row permutations, where `paper/NAME.npz` holds them."""
    path = find(RawFile(f"paper/{entry.name}.npz"), where)
    if path is None or entry.paper is None:
        return {}
    with np.load(path) as saved:
        keys = {"X2": "X2", "permutations": "perm0"}
        return {key: saved[there] for key, there in keys.items() if there in saved}


def remedy(entry: Entry, where: Folders, tried: list[str]) -> str:
    """What to do when a data set is nowhere to be had: which file, from where, to which place."""
    lines = [f"the data set {entry.name!r} is not on this machine. Any one of these brings it:"]
    for variant in entry.variants:
        for number, raw in enumerate(variant.files, 1):
            part = f"file {number} of {len(variant.files)}: " if len(variant.files) > 1 else ""
            place = where[0] / raw.path.replace("**/", "")
            lines += [f"  - {part}get {_address(web)} and put it at {place}" for web in raw.web]
            lines += [f"  - {wheel.install}" for wheel in raw.wheels]
    lines.append("  - point FESL_DATA at a folder that has it")
    lines.append(f"  - load it on line (FESL_OFFLINE unset): downloads are kept in {cache()}")
    return "\n".join([*dict.fromkeys(lines), *(f"tried: {reason}" for reason in tried)])


def _address(web: Web) -> str:
    inside = f", from it {web.member}," if web.member else ""
    return f"{web.url}{inside}" + (f" (sha256 {web.sha256})" if web.sha256 else "")
