"""The page in the documentation, made of the results alone."""

from __future__ import annotations

from fesl.reproduction import text
from fesl.reproduction.pages import bullets
from fesl.reproduction.results import Document
from fesl.reproduction.tables import claims, fraction, regression, regret, table_1, table_2


def page(doc: Document) -> str:
    """What reproduces, what does not, and what the paper's data really are, as Markdown."""
    parts = [
        "# The paper's experiments, reproduced",
        "<!-- Made by `fesl reproduce --docs docs/reproduction.md`: change the code, not this page. -->",
        "`fesl reproduce` runs the experiments of Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams* (NIPS"
        " 2017), and writes every table and figure with our numbers beside the paper's into `out/reproduction`."
        f" This page is made of the results it leaves there (seed {doc['seed']}).",
        bullets(text.headline(doc)),
        _protocols(doc),
        _reproduces(doc),
        _does_not(doc),
        "## What the paper's data really are\n\n" + bullets(text.DATA),
        *_tables(doc),
        _commands(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _protocols(doc: Document) -> str:
    return "## Protocols\n\n" + bullets(
        f"**{name}**, {card['title']}. {card['note']}" for name, card in doc["protocols"].items()
    )


def _reproduces(doc: Document) -> str:
    lines = []
    for protocol, found in doc["agreement"].items():
        if doc["protocols"][protocol]["inferred"] and found["mean"] is not None and found["largest"] is not None:
            lines.append(
                f"Table 2 under the protocol {protocol}, which is inferred from it: {found['cells']} cells, mean"
                f" absolute difference {found['mean']:.4f} (aim: at most {fraction(text.TARGET_MEAN)}), largest"
                f" {fraction(found['largest'])} (aim: at most {fraction(text.TARGET_LARGEST)})."
            )
    for protocol in doc["results"]:
        if held := text.by_verdict(doc, protocol, True):
            lines.append(f"Claims that hold under {protocol}: {'; '.join(held)}.")
    return "## What reproduces\n\n" + bullets(lines) if lines else ""


def _does_not(doc: Document) -> str:
    lines = []
    for protocol, found in doc["agreement"].items():
        if not doc["protocols"][protocol]["inferred"] and found["mean"] is not None:
            lines.append(
                f"Table 2 by {doc['protocols'][protocol]['title']} (protocol {protocol}): mean absolute difference"
                f" {fraction(found['mean'])}, largest {fraction(found['largest'])} ({found['worst']})."
            )
    if gaps := text.misses(doc):
        lines.append(f"Cells of the inferred protocol that are off by more than .02: {'; '.join(gaps)}.")
    for protocol in doc["results"]:
        if failed := text.by_verdict(doc, protocol, False):
            lines.append(f"Claims that fail under {protocol}: {'; '.join(failed)}.")
        if open_ := text.by_verdict(doc, protocol, None):
            lines.append(f"Claims that cannot be tested under {protocol}: {'; '.join(open_)}.")
    if any(v["claim"].startswith("FESL follows the") and v["verdict"] is False for v in doc["claims"]):
        lines.append(text.WHY)
    lines += text.contradicted(doc)
    lines += [f"Left out of this page: {line}." for line in text.absent(doc)]
    return "## What does not\n\n" + bullets(lines) if lines else ""


def _tables(doc: Document) -> list[str]:
    makers = (table_2, regression, claims, regret)
    tables = [table_1(doc), *(make(doc, protocol) for make in makers for protocol in doc["results"])]
    return [f"## {t.title}\n\n{t.markdown()}\n\n{t.note}".rstrip() for t in tables if t.rows]


def _commands() -> str:
    return """## Running it

```
fesl reproduce                                    # everything, into out/reproduction; open index.html there
fesl reproduce --sets german,splice --runs 3      # a part of it
fesl reproduce --protocols paper --json my.json   # the figures, for another program
```

For each protocol, set and method the JSON holds `mean`, `std`, `paper` and `difference`. The same seed gives the
same bytes, whatever `--jobs` is. A data set of your own is one short file in `fesl/datasets`, a method one in
`fesl/reproduction/methods`; either then appears in every table and figure."""
