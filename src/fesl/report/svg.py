"""Charts as SVG that stretch with the page: lines keep their width and labels are text of the page, so that one
chart reads well on a phone, on a desk and on paper, without a line of script."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

Numbers = Sequence[float | None]

#: The width of every plot in its own units; the height is in pixels.
WIDTH = 1000.0
#: How many colours there are before they repeat with another dash.
COLOURS = 14


def count(v: float) -> str:
    """A number of rows.

    >>> count(12345.0)
    '12,345'
    """
    return f"{v:,.0f}"


def percent(v: float) -> str:
    """A part of one.

    >>> percent(0.9312)
    '93.1%'
    """
    return f"{100 * v:.1f}%"


def number(v: float) -> str:
    """Three digits of anything.

    >>> number(0.01234), number(12345.6), number(0.5)
    ('0.0123', '12,346', '0.5')
    """
    if v == 0 or not math.isfinite(v):
        return "0" if v == 0 else "–"
    digits = 2 - math.floor(math.log10(abs(v)))
    if abs(v) >= 1e7 or abs(v) < 1e-4:
        return f"{v:.2e}"
    text = f"{v:,.{max(0, digits)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def ticks(lo: float, hi: float, about: int = 4) -> list[float]:
    """Round numbers between lo and hi.

    >>> ticks(0.0, 97.0)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    step = 10.0 ** math.floor(math.log10((hi - lo) / about))
    step *= next(k for k in (1, 2, 2.5, 5, 10) if (hi - lo) / (step * k) <= about + 1)
    first = math.ceil(lo / step - 1e-9)
    return [step * k for k in range(first, math.floor(hi / step + 1e-9) + 1)]


@dataclass(frozen=True)
class Scale:
    """Numbers from lo to hi, and how they are written ("count", "percent" or "number").

    >>> Scale.over([[1.0, None, 3.0]]).at(2.0)
    0.5
    """

    lo: float
    hi: float
    written: str = "number"

    @classmethod
    def over(
        cls, columns: Sequence[Numbers], written: str = "number", *, within: tuple[float, float] | None = None
    ) -> Scale:
        """Around all the numbers there are, with some air; never beyond `within`."""
        found = [v for column in columns for v in column if v is not None]
        lo, hi = (min(found), max(found)) if found else (0.0, 1.0)
        air = 0.06 * (hi - lo) or 0.5 * abs(hi) or 0.5
        lo, hi = lo - air if within else lo, hi + air if within else hi
        if within:
            lo, hi = max(lo, within[0]), min(hi, within[1])
        return cls(lo, hi if hi > lo else lo + 1.0, written)

    @property
    def edges(self) -> str:
        """For the script of the page."""
        return f"{self.lo:.9g},{self.hi:.9g},{self.written}"

    def at(self, v: float) -> float:
        """Where v lies, from 0 to 1."""
        return (v - self.lo) / (self.hi - self.lo)

    def write(self, v: float) -> str:
        return WRITERS[self.written](v)

    def ticks(self, about: int = 4) -> list[tuple[float, str]]:
        found = ticks(self.lo, self.hi, about)
        if self.written == "percent":
            places = 0 if len(found) < 2 or found[1] - found[0] >= 0.0099 else 1
            return [(v, f"{100 * v:.{places}f}%") for v in found]
        return [(v, self.write(v)) for v in found]


WRITERS: dict[str, Callable[[float], str]] = {"count": count, "percent": percent, "number": number}


