"""What the pages say around the tables, computed from the results: no figure is written by hand."""

from __future__ import annotations

from fesl.reproduction.results import Document
from fesl.reproduction.tables import fraction

TARGET_MEAN, TARGET_LARGEST = 0.006, 0.035

#: What the paper's data turned out to be; facts about the data, not results of a run.
DATA = (
    "The \u201crandom Gaussian matrices\u201d of the synthetic sets are uniform on [0, 1): X2 = X1 W exactly, with"
    " one W for all ten runs of a set; only the order of the rows changes.",
    "The inverse that the paper prints for the recovery map does not exist on nearly every set: the matrix to be"
    " inverted has rank at most B, and B is smaller than the number of new features. The pseudo-inverse (the"
    " minimum-norm solution) is used here.",
    "One honest pass does not give the paper's Table 2. Replaying each permutation nine times and cutting that"
    " stream in half does. The number of replays and B were fitted to the table, so the agreement is evidence for"
    " the reading, not a prediction.",
    "On diabetes and german the table's accuracies are those of always naming the larger class (.651 and .700).",
    "australian is not the Statlog set of that name but UCI credit approval, one-hot; credit-a is the same file,"
    " its nominal values as numbers.",
    "The logistic loss is not in [0, 1], so Theorems 1 and 2 do not cover the paper's own experiments.",
    "The paper's RFID set is not public any more. rssi (UJIIndoorLoc, two targets, access points as sensors)"
    " stands in for it; no figure of it can be compared.",
    "How the paper made a task of the six Reuters topics is not said. Here all six are kept, with the softmax"
    " loss. No figure of it can be compared.",
)

#: Why some claims fail, in words.
WHY = (
    "FESL-c and FESL-s begin by trusting NOGD and ROGD-u alike. NOGD's first steps on the unscaled second space are"
    " so long that a round costs tens of bits, and an average that starts with such rounds takes thousands to come"
    " down: the *cumulative* loss of FESL stays above that of ROGD-u long after their predictions agree. In"
    " accuracy, which is bounded, FESL follows more closely."
)


def headline(doc: Document) -> list[str]:
    """What was found, in a few sentences."""
    lines = []
    for protocol, found in doc["agreement"].items():
        if found["mean"] is not None and found["largest"] is not None:
            lines.append(
                f"Protocol {protocol} ({doc['protocols'][protocol]['title']}): over the {found['cells']} cells of"
                f" the {len(found['sets'])} sets with the authors' permutations the mean absolute difference to the"
                f" paper's Table 2 is {found['mean']:.4f}, the largest {fraction(found['largest'])}"
                f" ({found['worst']})."
            )
    for protocol in doc["results"]:
        verdicts = [v["verdict"] for v in doc["claims"] if v["protocol"] == protocol]
        if verdicts:
            true, tested = verdicts.count(True), len(verdicts) - verdicts.count(None)
            left = f"; {verdicts.count(None)} cannot be tested on the sets at hand" if None in verdicts else ""
            lines.append(
                f"Protocol {protocol}: {true} of the {tested} claims of section 5.3 that can be tested hold{left}."
            )
    return lines


def misses(doc: Document) -> list[str]:
    """Every cell of Table 2 that is off by more than .02, largest first: nothing is left out."""
    found = []
    for protocol, by_set in doc["results"].items():
        for name, by_method in by_set.items():
            for method, result in by_method.items():
                gap = result["difference"]
                if (
                    doc["protocols"][protocol]["inferred"]
                    and "/" not in name
                    and gap is not None
                    and abs(gap) > 0.02
                ):
                    note = " (not the authors' rows)" if doc["sets"][name]["caveat"] else ""
                    found.append(
                        (abs(gap), f"{name}, {doc['methods'][method]}: {fraction(gap, signed=True)}{note}")
                    )
    return [text for _, text in sorted(found, reverse=True)]


def by_verdict(doc: Document, protocol: str, verdict: bool | None) -> list[str]:
    """The claims with this verdict, each with the count of the sets."""
    return [
        f"{v['claim']} ({v['holds']} of {v['of']} sets)"
        for v in doc["claims"]
        if v["protocol"] == protocol and v["verdict"] is verdict
    ]


def contradicted(doc: Document) -> list[str]:
    """The claims that the paper's own Table 2 does not bear out."""
    found = {v["claim"]: v["paper_fails"] for v in doc["claims"] if v["paper_table"] is False}
    return [
        f"The paper's own Table 2 does not bear out the claim \u201c{claim}\u201d: not on {', '.join(fails)}."
        for claim, fails in found.items()
    ]


def absent(doc: Document) -> list[str]:
    """The sets that were not there, those with the same reason together."""
    reasons: dict[str, list[str]] = {}
    for name, reason in doc["missing"].items():
        reasons.setdefault(reason, []).append(name)
    shown = {
        reason: names if len(names) < 5 else [f"{len(names)} sets, {names[0]} to {names[-1]}"]
        for reason, names in reasons.items()
    }
    return [f"{', '.join(names)}: {reason}" for reason, names in shown.items()]
