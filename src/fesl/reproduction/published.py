"""The paper's Tables 1 and 2, as printed: the one place where its figures are written down.

Accuracies are NOGD, ROGD-u, ROGD-f, FESL-c, FESL-s with their spread in thousandths; `*` marks what the paper sets
in bold. (It does not mark every tie: on r.FR-IT and r.IT-GR the NOGD that equals FESL-c is left plain.)

References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017.
"""

from __future__ import annotations

from typing import NamedTuple

METHODS = ("nogd", "rogd-u", "rogd-f", "fesl-c", "fesl-s")

TABLE_1 = """
australian 690 42 29
credit-a 653 15 10
credit-g 1000 20 14
diabetes 768 8 5
dna 940 180 125
german 1000 59 41
kr-vs-kp 3196 36 25
splice 3175 60 42
svmguide3 1284 22 15
rfid 940 78 72
reuters/EN-FR 18758 21531 24892
reuters/EN-GR 18758 21531 34215
reuters/EN-IT 18758 21531 15506
reuters/EN-SP 18758 21531 11547
reuters/FR-EN 26648 24893 21531
reuters/FR-GR 26648 24893 34287
reuters/FR-IT 26648 24893 15503
reuters/FR-SP 26648 24893 11547
reuters/GR-EN 29953 34279 21531
reuters/GR-FR 29953 34279 24892
reuters/GR-IT 29953 34279 15505
reuters/GR-SP 29953 34279 11547
reuters/IT-EN 24039 15506 21517
reuters/IT-FR 24039 15506 24892
reuters/IT-GR 24039 15506 34278
reuters/IT-SP 24039 15506 11547
reuters/SP-EN 12342 11547 21530
reuters/SP-FR 12342 11547 24892
reuters/SP-GR 12342 11547 34262
reuters/SP-IT 12342 11547 15500
"""

TABLE_2 = """
australian .767+-9 *.849+-9 .809+-25 *.849+-9 *.849+-9
credit-a .811+-6 .826+-18 .785+-51 .827+-14 *.831+-9
credit-g .659+-10 *.733+-6 .716+-11 *.733+-6 *.733+-6
diabetes .650+-2 *.652+-9 .651+-6 *.652+-7 *.652+-9
dna .610+-13 .691+-23 .608+-64 .691+-23 *.692+-21
german .684+-6 .700+-2 .700+-2 .700+-1 *.703+-4
kr-vs-kp .612+-5 .621+-36 .538+-24 .626+-28 *.630+-16
splice .568+-5 *.612+-22 .567+-57 *.612+-22 *.612+-22
svmguide3 .680+-10 *.779+-10 .748+-12 *.779+-10 .778+-10
reuters/EN-FR .902+-4 .849+-3 .769+-69 *.903+-3 .902+-5
reuters/EN-GR .867+-5 .836+-7 .802+-36 *.870+-2 *.870+-3
reuters/EN-IT .858+-14 .847+-14 .831+-18 .861+-10 *.863+-13
reuters/EN-SP .900+-2 .848+-2 .825+-1 *.901+-1 .899+-2
reuters/FR-EN *.858+-7 .776+-9 .754+-12 *.858+-7 *.858+-7
reuters/FR-GR .869+-4 .774+-19 .753+-21 *.870+-4 .868+-3
reuters/FR-IT .874+-5 .780+-22 .744+-40 *.874+-5 .873+-5
reuters/FR-SP *.872+-1 .778+-22 .735+-13 *.872+-1 .871+-2
reuters/GR-EN *.907+-0 .850+-7 .801+-35 *.907+-1 .906+-0
reuters/GR-FR *.898+-1 .827+-9 .802+-23 *.898+-1 *.898+-0
reuters/GR-IT .847+-11 *.851+-17 .816+-6 .850+-18 *.851+-17
reuters/GR-SP *.902+-1 .845+-3 .797+-12 *.902+-1 *.902+-1
reuters/IT-EN .854+-3 .760+-6 .730+-24 *.856+-2 .854+-3
reuters/IT-FR .863+-2 .753+-12 .730+-20 *.864+-2 .862+-3
reuters/IT-GR .849+-4 .736+-22 .702+-12 *.849+-4 .846+-4
reuters/IT-SP *.839+-6 .753+-14 .726+-5 *.839+-7 *.839+-6
reuters/SP-EN *.926+-2 .860+-5 .814+-21 *.926+-2 .924+-1
reuters/SP-FR .876+-5 .873+-17 .833+-42 .876+-14 *.878+-12
reuters/SP-GR .871+-13 .827+-25 .810+-26 *.873+-13 *.873+-13
reuters/SP-IT *.928+-2 .861+-5 .826+-5 *.928+-3 .927+-2
"""


class Size(NamedTuple):
    """A row of Table 1: examples, and features of the two spaces."""

    n: int
    d1: int
    d2: int


class Accuracy(NamedTuple):
    """A cell of Table 2.

    >>> accuracy("australian")["nogd"]
    Accuracy(mean=0.767, spread=0.009, best=False)
    """

    mean: float
    spread: float
    best: bool


def _cell(text: str) -> Accuracy:
    mean, spread = text.lstrip("*").split("+-")
    return Accuracy(float(mean), int(spread) / 1000.0, text.startswith("*"))


_SIZES = {row[0]: Size(*map(int, row[1:])) for line in TABLE_1.split("\n") if (row := line.split())}
_ACCURACIES = {
    row[0]: dict(zip(METHODS, map(_cell, row[1:]), strict=True))
    for line in TABLE_2.split("\n")
    if (row := line.split())
}


def size(name: str) -> Size | None:
    """The set's row of Table 1, if it has one.

    >>> size("reuters/EN-FR")
    Size(n=18758, d1=21531, d2=24892)
    """
    return _SIZES.get(name)


def accuracy(name: str) -> dict[str, Accuracy]:
    """The set's row of Table 2 by method; empty if it has none.

    >>> accuracy("rssi"), len(sets())
    ({}, 29)
    """
    return _ACCURACIES.get(name, {})


def sets() -> list[str]:
    """The sets of Table 2, nine synthetic ones and twenty pairs."""
    return list(_ACCURACIES)
