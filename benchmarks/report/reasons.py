"""Why a row is behind, and what would change it."""

from __future__ import annotations

LIMIT = "Reading every number once is no learning; nothing can be faster."
EXPERTS = (
    "The default learner is a mixture of six second-order linear models, naive Bayes, curves, values, surfaces,"
    " neighbours, a stacker and a council: an event costs d² steps and a comparison with 256 rows where the peer"
    " takes one first-order step of d. Fewer experts, or diagonal covariances from fewer features on, would change"
    " it, and cost accuracy (the ablation says how much)."
)
OVERLAP_DEFAULT = (
    "In an overlap the old and the new features are all live, so d doubles for us, and curves and surfaces learn"
    " the kept rows again at the ages of what is new. Keeping only one of the two spaces in the covariances would"
    " change the first, and lose what is taught at the switch."
)
JUST_AFTER_DEFAULT = (
    "At a switch, and six times in the 128 rounds after it, the kept rows are learned again: a fixed cost, spread"
    " here over the 200 rounds. Learning anew less often would change it, and cost accuracy."
)
OVERLAP_PAPER = (
    "The first event of an overlap goes through Python: it brings names never seen before. Its cost, a third of a"
    " millisecond and more, is spread here over the overlap; a longer one would change it."
)
JUST_AFTER_PAPER = (
    "The recovery map is solved at the switch, once; its cost is spread here over the 200 rounds. Nothing would"
    " change it but a longer stream."
)
TWO_MODELS = (
    "Two live models and their combination against a single linear model. Only doing less would change it:"
    " `NOGD` is the one-model row."
)
TABLE = (
    "The peer learns one linear model in one compiled pass and does not predict; we predict every row before we"
    " learn it, with two models and more. A pass that learns without predicting would change it, and answer another"
    " question."
)
TEXT = (
    "The peer runs one linear model with a step of its own for each weight over a file that it parses itself, and"
    " nothing is kept for features that vanish. Only doing less would change it."
)


def speed(door: str, part: str, peer: str, ours: str) -> str:
    """The reason for a ratio below one.

    >>> speed("play", "after", "physical limit", "default")
    'Reading every number once is no learning; nothing can be faster.'
    """
    if peer == "physical limit":
        return LIMIT
    if door == "table":
        return (EXPERTS if ours == "default" else TEXT) if peer == "Vowpal Wabbit" else _table(ours)
    if ours == "default":
        return {"overlap": OVERLAP_DEFAULT, "just after": JUST_AFTER_DEFAULT}.get(part, EXPERTS)
    return {"overlap": OVERLAP_PAPER, "just after": JUST_AFTER_PAPER}.get(part, TWO_MODELS)


def _table(ours: str) -> str:
    return EXPERTS if ours == "default" else TABLE


GROWTH = {
    "words in a document": "Beside its words, a document costs what the learner must do for every event.",
    "words in all": "An event touches its own words only, but what is kept of many words, and Python's dict of "
    "their names, does not fit into the processor's cache; less kept of each word would change it.",
}
QUALITY = (
    "Where we are not ahead: a margin within two standard errors (after +-) can be chance, and more row orders"
    " (`--runs 10`) would tell. Where it is larger the peer is better on that stream; an expert of its kind in the"
    " mixture would change it."
)
GAP = (
    "The old features know what the new ones do not, and nothing could make up for that; a longer overlap closes"
    " more of the rest."
)
STARTUP = "NumPy and SciPy are most of our import; only doing without SciPy would change it."
SIZE = "Compiled modules are most of ours; leaving one of the two cores out would change it."
MEMORY = (
    "Five covariances of all live features, twice as many in an overlap, and a copy of them to come back to; fewer"
    " experts would change it."
)
NEEDS = "NumPy and SciPy are nearly all of it; only doing without them would change it."
