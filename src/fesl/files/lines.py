"""Lines of a stream of bytes, as they come."""

from __future__ import annotations

from collections.abc import Iterator

from fesl.files.source import Source, reading

CHUNK = 1 << 18


def blocks(source: Source, rows: int = 4096) -> Iterator[tuple[int, list[bytes]]]:
    """Lines with their first number: all that are there, at most `rows` at once.

    From a file that is many, from a pipe what has arrived: nobody waits for a line that is complete.
    """
    rest, number = b"", 1
    while True:
        with reading(source.name):
            chunk = source.bytes.read(CHUNK)
        if number == 1 and not rest:
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop() if chunk else b""
        for at in range(0, len(lines), rows):
            part = lines[at : at + rows]
            yield number, part
            number += len(part)
        if not chunk:
            return
