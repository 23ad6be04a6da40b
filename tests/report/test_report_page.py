"""The report as text: every section, names that mean harm, sections that fail, sizes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest
from report_runs import HOSTILE, sensors, wide

import fesl
from fesl import paper, report
from fesl.evaluation import Change, History, Life, Prequential, Series, plots
from fesl.report import page as page_module
from fesl.report import words
from fesl.report.page import SECTIONS, page
from fesl.report.svg import COLOURS, Chart, Scale, number, ticks


class Tags(HTMLParser):
    """Collects tags, and fails on elements that are not closed in order."""

    VOID = frozenset({"meta", "link", "input", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(text):
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    return tags.seen


@pytest.mark.parametrize("name", ["empty", "default", "regressor", "FESL-c", "scratch", "wide"])
def test_every_section_is_there_and_none_failed(name):
    history = {"empty": History, "wide": wide}.get(name, lambda: sensors(name))()
    text = page(history)
    sections = [attrs["id"] for tag, attrs in parsed(text) if tag == "section"]
    assert sections == [anchor for anchor, _, _ in SECTIONS]
    assert "could not be drawn" not in text


def test_nothing_is_loaded_from_anywhere():
    text = page(sensors("default"))
    sources = [attrs.get("src") or attrs.get("href") for _, attrs in parsed(text)]
    assert all(s is None or s.startswith(("#", "data:")) for s in sources)
    assert not re.search(r"https?://", text)
    assert "@import" not in text


def test_names_that_mean_harm_are_harmless():
    history = sensors("default", names=HOSTILE)
    text = page(history, title=HOSTILE[0], beside={HOSTILE[1]: sensors("scratch", names=HOSTILE)})
    tags = parsed(text)
    assert [tag for tag, _ in tags].count("script") == 1
    assert not any(key.startswith("on") for _, attrs in tags for key in attrs)
    assert "img" not in [tag for tag, _ in tags]


def test_one_bad_section_never_takes_the_others_along(monkeypatch, caplog):
    def bad(history, others):
        raise ValueError("<b>no</b>")

    broken = tuple((a, heading, bad if a == "weights" else draw) for a, heading, draw in SECTIONS)
    monkeypatch.setattr(page_module, "SECTIONS", broken)
    text = page(sensors("default"))
    assert "This part could not be drawn: ValueError: &lt;b&gt;no&lt;/b&gt;" in text
    assert text.count("could not be drawn") == 1
    assert "'weights' could not be drawn" in caplog.text


def test_a_damaged_history_still_makes_a_page():
    history = History(rows=10, series=Series(rows=[0.0], weights=[[0.5]], loss=[]), regret=[{"row": 1.0}])
    text = page(history)
    assert "could not be drawn" in text
    assert 'id="settings"' in text


def test_write_makes_folders_and_returns_the_path(tmp_path):
    path = report.write(sensors("regressor"), tmp_path / "a" / "b.html", title="Ω sensors")
    assert "Ω sensors" in path.read_text(encoding="utf-8")
    assert path.stat().st_size < 1_000_000


def test_names_that_are_not_text_are_written_too(tmp_path):
    history = History(rows=2, lives=[Life("bad \udc80 name", 0, 1, 2, [2])])
    assert report.write(history, tmp_path / "x.html").exists()


def test_thousands_of_features_share_bars():
    text = page(wide())
    assert "Features that came and went together share a bar" in text
    assert "sensor/0000 and 199 more</span>" in text
    assert "not shown" in text
    assert len(text) < 2_000_000


def test_the_story_in_words():
    text = " ".join(words.sentences(sensors("default")))
    assert "<b>900 rows</b>, all with a label" in text
    assert "At row <b>500</b>" in text
    assert "for good" in text
    assert "The accuracy was" in text
    assert "of its bound" in text


def test_what_came_back_is_told_apart():
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = X[:, 0] > 0
    X[200:260, 1] = np.nan
    loop = Prequential(fesl.Classifier())
    loop.feed(X, y, features=["stays", "leaves"])
    text = " ".join(words.sentences(loop.history))
    assert "<b>leaves</b> vanished for a while" in text
    assert "none is gone" in text


def test_cost_in_words():
    around = Series(10, [10.0 * i for i in range(40)], [10.0] * 40, score=[0.9] * 20 + [0.5] * 20)
    history = History(task="binary", rows=400, changes=[Change(200, ["a"], 1, around)], changes_total=1)
    told = " ".join(words.sentences(history))
    assert "90.0% before and 50.0% in the first 50 rows after" in told
    assert "not back to its old level within 200 rows" in told
    assert "80 mistakes more in 200 rows" in told


def test_paper_regret_is_no_matter_of_bits():
    text = page(sensors("FESL-c"))
    assert "The loss of the present cycle" in text
    loop = Prequential(paper.rogd_f())
    assert "could not be drawn" not in page(loop.history)


@pytest.mark.parametrize("lo_hi", [(0.0, 1.0), (-3.0, 7.5), (0.0, 1e-7), (0.0, 123456.0), (99.99, 100.01)])
def test_ticks_are_few_and_inside(lo_hi):
    lo, hi = lo_hi
    found = ticks(lo, hi)
    assert 2 <= len(found) <= 6
    assert all(lo - 1e-9 * abs(lo) <= v <= hi * (1 + 1e-9) for v in found)


def test_numbers_are_short():
    assert [number(v) for v in (0.0, 1.0, 12.345, 0.00123, -5.5, 1e9, 1e-9, float("nan"))] == [
        "0", "1", "12.3", "0.00123", "-5.5", "1.00e+09", "1.00e-09", "–",
    ]  # fmt: skip


def test_lines_break_where_there_is_nothing():
    chart = Chart(Scale(0, 4), Scale(0, 1), "x")
    chart.line("a", [0, 1, 2, 3, 4], [0.0, 1.0, None, 0.5, 0.5])
    assert chart.marks[0].count("M") == 2


def test_flat_and_empty_columns_have_a_scale():
    assert Scale.over([[None, None]]).hi > 0
    assert Scale.over([[3.0, 3.0]], within=(0.0, 10.0)).hi > 3.0
    assert Scale.over([[1.0, 1.0]], "percent", within=(0.0, 1.0)).lo < 1.0


def test_every_expert_has_a_colour_of_its_own():
    style = files("fesl.report").joinpath("style.css").read_text()
    themes = [re.findall(r"--c\d+: (#\w+);", line) for line in style.splitlines() if "--c0: #" in line]
    assert len(themes) == 3  # light, dark, print
    assert {len(set(theme)) for theme in themes} == {COLOURS} == {len(set(plots.COLOURS))}
    assert len(fesl.Classifier().weights) <= COLOURS
