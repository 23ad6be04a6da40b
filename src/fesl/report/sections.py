"""The sections of the page that are charts over rows."""

from __future__ import annotations

from collections.abc import Mapping

from fesl.evaluation import Change, History, Series, effect
from fesl.report.svg import Chart, Scale, count
from fesl.report.thin import merged, trailing
from fesl.report.words import cost, key_changes, lasting, names, place, plural

#: Points of a line that is steady by itself, of one that is not, and rows of the trailing mean around a change.
POINTS, COARSE, LOOK = 240, 60, 50
#: Changes shown unfolded.
OPEN = 4

Others = Mapping[str, History]


def course(h: History, others: Others) -> str:
    """Score, loss and live features over the whole stream."""
    what, written = ("absolute error", "number") if h.task == "regression" else ("accuracy", "percent")
    charts = [
        _over(h, others, "score", f"{what}, mean of {_binned(h)} rows", written),
        _over(h, others, "loss", f"{_loss(h)}, mean of {_binned(h)} rows", "number"),
        _over(h, {}, "live", "features in a row", "number", 110.0),
    ]
    return f'<div class="pair">{charts[0]}{charts[1]}</div>{charts[2]}'


def weights(h: History, others: Others) -> str:
    """How much each expert was trusted."""
    s = h.series
    if not any(v is not None for column in s.weights for v in column):
        return "<p>This learner has no experts to weigh.</p>"
    starts, columns = merged(s.weights, [1.0] * len(s.rows), POINTS)
    xs = [*(float(s.rows[i] or 0) for i in starts), float(h.rows)]
    columns = [[*column, column[-1]] for column in columns]
    chart = Chart(_rows(h), Scale(0.0, 1.0, "percent"), "weights of the experts", 240.0)
    low = [0.0] * len(xs)
    for e, column in enumerate(columns):
        high = [a + (v or 0.0) for a, v in zip(low, column, strict=True)]
        chart.area(h.experts[e], xs, low, high, e)
        low = high
    _mark(h, chart)
    return chart.html()


def changes(h: History, others: Others) -> str:
    """Score and loss around every change."""
    if not h.changes:
        return "<p>No feature vanished.</p>"
    opened = {id(c) for c in key_changes(h)[:OPEN]}
    parts = [_change(h, others, c, id(c) in opened) for c in h.changes]
    left = h.changes_total - len(h.changes)
    note = f"<p>And {plural(left, 'change')} before that of which no detail is kept.</p>" if left > 0 else ""
    return f'<p class="note">Means of the last {LOOK} rows, begun anew at the change.</p>{"".join(parts)}{note}'


def regret(h: History, others: Others) -> str:
    """The regret against its bound."""
    if not h.regret:
        return "<p>This learner keeps no account of its regret.</p>"
    rows = [r["row"] for r in h.regret]
    value, allowed = [r["value"] for r in h.regret], [r["allowed"] for r in h.regret]
    chart = Chart(_rows(h), Scale.over([value, allowed, [0.0]], within=(-1e300, 1e300)), "regret and its bound")
    chart.line("regret", rows, value)
    chart.line("what the bound allows", rows, allowed, "bound")
    _mark(h, chart)
    held = all(r.get("holds") for r in h.regret)
    told = "The bound held all the time." if held else "The bound did not hold all the time."
    paper = any(r.get("cycle") for r in h.regret)
    unit = "The loss of the present cycle above its comparator's" if paper else "Bits above the best single expert"
    return f'<p class="note">{unit}. {told}</p>{chart.html()}'


def _change(h: History, others: Others, change: Change, opened: bool) -> str:
    found = effect(h, change)
    told = cost(h, found) if found else "Too few labelled rows around it to tell what it cost."
    what, written = ("absolute error", "number") if h.task == "regression" else ("accuracy", "percent")
    near = {name: _nearest(other, change.row) for name, other in others.items()}
    beside = {name: other for name, other in near.items() if other is not None}
    charts = _around(h, change, beside, "score", what, written) + _around(
        h, change, beside, "loss", _loss(h), "number"
    )
    where = place(change)
    head = f"{where[0].upper()}{where[1:]}: {names(change.features, change.total)} vanished"
    head += " <em>for good</em>" if lasting(h, change) else ""
    flag = " open" if opened else ""
    return f'<details{flag}><summary>{head}</summary><p>{told}</p><div class="pair">{charts}</div></details>'


