"""The figures of the report, in the manner of the paper's: one colour and one marker a method, wherever it
appears."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fesl.errors import MissingExtraError
from fesl.reproduction.base import methods
from fesl.reproduction.experiment import THEIRS
from fesl.reproduction.results import Document
from fesl.reproduction.tables import fraction, labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: Any = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.frameon": False,
    "svg.hashsalt": "fesl",
    "figure.dpi": 100,
    "savefig.dpi": 170,
}
#: Title of each group's figure, and which of the paper's it stands for.
GROUPS = {
    "synthetic": "Synthetic sets (the paper's Figures 3 and 4)",
    "reuters": "Reuters (the paper's Figures 3 and 5)",
    "size": "A stream of Reuters' full size",
    "regression": "Regression (the paper's Figure 3, RFID)",
    "other": "Other sets",
}


def draw(doc: Document, folder: Path) -> dict[str, str]:
    """Every figure as SVG and PNG into the folder; their names with a caption each."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    made: dict[str, str] = {}
    with rc_context(STYLE):
        for protocol in doc["results"]:
            for group in GROUPS:
                names = [name for name in doc["results"][protocol] if doc["sets"][name]["group"] == group]
                if names:
                    stem = f"trend-{group}-{protocol}"
                    save(trends(doc, protocol, names), folder / stem)
                    made[stem] = (
                        f"{GROUPS[group]}: average cumulative loss after the switch, {labelled(doc, protocol)}"
                    )
        if any(agreeing(doc, protocol) for protocol in doc["results"]):
            save(agreement(doc), folder / "agreement")
            made["agreement"] = (
                "Accuracy here against the paper's Table 2; pale: dna and splice, not the authors' rows"
            )
        if any(bounds(doc, protocol) for protocol in doc["results"]):
            save(regrets(doc), folder / "regret")
            made["regret"] = "Regret as a fraction of what Theorems 1 and 2 allow"
    return made


def save(figure: Figure, stem: Path) -> None:
    """The same bytes each time: no date inside."""
    figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
    figure.set_layout_engine("none")  # it is laid out by now
    figure.savefig(stem.with_suffix(".png"), metadata={"Software": None})


