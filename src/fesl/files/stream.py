"""Files, one after the other, as one stream of blocks."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fesl.errors import ConfigError, DataError
from fesl.files import arrow_files, delimited, jsonl, libsvm, sniff
from fesl.files.block import Block, Matrix
from fesl.files.columns import Columns, Raw, plain
from fesl.files.notes import Notes
from fesl.files.settings import Settings
from fesl.files.source import Empty, Source
from fesl.files.targets import Targets

_READERS: dict[str, Callable[[Source, Settings, Notes], Iterator[Any]]] = {
    "csv": delimited.read,
    "jsonl": jsonl.read,
    "parquet": arrow_files.parquet,
    "arrow": arrow_files.ipc,
    "libsvm": libsvm.read,
}


class Stream:
    """The rows of one file or several, in order; each file may have other columns.

    Iterating gives `Block`s. `notes` tells what was skipped or left out; `done` of `size` bytes are read; `state`
    is what another stream needs to go on with the same features, given to it as `state`.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "a.csv")
    >>> _ = path.write_text("x,colour,y\\n1.5,red,0\\n,blue,1\\n")
    >>> for block in Stream([path], Settings(targets=("y",))):
    ...     print(block.names, block.X, block.y)
    ['x', 'colour=red', 'colour=blue'] [[1.5 1.  nan]
     [nan 0.  1. ]] [0 1]
    >>> folder.cleanup()
    """

    def __init__(
        self, paths: Sequence[str | Path], settings: Settings, state: Mapping[str, Any] | None = None
    ) -> None:
        if not paths:
            raise ConfigError("no files: name one or more, or - for JSON lines on standard input")
        self.settings, self.notes = settings, Notes(settings.strict)
        self._resumed = bool(state)
        state = state or {}
        self.columns = Columns(settings, self.notes, state.get("columns"))
        self.targets = Targets(settings.targets, state.get("task", settings.task), state.get("kind"))
        self.sources = [Source(path) for path in paths]
        sizes = [source.size for source in self.sources]
        self.size = None if None in sizes else sum(size or 0 for size in sizes)
        self._met: set[str] = set()

    @property
    def task(self) -> str:
        """The task: "auto" until the first labels are met."""
        return self.targets.task

    @property
    def done(self) -> int:
        """How many bytes have been read, of all files together."""
        return sum(source.done for source in self.sources)

    @property
    def state(self) -> dict[str, Any]:
        """What a stream needs to know to go on where this one ends, as plain values."""
        return {"columns": self.columns.to_dict(), "task": self.targets.task, "kind": self.targets.kind}

    def __iter__(self) -> Iterator[Block]:
        for source in self.sources:
            try:
                source.open()
                yield from self._file(source)
            except Empty:
                if source is self.sources[0]:
                    raise
                self.notes.add("file without rows, skipped", source.name)
            finally:
                source.close()

    def _file(self, source: Source) -> Iterator[Block]:
        form = self.settings.format
        if form == "auto":
            form = "jsonl" if source.live else sniff.kind(source.head(), source.name)  # type: ignore[assignment]
        if form == "libsvm" and not self.targets.names:
            self.targets.names = (libsvm.LABEL,)
        if not self.targets.names:
            raise ConfigError("no target: say with --target which column is to be predicted")
        first = source is self.sources[0]
        empty, unnamed = {}, frozenset[str]()
        some = False
        for part in _READERS[form](source, self.settings, self.notes):
            raw = part.raw if isinstance(part, libsvm.Sparse) else part
            if not some:
                self._check(raw, source, first)
            some, unnamed = True, raw.unnamed
            empty.update(dict.fromkeys(raw.names))
            block = self._sparse(part) if isinstance(part, libsvm.Sparse) else self._dense(raw)
            if first and form not in ("jsonl", "libsvm") and not block.names and not self._met:
                raise self._nothing(raw, source)
            self._met.update(block.names)
            if len(block):
                yield block
        source.check()
        if not some:
            if not source.live:
                raise Empty(f"{source.name} has no rows")
            return
        self._tell_empty(source, [name for name in empty if name not in unnamed])

    def _apart(self) -> set[str]:
        s = self.settings
        return {*s.ids, *s.times, *s.drop, *self.targets.names}

    def _check(self, raw: Raw, source: Source, first: bool) -> None:
        """Columns that were named must be there: in the first file all of them. Only a stream that goes on with
        what was learned may begin without them: its rows are predicted."""
        for name in self.targets.names:
            if name in raw.names or source.live:
                continue
            if first and not self._resumed:
                odd = f" ({raw.remark})" if raw.remark else ""
                raise DataError(f"{source.name} has no column {name!r} to predict{_near(name, raw.names)}{odd}")
            self.notes.add(f"no column {name!r}: rows are predicted and not learned from", source.name)
        for name in (*self.settings.ids, *self.settings.times, *self.settings.drop):
            if first and not self._resumed and not source.live and name not in raw.names:
                raise DataError(f"{source.name} has no column {name!r}{_near(name, raw.names)}")

    def _labels(self, raw: Raw) -> npt.NDArray[Any]:
        if all(name in raw.names for name in self.targets.names):
            return self.targets.read(raw, self.columns)
        missing = np.full((len(raw.rows), len(self.targets.names)), np.nan)
        return missing[:, 0] if len(self.targets.names) == 1 else missing

    def _dense(self, raw: Raw) -> Block:
        y = self._labels(raw)
        made = self.columns.features(raw, self._apart())
        X = np.empty((len(raw.rows), len(made)))
        for j, (_, values) in enumerate(made):
            X[:, j] = values
        names = _different([name for name, _ in made])
        block = self._block(X, names, y, raw)
        unlabelled = _gaps(y)
        if unlabelled.any():
            blank = unlabelled.copy()
            blank[unlabelled] = np.isnan(X[unlabelled]).all(axis=1)
            if blank.any():
                return block.take(np.flatnonzero(~blank))
        return block

    def _sparse(self, part: libsvm.Sparse) -> Block:
        return self._block(part.X, part.names, self._labels(part.raw), part.raw)

    def _block(self, X: Matrix, names: list[str], y: npt.NDArray[Any], raw: Raw) -> Block:
        apart = {name: _values(raw, name) for name in (*self.settings.ids, *self.settings.times)}
        return Block(X, names, y, raw.source, raw.rows, apart, self._times(raw))

    def _times(self, raw: Raw) -> npt.NDArray[Any] | None:
        """When the rows happened: what was named so, else what looks like dates, and times of day beside them."""
        known = self.columns.known
        kinds = {name: known[name].kind for name in raw.names if name in known}
        names = [name for name in self.settings.times if name in raw.names]
        if not names and "date" in kinds.values():
            names = [name for name, kind in kinds.items() if kind in ("date", "clock")]
        if not names:
            return None
        rows = zip(*(_values(raw, name).tolist() for name in names), strict=True)
        return np.array([" ".join(str(v) for v in row if v is not None) for row in rows], dtype=object)

    def _nothing(self, raw: Raw, source: Source) -> DataError:
        others = [name for name in raw.names if name not in self._apart() and name not in raw.unnamed]
        if not others:
            return DataError(
                f"{source.name} has no column left to learn from: it holds only the target and what is apart"
            )
        return DataError(
            f"{source.name} has no column to learn from: {_list(others)} hold no numbers and no repeated words"
        )

    def _tell_empty(self, source: Source, names: list[str]) -> None:
        known = {*self.columns.known, *self._apart(), libsvm.QUERY}
        empty = [name for name in names if name not in known]
        if empty:
            self.notes.tell(f"empty throughout, no features: {_list(empty)}", source.name)


def _different(names: list[str]) -> list[str]:
    """Features whose names would be the same (a column "a=b" beside a column "a" that holds "b")."""
    if len(set(names)) == len(names):
        return names
    return sniff.names_that_differ(names)[0]


def _values(raw: Raw, name: str) -> npt.NDArray[Any]:
    """A column as it stands; None where there is nothing."""
    found = np.full(len(raw.rows), None, dtype=object)
    if name in raw.names:
        found[:] = plain(raw.columns[raw.names.index(name)]).to_pylist()
    return found


def _gaps(y: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which rows have no label.

    >>> _gaps(np.array(["a", None], dtype=object)), _gaps(np.array([1.0, np.nan]))
    (array([False,  True]), array([False,  True]))
    """
    if y.dtype == object:
        return np.array([label is None for label in y.tolist()], dtype=bool)
    if y.dtype.kind == "f":
        return np.asarray(np.isnan(y if y.ndim == 1 else y[:, 0]))
    return np.zeros(len(y), dtype=bool)


def _near(name: str, names: list[str]) -> str:
    """Which column could have been meant, or which there are."""
    by = {other.lower(): other for other in names}
    found = difflib.get_close_matches(name.lower(), by, 1)
    return f"; did you mean {by[found[0]]!r}?" if found else f": it has {_list(names)}"


def _list(names: list[str]) -> str:
    most = 8
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
