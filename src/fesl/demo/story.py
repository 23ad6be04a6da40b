"""The demonstration from start to end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fesl.demo.network import DAYS, network
from fesl.demo.restarted import Restarted
from fesl.evaluation import History, Prequential
from fesl.portfolio import Classifier
from fesl.report import write

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Story:
    """What came out: the two histories, the report, and the picture (None without matplotlib)."""

    ours: History
    scratch: History
    report: Path
    picture: Path | None


def run(
    out: Path = Path("out/demo.html"), seed: int = 0, *, days: int = DAYS, console: Console | None = None
) -> Story:
    """Run the demonstration: progress and a summary on the terminal, the report to `out` (a page, or the folder for
    one), a picture beside it. `days` is how long each generation of sensors is in use.

    >>> import tempfile, io
    >>> from rich.console import Console
    >>> folder = Path(tempfile.mkdtemp())
    >>> story = run(folder / "demo.html", days=10, console=Console(file=io.StringIO()))
    >>> story.report.exists(), story.ours.rows
    (True, 720)
    """
    from fesl.demo import show

    console = console or show.terminal()
    out = out if out.suffix else out / "demo.html"
    net = network(seed, days)
    settings = {"stream": "a roadside network, made on the spot", "seed": seed, "replaced at rows": net.replaced}
    ours = Prequential(Classifier([False, True]), settings=settings, window=200)
    scratch = Prequential(Restarted(lambda: Classifier([False, True]), net.replaced), settings=settings, window=200)
    show.watch(net, ours, scratch, console)
    mine, theirs = ours.history, scratch.history
    show.tell(net, mine, theirs, console)
    title = "A roadside network whose sensors are replaced twice"
    report = write(mine, out, title=title, beside={scratch.model.name: theirs})
    picture = show.picture(mine, theirs, report.with_suffix(".png"))
    console.print(f"\nreport:  [bold]{report}[/]", highlight=False, soft_wrap=True)
    if picture is None:
        console.print('(for a picture, too: pip install "fesl\\[plot]")', highlight=False)
    else:
        console.print(f"picture: {picture}", highlight=False, soft_wrap=True)
    return Story(mine, theirs, report, picture)
