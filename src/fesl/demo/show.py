"""The demonstration on the terminal: live progress, then what came out."""

from __future__ import annotations

from pathlib import Path

from fesl.demo.network import OVERLAP, Network
from fesl.errors import MissingExtraError
from fesl.evaluation import History, Prequential, plots

try:
    from rich import box
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text
except ImportError:
    raise MissingExtraError("rich", "cli") from None

#: Rows between two looks at the screen.
BLOCK = 48


def terminal() -> Console:
    """Where it all goes."""
    return Console()


def watch(net: Network, ours: Prequential, scratch: Prequential, console: Console) -> None:
    """Feed both learners block by block, and show how they do."""
    with Live(console=console, refresh_per_second=12, transient=True) as live:
        for a in range(0, len(net.X), BLOCK):
            b = min(len(net.X), a + BLOCK)
            for loop in (ours, scratch):
                loop.feed(net.X[a:b], net.alarm[a:b], features=net.names, times=net.times[a:b])
            live.update(_now(net, ours, scratch, b))


def _now(net: Network, ours: Prequential, scratch: Prequential, row: int) -> Table:
    line = Text.assemble(
        (f"{net.times[row - 1]}  ", "bold"),
        f"row {row:,} of {len(net.X):,}   ",
        (f"{ours.live} live sensors", "cyan"),
    )
    grid = Table.grid(padding=(0, 2))
    for loop, name, style in ((ours, "carried over", "bold green"), (scratch, "from scratch", "yellow")):
        recent, overall = loop.recent["accuracy"], loop.scores["accuracy"]
        grid.add_row(Text(name, style), f"accuracy {overall:.1%}", f"last {loop.window} rows {recent:.1%}")
    lines = Table.grid()
    for part in (line, ProgressBar(total=len(net.X), completed=row, width=60), grid):
        lines.add_row(part)
    return lines


def tell(net: Network, ours: History, scratch: History, console: Console) -> None:
    """The summary."""
    console.print(
        f"[bold]{len(net.X):,} hours[/] of a roadside network, [bold]{len(net.names)} sensors[/] in all: is the "
        f"nitrogen dioxide above its limit? All but three are replaced twice, with {OVERLAP} hours of overlap."
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("accuracy")
    for name in ("carried over", "from scratch"):
        table.add_column(name, justify="right")
    both = (ours, scratch)
    table.add_row("all rows", *(f"{h.scores['accuracy']:.1%}" for h in both))
    for i, row in enumerate(net.replaced):
        for rows in (50, 200):
            cells = [f"{after(h, row, rows):.1%}" for h in both]
            table.add_row(f"{rows} rows after replacement {i + 1}", *cells)
    table.add_row("log-loss, bits a row", *(f"{h.scores['log_loss']:.3f}" for h in both))
    console.print(table)
    for kind in ("vanished", "froze", "came back"):
        found = [e["feature"] for e in ours.events if e["kind"] == kind]
        if found:
            shown = list(dict.fromkeys(found))
            more = f" and {len(shown) - 4} more" if len(shown) > 4 else ""
            console.print(f"{kind}: {', '.join(shown[:4])}{more}", highlight=False)


def after(history: History, row: int, rows: int) -> float:
    """The accuracy in so many rows after a replacement.

    >>> from fesl.evaluation import Change, Series
    >>> around = Series(10, [0.0, 10.0], [10.0, 10.0], [], [], [1.0, 0.5])
    >>> after(History(changes=[Change(10, ["a"], 1, around)]), 10, 10)
    0.5
    """
    change = min(history.changes, key=lambda c: abs(c.row - row))
    s = change.around
    found = [
        (v, n)
        for r, v, n in zip(s.rows, s.score, s.labelled, strict=True)
        if r is not None and change.row <= r < change.row + rows and v is not None and n
    ]
    return sum(v * n for v, n in found) / sum(n for _, n in found)


def picture(ours: History, scratch: History, path: Path) -> Path | None:
    """Lives of the sensors, accuracy and trust in one picture; None without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(10, 9), layout="constrained")
    FigureCanvasAgg(figure)
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1.5, 1.4, 1))
    plots.lives(ours, ax=top).set(title=f"{len(ours.lives)} sensors, replaced twice", xlabel="")
    plots.score({"carried over": ours, "from scratch": scratch}, ax=middle).set(xlabel="", ylim=(0.8, 1.0))
    middle.legend(frameon=False, loc="lower right")
    plots.weights(ours, ax=bottom)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path
