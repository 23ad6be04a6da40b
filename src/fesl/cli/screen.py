"""What a person sees: progress while a run goes, a table when it is over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from fesl.files import Stream

#: Seconds between two looks at the scores.
PAUSE = 0.25
#: The score that stands in the progress bar, the best known first.
SHOWN = ("accuracy", "rmse")
NAMES = {
    "log_loss": "log-loss (bits)",
    "roc_auc": "ROC AUC (window)",
    "balanced_accuracy": "balanced accuracy",
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
}


class Meter:
    """A progress bar on standard error; silent where nobody looks."""

    def __init__(self, console: Console, stream: Stream, quiet: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self.stream = stream
        known = stream.size is not None
        self.on = console.is_terminal and not quiet
        bar = (BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f}%")) if known else ()
        left = (TextColumn("[dim]left[/]"), TimeRemainingColumn()) if known else (TimeElapsedColumn(),)
        text = TextColumn(
            "{task.fields[rows]} rows  {task.fields[rate]}/s  {task.fields[live]} features  {task.fields[score]}"
        )
        self.progress = Progress(*bar, text, *left, console=console, transient=True, disable=not self.on)
        self.task = self.progress.add_task("", total=stream.size, rows="0", rate="0", live=0, score="")
        self.began = self.looked = time.monotonic()

    def __enter__(self) -> Meter:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def update(self, loop: Any) -> None:
        """A look at how far it is, not too often."""
        now = time.monotonic()
        if not self.on or now - self.looked < PAUSE:
            return
        self.looked = now
        rate = loop.rows / max(now - self.began, 1e-9)
        scores = loop.scores
        score = next((f"{name} {scores[name]:.4g}" for name in SHOWN if name in scores), "")
        self.progress.update(
            self.task,
            completed=self.stream.done,
            rows=f"{loop.rows:,}",
            rate=f"{rate:,.0f}",
            live=loop.live,
            score=score,
        )


def summary(console: Console, loop: Any, stream: Stream, seconds: float, written: list[tuple[str, str]]) -> None:
    """What the run came to."""
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in facts(loop, stream, seconds):
        table.add_row(name, value)
    for what, path in written:
        table.add_row(what, f"[cyan]{path}[/]")
    console.print(table, highlight=False, soft_wrap=True)


def facts(loop: Any, stream: Stream, seconds: float) -> list[tuple[str, str]]:
    """The lines of the summary: name and value."""
    told = [("rows", _rows(loop, seconds)), ("task", _task(loop, stream)), ("features", _features(loop))]
    counts = loop.counts
    kinds = ("appeared", "overlapped", "vanished", "came back", "froze")
    happened = [f"{counts[kind]:,} {kind}" for kind in kinds if counts.get(kind)]
    if happened:
        told.append(("feature events", ", ".join(happened)))
    told.append(("changes", f"{loop.history.changes_total:,}"))
    told += [(NAMES.get(name, name), f"{value:.4f}") for name, value in loop.scores.items() if value == value]
    return [*told, *_regret(loop)]


def _rows(loop: Any, seconds: float) -> str:
    bare = loop.rows - loop.labelled
    unlabelled = f", {bare:,} without a target" if bare else ""
    return f"{loop.rows:,}{unlabelled} in {seconds:.1f} s ({loop.rows / max(seconds, 1e-9):,.0f}/s)"


def _task(loop: Any, stream: Stream) -> str:
    target = ", ".join(stream.targets.names)
    classes = len(getattr(loop.model, "classes", ()))
    return f"{stream.task} of {target}" + (f", {classes} classes" if classes else "")


def _features(loop: Any) -> str:
    parts = list(loop.model.features.values())
    return (
        f"{loop.live:,} in the last row, {len(parts):,} remembered, {parts.count('vanished'):,} of these vanished"
    )


def _regret(loop: Any) -> list[tuple[str, str]]:
    if not loop.regret:
        return []
    bits = loop.model.regret()
    value = getattr(bits, "value", None)
    if value is None or not hasattr(bits, "mixture"):
        return []
    side = "above" if value >= 0.0 else "below"
    held = "held" if bits.within else "did NOT hold"
    return [("regret", f"{abs(value):,.1f} bits {side} the best expert, the bound of {bits.allowed:,.1f} {held}")]
