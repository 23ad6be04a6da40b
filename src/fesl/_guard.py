"""One thread at a time, where more than one step is needed.

A round of the compiled core is one step: the interpreter lets no other thread run meanwhile. Whatever takes several
holds the guard; its core is `busy` then and declines events, so that they go the slow way, where they wait.
"""

from __future__ import annotations

from threading import RLock
from typing import Protocol


class Guarded(Protocol):
    """A core that declines events while it is busy."""

    busy: bool


class Guard:
    """Held by one thread, as often as it likes.

    >>> from types import SimpleNamespace
    >>> core = SimpleNamespace(busy=False)
    >>> guard = Guard(core)
    >>> with guard, guard:
    ...     core.busy
    True
    >>> core.busy
    False
    """

    __slots__ = ("_core", "_depth", "_lock")

    def __init__(self, core: Guarded) -> None:
        self._lock, self._depth, self._core = RLock(), 0, core

    def watch(self, core: Guarded) -> None:
        """From now on this core."""
        core.busy = self._depth > 0
        self._core = core

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1
        self._core.busy = True

    def __exit__(self, *problem: object) -> None:
        self._depth -= 1
        self._core.busy = self._depth > 0
        self._lock.release()
