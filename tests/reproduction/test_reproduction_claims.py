"""Claims are judged right where the answer is known."""

from __future__ import annotations

import pytest

from fesl.reproduction import published
from fesl.reproduction.claims import Case, Claim, judge, printed, verdict
from fesl.reproduction.results import Document
from fesl.reproduction.sentences import CLAIMS

POINTS = (1, 10, 50, 100)
ACCURACY = {"nogd": 0.6, "rogd-u": 0.8, "rogd-f": 0.7, "fesl-c": 0.8, "fesl-s": 0.81}
TRENDS = {
    "nogd": [5.0, 2.0, 1.0, 0.9],
    "rogd-u": [1.0, 0.8, 0.75, 0.7],
    "rogd-f": [0.9, 0.8, 0.85, 0.9],
    "fesl-c": [3.0, 0.81, 0.75, 0.70],
    "fesl-s": [2.0, 0.815, 0.74, 0.69],
}
NAMED = {claim.name: claim for claim in CLAIMS}


def document(group: str = "synthetic", **changes: list[float]) -> Document:
    trends = {**TRENDS, **{name.replace("_", "-"): trend for name, trend in changes.items()}}
    results = {m: {"measure": "accuracy", "mean": ACCURACY[m], "trend": trends[m]} for m in published.METHODS}
    card = {"group": group, "streams": {"stream": {"points": list(POINTS)}}}
    return {"results": {"stream": {"toy": results}}, "sets": {"toy": card}}  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("NOGD falls", {"nogd": [0.9, 0.9, 0.9, 0.9]}),
        ("ROGD-u falls a little", {"rogd_u": [0.7, 0.7, 0.75, 0.8]}),
        ("ROGD-f goes up", {"rogd_f": [0.9, 0.9, 0.85, 0.8]}),
        ("FESL follows the better model", {"fesl_c": [3.0, 0.9, 0.75, 0.70]}),
        ("FESL below every baseline", {"rogd_u": [1.0, 0.8, 0.75, 0.6]}),
        ("FESL-s below FESL-c", {"fesl_s": [2.0, 0.815, 0.74, 0.71]}),
        ("NOGD worse on short streams", {"nogd": [5.0, 2.0, 0.74, 0.73]}),
    ],
)
def test_a_claim_holds_and_fails_where_it_should(name: str, changes: dict[str, list[float]]) -> None:
    assert verdict(NAMED[name], document(), "stream")["verdict"] is True
    found = verdict(NAMED[name], document(**changes), "stream")
    assert found["verdict"] is False
    assert found["fails"] == ["toy"]


def test_nogd_overtakes_from_a_round_on() -> None:
    claim = NAMED["NOGD overtakes on long streams"]
    found = verdict(claim, document("reuters", nogd=[5.0, 0.9, 0.7, 0.5]), "stream")
    assert found["verdict"] is True
    assert found["evidence"] == "toy: from round 50 of 100 on"
    assert verdict(claim, document("reuters"), "stream")["evidence"] == "toy: never for good"
    assert verdict(claim, document("synthetic"), "stream")["verdict"] is None


def test_crossing_back_does_not_count_as_overtaking() -> None:
    case = Case("toy", {}, {"a": [1.0, 0.4, 0.6, 0.4], "b": [0.5, 0.5, 0.5, 0.5]}, POINTS)
    assert case.overtakes("a", "b") == 100
    assert case.overtakes("b", "a") is None


def test_fesl_s_catches_up_needs_both_ends() -> None:
    claim = NAMED["FESL-s catches up"]
    assert verdict(claim, document("reuters"), "stream")["verdict"] is True
    assert verdict(claim, document("reuters", fesl_s=[2.0, 0.80, 0.74, 0.69]), "stream")["verdict"] is False


def test_counts_need_all_the_sets() -> None:
    found = verdict(NAMED["FESL-s best, synthetic"], document(), "stream")
    assert found["verdict"] is None
    assert (found["holds"], found["of"]) == (1, 1)
    assert found["paper_table"] is True


def test_methods_left_out_leave_nothing_to_judge() -> None:
    doc = document()
    del doc["results"]["stream"]["toy"]["rogd-f"]
    assert all(v["verdict"] is None and v["of"] == 0 for v in judge(CLAIMS, doc))


def test_the_papers_own_table_contradicts_two_of_its_sentences() -> None:
    verdicts = {v["claim"]: v for v in judge(CLAIMS, document())}
    assert verdicts["NOGD worst, synthetic"]["paper_fails"] == ["credit-a", "dna", "kr-vs-kp", "splice"]
    assert verdicts["ROGD-u better, synthetic"]["paper_fails"] == ["german"]
    others = [v for v in verdicts.values() if v["paper_table"] is False]
    assert len(others) == 2


def test_only_claims_about_the_table_are_put_to_the_table() -> None:
    assert printed(NAMED["NOGD falls"]) == []
    assert len(printed(NAMED["ROGD-f worst, Reuters"])) == 20


def test_a_fraction_of_the_sets_may_be_enough() -> None:
    half = Claim("half", "", "", ("synthetic",), lambda case: (case.name == "toy", ""), needs=0.5)
    doc = document()
    doc["results"]["stream"]["other"] = doc["results"]["stream"]["toy"]
    doc["sets"]["other"] = doc["sets"]["toy"]
    found = verdict(half, doc, "stream")
    assert (found["verdict"], found["holds"], found["of"], found["fails"]) == (True, 1, 2, ["other"])
