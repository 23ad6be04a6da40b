"""What a method, a protocol and a problem are, and how each is found.

One short file in `methods/`, `protocols/` or `problems/` is one of them; adding the file is all it takes, and a
data set added to `fesl.datasets` is a problem without any file here. Nothing else has to be edited.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy.typing as npt

from fesl._typing import Ints
from fesl.errors import ConfigError
from fesl.evolving import EvolvingLearner
from fesl.losses import Loss
from fesl.paper import Shared
from fesl.spaces import Declared, Periods, Spaces
from fesl.streams import Stream, two_spaces
from fesl.streams.base import Matrix, is_sparse

#: "synthetic": the paper's nine. "reuters": its twenty pairs. "size": made to the size of one of those pairs.
#: "regression": a measured target. "other": whatever else there is.
Group: TypeAlias = Literal["synthetic", "reuters", "size", "regression", "other"]


@dataclass(frozen=True)
class Setting:
    """What every method is given: the same for all of them, as in the paper's section 5.2.

    `horizon` is T2, the number of rounds after the switch; `c` that of the step size 1/(c sqrt t); `clip`, which
    the paper does not have, bounds the losses as its theorems assume.
    """

    c: float
    loss: Loss
    spaces: Spaces
    classes: tuple[int, ...]
    horizon: int
    seed: int
    clip: float | None = None

    @property
    def shared(self) -> Shared:
        """What `fesl.paper` calls these things."""
        shared: Shared = {"loss": self.loss, "spaces": self.spaces, "seed": self.seed}
        if self.classes:
            shared["classes"] = self.classes
        if self.clip is not None:
            shared["clip"] = self.clip
        return shared


@dataclass(frozen=True)
class Method:
    """One column of Table 2, with its look in the figures.

    >>> methods()["nogd"].title
    'NOGD'
    """

    name: str
    title: str
    rank: int
    build: Callable[[Setting], EvolvingLearner]
    colour: str
    marker: str
    line: str = "-"


class Tables(NamedTuple):
    """Two feature spaces of the same rows; `permutations` are the authors' row orders where those are known.

    >>> Tables(X1=[[1.0]], X2=[[2.0]], y=[1]).permutations is None
    True
    """

    X1: Matrix
    X2: Matrix
    y: npt.NDArray[Any]
    permutations: Ints | None = None
    variant: str = ""


def in_two_spaces(tables: Tables, overlap: int, order: Ints, repeats: int) -> Stream:
    """The paper's stream: T1 = T2 = half of the rows, the last `overlap` of the first half with both spaces."""
    return two_spaces(tables.X1, tables.X2, tables.y, overlap=overlap, order=order, repeats=repeats)


def told(stream: Stream) -> Spaces:
    """The spaces as the stream's maker knows them: by round, or by name where an absent word says nothing."""
    if not is_sparse(stream.X):
        return Periods(stream.overlaps)
    owners: Mapping[Any, Hashable] = stream.space_of()
    return Declared(owners)


@dataclass(frozen=True)
class Problem:
    """A data set made ready for the protocols.

    Parameters
    ----------
    name, title, group
        What to call it, and which of the paper's groups it stands with.
    loss, c, overlap
        The paper's l, c and B for this set.
    tables
        Makes the two spaces; the seed matters only where something is drawn.
    classes
        The labels; empty for a regression.
    runs
        How many runs the paper makes.
    protocols
        The protocols that make sense here; empty for all.
    stream, spaces
        How the tables become a stream, and what tells its spaces apart.
    caveat
        What a reader must know before comparing with the paper.
    optional
        Not asked for on line: left out where its data are not on this machine.
    recorded
        Its rows have an order of their own: there is one run, and nothing is shuffled.

    Examples
    --------
    >>> problems()["german"].c, problems()["german"].overlap
    (50.0, 10)
    """

    name: str
    title: str
    group: Group
    loss: Loss
    c: float
    overlap: int
    tables: Callable[[int], Tables]
    classes: tuple[int, ...] = (-1, 1)
    runs: int = 10
    protocols: tuple[str, ...] = ()
    stream: Callable[[Tables, int, Ints, int], Stream] = in_two_spaces
    spaces: Callable[[Stream], Spaces] = told
    caveat: str = ""
    optional: bool = False
    recorded: bool = False


@dataclass(frozen=True)
class Protocol:
    """How a problem becomes a stream: how often its rows are gone through, and with which step size.

    `inferred` says that the paper does not describe it: it was found by looking at the paper's results.

    >>> protocols()["paper"].repeats, protocols()["paper"].inferred
    (9, True)
    """

    name: str
    title: str
    rank: int
    inferred: bool
    repeats: int
    c: Callable[[Problem], float]
    note: str


Part = TypeVar("Part", Method, Protocol, Problem)


def _modules(folder: str) -> Iterable[Any]:
    package = importlib.import_module(f"fesl.reproduction.{folder}")
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{module.name}")


@lru_cache(maxsize=1)
def methods() -> dict[str, Method]:
    """Every method in `methods/`, in the order of the paper's table.

    >>> list(methods())
    ['nogd', 'rogd-u', 'rogd-f', 'fesl-c', 'fesl-s']
    """
    found: list[Method] = [module.METHOD for module in _modules("methods")]
    return {m.name: m for m in sorted(found, key=lambda m: m.rank)}


@lru_cache(maxsize=1)
def protocols() -> dict[str, Protocol]:
    """Every protocol in `protocols/`.

    >>> list(protocols())
    ['stream', 'paper']
    """
    found: list[Protocol] = [module.PROTOCOL for module in _modules("protocols")]
    return {p.name: p for p in sorted(found, key=lambda p: p.rank)}


@lru_cache(maxsize=1)
def problems() -> dict[str, Problem]:
    """Every problem in `problems/`, and every data set of `fesl.datasets` that has no file there; synthetic sets
    first, as in the paper.

    >>> list(problems())[:3], len(problems()) >= 32
    (['australian', 'credit-a', 'credit-g'], True)
    """
    from fesl.datasets import registry
    from fesl.reproduction.problems._of_entry import of_entry

    found: dict[str, Problem] = {}
    for module in _modules("problems"):
        found.update((p.name, p) for p in getattr(module, "PROBLEMS", None) or (module.PROBLEM,))
    found.update((entry.name, of_entry(entry)) for entry in registry().values() if entry.name not in found)
    ranks = ("synthetic", "reuters", "size", "regression", "other")
    return {p.name: p for p in sorted(found.values(), key=lambda p: (ranks.index(p.group), p.name))}


def choose(known: dict[str, Part], names: Sequence[str], kind: str) -> list[Part]:
    """The named ones in their usual order; an unknown name is an error that says what there is.

    >>> [m.title for m in choose(methods(), ["fesl-c", "nogd"], "method")]
    ['NOGD', 'FESL-c']
    """
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known) or list(known)
            raise ConfigError(f"no {kind} is called {name!r}; did you mean {', '.join(near)}?")
    return [part for name, part in known.items() if name in names]
