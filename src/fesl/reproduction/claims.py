"""The claims of the paper's section 5.3, each put to the test on our data.

A claim is a sentence of the paper, a criterion that a computer can check on one set, and the sets it speaks of.
It is true of a protocol when every set meets the criterion (or as many as the paper counts). The criteria were
not adapted to what came out; their constants are

- EARLY = .1: a trend is compared with itself, and with others, from a tenth of the rounds after the switch on.
  Before that an average over a handful of rounds is mostly noise;
- "comparable": a loss at most 2 % above, an accuracy at most .005 below.

Where the claim is about Table 2 it is also put to the paper's own printed figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from fesl.reproduction import published
from fesl.reproduction.results import Document, Verdict

EARLY = 0.1
COMPARABLE_LOSS = 0.02
COMPARABLE_ACCURACY = 0.005
BASES = ("nogd", "rogd-u")
BASELINES = ("nogd", "rogd-u", "rogd-f")
OURS = ("fesl-c", "fesl-s")


@dataclass(frozen=True)
class Case:
    """What the methods did on one set: their mean accuracies (to three digits, as printed) and their trends.

    >>> case = Case("toy", {"nogd": .7, "rogd-u": .8}, {"nogd": [1.0, .5, .2]}, points=(10, 50, 100))
    >>> case.best, case.late("nogd"), round(case.fall("nogd"), 2)
    (['rogd-u'], [1.0, 0.5, 0.2], 0.8)
    """

    name: str
    accuracy: dict[str, float]
    trends: dict[str, list[float]]
    points: tuple[int, ...] = ()

    @property
    def best(self) -> list[str]:
        """The methods with the highest accuracy, ties included."""
        top = max(self.accuracy.values(), default=0.0)
        return [method for method, value in self.accuracy.items() if value == top]

    @property
    def start(self) -> int:
        """The first point that is not early."""
        return next(i for i, t in enumerate(self.points) if t >= EARLY * self.points[-1])

    def late(self, method: str) -> list[float]:
        """The trend from there on."""
        return self.trends[method][self.start :]

    def fall(self, method: str) -> float:
        """By how much the trend falls from there to the end."""
        late = self.late(method)
        return late[0] - late[-1]

    def final(self, method: str) -> float:
        """Where the trend ends."""
        return self.trends[method][-1]

    def overtakes(self, first: str, second: str) -> int | None:
        """The round from which on `first` has the smaller average loss for good; None if it ends above."""
        since = None
        for t, a, b in zip(self.points, self.trends[first], self.trends[second], strict=True):
            since = (since or t) if a < b else None
        return since


#: Does the set meet the criterion? With a word of evidence, which may be empty.
Check: TypeAlias = Callable[[Case], tuple[bool, str]]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and how it is put to the test.

    `needs` is how many of the sets must meet the criterion, as a fraction: 1 for "always", 8/9 for "on 8 of 9".
    `table` says that it is about Table 2: then the accuracies decide, else the trends.
    """

    name: str
    quote: str
    criterion: str
    groups: tuple[str, ...]
    check: Check
    table: bool = False
    needs: float = 1.0
    sets: int | None = None


def judge(claims: Iterable[Claim], doc: Document) -> list[Verdict]:
    """Every claim under every protocol."""
    return [verdict(claim, doc, protocol) for protocol in doc["results"] for claim in claims]


def verdict(claim: Claim, doc: Document, protocol: str) -> Verdict:
    """One claim under one protocol, and on the paper's own table."""
    found = {case.name: claim.check(case) for case in cases(doc, protocol, claim)}
    fails = [name for name, (holds, _) in found.items() if not holds]
    theirs = [case.name for case in printed(claim) if not claim.check(case)[0]]
    return {
        "claim": claim.name,
        "quote": claim.quote,
        "criterion": claim.criterion,
        "protocol": protocol,
        "verdict": _decide(claim, len(found), len(fails)),
        "holds": len(found) - len(fails),
        "of": len(found),
        "fails": fails,
        "evidence": "; ".join(f"{name}: {text}" for name, (_, text) in found.items() if text),
        "paper_table": _decide(claim, len(printed(claim)), len(theirs)) if claim.table else None,
        "paper_fails": theirs,
    }


def _decide(claim: Claim, of: int, fails: int) -> bool | None:
    if of == 0 or (claim.sets is not None and of < claim.sets):
        return None
    return of - fails >= claim.needs * of - 1e-9


def cases(doc: Document, protocol: str, claim: Claim) -> list[Case]:
    """The sets that a claim speaks of, where all five methods were run."""
    found = []
    for name, by_method in doc["results"][protocol].items():
        card = doc["sets"][name]
        if card["group"] not in claim.groups or not set(published.METHODS) <= set(by_method):
            continue
        scores = {m: round(r["mean"], 3) for m, r in by_method.items() if r["measure"] == "accuracy"}
        if claim.table and not scores:
            continue
        trends = {m: r["trend"] for m, r in by_method.items()}
        found.append(Case(name, scores, trends, tuple(card["streams"][protocol]["points"])))
    return found


def printed(claim: Claim) -> list[Case]:
    """The paper's own rows that a claim about Table 2 speaks of."""
    if not claim.table:
        return []
    rows = []
    for name in published.sets():
        if ("reuters" if "/" in name else "synthetic") in claim.groups:
            rows.append(Case(name, {m: a.mean for m, a in published.accuracy(name).items()}, {}))
    return rows
