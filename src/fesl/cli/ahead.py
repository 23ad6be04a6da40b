"""Reading ahead: while the learner works on one block, a thread reads the next."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Full, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fesl.files import Block, Stream

DEPTH = 2


def blocks(stream: Stream) -> Iterator[tuple[Block, dict[str, Any]]]:
    """The blocks of a stream, each with the stream's state right after it (the stream itself may be further on).

    Nothing is read ahead of a pipe: what comes there is answered at once.
    """
    if stream.size is None:
        for block in stream:
            yield block, stream.state
        return
    found: Queue[tuple[Block, dict[str, Any]] | BaseException | None] = Queue(DEPTH)
    enough = Event()
    reader = Thread(target=_read, args=(stream, found, enough), daemon=True)
    reader.start()
    try:
        while (item := found.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        enough.set()
        reader.join()


def _read(stream: Stream, found: Queue[Any], enough: Event) -> None:
    last: BaseException | None = None
    source = iter(stream)
    try:
        for block in source:
            if not _put(found, (block, stream.state), enough):
                return
    except BaseException as error:
        last = error
    finally:
        source.close()  # type: ignore[attr-defined]
    _put(found, last, enough)


def _put(found: Queue[Any], item: Any, enough: Event) -> bool:
    """Hand over a block; False if nobody wants it any more."""
    while not enough.is_set():
        try:
            found.put(item, timeout=0.1)
            return True
        except Full:
            continue
    return False