def _around(h: History, change: Change, beside: Mapping[str, Change], field: str, what: str, written: str) -> str:
    s = change.around
    curves: list[tuple[str, Series, list[float | None]]] = [
        ("ensemble", s, _smooth(s, getattr(s, field), change.row))
    ]
    each = getattr(s, f"expert_{field}")
    if len(h.experts) > 1:
        curves += [(name, s, _smooth(s, each[e], change.row)) for e, name in enumerate(h.experts)]
    for name, other in beside.items():
        curves.append((name, other.around, _smooth(other.around, getattr(other.around, field), change.row)))
    x = Scale(min(float(r or 0) for r in s.rows), max(float(r or 0) for r in s.rows) + s.width, "count")
    y = Scale.over([ys for _, _, ys in curves], written, within=(0.0, 1.0 if written == "percent" else 1e300))
    chart = Chart(x, y, f"{what} around row {change.row}", 190.0)
    for i, (name, at, ys) in reversed(list(enumerate(curves))):
        xs = [None if r is None else r + at.width for r in at.rows]
        chart.line(name, xs, ys, _style(i, len(curves) - len(beside)))
    chart.key.reverse()
    chart.rule(change.row)
    return chart.html(what)


def _smooth(s: Series, column: list[float | None], row: int) -> list[float | None]:
    cut = next((i for i, r in enumerate(s.rows) if r is not None and r >= row), len(s.rows))
    size = max(1, LOOK // s.width)
    halves = (slice(0, cut), slice(cut, len(s.rows)))
    return [v for at in halves for v in trailing(column[at], s.labelled[at], size)]


def _nearest(other: History, row: int) -> Change | None:
    return min((c for c in other.changes if abs(c.row - row) <= LOOK), key=lambda c: abs(c.row - row), default=None)


def _over(h: History, others: Others, field: str, title: str, written: str, height: float = 200.0) -> str:
    curves = []
    for name, one in {"": h, **others}.items():
        s = one.series
        counts = [1.0] * len(s.rows) if field == "live" else s.labelled
        starts, (column,) = merged([getattr(s, field)], counts, POINTS if field == "live" else COARSE)
        xs = [float(s.rows[i] or 0) for i in starts]
        curves.append(
            (name or ("features" if field == "live" else h.learner if others else "ensemble"), xs, column)
        )
    if not any(v is not None for _, _, column in curves for v in column):
        return f"<figure><figcaption>{title}</figcaption><p>Nothing to draw: no row had a label.</p></figure>"
    within = (0.0, 1.0 if written == "percent" else 1e300)
    chart = Chart(_rows(h), Scale.over([c for _, _, c in curves], written, within=within), title, height)
    for i, (name, xs, column) in reversed(list(enumerate(curves))):
        chart.line(name, xs, column, _style(i, 1))
    chart.key.reverse()
    _mark(h, chart)
    return chart.html(title)


def _style(i: int, own: int) -> int | str:
    """The ensemble is bold, the first of the runs beside it has a style of its own."""
    return "bold" if i == 0 else "beside" if i == own else i - 1


def _binned(h: History) -> str:
    return count(h.series.width * max(1, -(-len(h.series.rows) // COARSE)))


def _rows(h: History) -> Scale:
    return Scale(0.0, float(max(1, h.rows)), "count")


def _mark(h: History, chart: Chart) -> None:
    """Rules at the changes that matter most."""
    for change in key_changes(h)[:8]:
        chart.rule(change.row)


def _loss(h: History) -> str:
    return "squared error" if h.task == "regression" else "loss, bits"