def new(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A grid of panels; no window system is asked for anything."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False)
    return figure, list(panels.flat)


def trends(doc: Document, protocol: str, names: list[str]) -> Figure:
    """Small multiples of the average cumulative loss, one legend for all."""
    columns = min(len(names), 4 if len(names) == 4 else 3)
    rows = -(-len(names) // columns)
    figure, panels = new(rows, columns, max(4.6, 3.0 * columns), 2.35 * rows + 0.75)
    for panel, name in zip(panels, names, strict=False):
        trend(panel, doc, protocol, name)
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    figure.supxlabel(f"rounds since the switch ({labelled(doc, protocol)})", fontsize=11)
    figure.supylabel("average cumulative loss", fontsize=11)
    legend(figure, panels[0])
    return figure


def trend(panel: Axes, doc: Document, protocol: str, name: str) -> None:
    """One set. The losses of different methods differ by orders of magnitude at first: hence the logarithm."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    points, values = doc["sets"][name]["streams"][protocol]["points"], []
    for rank, (method, found) in enumerate(doc["results"][protocol][name].items()):
        look = methods()[method]
        every = (4 + 3 * rank, 20)  # staggered, so that curves that coincide are all seen
        panel.plot(
            points,
            found["trend"],
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            markevery=every,
            markersize=7 if look.marker in "*+" else 4.5,
            markeredgewidth=1.4 if look.marker == "+" else 0.6,
            markeredgecolor=look.colour if look.marker == "+" else "white",
            linewidth=1.4,
            label=look.title,
        )
        values += found["trend"]
    panel.set_yscale("log")
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    panel.yaxis.set_major_formatter(plain)
    wide = max(values) > 8 * min(values)
    panel.yaxis.set_minor_formatter(NullFormatter() if wide else plain)
    if not wide:
        ticks = MaxNLocator(4).tick_values(min(values), max(values))
        panel.set_yticks([tick for tick in ticks if min(values) * 0.9 <= tick <= max(values) * 1.1], minor=False)
        panel.set_yticks([], minor=True)
    panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    panel.set_title(name, fontstyle="italic", pad=4)
    panel.set_xlim(0, points[-1] * 1.02)


def legend(figure: Figure, panel: Axes) -> None:
    """One legend above all panels."""
    handles, labels = panel.get_legend_handles_labels()
    columns = len(labels) if figure.get_figwidth() > 5.5 else 3
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, handlelength=2.4, columnspacing=1.4)


def agreeing(doc: Document, protocol: str) -> list[str]:
    """The synthetic sets that Table 2 has."""
    by_set = doc["results"][protocol]
    return [s for s in by_set if "/" not in s and any(r["paper"] is not None for r in by_set[s].values())]


def agreement(doc: Document) -> Figure:
    """Ours against the paper's, cell by cell: on the diagonal where they agree."""
    shown = [protocol for protocol in doc["results"] if agreeing(doc, protocol)]
    figure, panels = new(1, len(shown), 4.3 * len(shown) + 0.4, 4.9)
    for panel, protocol in zip(panels, shown, strict=True):
        panel.plot([0.48, 0.88], [0.48, 0.88], color="#444444", linewidth=0.8, zorder=1)
        for name in agreeing(doc, protocol):
            for method, found in doc["results"][protocol][name].items():
                look, known = methods()[method], doc["sets"][name]["orders"] == THEIRS
                panel.plot(
                    found["paper"] or np.nan,
                    found["mean"],
                    marker=look.marker,
                    linestyle="",
                    markersize=9 if look.marker in "*+" else 6,
                    markeredgewidth=1.8 if look.marker == "+" else 1.0,
                    color=look.colour,
                    markerfacecolor=look.colour if known else "white",
                    alpha=0.9 if known else 0.55,
                    label=look.title if name == agreeing(doc, protocol)[0] else None,
                )
        gap = doc["agreement"][protocol]["mean"]
        text = "" if gap is None else f"\nmean difference {fraction(gap)}"
        panel.set_title(labelled(doc, protocol) + text)
        panel.set(xlim=(0.48, 0.87), ylim=(0.48, 0.87), xlabel="accuracy in the paper")
        panel.set(xticks=[0.5, 0.6, 0.7, 0.8], yticks=[0.5, 0.6, 0.7, 0.8])
        panel.set_aspect("equal")
    panels[0].set_ylabel("accuracy here")
    legend(figure, panels[0])
    return figure


def bounds(doc: Document, protocol: str) -> list[str]:
    """The sets on which something was weighed."""
    return [name for name, found in doc["results"][protocol].items() if any(r["bounded"] for r in found.values())]


def regrets(doc: Document) -> Figure:
    """The largest regret of the runs over what the theorem allows: hollow with the paper's losses, which are not
    bounded as the theorem assumes; full where they are."""
    shown = [protocol for protocol in doc["results"] if bounds(doc, protocol)]
    longest = max(len(bounds(doc, protocol)) for protocol in shown)
    figure, panels = new(1, len(shown), 4.6 * len(shown) + 0.4, 0.31 * longest + 1.6)
    for panel, protocol in zip(panels, shown, strict=True):
        names = bounds(doc, protocol)
        for y, name in enumerate(names):
            for method, found in doc["results"][protocol][name].items():
                look = methods()[method]
                for card, face in ((found["regret"], "white"), (found["bounded"], look.colour)):
                    if card:
                        shift = 0.14 if method == "fesl-s" else -0.14
                        style: Any = {"marker": look.marker, "markeredgecolor": look.colour, "color": face}
                        panel.plot(
                            card["largest"] / card["allowed"], y + shift, linestyle="", markersize=6, **style
                        )
        panel.axvline(1.0, color="#444444", linewidth=0.9)
        panel.axvspan(1.0, 1e3, color="#f4e9e4", zorder=0)
        panel.set_xscale("symlog", linthresh=0.01, linscale=0.6)
        panel.set(xlim=(-2, 60), ylim=(len(names) - 0.5, -0.5), xlabel="largest regret / allowed")
        panel.set_xticks([-1, -0.1, 0, 0.1, 1, 10], ["\u22121", "\u2212.1", "0", ".1", "1", "10"])
        panel.set_yticks(np.arange(len(names)), names)
        panel.set_title(labelled(doc, protocol))
    _regret_legend(figure, doc)
    return figure


def _regret_legend(figure: Figure, doc: Document) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for name in (m for m in doc["methods"] if m.startswith("fesl")):
        look = methods()[name]
        for face, kind in (("white", "losses as in the paper"), (look.colour, "losses in [0, 1]")):
            style: Any = {"marker": look.marker, "markeredgecolor": look.colour, "color": face}
            handles.append(Line2D([], [], linestyle="", label=f"{look.title}, {kind}", **style))
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
