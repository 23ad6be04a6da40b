"""The tables of the report: what the paper prints, with our figures beside its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TypeAlias

from fesl.reproduction.results import Document, Result

MINUS = "\u2212"
NONE = "\u2013"


@dataclass(frozen=True)
class Text:
    """The text of a table's cell: set in bold where it is the best of its row, with a smaller line below, and what
    only a page that can fold shows."""

    text: str
    best: bool = False
    below: str = ""
    more: str = ""


Row: TypeAlias = tuple[Text, ...]


@dataclass(frozen=True)
class Table:
    """A table that can write itself as Markdown, CSV or HTML.

    >>> table = Table("t", "A table", ("set", "NOGD"), (plain("german", Text(".679", True, "paper .684")),))
    >>> print(table.markdown())
    | set | NOGD |
    |---|---|
    | german | **.679**<br>paper .684 |
    >>> print(table.csv(), end="")
    set,NOGD
    german,.679 (paper .684)
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def markdown(self) -> str:
        lines = [self.header, ("---",) * len(self.header), *(tuple(map(_markdown, row)) for row in self.rows)]
        rule = f"|{'---|' * len(self.header)}"
        return "\n".join(rule if line[0] == "---" else f"| {' | '.join(line)} |" for line in lines)

    def csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([f"{c.text} ({c.below})" if c.below else c.text for c in row] for row in self.rows)
        return out.getvalue()

    def html(self) -> str:
        head = "".join(f"<th>{escape(text)}</th>" for text in self.header)
        body = "".join(f"<tr>{''.join(map(_html, row))}</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def plain(*cells: str | Text) -> Row:
    """A row of texts."""
    return tuple(cell if isinstance(cell, Text) else Text(cell) for cell in cells)


def _markdown(cell: Text) -> str:
    text = cell.text.replace("|", "\\|")
    return (f"**{text}**" if cell.best else text) + (f"<br>{cell.below}" if cell.below else "")


def _html(cell: Text) -> str:
    text = f"<b>{escape(cell.text)}</b>" if cell.best else escape(cell.text)
    below = f"<small>{escape(cell.below)}</small>" if cell.below else ""
    more = f"<details><summary>figures</summary>{escape(cell.more)}</details>" if cell.more else ""
    return f"<td>{text}{below}{more}</td>"


def fraction(value: float | None, signed: bool = False) -> str:
    """A number below one as the paper prints it.

    >>> fraction(.8494), fraction(-.0096, signed=True), fraction(1.0), fraction(None)
    ('.849', '−.010', '1.000', '–')
    """
    if value is None:
        return NONE
    text = f"{abs(value):.3f}"
    sign = MINUS if value < 0 and text != "0.000" else "+" if signed and text != "0.000" else ""
    return sign + text.removeprefix("0")


def figure(value: float) -> str:
    """A loss or a regret: three digits that count.

    >>> figure(0.00184), figure(12.345), figure(-1.5)
    ('0.00184', '12.3', '−1.50')
    """
    digits = max(0, 3 - len(str(int(abs(value)))) if abs(value) >= 1 else 4 if abs(value) >= 0.01 else 5)
    return f"{value:.{digits}f}".replace("-", MINUS)


def labelled(doc: Document, protocol: str) -> str:
    """The protocol's name, never without the word that it is inferred where it is."""
    return f"protocol {protocol}, inferred" if doc["protocols"][protocol]["inferred"] else f"protocol {protocol}"


def table_1(doc: Document) -> Table:
    """The sets: n, d1, d2 here and in the paper."""
    rows = []
    for name, card in doc["sets"].items():
        theirs = " x ".join(f"{side:,}" for side in card["paper_size"]) if card["paper_size"] else NONE
        ours = f"{card['n']:,} x {card['d1']:,} x {card['d2']:,}"
        caveat = "; ".join(filter(None, (card["variant"], card["caveat"])))
        rows.append(
            plain(name, ours, theirs, card["loss"], f"{card['c']:g}", str(card["overlap"]), card["orders"], caveat)
        )
    header = ("set", "n x d1 x d2", "paper", "loss", "c", "B", "row orders", "remarks")
    return Table("table-1", "Table 1: the sets", header, tuple(rows))


def table_2(doc: Document, protocol: str) -> Table:
    """Accuracy over T2, mean and spread over the runs, the paper's beside it, and the difference."""
    rows = []
    for name, by_method in _measured(doc, protocol, "accuracy"):
        best = max(round(r["mean"], 3) for r in by_method.values())
        rows.append((Text(name + _mark(doc, name)), *_by_method(doc, by_method, partial(_accuracy, best))))
    title = f"Table 2: accuracy, protocol {protocol} ({doc['protocols'][protocol]['title']})"
    note = "Mean \u00b1 spread over the runs, best in bold; below it the paper's figure and the difference to it. "
    note += "* not the authors' rows, or not the paper's task: see the remarks of Table 1."
    return Table(f"table-2-{protocol}", title, ("set", *doc["methods"].values()), tuple(rows), note)


def regression(doc: Document, protocol: str) -> Table:
    """The mean loss of every method where the target is a number."""
    rows = []
    for name, by_method in _measured(doc, protocol, "loss"):
        best = min(r["mean"] for r in by_method.values())
        rows.append((Text(name), *_by_method(doc, by_method, partial(_loss, best))))
    note = "Mean squared loss over T2, summed over the targets; the paper prints no figures for its RFID set."
    title = f"Regression: mean loss, {labelled(doc, protocol)}"
    return Table(f"regression-{protocol}", title, ("set", *doc["methods"].values()), tuple(rows), note)


def regret(doc: Document, protocol: str) -> Table:
    """What the rules cost beside what Theorems 1 and 2 allow."""
    rows = []
    for name, by_method in doc["results"][protocol].items():
        for method, found in by_method.items():
            for kind, card in (("as in the paper", found["regret"]), ("bounded", found["bounded"])):
                if card:
                    figures = (figure(card[key]) for key in ("mean", "largest", "allowed"))
                    within, held = ("yes" if card[key] else "no" for key in ("within", "assumption"))
                    rows.append(plain(name, doc["methods"][method], kind, *figures, held, within))
    header = ("set", "method", "losses", "regret, mean", "regret, largest", "allowed", "in [0, 1]", "within")
    note = "Theorems 1 and 2 assume losses in [0, 1]; where those are not, they promise nothing. `bounded`: scores "
    note += "are clipped and losses divided by the largest there is, so that the assumption holds."
    return Table(
        f"regret-{protocol}", f"Regret against the bounds, {labelled(doc, protocol)}", header, tuple(rows), note
    )


def claims(doc: Document, protocol: str) -> Table:
    """The sentences of section 5.3, true or false on our data."""
    rows = []
    for v in doc["claims"]:
        if v["protocol"] == protocol:
            holds = f"{v['holds']} of {v['of']}" + (f", not {', '.join(v['fails'])}" if v["fails"] else "")
            word = Text(truth(v["verdict"]), best=v["verdict"] is True)
            quoted = Text(v["claim"], below=f"\u201c{v['quote']}\u201d")
            where = Text(holds, more=v["evidence"])
            rows.append(plain(quoted, word, where, v["criterion"], truth(v["paper_table"])))
    header = ("claim", "here", "sets that meet it", "criterion", "in the paper's Table 2")
    title = f"Claims of section 5.3, {labelled(doc, protocol)}"
    return Table(f"claims-{protocol}", title, header, tuple(rows))


def truth(verdict: bool | None) -> str:
    """True, false, or not to be told."""
    return NONE if verdict is None else "true" if verdict else "false"


def flat(doc: Document) -> str:
    """Every (protocol, set, method) as one line of CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    keys = ("measure", "mean", "std", "paper", "difference", "loss")
    writer.writerow(("protocol", "set", "method", *keys))
    for protocol, by_set in doc["results"].items():
        for name, by_method in by_set.items():
            for method, found in by_method.items():
                writer.writerow((protocol, name, method, *(found[key] for key in keys)))  # type: ignore[literal-required]
    return out.getvalue()


def all_tables(doc: Document) -> list[Table]:
    """Every table that has rows."""
    makers = (table_2, regression, regret, claims)
    tables = [table_1(doc), *(make(doc, protocol) for make in makers for protocol in doc["results"])]
    return [table for table in tables if table.rows]


def _measured(doc: Document, protocol: str, measure: str) -> Iterator[tuple[str, dict[str, Result]]]:
    for name, by_method in doc["results"][protocol].items():
        if all(r["measure"] == measure for r in by_method.values()):
            yield name, by_method


def _by_method(doc: Document, by_method: dict[str, Result], cell: Callable[[Result], Text]) -> Iterator[Text]:
    return (cell(by_method[m]) if m in by_method else Text(NONE) for m in doc["methods"])


def _mark(doc: Document, name: str) -> str:
    return "*" if doc["sets"][name]["caveat"] else ""


def _accuracy(top: float, found: Result) -> Text:
    spread = f"\u00b1{fraction(found['std'])}" if found["std"] is not None else ""
    below = (
        f"paper {fraction(found['paper'])}, {fraction(found['difference'], signed=True)}" if found["paper"] else ""
    )
    return Text(fraction(found["mean"]) + spread, round(found["mean"], 3) == top, below)


def _loss(top: float, found: Result) -> Text:
    spread = f" \u00b1 {figure(found['std'])}" if found["std"] is not None else ""
    return Text(figure(found["mean"]) + spread, found["mean"] == top)
