"""What a reader is told before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from fesl.errors import ConfigError

Task = Literal["auto", "classification", "regression"]
Format = Literal["auto", "csv", "jsonl", "parquet", "arrow", "libsvm"]
FORMATS = ("auto", "csv", "jsonl", "parquet", "arrow", "libsvm")
TASKS = ("auto", "classification", "regression")

#: How many values of a column of words get a feature of their own.
CATEGORIES = 50


@dataclass(frozen=True)
class Settings:
    """How to read files: which columns are what, and how they are written where that is not to be guessed.

    `targets` are predicted, `ids` and `times` kept apart, `drop` left out; `missing` are values that mean "not
    observed" beside the usual ones. `delimiter`, `decimal`, `header` and `encoding` are for text tables.

    >>> Settings(targets=("y",), missing=("-200",)).task
    'auto'
    >>> Settings(task="ranking")
    Traceback (most recent call last):
    ...
    fesl.errors.ConfigError: task='ranking': choose one of auto, classification, regression
    """

    targets: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    task: Task = "auto"
    format: Format = "auto"
    delimiter: str | None = None
    decimal: str | None = None
    header: bool = True
    encoding: str | None = None
    categories: int = CATEGORIES
    strict: bool = False

    def __post_init__(self) -> None:
        for name, known in (("task", TASKS), ("format", FORMATS)):
            if getattr(self, name) not in known:
                raise ConfigError(f"{name}={getattr(self, name)!r}: choose one of {', '.join(known)}")
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ConfigError(f"delimiter={self.delimiter!r}: give one character, such as ';' or a tab")
        if self.decimal not in (None, ".", ","):
            raise ConfigError(f"decimal={self.decimal!r}: choose '.' or ','")
        if self.categories < 1:
            raise ConfigError(f"categories={self.categories}: give at least 1")
        if len(self.targets) > 1 and self.task == "classification":
            raise ConfigError(
                f"{len(self.targets)} targets: a classification has one; several are for a regression"
            )
        twice = set(self.targets) & {*self.ids, *self.times, *self.drop}
        if twice:
            raise ConfigError(f"column {min(twice)!r} is the target: it cannot be kept apart or dropped as well")

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a file."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """The settings that `to_dict` wrote.

        >>> Settings.from_dict(Settings(targets=("y",)).to_dict()) == Settings(targets=("y",))
        True
        """
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in saved.items()}
        return cls(**given)
