"""The sections of the page that are tables: recovery, events, settings, scores side by side."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from fesl.evaluation import History, Life
from fesl.report.svg import count, number
from fesl.report.words import METRICS, css, metric, plural, shorter

#: Rows of the table of recovery: at first, and unfolded.
FIRST, TOLD = 12, 400

Others = Mapping[str, History]


def recovery(h: History, others: Others) -> str:
    """How well what vanished is told by the rest."""
    told = [life for life in h.lives if life.state == "vanished" and life.error is not None]
    rest = [life for life in h.lives if life.state != "vanished" and life.error is not None]
    if not told and not rest:
        return "<p>This learner does not measure how well features are recovered, or had no chance to.</p>"
    key = (
        '<p class="note">Root mean square error in standard deviations of the feature: 0 is perfect, 1 no better '
        "than its mean.</p>"
    )
    head = _errors(told) if told else "<p>Nothing that vanished could be measured.</p>"
    others_tell = f"{plural(len(rest), 'feature')} still there: how well the others tell them"
    more = f"<details><summary>{others_tell}</summary>{_errors(rest)}</details>"
    return key + head + (more if rest else "")


def events(h: History, others: Others) -> str:
    """What happened to which feature, newest last; searched and sorted in the page."""
    if not h.events:
        return "<p>Nothing happened to any feature.</p>"
    timed = any(e.get("time") for e in h.events)
    rows = "".join(_event(e, timed) for e in h.events)
    left = sum(h.counts.values()) - len(h.events)
    note = f"<p>And {plural(left, 'event')} before these.</p>" if left > 0 else ""
    when = "<th>time</th>" if timed else ""
    head = f'<th class="n">row</th>{when}<th>what</th><th>feature</th><th class="n">count</th>'
    return (
        '<p class="tools"><label>Search <input type="search" placeholder="a feature, a kind"></label>'
        f' <output></output></p><div class="scroll"><table class="sortable"><thead><tr>{head}</tr></thead>'
        f'<tbody>{rows}</tbody></table></div>{note}<p class="note">The count: how often it had been seen; for an '
        "overlap the kept rows that show it beside what vanished; for a freeze how often its value came in a row."
        "</p>"
    )


def _event(e: Mapping[str, Any], timed: bool) -> str:
    kind, when = str(e["kind"]), escape(str(e.get("time") or ""))
    stamp = f'<td class="when">{when}</td>' if timed else ""
    return (
        f'<tr><td class="n">{count(e["row"])}</td>{stamp}'
        f'<td><span class="kind {css(kind)}">{escape(kind)}</span></td>'
        f'<td class="name">{escape(shorter(str(e["feature"]), 80))}</td><td class="n">{count(e["count"])}</td></tr>'
    )


def settings(h: History, others: Others) -> str:
    """How it was run."""
    found: dict[str, Any] = {
        "learner": h.learner,
        "task": h.task,
        "classes": ", ".join(h.classes[:20]) or None,
        **h.settings,
    }
    cells = "".join(
        f"<dt>{escape(str(k))}</dt><dd>{escape(_said(v))}</dd>" for k, v in found.items() if v not in (None, "")
    )
    return f"<dl>{cells}</dl>"


def scores(h: History, others: Others) -> str:
    """Every metric, overall and of late; the others beside it."""
    columns = {h.learner or "this run": h, **others}
    head = "".join(f'<th class="n">{escape(name)}</th>' for name in columns)
    rows = ""
    for field, when in (("scores", ""), ("recent", f", last {count(h.window)} rows")):
        for key in getattr(h, field):
            if field == "recent" and key == "roc_auc":
                continue
            last = f", last {count(h.window)} rows" if key == "roc_auc" else when
            cells = "".join(
                f'<td class="n">{metric(key, getattr(one, field).get(key))}</td>' for one in columns.values()
            )
            rows += f"<tr><td>{escape(METRICS.get(key, key))}{last}</td>{cells}</tr>"
    return f'<div class="scroll"><table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _errors(lives: list[Life]) -> str:
    """The worst first; beyond a dozen they are folded away."""
    lives = sorted(lives, key=lambda one: -(one.error or 0.0))
    left = len(lives) - TOLD
    note = f"<p>And {plural(left, 'more feature')}.</p>" if left > 0 else ""
    rest = lives[FIRST:TOLD]
    folded = f"<details><summary>{plural(len(rest), 'more feature')}</summary>{_table(rest)}{note}</details>"
    return _table(lives[:FIRST]) + (folded if rest else "")


def _table(lives: list[Life]) -> str:
    rows = ""
    for life in lives:
        e = life.error or 0.0
        word = "well" if e < 0.5 else "in part" if e < 0.9 else "hardly"
        wide = f"width:{100 * min(e, 1.5) / 1.5:.1f}%"
        rows += (
            f'<tr><td class="name">{escape(shorter(life.name))}</td>'
            f'<td class="bar"><i class="{css(word)}" style="{wide}"></i></td><td class="n">{number(e)}</td>'
            f'<td>{word}</td><td class="n">{count(life.checked)}</td></tr>'
        )
    head = '<th>feature</th><th class="bar">error</th><th></th><th>recovered</th><th class="n">rows</th>'
    return f'<table class="errors"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}={_said(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(_said(v) for v in value)
    return (
        count(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 9999 else str(value)
    )