@dataclass
class Chart:
    """One plot: lines or a stack of areas over rows, with rules where something happened.

    >>> chart = Chart(Scale(0, 10, "count"), Scale(0, 1, "percent"), label="accuracy")
    >>> chart.line("ensemble", [0, 10], [0.5, 1.0])
    >>> "ensemble" in chart.html()
    True
    """

    x: Scale
    y: Scale
    label: str
    height: float = 200.0
    marks: list[str] = field(default_factory=list)
    key: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)

    def line(self, name: str, xs: Numbers, ys: Numbers, style: int | str = "bold") -> None:
        """A line: "bold", "bound", "beside", or one of the colours."""
        if isinstance(style, int):
            style = f"c{style % COLOURS}" + (" dash" if style >= COLOURS else "")
        d = self._path(xs, ys)
        self.marks.append(f'<path class="line {style}" data-n="{escape(name)}" d="{d}"/>')
        self._key(name, f"line {style}")

    def area(self, name: str, xs: Numbers, low: Sequence[float], high: Sequence[float], colour: int) -> None:
        """What lies between two lines."""
        up = [f"{self._x(x):g},{self._y(v):g}" for x, v in zip(xs, high, strict=True) if x is not None]
        down = [f"{self._x(x):g},{self._y(v):g}" for x, v in zip(xs, low, strict=True) if x is not None]
        d = "M" + "L".join([*up, *reversed(down)]) + "Z"
        share = "L".join(
            f"{self._x(x):g},{self._y(b - a):g}" for x, a, b in zip(xs, low, high, strict=True) if x is not None
        )
        style = f"area c{colour % COLOURS}"
        self.marks.append(f'<path class="{style}" data-n="{escape(name)}" data-d="M{share}" d="{d}"/>')
        self._key(name, style)

    def rule(self, x: float, text: str = "") -> None:
        """A vertical line where something happened."""
        if not self.x.lo <= x <= self.x.hi:
            return
        self.marks.insert(0, f'<path class="rule" d="M{self._x(x):g},0V{self.height:g}"/>')
        if text:
            side = "left" if self.x.at(x) < 0.7 else "right"
            place = self.x.at(x) if side == "left" else 1 - self.x.at(x)
            self.rules.append(f'<span class="rule" style="{side}:{100 * place:.2f}%">{escape(text)}</span>')

    def html(self, title: str = "") -> str:
        """The figure."""
        across = [(self.x.at(v), text) for v, text in self.x.ticks()]
        up = [(self.y.at(v), text) for v, text in self.y.ticks()]
        grid = "".join(f'<path class="grid" d="M0,{self.height * (1 - p):g}H{WIDTH:g}"/>' for p, _ in up)
        edges = f'data-x="{self.x.edges}" data-y="{self.y.edges}"'
        caption = f"<figcaption>{escape(title)}</figcaption>" if title else ""
        key = f'<div class="key">{"".join(self.key)}</div>' if len(self.key) > 1 else ""
        return (
            f'<figure>{caption}<div class="chart" style="--h:{self.height:g}px" {edges}>'
            f'<div class="up">{"".join(_tick("bottom", p, text) for p, text in up)}</div>'
            f'<div class="plot"><svg viewBox="0 0 {WIDTH:g} {self.height:g}" preserveAspectRatio="none" role="img" '
            f'aria-label="{escape(self.label)}">{grid}{"".join(self.marks)}</svg>{"".join(self.rules)}</div>'
            f'<div class="across">{"".join(_tick("left", p, text) for p, text in across)}</div></div>{key}</figure>'
        )

    def _key(self, name: str, style: str) -> None:
        swatch = f'<svg viewBox="0 0 22 10" aria-hidden="true"><path class="{style}" d="M0,5H22"/></svg>'
        if style.startswith("area"):
            swatch = f'<svg viewBox="0 0 22 10" aria-hidden="true"><path class="{style}" d="M0,0H22V10H0Z"/></svg>'
        self.key.append(f'<button type="button" aria-pressed="true">{swatch}{escape(name)}</button>')

    def _x(self, v: float) -> float:
        return round(WIDTH * self.x.at(v), 1)

    def _y(self, v: float) -> float:
        return round(self.height * (1.0 - min(max(self.y.at(v), -1.0), 2.0)), 1)

    def _path(self, xs: Numbers, ys: Numbers) -> str:
        """Broken where there is no number."""
        d, pen = [], "M"
        for x, y in zip(xs, ys, strict=True):
            if x is None or y is None:
                pen = "M"
                continue
            d.append(f"{pen}{self._x(x):g},{self._y(y):g}")
            pen = "L"
        return "".join(d)


def _tick(side: str, place: float, text: str) -> str:
    return f'<span style="{side}:{100 * place:.2f}%">{escape(text)}</span>'
