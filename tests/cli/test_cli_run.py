"""`fesl run` on files: what it writes, and resuming."""

from __future__ import annotations

import csv
import json

import pyarrow.parquet as pq
import pytest
from cli_calls import fesl, sensors
from typer.testing import CliRunner

from fesl.cli import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run with everything that can be written."""
    folder = tmp_path_factory.mktemp("run")
    sensors(folder / "s.csv")
    done = CliRunner().invoke(
        app,
        [
            *(
                "run",
                f"{folder}/s.csv",
                "--target",
                "y",
                "--save",
                f"{folder}/m.fesl",
                "--report",
                f"{folder}/r.html",
            ),
            *("--events", f"{folder}/e.jsonl", "--predictions", f"{folder}/p.csv", "--json", f"{folder}/run.json"),
        ],
    )
    assert done.exit_code == 0, done.output
    (folder / "out.txt").write_text(done.output)
    return folder


def test_the_summary_tells_what_happened(folder):
    text = (folder / "out.txt").read_text()
    for word in (
        "300 in",
        "classification of y, 2 classes",
        "1 of these vanished",
        "accuracy",
        "the best expert",
        "held",
    ):
        assert word in text
    for name in ("m.fesl", "r.html", "e.jsonl", "p.csv", "run.json"):
        assert name in text


def test_predictions_are_made_before_the_row_is_learned(folder):
    with (folder / "p.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == list(range(2, 302))
    assert rows[0]["prediction"] == ""
    late = rows[100:]
    assert sum(row["prediction"] == row["y"] for row in late) / len(late) > 0.9
    assert all(0 <= float(row["probability"]) <= 1 for row in rows[2:])


def test_events_tell_row_and_file(folder):
    events = [json.loads(line) for line in (folder / "e.jsonl").read_text().splitlines()]
    gone = next(e for e in events if e["kind"] == "vanished" and e["feature"] == "old")
    assert gone["round"] == 160
    assert gone["row"] == 162
    assert gone["file"].endswith("s.csv")


def test_the_run_becomes_a_report(folder, tmp_path):
    done = fesl("report", folder / "run.json", "-o", tmp_path / "r.html")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "r.html")
    assert "<html" in (tmp_path / "r.html").read_text()[:200].lower()
    assert (folder / "r.html").stat().st_size > 10_000
    told = json.loads((folder / "run.json").read_text())
    assert told["rows"] == 300
    assert told["settings"]["target"] == ["y"]


def test_inspect_shows_what_was_learned(folder):
    done = fesl("inspect", folder / "m.fesl")
    assert done.returncode == 0, done.stderr
    for word in ("Features", "old", "vanished", "new", "live", "colour=red", "bits", "rounds", "300"):
        assert word in done.stdout
    told = json.loads(fesl("inspect", folder / "m.fesl", "--json").stdout)
    assert told["target"] == ["y"]
    assert set(told["classes"]) == {"yes", "no"}
    assert told["regret"]["within"] is True
    lives = {feature["name"]: feature for feature in told["features"]}
    assert lives["old"]["state"] == "vanished"
    assert (lives["old"]["first"], lives["old"]["last"]) == (0, 159)
    assert lives["new"]["weight"] > lives["colour=red"]["weight"]


def test_json_on_standard_output_is_nothing_but_json(folder):
    done = fesl("run", folder / "s.csv", "-t", "y", "--json", "-")
    assert json.loads(done.stdout)["rows"] == 300
    assert "accuracy" in done.stderr
    quiet = fesl("run", folder / "s.csv", "-t", "y", "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")


@pytest.mark.parametrize("cut", [50, 150, 200])
def test_resuming_equals_never_having_stopped(tmp_path, cut):
    """Half a file, saved; the other half, resumed: the same predictions and the same model, bit for bit."""
    sensors(tmp_path / "all.csv")
    lines = (tmp_path / "all.csv").read_text().splitlines(keepends=True)
    (tmp_path / "1.csv").write_text("".join(lines[: cut + 1]))
    (tmp_path / "2.csv").write_text("".join([lines[0], *lines[cut + 1 :]]))

    def run(*args):
        done = CliRunner().invoke(app, ["run", *map(str, args)])
        assert done.exit_code == 0, done.output

    run(tmp_path / "all.csv", "-t", "y", "--save", tmp_path / "all", "--predictions", tmp_path / "all.jsonl")
    run(tmp_path / "1.csv", "-t", "y", "--save", tmp_path / "half", "--predictions", tmp_path / "1.jsonl")
    run(
        tmp_path / "2.csv",
        "--resume",
        tmp_path / "half",
        "--save",
        tmp_path / "two",
        "--predictions",
        tmp_path / "2.jsonl",
    )
    assert (tmp_path / "two").read_bytes() == (tmp_path / "all").read_bytes()

    def predictions(name):
        rows = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        return [(row["prediction"], row["probabilities"]) for row in rows]

    assert predictions("1.jsonl") + predictions("2.jsonl") == predictions("all.jsonl")


def test_a_saved_learner_predicts_a_file_without_a_target(folder, tmp_path):
    (tmp_path / "new.csv").write_text("new,colour\n1.0,red\n5.0,blue\n")
    args = ["run", f"{tmp_path}/new.csv", "--resume", f"{folder}/m.fesl", "--predictions", f"{tmp_path}/p.jsonl"]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert "no column 'y': rows are predicted and not learned from" in done.output
    rows = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert [(row["y"], row["prediction"]) for row in rows] == [(None, "yes"), (None, "no")]


def test_resuming_with_something_else_is_refused(folder):
    for args, message in (
        (("--target", "colour"), "predicts 'y'"),
        (("--task", "regression"), "is a classification"),
    ):
        done = fesl("run", folder / "s.csv", "--resume", folder / "m.fesl", *args)
        assert done.returncode == 2
        assert message in done.stderr
    done = fesl("run", folder / "s.csv", "--resume", folder / "s.csv", "-t", "y")
    assert done.returncode == 1
    assert "error:" in done.stderr
    assert "Traceback" not in done.stderr


def test_several_targets_and_several_files(tmp_path):
    (tmp_path / "a.csv").write_text("x,u,v\n" + "".join(f"{i},{2 * i},{-i}\n" for i in range(50)))
    (tmp_path / "b.csv").write_text("x,z,u,v\n" + "".join(f"{i},{i % 3},{2 * i},{-i}\n" for i in range(50)))
    out = tmp_path / "p.parquet"
    done = CliRunner().invoke(
        app, ["run", f"{tmp_path}/a.csv", f"{tmp_path}/b.csv", "-t", "u", "-t", "v", "--predictions", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "regression of u, v" in done.output
    table = pq.read_table(out).to_pydict()
    assert list(table) == ["row", "file", "u", "v", "prediction of u", "prediction of v"]
    assert set(table["file"]) == {f"{tmp_path}/a.csv", f"{tmp_path}/b.csv"}
    assert table["prediction of u"][-1] > 70
    assert table["prediction of v"][-1] < -35


@pytest.mark.parametrize("learner", ["fesl-c", "fesl-s", "nogd", "rogd-u", "rogd-f"])
def test_the_papers_learners(tmp_path, learner):
    sensors(tmp_path / "s.csv", words=False)
    args = [
        "run",
        f"{tmp_path}/s.csv",
        "-t",
        "y",
        "--learner",
        learner,
        "--save",
        f"{tmp_path}/m",
        "--drop",
        "colour",
    ]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    told = CliRunner().invoke(app, ["inspect", f"{tmp_path}/m", "--json"])
    assert json.loads(told.output)["learner"] == learner


def test_ids_and_times_stand_in_the_predictions(tmp_path):
    (tmp_path / "a.csv").write_text(
        "id,when,x,y\n" + "".join(f"u{i},2024-01-{i + 1:02},{i},{i % 2}\n" for i in range(20))
    )
    args = ["run", f"{tmp_path}/a.csv", "-t", "y", "--id", "id", "--time", "when"]
    done = CliRunner().invoke(app, [*args, "--predictions", f"{tmp_path}/p.csv", "--events", f"{tmp_path}/e.jsonl"])
    assert done.exit_code == 0, done.output
    with (tmp_path / "p.csv").open() as file:
        last = list(csv.DictReader(file))[-1]
    assert (last["id"], last["when"], last["y"]) == ("u19", "2024-01-20", "1")
    assert json.loads((tmp_path / "e.jsonl").read_text().splitlines()[0])["time"] == "2024-01-01"


def test_labels_that_begin_with_nothing_are_written_as_numbers(tmp_path):
    """The first row is predicted before any class is known."""
    source, out = tmp_path / "a.csv", tmp_path / "p.csv"
    source.write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(30)))
    fesl("run", str(source), "--target", "y", "--task", "classification", "--predictions", str(out))
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert rows[0]["prediction"] == ""
    assert {row["prediction"] for row in rows[2:]} <= {"0", "1"}
    assert [row["y"] for row in rows] == [str(i % 2) for i in range(30)]
