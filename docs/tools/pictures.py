"""The pictures of the documentation: `python docs/tools/pictures.py` makes them anew.

The first is drawn of the tutorial's stream; the others are looks at the demonstration's report in Chromium
(driven by Playwright; Debian's `chromium`, or Playwright's own).
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import matplotlib as mpl
import matplotlib.ticker
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer

import fesl
from fesl import demo, streams

HERE = Path(__file__).parents[1] / "_static"
ORDERS, BEFORE, AFTER, SMOOTH = 100, 100, 150, 9
#: The sections of the report, and how much of each is shown.
LOOKS = {"summary": 620, "lives": 560, "changes": 640, "weights": 420, "recovery": 420, "regret": 420}
#: The colours of a theme, by what they are for.
PARTS = ("ink", "soft", "ours", "scratch", "band", "paper")
THEMES = {
    "light": dict(zip(PARTS, ("#22292f", "#7b858c", "#0b6b6b", "#c4500a", "#eef4f3", "#ffffff"), strict=True)),
    "dark": dict(zip(PARTS, ("#d8dee3", "#8b959c", "#5cc5c0", "#f0955b", "#1f2c2c", "#10181a"), strict=True)),
}


def curves() -> tuple[np.ndarray, np.ndarray]:
    """Mean accuracy around the change: the learner that goes on, and one started at the change."""
    data = load_breast_cancer()
    ours, scratch = [], []
    for seed in range(ORDERS):
        s = streams.two_spaces(data.data[:, :10], data.data[:, 20:], data.target, overlap=40, order=seed)
        t = s.switches[0]
        ours.append((fesl.Classifier().run(s.X, s.y).predictions == s.y)[t - BEFORE : t + AFTER])
        scratch.append((fesl.Classifier().run(s.X[t:], s.y[t:]).predictions == s.y[t:])[:AFTER])
    return np.mean(ours, axis=0), np.mean(scratch, axis=0)


def smooth(y: np.ndarray) -> np.ndarray:
    """Centred means over SMOOTH rows, over fewer at the ends."""
    ones = np.ones(SMOOTH)
    return np.convolve(y, ones, "same") / np.convolve(np.ones_like(y), ones, "same")


def change(theme: str, ours: np.ndarray, scratch: np.ndarray) -> None:
    """The front page's picture."""
    c = THEMES[theme]
    mpl.rcParams.update({"svg.hashsalt": "fesl", "svg.fonttype": "path", "font.size": 10, "text.color": c["ink"]})
    figure = Figure(figsize=(7.6, 3.9), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1, 3.4))
    for y, (a, b), colour, name in (
        (1, (-BEFORE, 0), c["soft"], "ten old features"),
        (0, (-40, AFTER), c["ours"], "ten new features"),
    ):
        top.broken_barh([(a, b - a)], (y - 0.3, 0.6), facecolors=colour)
        top.text(
            a + 2 if y else 4, y, name, va="center", color="white" if theme == "light" else "#10181a", fontsize=9
        )
    top.set(ylim=(-0.6, 1.6), yticks=[])
    rows = np.arange(-BEFORE, AFTER)
    bottom.plot(rows[:BEFORE], smooth(ours[:BEFORE]), color=c["ours"], linewidth=2.2)
    bottom.plot(rows[BEFORE:], smooth(ours[BEFORE:]), color=c["ours"], linewidth=2.2)
    bottom.plot(rows[BEFORE:], smooth(scratch), color=c["scratch"], linewidth=2.2)
    bottom.text(45, 0.981, "carried over", color=c["ours"], fontsize=11, va="bottom", ha="center")
    bottom.text(30, 0.865, "from scratch", color=c["scratch"], fontsize=11, va="bottom")
    bottom.text(-20, 0.75, "both are there", color=c["soft"], fontsize=9, ha="center", va="bottom")
    bottom.set(ylim=(0.74, 1.0), ylabel="accuracy", xlabel="rows after the old features are gone")
    bottom.set_xlim(-BEFORE, AFTER)
    bottom.yaxis.set_major_locator(mpl.ticker.MultipleLocator(0.05))
    bottom.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1.0, decimals=0))
    for ax in (top, bottom):
        ax.axvspan(-40, 0, color=c["band"], zorder=0)
        ax.axvline(0, color=c["soft"], linewidth=1, linestyle=":")
        ax.set_facecolor("none")
        for side in ("top", "right", *(("left", "bottom") if ax is top else ())):
            ax.spines[side].set_visible(False)
        for side in ax.spines.values():
            side.set_color(c["soft"])
        ax.tick_params(colors=c["soft"], labelcolor=c["ink"], bottom=ax is bottom)
        ax.xaxis.label.set_color(c["ink"])
        ax.yaxis.label.set_color(c["ink"])
    figure.savefig(HERE / f"change-{theme}.svg", transparent=True, metadata={"Date": None})


def looks() -> None:
    """The sections of the demonstration's report, as a browser shows them."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as p:
        page_file = demo.run(Path(folder) / "demo.html").report
        browser = p.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 860, "height": 1000}, device_scale_factor=1.5)
        page.goto(page_file.resolve().as_uri())
        for name, most in LOOKS.items():
            box = page.locator(f"#{name}").bounding_box()
            assert box is not None
            clip = {"x": 0, "y": box["y"], "width": 860, "height": min(box["height"], most)}
            path = HERE / f"report-{name}.png"
            page.screenshot(path=path, clip=clip, full_page=True)
            Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
        browser.close()


def main() -> None:
    HERE.mkdir(exist_ok=True)
    ours, scratch = curves()
    for theme in THEMES:
        change(theme, ours, scratch)
    looks()
    for path in sorted([*HERE.glob("*.svg"), *HERE.glob("*.png")]):
        print(f"{path.stat().st_size / 1024:6.0f} KB  {path.name}")


if __name__ == "__main__":
    main()
