"""What a learner tells of itself, whichever of ours it is: what happened to features, its experts, its regret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fesl._typing import Name
from fesl.evaluation.lives import Lives


@dataclass(frozen=True)
class Happening:
    """What happened to a feature, in which row of the stream, a count (see
    `fesl.portfolio.changes.lives`), and what the stream says of the row's time, if anything.

    >>> Happening(3, "vanished", "a", 2).kind
    'vanished'
    """

    row: int
    kind: str
    feature: Name
    count: int
    time: str = ""


class Watch:
    """The happenings while a learner looks at some rows.

    The default learner tells them as they happen, in its own rounds. Of the paper's, what it remembers of features
    is compared with before, and the rows tell when.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.parts: dict[Name, str] = dict(getattr(model, "features", None) or {})
        self.offset = 0
        self.fresh: list[Any] = []

    @contextmanager
    def look(self, row: int) -> Iterator[None]:
        """While the learner looks at rows, the first of which has this number: listen to its log, if it has one."""
        self.fresh = []
        log = getattr(self.model, "log", None)
        if log is None:
            yield
            return
        self.offset = row - int(self.model.state.clock[0])
        own = log.callback

        def note(event: Any) -> None:
            self.fresh.append(event)
            if own is not None:
                own(event)

        log.callback = note
        try:
            yield
        finally:
            log.callback = own

    def found(self, lives: Lives) -> list[Happening]:
        """What happened meanwhile, in order; `lives` has seen the same rows."""
        logs = hasattr(self.model, "log")
        found = [self._row(event, lives) for event in self.fresh] if logs else self._compared(lives)
        return sorted(found, key=lambda h: h.row)

    def _row(self, event: Any, lives: Lives) -> Happening:
        """An absence begins before it is noticed: a feature vanished in the row after the last that held it. But a
        word may be rare: of sparse events the learner itself knows best."""
        row, kind = max(0, event.time + self.offset), event.kind.value
        sparse = hasattr(self.model.state, "asleep")
        last = lives.last_seen(event.feature) if kind == "vanished" and not sparse else None
        if last is not None and last < row:
            row = last + 1
        return Happening(row, kind, event.feature, event.count)

    def _compared(self, lives: Lives) -> list[Happening]:
        now: dict[Name, str] = dict(getattr(self.model, "features", None) or {})
        found = []
        for name in [*self.parts, *(name for name in now if name not in self.parts)]:
            was, now_is = self.parts.get(name, ""), now.get(name, "vanished")
            i = lives.index.get(name)
            if i is None or was == now_is:
                continue
            first, last, count = int(lives.first[i]), int(lives.last[i]), int(lives.count[i])
            if not was:
                found.append(Happening(first, "appeared", name, 0))
            if now_is == "vanished":
                found.append(Happening(last + 1, "vanished", name, count))
            elif was == "vanished":
                found.append(Happening(last, "came back", name, count))
        self.parts = {**{name: "vanished" for name in self.parts if name not in now}, **now}
        return found


def experts(model: Any) -> list[str]:
    """The names of a learner's experts, in the order of `Run.experts`.

    >>> from fesl import paper, Regressor
    >>> experts(paper.fesl_c()), experts(Regressor())[:2]
    (['old model, recovered', 'fresh model'], ['observed', 'strong prior'])
    """
    parts = getattr(model, "parts", None)
    if parts is not None:
        return [_named(kind) for kind in parts.experts]
    return [str(name) for name in getattr(getattr(model, "state", None), "experts", ())]


def _named(kind: Any) -> str:
    if not hasattr(kind, "learns"):
        return "fresh model"
    return "old model, recovered" if kind.learns else "old model, recovered and frozen"


def regret(model: Any) -> dict[str, float] | None:
    """The regret so far and what is allowed: of the present cycle for the paper's learner.

    >>> from fesl import paper
    >>> regret(paper.fesl_c())["rounds"]
    0.0
    """
    if not hasattr(model, "regret"):
        return None
    r = model.regret()
    return {
        "value": float(r.value),
        "allowed": float(r.allowed),
        "rounds": float(r.rounds),
        "cycle": float(getattr(r, "cycle", 0)),
        "holds": float(r.within or not getattr(r, "assumption_held", True)),
    }


def learner(model: Any) -> str:
    """What a learner is called in a report: its own name, the paper's, or that of its class.

    >>> from fesl import paper, Classifier
    >>> learner(paper.fesl_s()), learner(paper.rogd_u()), learner(Classifier())
    ('FESL-s', 'ROGD-u', 'Classifier')
    """
    parts = getattr(model, "parts", None)
    if getattr(model, "name", None) or parts is None:
        return str(getattr(model, "name", None) or type(model).__name__)
    kinds = [getattr(kind, "learns", None) for kind in parts.experts]
    both = "FESL-s" if parts.rule.draws else "FESL-c"
    known = {(None,): "NOGD", (True,): "ROGD-u", (False,): "ROGD-f", (True, None): both}
    return known.get(tuple(kinds), type(model).__name__)
