"""Opening files: plain or compressed, seekable or a pipe, and how far they have been read."""

from __future__ import annotations

import difflib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from fesl.errors import DataError, MissingExtraError

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
HEAD = 1 << 18
#: Bytes that are unpacked at once: where the compression is broken no more than these are lost.
PIECE = 1 << 16


def arrow() -> Any:
    """The package pyarrow, or the error that says how to install it."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("pyarrow", "files") from None
    return pa


class Empty(DataError):  # noqa: N818
    """A file without rows."""


class Readable(Protocol):
    """Anything that bytes can be read from."""

    def read(self, n: int, /) -> bytes:
        """At most n bytes; none at the end."""


class Peeked:
    """Bytes whose beginning can be looked at before they are read, and counted as they are.

    >>> import io
    >>> bytes_ = Peeked(io.BytesIO(b"one two"))
    >>> bytes_.peek(3), bytes_.read(4), bytes_.read(9), bytes_.done
    (b'one', b'one', b' two', 7)
    """

    closed = False

    def __init__(self, raw: Readable) -> None:
        self._raw, self._head = raw, b""
        self.done, self.last = 0, b""

    def peek(self, n: int) -> bytes:
        """The next n bytes, or fewer if there are no more."""
        while len(self._head) < n:
            more = self._raw.read(n - len(self._head))
            if not more:
                break
            self._head += more
        return self._head[:n]

    def read(self, n: int = -1) -> bytes:
        """The next bytes, at most n; fewer where only fewer are there."""
        n = 1 << 20 if n < 0 else n
        if self._head:
            found, self._head = self._head[:n], self._head[n:]
        else:
            found = self._raw.read(n)
        self.done += len(found)
        self.last = found[-1:] or self.last
        return found

    def close(self) -> None:
        """Nothing: whoever opened the file closes it."""


class Pipe:
    """A file descriptor, read as bytes arrive."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def read(self, n: int, /) -> bytes:
        """What is there, at most n bytes; waits for the first."""
        return os.read(self.fd, n)


class _Nothing:
    """No bytes."""

    def read(self, n: int, /) -> bytes:
        """None."""
        return b""


class _Unpacked:
    """Bytes without their compression. Where that is broken they end, and `broken` tells."""

    def __init__(self, raw: Peeked, codec: str) -> None:
        pa = arrow()
        self._stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), codec)
        self.broken = False

    def read(self, n: int, /) -> bytes:
        """n bytes; fewer, or none, at the end."""
        parts = []
        try:
            while n > 0 and not self.broken:
                parts.append(self._stream.read(min(n, PIECE)))
                if not parts[-1]:
                    break
                n -= len(parts[-1])
        except OSError:
            self.broken = True
        return b"".join(parts)


class Source:
    """One file, or `-` for standard input. Once it is open, `bytes` are its contents, without compression; `done`
    of `size` is read. What cannot be opened raises at once, before anything else is read.

    >>> Source("no/such/file.csv")
    Traceback (most recent call last):
    ...
    fesl.errors.DataError: no/such/file.csv: no such file (there is no folder no/such)
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self.name = Path(path), str(path)
        self.live = self.name == "-"
        self.size = None if self.live else self._look()
        self.name = "standard input" if self.live else self.name
        self._file: Any = None
        self._spool: Any = None
        self._counted = self.bytes = Peeked(_Nothing())
        self._unpacked: _Unpacked | None = None
        #: Bytes (without compression) that have become rows; 0 where the reader does not read ahead.
        self.given = 0

    def _look(self) -> int | None:
        """The size of a file that is there and may be read; None for a pipe."""
        try:
            mode = self.path.stat()
        except FileNotFoundError:
            raise DataError(f"{self.name}: no such file{_near(self.path)}") from None
        except OSError as reason:
            raise DataError(f"{self.name} cannot be opened: {reason.strerror}") from None
        if stat.S_ISDIR(mode.st_mode):
            raise DataError(f"{self.name} is a directory: name the files in it, such as {self.path / '*.csv'}")
        if not os.access(self.path, os.R_OK):
            raise DataError(f"{self.name}: no permission to read it: change its mode or its owner")
        return mode.st_size if stat.S_ISREG(mode.st_mode) else None

    def open(self) -> None:
        """Make the contents available."""
        if self.live:
            self._counted = self.bytes = Peeked(Pipe(sys.stdin.fileno()))
            return
        with reading(self.name):
            self._file = self.path.open("rb", buffering=0)
            self._counted = self.bytes = Peeked(self._file if self.size is not None else Pipe(self._file.fileno()))
            head = self._counted.peek(4)
        if not head:
            raise Empty(f"{self.name} is empty: it has neither a header nor rows")
        codec = next((codec for magic, codec in MAGIC.items() if head.startswith(magic)), None)
        if codec is not None:
            self._unpacked = _Unpacked(self._counted, codec)
            self.bytes = Peeked(self._unpacked)

    @property
    def done(self) -> int:
        """How many bytes of the file itself have been read, without what a reader has only read ahead."""
        ahead = self.given / self.bytes.done if self.given and self.bytes.done else 1.0
        return int(self._counted.done * min(1.0, ahead))

    def head(self) -> bytes:
        """The first bytes; what can be said about the format, it is said by them."""
        with reading(self.name):
            return self.bytes.peek(HEAD)

    def random(self) -> Any:
        """The contents as a file that can be read in any order; unpacked into a temporary one if need be."""
        if self.size is not None and self._unpacked is None:
            self._file.seek(0)
            return self._file
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the source)
        with reading(self.name):
            shutil.copyfileobj(self.bytes, self._spool, 1 << 20)
        self.check()
        self._spool.seek(0)
        return self._spool

    def check(self) -> None:
        """Raise if the file ended before its compression did."""
        if self._unpacked is not None and self._unpacked.broken:
            raise DataError(f"{self.name} is cut off, or its compression is broken: copy it again")

    def close(self) -> None:
        """Close the file."""
        for file in (self._file, self._spool):
            if file is not None:
                file.close()
        self._file = self._spool = None


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Whatever goes wrong inside while reading the file `name` becomes a `DataError` that says so."""
    try:
        yield
    except OSError as reason:
        raise DataError(f"{name} cannot be read: {str(reason).splitlines()[0]}") from None


def _near(path: Path) -> str:
    """A file beside it whose name is much alike."""
    try:
        found = difflib.get_close_matches(path.name, [p.name for p in path.parent.iterdir()], 1)
    except OSError:
        return f" (there is no folder {path.parent})"
    return f"; did you mean {path.parent / found[0]}?" if found else ""
