"""The page: one file, no network, each section on its own so that a bad one never takes the others along."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

from fesl.evaluation import History
from fesl.report import lists, sections
from fesl.report.timeline import timeline
from fesl.report.words import summary

log = logging.getLogger("fesl.report")

Section = Callable[[History, Mapping[str, History]], str]

#: Every section: its anchor, its heading, what draws it.
SECTIONS: tuple[tuple[str, str, Section], ...] = (
    ("summary", "What happened", lambda h, others: summary(h)),
    ("course", "Over the whole stream", sections.course),
    ("lives", "Lives of the features", timeline),
    ("changes", "Around every change", sections.changes),
    ("weights", "Trust in the experts", sections.weights),
    ("recovery", "How well the vanished are recovered", lists.recovery),
    ("regret", "Regret against its bound", sections.regret),
    ("scores", "Scores", lists.scores),
    ("events", "Feature events", lists.events),
    ("settings", "Settings", lists.settings),
)


def write(
    history: History,
    path: str | Path,
    *,
    title: str | None = None,
    beside: Mapping[str, History] | None = None,
) -> Path:
    """Write the report of a run to one HTML file that needs nothing else; `beside` are other runs on the same
    stream, by name, drawn and told beside it.

    >>> import tempfile
    >>> path = write(History(rows=3), Path(tempfile.mkdtemp()) / "report.html", title="My <sensors>")
    >>> "My &lt;sensors&gt;" in path.read_text(encoding="utf-8")
    True
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(history, title=title, beside=beside), encoding="utf-8", errors="replace")
    return path


def page(history: History, *, title: str | None = None, beside: Mapping[str, History] | None = None) -> str:
    """The report as a string, for those who serve it.

    >>> page(History(), title="A").startswith("<!doctype html>")
    True
    """
    others = dict(beside or {})
    name = escape(title or f"{history.learner or 'A stream'}: what happened")
    drawn = "".join(_section(history, others, *section) for section in SECTIONS)
    links = "".join(f'<a href="#{anchor}">{heading}</a>' for anchor, heading, _ in SECTIONS[1:])
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{name}</title><style>{_file('style.css')}</style></head><body>"
        f"<header><h1>{name}</h1><nav>{links}</nav></header><main>{drawn}</main>"
        f"<footer>Made by fesl {escape(str(history.settings.get('fesl', '')))}</footer>"
        f"<script>{_file('script.js')}</script></body></html>"
    )


def _section(history: History, others: Mapping[str, History], anchor: str, heading: str, draw: Section) -> str:
    try:
        body = draw(history, others)
    except Exception as reason:
        log.exception("the section %r could not be drawn", anchor)
        told = escape(f"{type(reason).__name__}: {reason}")
        body = f'<p class="failed">This part could not be drawn: {told}</p>'
    return f'<section id="{anchor}"><h2>{heading}</h2>{body}</section>'


def _file(name: str) -> str:
    return (files("fesl.report") / name).read_text(encoding="utf-8")
