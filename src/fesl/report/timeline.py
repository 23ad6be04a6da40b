"""The lives of the features as bars over time."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from fesl.evaluation import History, Life
from fesl.report.svg import WIDTH, Scale, count
from fesl.report.words import css, key_changes, plural, shorter

#: Features shown one by one, and groups of features where there are more.
EACH, GROUPS = 400, 200
#: Cells of the timeline, at most.
CELLS = 24_000


def timeline(h: History, others: Mapping[str, History]) -> str:
    """One bar a feature; one a group of features with the same life where there are too many."""
    if not h.lives:
        return "<p>No feature was seen.</p>"
    bars = [([life], life.there) for life in h.lives] if len(h.lives) <= EACH else _groups(h.lives)
    bars.sort(key=lambda bar: (bar[0][0].first, bar[0][0].last, bar[0][0].name))
    shown = bars[:EACH]
    froze = {e["feature"] for e in h.events if e["kind"] == "froze"}
    labels = "".join(_label(h, lives, froze) for lives, _ in shown)
    left = sum(len(lives) for lives, _ in bars[EACH:]) + h.more_features
    note = f"<p>And {plural(left, 'more feature')} not shown.</p>" if left else ""
    grouped = "" if len(h.lives) <= EACH else " Features that came and went together share a bar."
    return (
        f'<p class="note">Darker: held by more of the rows.{grouped}</p>'
        f'<div class="lives" style="--n:{len(shown)}"><div class="names">{labels}</div>'
        f'<div class="plot">{_bars(h, shown)}</div>{_axis(h)}</div>{note}'
    )


def _groups(lives: list[Life]) -> list[tuple[list[Life], list[int]]]:
    """Features by the bins in which they were first and last there."""
    found: dict[tuple[int, int], list[Life]] = {}
    for life in lives:
        there = [i for i, n in enumerate(life.there) if n]
        found.setdefault((there[0], there[-1]) if there else (0, 0), []).append(life)
    big = sorted(found.values(), key=len, reverse=True)[:GROUPS]
    return [
        (group, [sum(n) // len(group) for n in zip(*(life.there for life in group), strict=True)]) for group in big
    ]


def _label(h: History, lives: list[Life], froze: set[str]) -> str:
    life = lives[0]
    state = "frozen" if life.name in froze and life.state != "vanished" else life.state or "seen"
    name = (
        shorter(life.name, 60) if len(lives) == 1 else f"{shorter(life.name, 22)} and {count(len(lives) - 1)} more"
    )
    told = f"rows {count(life.first)} to {count(life.last)}, in {count(life.count)} of them; {state}"
    if len(lives) > 1:
        some = ", ".join(shorter(one.name, 30) for one in lives[:8])
        told = f"{some}, …: rows {count(life.first)} to {count(life.last)}"
    title = escape(f"{life.name}: {told}")
    return f'<div class="{css(state)}" title="{title}"><i></i><span>{escape(name)}</span></div>'


def _bars(h: History, bars: list[tuple[list[Life], list[int]]]) -> str:
    """Four paths for all: one a shade."""
    bins = max(1, len(bars[0][1]))
    merge = 1
    while len(bars) * bins / merge > CELLS:
        merge *= 2
    shades: list[list[str]] = [[], [], [], []]
    x = Scale(0.0, float(max(1, h.rows)))
    for i, (lives, there) in enumerate(bars):
        span = min(life.first for life in lives), max(life.last for life in lives) + 1
        for a, b, level in _runs(there, merge, h.life_width, span):
            left, wide = WIDTH * x.at(a), max(WIDTH * (x.at(b) - x.at(a)), 1.5)
            shades[level].append(f"M{left:.1f},{i + 0.16:g}h{wide:.1f}v.68h-{wide:.1f}z")
    paths = "".join(f'<path class="there s{k}" d="{"".join(d)}"/>' for k, d in enumerate(shades) if d)
    rules = "".join(
        f'<path class="rule" d="M{WIDTH * x.at(c.row):.1f},0V{len(bars)}"/>' for c in key_changes(h)[:12]
    )
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {len(bars)}" preserveAspectRatio="none" role="img" '
        f'aria-label="lives of {len(bars)} features">{paths}{rules}</svg>'
    )


def _runs(there: list[int], merge: int, width: int, span: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Stretches of bins with the same shade, within the span of the life: from row, to row, shade.

    >>> _runs([10, 10, 4], 1, 10, (0, 24))
    [(0, 24, 3)]
    """
    found: list[tuple[int, int, int]] = []
    for i in range(0, len(there), merge):
        a, b = max(span[0], i * width), min(span[1], (i + merge) * width)
        share = sum(there[i : i + merge]) / max(1, b - a)
        if share <= 0 or b <= a:
            continue
        level = 3 if share > 0.97 else 2 if share > 0.6 else 1 if share > 0.2 else 0
        if found and found[-1][1] == a and found[-1][2] == level:
            found[-1] = (found[-1][0], b, level)
        else:
            found.append((a, b, level))
    return found


def _axis(h: History) -> str:
    x = Scale(0.0, float(max(1, h.rows)), "count")
    spans = "".join(f'<span style="left:{100 * x.at(v):.2f}%">{text}</span>' for v, text in x.ticks())
    return f'<div class="across">{spans}</div>'
