"""From a selection to the document, claims included."""

from __future__ import annotations

from typing import NamedTuple

from fesl.reproduction.claims import judge
from fesl.reproduction.results import Document, document
from fesl.reproduction.runner import Outcome, Selection, Watch, run
from fesl.reproduction.sentences import CLAIMS


class Reproduction(NamedTuple):
    """The document, and the cells it was made of (which know how long they took)."""

    document: Document
    outcome: Outcome


def reproduce(selection: Selection = Selection(), *, jobs: int = 1, watch: Watch | None = None) -> Reproduction:
    """Run what was selected, summarise it, and put the paper's claims to the test.

    >>> found = reproduce(Selection(sets=("reuters-sized",), methods=("nogd",), runs=1)).document
    >>> list(found["results"]["stream"]["reuters-sized"])
    ['nogd']
    """
    outcome = run(selection, jobs=jobs, watch=watch)
    doc = document(outcome)
    doc["claims"] = judge(CLAIMS, doc)
    return Reproduction(doc, outcome)
