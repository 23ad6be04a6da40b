"""Metrics over the last rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from fesl.errors import ConfigError
from fesl.evaluation.labels import column, labelled, same


class Metric(Protocol):
    """What all metrics can do. `name` is for tables, `rising` says that more is better."""

    name: str
    rising: bool

    def update(self, y: Any, p: Any) -> Self:
        """Count a block: its labels and what was predicted for them."""

    @property
    def value(self) -> float:
        """The metric so far; NaN before there is anything to count."""


class Tail:
    """The last rows of pairs of arrays, in blocks."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ConfigError(f"window={size!r}: a window holds at least one row")
        self.size = size
        self.blocks: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = []
        self.held = 0

    def __len__(self) -> int:
        return min(self.held, self.size)

    def add(self, y: npt.NDArray[Any], p: npt.NDArray[Any]) -> None:
        if len(y):
            self.blocks.append((y[-self.size :].copy(), p[-self.size :].copy()))
            self.held += len(self.blocks[-1][0])
        if self.held > 2 * self.size:
            self.blocks = [self.rows()]
            self.held = len(self.blocks[0][0])

    def rows(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        width = max((p.shape[1] for _, p in self.blocks if p.ndim == 2), default=0)
        short = [p.ndim == 2 and p.shape[1] < width for _, p in self.blocks]
        ps = [
            np.pad(p, [(0, 0), (0, width - p.shape[1])]) if less else p
            for (_, p), less in zip(self.blocks, short, strict=True)
        ]
        y, p = np.concatenate([y for y, _ in self.blocks]), np.concatenate(ps)
        return y[-self.size :], p[-self.size :]


class Windowed:
    """Any metric over the last `size` labelled rows.

    >>> from fesl.evaluation import Accuracy
    >>> recent = Windowed(Accuracy, 2).update([1, 1, 1], [0, 0, 1])
    >>> from fesl.evaluation import Accuracy
    >>> recent.value
    0.5
    """

    def __init__(self, metric: Callable[[], Metric], size: int = 500) -> None:
        self.metric = metric
        self.name, self.rising = metric().name, metric().rising
        self.tail = Tail(size)

    def update(self, y: Any, p: Any) -> Self:
        p = np.asarray(p)
        y = column(y)
        same(y, p)
        there = labelled(y)
        self.tail.add(y[there], p[there])
        return self

    @property
    def value(self) -> float:
        return self.metric().update(*self.tail.rows()).value if len(self.tail) else np.nan
