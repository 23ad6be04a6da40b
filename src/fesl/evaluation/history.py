"""What a run leaves behind for plots and reports: bounded in size, and plain JSON on disk."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from fesl.errors import DataError

#: The number of this layout. A reader refuses what is newer, and understands what is older.
VERSION = 1
FORMAT = "fesl-history"

#: A column of numbers over time; None where there is none.
Column = list[float | None]


@dataclass(frozen=True)
class Series:
    """Means over bins of rows: `rows` are the first of each bin, `labelled` the number of labels in it. Experts
    have a column each, in the order of `History.experts`. `loss` is in bits (classification) or squared; `score`
    is the accuracy, or the absolute error.

    >>> Series(rows=[0.0], loss=[1.0], score=[0.5]).width
    1
    """

    width: int = 1
    rows: Column = field(default_factory=list)
    labelled: Column = field(default_factory=list)
    live: Column = field(default_factory=list)
    loss: Column = field(default_factory=list)
    score: Column = field(default_factory=list)
    expert_loss: list[Column] = field(default_factory=list)
    expert_score: list[Column] = field(default_factory=list)
    weights: list[Column] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    """Features vanished at `row`; `around` are the rows before and after, in small bins. `time` is what the stream
    says of the row's time, if anything.

    >>> Change(row=10, features=["a"], total=1).total
    1
    """

    row: int
    features: list[str]
    total: int
    around: Series = field(default_factory=Series)
    time: str = ""


@dataclass(frozen=True)
class Life:
    """A feature: the first and the last row that held it, in how many, and in how many of each bin of rows.

    >>> Life("a", first=0, last=9, count=10, there=[5, 5]).count
    10
    """

    name: str
    first: int
    last: int
    count: int
    there: list[int]
    state: str = ""
    error: float | None = None
    checked: int = 0


@dataclass(frozen=True)
class History:
    """All that a report needs of a run.

    Sizes are bounded whatever the length of the stream: at most 2000 bins of time, 50 changes, 4000 features (the
    number of others is in `more_features`), 1000 feature events (how many there were of each kind is in `counts`).

    >>> history = History(task="binary", rows=3)
    >>> History.from_dict(history.as_dict()) == history
    True
    """

    task: str = "binary"
    learner: str = ""
    rows: int = 0
    labelled: int = 0
    classes: list[str] = field(default_factory=list)
    experts: list[str] = field(default_factory=list)
    scores: dict[str, float | None] = field(default_factory=dict)
    recent: dict[str, float | None] = field(default_factory=dict)
    window: int = 500
    series: Series = field(default_factory=Series)
    changes: list[Change] = field(default_factory=list)
    changes_total: int = 0
    life_width: int = 1
    lives: list[Life] = field(default_factory=list)
    more_features: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    regret: list[dict[str, float | None]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As plain numbers, strings, lists and dictionaries."""
        return {"format": FORMAT, "version": VERSION, **plain(asdict(self))}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The reverse of `as_dict`; raises `DataError` for what is not one."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise DataError(f"this is not a history of a run: it has no format {FORMAT!r}")
        version = data.get("version")
        if not isinstance(version, int) or not 1 <= version <= VERSION:
            raise DataError(f"a history of version {version!r}: this release reads up to {VERSION}; upgrade fesl")
        known = {f.name for f in fields(cls)}
        found = {key: value for key, value in data.items() if key in known}
        try:
            found["series"] = Series(**found.get("series", {}))
            found["changes"] = [
                Change(**{**change, "around": Series(**change["around"])}) for change in found.get("changes", [])
            ]
            found["lives"] = [Life(**life) for life in found.get("lives", [])]
        except (TypeError, KeyError, AttributeError) as reason:
            raise DataError(f"the history is damaged: {reason}") from None
        return cls(**found)

    def to_json(self, path: str | Path) -> Path:
        """Write strict JSON (no NaN), which any language reads."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.as_dict(), allow_nan=False, ensure_ascii=False), encoding="utf-8")
        return path

    @classmethod
    def from_json(cls, path: str | Path) -> Self:
        """Read what `to_json` wrote."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, UnicodeError) as reason:
            raise DataError(f"{path}: this is not a JSON file: {reason}") from None
        return cls.from_dict(data)


def plain(value: Any) -> Any:
    """Numbers, strings, lists and dictionaries only; NaN and infinity become None.

    >>> plain({"a": (1.5, float("nan")), 2: {"x"}})
    {'a': [1.5, None], '2': "{'x'}"}
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
