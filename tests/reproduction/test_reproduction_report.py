"""Tables, pages, figures and the command that makes them."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from fesl.errors import MissingExtraError
from fesl.reproduction import Selection, docs, figures, pages, reproduce, tables
from fesl.reproduction.base import Problem
from fesl.reproduction.results import Document

PNG = b"\x89PNG"


@pytest.fixture
def doc(toy: Problem) -> Document:
    """The toy's results, dressed as the paper's australian so that there is something to compare with."""
    found = reproduce(Selection(runs=2)).document
    for part in (found["sets"], *found["results"].values()):
        part["australian"] = part.pop("toy")  # type: ignore[typeddict-item]
    for by_set in found["results"].values():
        for result in by_set["australian"].values():
            result["paper"], result["difference"] = 0.8, round(result["mean"] - 0.8, 6)
    return found


def test_table_2_sets_the_best_in_bold_with_the_papers_figure_below(doc: Document) -> None:
    table = tables.table_2(doc, "paper")
    assert table.header == ("set", "NOGD", "ROGD-u", "ROGD-f", "FESL-c", "FESL-s")
    (row,) = table.rows
    means = {round(r["mean"], 3) for r in doc["results"]["paper"]["australian"].values()}
    assert {cell.text[:4] for cell in row[1:] if cell.best} == {tables.fraction(max(means))}
    assert all(cell.below.startswith("paper .800, ") for cell in row[1:])
    assert "\u00b1" in row[1].text
    assert "inferred" in table.title


def test_tables_write_themselves_in_three_ways(doc: Document) -> None:
    for table in tables.all_tables(doc):
        lines = table.markdown().splitlines()
        assert len(lines) == len(table.rows) + 2
        assert all(line.replace("\\|", "").count("|") == len(table.header) + 1 for line in lines)
        parsed = list(csv.reader(io.StringIO(table.csv())))
        assert {len(line) for line in parsed} == {len(table.header)}
        assert table.html().count("<tr>") == len(table.rows) + 1


def test_whatever_is_inferred_says_so(doc: Document) -> None:
    for table in tables.all_tables(doc):
        if table.name.endswith("-paper"):
            assert "inferred" in table.title, table.name
    assert "INFERRED FROM THE TABLE" in docs.page(doc)


def test_text_is_escaped() -> None:
    table = tables.Table("t", "T", ("a|b",), (tables.plain("<b>|"),))
    assert "&lt;b&gt;" in table.html()
    assert "<b>\\|" in table.markdown()


@pytest.mark.parametrize(
    ("value", "signed", "text"),
    [(0.0004, True, ".000"), (-0.0004, True, ".000"), (0.5, True, "+.500"), (-1.25, False, "\u22121.250")],
)
def test_fractions_as_the_paper_prints_them(value: float, signed: bool, text: str) -> None:
    assert tables.fraction(value, signed=signed) == text


def test_the_report_is_one_folder(doc: Document, tmp_path: Path) -> None:
    page = pages.write(doc, tmp_path / "out")
    names = {path.name for path in page.parent.iterdir()}
    assert {"index.html", "index.md", "results.json", "results.csv", "table-1.csv", "table-2-paper.csv"} <= names
    assert {"trend-synthetic-stream.svg", "trend-synthetic-paper.png", "agreement.svg", "regret.png"} <= names
    assert (page.parent / "regret.png").read_bytes()[:4] == PNG
    text = page.read_text()
    assert "data:image/svg+xml" in text
    assert 'src="http' not in text
    assert 'name="viewport"' in text
    assert json.loads((page.parent / "results.json").read_text()) == doc


def test_figures_are_the_same_each_time(doc: Document, tmp_path: Path) -> None:
    del doc["results"]["paper"]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        figures.draw(doc, tmp_path / name)
    for path in (tmp_path / "a").glob("*.svg"):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_report_of_one_method_has_no_empty_parts(toy: Problem, tmp_path: Path) -> None:
    doc = reproduce(Selection(methods=("nogd",), protocols=("stream",), runs=1)).document
    names = {path.name for path in pages.write(doc, tmp_path).parent.iterdir()}
    assert "regret.svg" not in names
    assert "agreement.svg" not in names
    assert docs.page(doc).startswith("# The paper's experiments")


def test_without_matplotlib_the_extra_is_named(
    doc: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"fesl\[plot\]"):
        figures.draw(doc, tmp_path)


def test_the_command_runs_and_renders_again(toy: Problem, tmp_path: Path) -> None:
    pytest.importorskip("typer", reason="the extra 'cli' is not installed")
    from typer.testing import CliRunner

    from fesl.cli import app

    out, results, page = tmp_path / "out", tmp_path / "r.json", tmp_path / "docs.md"
    arguments = ["reproduce", "--runs", "1", "--jobs", "1", "--out", str(out), "--json", str(results)]
    ran = CliRunner().invoke(app, [*arguments, "--methods", "nogd,fesl-c", "--protocols", "paper"])
    assert ran.exit_code == 0, ran.output
    found = json.loads(results.read_text())["results"]["paper"]["toy"]["fesl-c"]
    assert {"mean", "std", "paper", "difference"} <= set(found)
    again = CliRunner().invoke(
        app, ["reproduce", "--from", str(results), "--docs", str(page), "--out", str(tmp_path / "2")]
    )
    assert again.exit_code == 0, again.output
    assert (tmp_path / "2" / "results.json").read_text() == results.read_text()
    assert "protocol paper" in page.read_text()


def test_the_command_says_what_is_wrong(toy: Problem) -> None:
    pytest.importorskip("typer", reason="the extra 'cli' is not installed")
    from typer.testing import CliRunner

    from fesl.cli import app

    ran = CliRunner().invoke(app, ["reproduce", "--sets", "tay"])
    assert ran.exit_code == 1
    assert "did you mean toy?" in ran.output
