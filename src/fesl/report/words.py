"""What happened, in words and in a few large numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fesl.evaluation import Change, Effect, History, effect
from fesl.report.svg import count, number, percent

METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "log_loss": "log-loss, bits a row",
    "roc_auc": "ROC AUC",
    "mae": "mean absolute error",
    "rmse": "root mean square error",
}
#: How many changes are told of in words.
TOLD = 4


def names(found: Sequence[str], total: int | None = None, most: int = 3) -> str:
    """A few names and how many more there are, as HTML.

    >>> names(["a", "b", "c", "d", "e"])
    '<b>a</b>, <b>b</b>, <b>c</b> and 2 more'
    """
    total = len(found) if total is None else total
    shown = ", ".join(f"<b>{escape(shorter(name))}</b>" for name in found[:most])
    return shown if total <= most else f"{shown} and {count(total - most)} more"


def shorter(name: str, most: int = 48) -> str:
    """A name that fits.

    >>> shorter("x" * 60)[-5:]
    'xxxx…'
    """
    return name if len(name) <= most else name[: most - 1] + "…"


def css(word: str) -> str:
    """A word as the name of a style.

    >>> css("came back")
    'came-back'
    """
    return escape(word.replace(" ", "-"))


def metric(key: str, value: float | None) -> str:
    """A metric's value as people read it."""
    if value is None:
        return "–"
    return percent(value) if key in ("accuracy", "balanced_accuracy") else number(value)


def plural(n: float, one: str, many: str = "") -> str:
    """
    >>> plural(1, "row"), plural(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def summary(h: History) -> str:
    """The headline: tiles, then sentences."""
    tiles = [(METRICS.get(key, key), metric(key, value)) for key, value in h.scores.items()]
    live = sum(life.last == h.rows - 1 for life in h.lives)
    seen = len(h.lives) + h.more_features
    tiles = [*tiles[:4], ("features now, of all seen", f"{count(live)} / {count(seen)}")]
    cards = "".join(
        f'<div class="tile"><span>{escape(k)}</span><strong>{escape(v)}</strong></div>' for k, v in tiles
    )
    told = "".join(f"<p>{sentence}</p>" for sentence in sentences(h))
    return f'<div class="tiles">{cards}</div><div class="words">{told}</div>'


def sentences(h: History) -> list[str]:
    """The story, most important first."""
    unlabelled = h.rows - h.labelled
    without = (
        "all with a label"
        if not unlabelled
        else f"{count(unlabelled)} of them without a label (predicted, not scored)"
    )
    found = [f"<b>{plural(h.rows, 'row')}</b>, {without}. {_features(h)}"]
    told = key_changes(h)[:TOLD]
    found += [_change(h, change) for change in sorted(told, key=lambda c: c.row)]
    rest = h.changes_total - len(told)
    if rest > 0:
        untold = [c for c in h.changes if c not in told]
        fleeting = len(h.changes) == h.changes_total and not any(lasting(h, c) for c in untold)
        found.append(f"Besides, features vanished {'for a while ' if fleeting else ''}{_times(rest)}: see below.")
    froze = [e["feature"] for e in h.events if e["kind"] == "froze"]
    if froze:
        found.append(f"Frozen at one value for a while: {names(list(dict.fromkeys(froze)))}.")
    if h.regret:
        found.append(_regret(h))
    return found


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{count(n)} times")


def key_changes(h: History) -> list[Change]:
    """The changes that matter most, largest first: those that took features for good if there are any, all others
    if there are none."""
    for_good = [c for c in h.changes if lasting(h, c)]
    return sorted(for_good or h.changes, key=lambda c: (-lasting(h, c), -c.total, c.row))


def lasting(h: History, change: Change) -> int:
    """How many of the features that vanished have not been seen since (those of a batch go within 50 rows)."""
    gone = {life.name for life in h.lives if life.last < min(change.row + 50, h.rows - 1)}
    return sum(name in gone for name in change.features)


def _features(h: History) -> str:
    seen = len(h.lives) + h.more_features
    gone = sum(life.state in ("vanished", "forgotten") for life in h.lives)
    told = f"{plural(seen, 'feature')} {'was' if seen == 1 else 'were'} seen"
    return (
        f"{told}, {count(gone)} of them {'is' if gone == 1 else 'are'} gone now."
        if gone
        else f"{told}; none is gone."
    )


def place(change: Change) -> str:
    """The row of a change, and its time where that is known, as HTML."""
    return f"row <b>{count(change.row)}</b>" + (f" ({escape(change.time)})" if change.time else "")


def _change(h: History, change: Change) -> str:
    what = f"At {place(change)} {names(change.features, change.total)} vanished"
    good = lasting(h, change)
    if len(change.features) == change.total:
        what += " for good" if good == change.total else " for a while" if not good else f", {count(good)} for good"
    found = effect(h, change)
    return f"{what}." if found is None else f"{what}. {cost(h, found)}"


def cost(h: History, e: Effect) -> str:
    """What a change cost, in a sentence or two."""
    write, what = (number, "absolute error") if h.task == "regression" else (percent, "accuracy")
    told = f"The {what} was {write(e.before)} before and {write(e.first)} in the first 50 rows after; "
    if e.back is None:
        told += f"it was not back to its old level within {plural(e.rows, 'row')} ({write(e.later)} at their end). "
    elif e.back <= 50:
        told += "it stayed within its usual fluctuation. "
    else:
        told += f"it was back to its old level after {count(e.back)} rows. "
    if h.task == "regression" or abs(e.extra) < 0.5:
        return told.strip()
    more = "more" if e.extra > 0 else "fewer"
    mistakes = plural(abs(round(e.extra)), "mistake")
    return told + f"That is {mistakes} {more} in {count(e.rows)} rows than at the rate before."


def _regret(h: History) -> str:
    last = h.regret[-1]
    value, allowed = last.get("value") or 0.0, last.get("allowed") or 0.0
    held = "within" if last.get("holds") else "<b>above</b>"
    unit = "bits " if "cycle" in last and not any(r.get("cycle") for r in h.regret) else ""
    below = f"{number(value)} {unit}more than" if value >= 0 else f"{number(-value)} {unit}less than"
    return f"The mixture cost {below} its best single expert, {held} the {number(allowed)} {unit}of its bound."
