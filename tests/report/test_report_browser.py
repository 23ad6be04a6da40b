"""The report in a real browser: Chromium driven by Playwright."""

from __future__ import annotations

import shutil

import pytest
from report_runs import HOSTILE, sensors, wide

from fesl import report
from fesl.report.page import SECTIONS
from fesl.report.svg import COLOURS

playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SIZES = {"phone": (390, 844), "tablet": (800, 1100), "desk": (1280, 900)}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    beside = {"from scratch": sensors("scratch")}
    return {
        "default": report.write(sensors("default"), folder / "default.html", beside=beside),
        "regressor": report.write(sensors("regressor"), folder / "regressor.html"),
        "FESL-c": report.write(sensors("FESL-c"), folder / "paper.html"),
        "wide": report.write(wide(), folder / "wide.html"),
        "hostile": report.write(sensors("default", HOSTILE), folder / "hostile.html", title=HOSTILE[0]),
    }


class Visit:
    """A page with everything it says and asks for."""

    def __init__(self, browser, path, size="desk", scheme="light", **how):
        width, height = SIZES[size]
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True, **how
        )
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("dialog", lambda d: self.said.append(d.message))
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.url = path.as_uri()
        self.page.goto(self.url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


NAMES = ["default", "regressor", "FESL-c", "wide", "hostile"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_quiet_alone_and_not_too_wide(browser, files, name, size):
    with Visit(browser, files[name], size, "dark" if size == "tablet" else "light") as visit:
        page = visit.page
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        assert visit.said == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [visit.url]
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        ids = page.evaluate("[...document.querySelectorAll('main > section')].map((s) => s.id)")
        assert ids == [anchor for anchor, _, _ in SECTIONS]
        assert page.locator(".failed").count() == 0


@pytest.mark.parametrize("name", ["default", "regressor", "FESL-c"])
def test_charts_are_drawn(browser, files, name):
    with Visit(browser, files[name]) as visit:
        boxes = visit.page.evaluate(
            """[...document.querySelectorAll('.chart svg path[data-n]')].map((p) => {
                 const box = p.getBoundingClientRect();
                 return [p.closest('section').id, box.width, box.height, getComputedStyle(p).stroke];
               }).filter(([, w, h]) => w > 50 && h > 1)"""
        )
        drawn = {section for section, *_ in boxes}
        assert {"course", "changes", "regret"} <= drawn
        assert "weights" in drawn
        bars = visit.page.evaluate("document.querySelector('.lives svg .there').getBBox().width")
        assert bars > 100


def test_names_that_mean_harm_do_none(browser, files):
    with Visit(browser, files["hostile"]) as visit:
        assert visit.page.title() == HOSTILE[0]
        assert visit.page.evaluate("document.scripts.length") == 1
        assert visit.page.locator("main img, main script").count() == 0
        names = visit.page.evaluate("[...document.querySelectorAll('.names span')].map((s) => s.textContent)")
        assert set(names) == set(HOSTILE)


def test_the_table_is_searched_and_sorted(browser, files):
    with Visit(browser, files["default"]) as visit:
        page = visit.page
        rows = "#events tbody tr"
        total = page.locator(rows).count()
        page.fill("#events input", "vanished old")
        assert page.locator(f"{rows}:visible").count() == 2
        assert page.inner_text("#events output") == f"2 of {total} events"
        page.fill("#events input", "")
        page.click("#events th:first-child")
        page.click("#events th:first-child")
        numbers = page.evaluate(
            f"[...document.querySelectorAll('{rows}')].map((r) => +r.cells[0].textContent.replace(/,/g, ''))"
        )
        assert numbers == sorted(numbers, reverse=True)


def test_the_pointer_reads_the_chart_and_the_key_hides_lines(browser, files):
    with Visit(browser, files["default"]) as visit:
        page = visit.page
        plot = page.locator("#course .plot").first
        plot.scroll_into_view_if_needed()
        plot.hover()
        tip = plot.locator(".tip").inner_text()
        assert "Classifier" in tip
        assert "%" in tip
        page.mouse.move(0, 0)
        assert plot.locator(".tip").count() == 0
        key = page.locator("#course figure").first.locator(".key button", has_text="from scratch")
        key.click()
        assert key.get_attribute("aria-pressed") == "false"
        assert plot.locator("path.off").count() == 1
        assert visit.said == []


def test_it_reads_without_a_script(browser, files):
    with Visit(browser, files["default"], java_script_enabled=False) as visit:
        assert visit.page.locator("#course .chart svg path.line").first.is_visible()
        assert visit.page.locator("#events tbody tr").count() > 5


def test_it_prints(browser, files, tmp_path):
    with Visit(browser, files["default"], scheme="dark") as visit:
        paper = visit.page.pdf(format="A4")
        assert paper.startswith(b"%PDF")
        assert 2 <= paper.count(b"/Type /Page\n") <= 12
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not visit.page.locator("nav").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_and_words_stand_out(browser, files, scheme):
    """The contrast that WCAG asks for: 4.5 for words, 3 for lines."""
    with Visit(browser, files["default"], scheme=scheme) as visit:
        colours = visit.page.evaluate(
            """() => {
              const style = getComputedStyle(document.documentElement), probe = document.createElement('i');
              document.body.append(probe);
              const names = ['card', 'page', 'text', 'soft', 'bold', 'side', 'bad', 'good', 'accent',
                             'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9', 'c10', 'c11', 'c12',
                             'c13'];
              return Object.fromEntries(names.map((n) => {
                probe.style.color = style.getPropertyValue('--' + n);
                return [n, getComputedStyle(probe).color.match(/[0-9]+/g).slice(0, 3).map(Number)];
              }));
            }"""
        )

    def light(rgb):
        parts = [v / 255 for v in rgb]
        r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    def contrast(name, ground):
        a, b = sorted((light(colours[name]), light(colours[ground])))
        return (b + 0.05) / (a + 0.05)

    for word in ("text", "soft", "accent", "bad", "good"):
        assert contrast(word, "card") >= 4.5, word
    for line in ("bold", "side", *(f"c{i}" for i in range(COLOURS))):
        assert contrast(line, "card") >= 3.0, line
    assert contrast("accent", "page") >= 4.5
