"""The report: one folder with tables (Markdown, CSV), figures (SVG, PNG), the JSON and a page that holds it all."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template

from fesl.reproduction import figures, text
from fesl.reproduction.results import Document, dump
from fesl.reproduction.tables import Table, all_tables, flat, labelled

PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Learning with Feature Evolvable Streams, reproduced</title>
<style>
:root { color-scheme: light; --ink: #1c1c1e; --soft: #63636b; --line: #e3e3e8; --mark: #d55e00; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 68rem; color: var(--ink); background: #fff;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .6rem 0; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; }
p, li { max-width: 46rem; } .soft, small, figcaption { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .3rem .9rem; padding: .6rem 0; border-block: 1px solid var(--line); }
nav a { color: var(--mark); text-decoration: none; }
.inferred { border-left: 4px solid var(--mark); padding: .3rem .8rem; background: #fdf4ee; }
.wide { overflow-x: auto; margin: .6rem -1rem; padding: 0 1rem; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; border-bottom: 2px solid var(--ink); }
td:first-child { position: sticky; left: 0; background: #fff; } small { display: block; font-size: .76rem; }
.narrow td { white-space: nowrap; } .claims td { min-width: 6rem; } .claims td:nth-child(3) { min-width: 13rem; }
.claims td:nth-child(4) { min-width: 14rem; } details { font-size: .76rem; color: var(--soft); }
figure { margin: 1rem 0 2rem; } figure img { width: 100%; min-width: 36rem; height: auto; display: block; }
figure.small img { max-width: 40rem; min-width: 20rem; }
@media (max-width: 40rem) { td:first-child { max-width: 9rem; white-space: normal !important; } }
</style></head><body>
<h1>Learning with Feature Evolvable Streams, reproduced</h1>
<p class="soft">Hou, Zhang, Zhou, NIPS 2017. Every table and figure of its experiments with our numbers beside the
paper's. Seed $seed.</p>
<nav>$links</nav>
$body
</body></html>
""")


def write(doc: Document, folder: Path) -> Path:
    """Everything into the folder; returns the page."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = all_tables(doc)
    (folder / "results.json").write_text(dump(doc), encoding="utf-8")
    (folder / "results.csv").write_text(flat(doc), encoding="utf-8")
    for table in tables:
        (folder / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
    captions = figures.draw(doc, folder)
    (folder / "index.md").write_text(markdown(doc, tables, captions), encoding="utf-8")
    page = folder / "index.html"
    page.write_text(html(doc, tables, captions, folder), encoding="utf-8")
    return page


def markdown(doc: Document, tables: Iterable[Table], captions: dict[str, str]) -> str:
    """All tables and links to all figures."""
    parts = ["# Learning with Feature Evolvable Streams, reproduced", bullets(text.headline(doc))]
    parts += [f"**{name}**: {card['note']}" for name, card in doc["protocols"].items()]
    parts += [f"## {table.title}\n\n{table.markdown()}\n\n{table.note}".rstrip() for table in tables]
    parts.append("## Figures")
    parts += [f"![{caption}]({name}.png)\n\n{caption}" for name, caption in captions.items()]
    return "\n\n".join(parts) + "\n"


def bullets(lines: Iterable[str]) -> str:
    """A Markdown list."""
    return "\n".join(f"- {line}" for line in lines)


def html(doc: Document, tables: list[Table], captions: dict[str, str], folder: Path) -> str:
    """One page that needs no other file."""
    sections: list[tuple[str, str, str]] = [("found", "What was found", _summary(doc))]
    for protocol in doc["results"]:
        inner = _protocol(doc, protocol) + _tables(tables, f"table-2-{protocol}")
        inner += _figures(captions, folder, f"-{protocol}") + _tables(tables, f"regression-{protocol}")
        sections.append((f"p-{protocol}", labelled(doc, protocol).capitalize(), inner))
    sections.append(("agreement", "Agreement with the paper", _figures(captions, folder, "agreement")))
    for protocol in doc["results"]:
        inner = _tables(tables, f"claims-{protocol}", heading=False)
        sections.append((f"c-{protocol}", f"Claims of section 5.3, {labelled(doc, protocol)}", inner))
    regret = _figures(captions, folder, "regret") + "".join(_tables(tables, f"regret-{p}") for p in doc["results"])
    sections.append(("regret", "Regret against the bounds", regret))
    sections.append(("sets", "The sets", _tables(tables, "table-1") + _list(text.DATA) + _list(text.absent(doc))))
    shown = [section for section in sections if section[2]]
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in shown)
    body = "".join(f'<section id="{key}"><h2>{escape(title)}</h2>{inner}</section>' for key, title, inner in shown)
    return PAGE.substitute(seed=doc["seed"], links=links, body=body)


def _summary(doc: Document) -> str:
    gaps = text.misses(doc)
    more = f"<p>Cells of the inferred protocol that are off by more than .02:</p>{_list(gaps)}" if gaps else ""
    return _list([*text.headline(doc), *text.contradicted(doc)]) + more


def _protocol(doc: Document, protocol: str) -> str:
    card = doc["protocols"][protocol]
    kind = ' class="inferred"' if card["inferred"] else ""
    return f"<p{kind}>{escape(card['note'])}</p>"


def _list(lines: Iterable[str]) -> str:
    inner = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{inner}</ul>" if inner else ""


def _tables(tables: list[Table], name: str, heading: bool = True) -> str:
    kind = "claims" if name.startswith("claims") else "" if name == "table-1" else "narrow"
    parts = []
    for table in (t for t in tables if t.name == name):
        parts.append(f"<h3>{escape(table.title)}</h3>" if heading else "")
        parts.append(f'<div class="wide {kind}">{table.html()}</div>')
        parts.append(f'<p class="soft">{escape(table.note)}</p>' if table.note else "")
    return "".join(parts)


def _figures(captions: dict[str, str], folder: Path, part: str) -> str:
    """The figures whose name ends so, inside the page."""
    parts = []
    for name, caption in captions.items():
        if name.endswith(part):
            data = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode()
            small = ' class="small"' if "-size-" in name or name.startswith("trend-regression") else ""
            image = f'<div class="wide"><img alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}"></div>'
            parts.append(f"<figure{small}>{image}<figcaption>{escape(caption)}</figcaption></figure>")
    return "".join(parts)
