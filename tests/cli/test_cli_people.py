"""What people do to a command line: wrong arguments, bad files, pipes, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from cli_calls import PLAIN, fesl, sensors, start
from typer.testing import CliRunner

from fesl.cli import app

COMMANDS = ("demo", "run", "report", "inspect", "reproduce", "bench")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    done = CliRunner().invoke(app, [command, "--help"])
    assert done.exit_code == 0, done.output
    assert f"fesl {command}" in done.output.split("Example", 1)[1]


def test_version_and_bare_command():
    assert CliRunner().invoke(app, ["--version"]).output.startswith("fesl ")
    done = CliRunner().invoke(app, [])
    assert all(command in done.output for command in COMMANDS)


def test_nothing_heavy_is_imported_for_help():
    heavy = ("numpy", "scipy", "pyarrow", "rich.progress", "matplotlib", "fesl.files", "fesl.report", "fesl.demo")
    code = f"import sys; import fesl.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["nowhere.csv", "-t", "y"], 1, "no such file"),
        (["{folder}", "-t", "y"], 1, "is a directory"),
        (["{folder}/s.csv", "-t", "Y1"], 1, "did you mean 'y'?"),
        (["{folder}/s.csv"], 2, "--target"),
        (["{folder}/s.csv", "-t", "y", "--task", "ranking"], 2, "ranking"),
        (["{folder}/s.csv", "-t", "y", "--learner", "best"], 2, "fesl-c"),
        (["{folder}/s.csv", "-t", "y", "--predictions", "p.txt"], 2, ".parquet"),
        (["{folder}/s.csv", "-t", "y", "--save", "{folder}"], 2, "is a directory"),
        (["{folder}/s.csv", "-t", "y", "--events", "{folder}/s.csv"], 2, "is also read"),
        (["{folder}/s.csv", "-t", "y", "--events", "-", "--json", "-"], 2, "only one"),
        (["{folder}/s.csv", "-t", "y", "--save", "{folder}/s.csv/m"], 2, "--save"),
        (["{folder}/s.csv", "-t", "y", "--drop", "y"], 2, "is the target"),
        (["{folder}/s.csv", "-t", "y", "--delimiter", "ab"], 2, "one character"),
        (["{folder}/s.csv", "-t", "y", "--resume", "{folder}/none"], 1, "no such file"),
        (["{folder}/empty.csv", "-t", "y"], 1, "is empty"),
        (["{folder}/junk.csv", "-t", "y"], 1, "not text"),
        (["{folder}/nolabels.csv", "-t", "y"], 1, "no row has a value of 'y'"),
        (["{folder}/ragged.csv", "-t", "y", "--strict"], 1, "row 3"),
        (["{folder}/sorted.csv", "-t", "y"], 1, "say --task regression"),
        (["{folder}/sorted.csv", "-t", "y", "--task", "regression"], 0, "regression of y"),
        ([], 2, "FILE"),
    ],
)
def test_errors_are_one_sentence_and_an_exit_code(tmp_path, args, code, message):
    sensors(tmp_path / "s.csv", rows=30)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "junk.csv").write_bytes(bytes(range(256)))
    (tmp_path / "nolabels.csv").write_text("x,y\n1,\n2,\n")
    (tmp_path / "sorted.csv").write_text("x,y\n" + "".join(f"{i},{max(i - 1100, 0)}\n" for i in range(1300)))
    (tmp_path / "ragged.csv").write_text("x,y\n1,0\n2\n3,1\n")
    done = CliRunner().invoke(app, ["run", *(arg.format(folder=tmp_path) for arg in args)])
    assert done.exit_code == code, done.output
    assert message in " ".join(done.output.split())
    assert done.exception is None or isinstance(done.exception, SystemExit)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    path = sensors(tmp_path / "s.csv", rows=30)
    path.chmod(0)
    done = fesl("run", path, "-t", "y")
    assert done.returncode == 1
    assert "no permission" in done.stderr


def test_dirt_is_skipped_counted_and_told(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "1,0\n2,1\n" * 30 + "3\n4,5,6\n" + "word,0\n1,1")
    done = fesl("run", tmp_path / "a.csv", "-t", "y")
    assert done.returncode == 0
    assert "2 x row that does not have 2 values, skipped" in done.stderr
    assert "cell in column 'x' is no number" in done.stderr
    assert "62 in" in done.stdout


def test_what_was_learned_before_a_broken_place_is_not_lost(tmp_path):
    import gzip

    sensors(tmp_path / "s.csv", rows=40_000)
    packed = gzip.compress((tmp_path / "s.csv").read_bytes())
    (tmp_path / "s.csv.gz").write_bytes(packed[: len(packed) // 2])
    done = fesl("run", tmp_path / "s.csv.gz", "-t", "y", "--save", tmp_path / "m", "--learner", "nogd")
    assert done.returncode == 1
    assert "cut off" in done.stderr
    assert "rows were learned before that" in done.stderr
    assert json.loads(fesl("inspect", tmp_path / "m", "--json").stdout)["rounds"] > 1000


def test_a_full_disk(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    sensors(tmp_path / "s.csv", rows=3000)
    (tmp_path / "p.csv").symlink_to("/dev/full")
    places = ("--predictions", tmp_path / "p.csv", "--save", tmp_path / "m", "--json", tmp_path / "run.json")
    done = fesl("run", tmp_path / "s.csv", "-t", "y", *places)
    assert done.returncode == 1
    assert (tmp_path / "m").stat().st_size > 1000
    assert (tmp_path / "run.json").stat().st_size > 1000
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_answers_come_while_the_stream_goes_on():
    """A question, then its answer, then the next question: nobody waits for a buffer to fill."""
    talk = start("run", "-", "-t", "y", "--predictions", "-")
    times = []
    for i in range(30):
        began = time.monotonic()
        talk.stdin.write(json.dumps({"a": i % 7 - 3, "y": int(i % 7 > 3)}).encode() + b"\n")
        talk.stdin.flush()
        answer = json.loads(talk.stdout.readline())
        times.append(time.monotonic() - began)
        assert answer["row"] == i + 1
    assert answer["probabilities"].keys() == {"0", "1"}
    out, err = talk.communicate(timeout=60)
    assert (out, talk.returncode) == (b"", 0)
    assert b"30 in" in err
    assert sorted(times[5:])[12] < 0.5


def test_nothing_comes():
    done = fesl("run", "-", "-t", "y", stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert "no rows came" in done.stderr


def test_nobody_reads_the_output(tmp_path):
    sensors(tmp_path / "s.csv", rows=20_000)
    talk = start(
        "run", tmp_path / "s.csv", "-t", "y", "--predictions", "-", "--learner", "nogd", "--save", tmp_path / "m"
    )
    talk.stdout.readline()
    talk.stdout.close()
    assert talk.wait(timeout=60) == 141
    assert talk.stderr.read() == b""
    assert (tmp_path / "m").exists()
    talk.stdin.close(), talk.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_waiting_writes_what_there_is(tmp_path, number):
    talk = start(
        "run",
        "-",
        "-t",
        "y",
        "--predictions",
        tmp_path / "p.jsonl",
        "--save",
        tmp_path / "m",
        "--report",
        tmp_path / "r.html",
        "--json",
        tmp_path / "run.json",
    )
    talk.stdin.write(b"".join(b'{"a": %d, "y": %d}\n' % (i % 5, i % 2) for i in range(40)))
    talk.stdin.flush()
    until = time.monotonic() + 60
    while time.monotonic() < until and not (
        (tmp_path / "p.jsonl").exists() and (tmp_path / "p.jsonl").stat().st_size
    ):
        time.sleep(0.05)
    time.sleep(0.3)
    talk.send_signal(number)
    _, err = talk.communicate(timeout=60)
    assert talk.returncode == 128 + number
    assert b"Traceback" not in err
    assert len((tmp_path / "p.jsonl").read_text().splitlines()) == 40
    assert (tmp_path / "r.html").exists()
    assert json.loads((tmp_path / "run.json").read_text())["rows"] == 40
    assert json.loads(fesl("inspect", tmp_path / "m", "--json").stdout)["rounds"] == 40


def test_ctrl_c_in_the_middle_of_a_file(tmp_path):
    sensors(tmp_path / "s.csv", rows=150_000)
    talk = start(
        "run", tmp_path / "s.csv", "-t", "y", "--predictions", tmp_path / "p.csv", "--save", tmp_path / "m"
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and not (
        (tmp_path / "p.csv").exists() and (tmp_path / "p.csv").stat().st_size > 9000
    ):
        time.sleep(0.02)
    talk.send_signal(signal.SIGINT)
    _, err = talk.communicate(timeout=60)
    assert talk.returncode == 130, err
    assert b"Traceback" not in err
    rows = len((tmp_path / "p.csv").read_text().splitlines()) - 1
    assert 0 < rows < 150_000
    assert json.loads(fesl("inspect", tmp_path / "m", "--json").stdout)["rounds"] == rows


def test_bench_runs_what_is_in_the_source_tree(monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr("subprocess.run", lambda command, **more: called.append(command[1:]) or Done())
    assert CliRunner().invoke(app, ["bench", "speed", "--full"]).exit_code == 7
    assert CliRunner().invoke(app, ["bench", "files", "--rows", "9"]).exit_code == 7
    assert called == [["-m", "benchmarks", "speed", "--full"], ["-m", "benchmarks", "files", "--rows", "9"]]
    monkeypatch.setattr("fesl.cli.bench.folder", lambda: tmp_path)
    done = CliRunner().invoke(app, ["bench"])
    assert done.exit_code == 2
    assert "source tree" in done.output


class Done:
    returncode = 7


@pytest.mark.long
def test_memory_does_not_grow_with_the_file(tmp_path):
    """A million rows of twenty numbers in less than 300 MB."""
    path = tmp_path / "big.csv"
    with path.open("w") as file:
        file.write(",".join(f"x{j}" for j in range(20)) + ",y\n")
        for i in range(1_000_000):
            file.write(
                ",".join(f"{(i * (j + 7) * 7919 % 2003) / 1001 - 1:.4f}" for j in range(20)) + f",{i * 7 % 2}\n"
            )
    code = (
        "import sys\nfrom fesl.cli import app\n"
        "try: app(sys.argv[1:])\n"
        "finally: print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            "run",
            str(path),
            "-t",
            "y",
            "--quiet",
            "--predictions",
            str(tmp_path / "p.csv"),
        ],
        capture_output=True,
        text=True,
        check=True,
        env=PLAIN,
    )
    assert int(done.stdout.split()[-1]) < 300 * 1024


def test_demo_is_the_demonstration(monkeypatch, tmp_path):
    from types import SimpleNamespace

    import fesl.demo

    asked, shown = [], []
    story = SimpleNamespace(report=tmp_path / "demo.html")
    monkeypatch.setattr(fesl.demo, "run", lambda *args: asked.append(args) or story)
    monkeypatch.setattr("typer.launch", shown.append)
    assert CliRunner().invoke(app, ["demo", "--out", str(tmp_path), "--seed", "3", "--open"]).exit_code == 0
    assert asked == [(tmp_path / "demo.html", 3)]
    assert shown == [(tmp_path / "demo.html").as_uri()]


def test_reports_of_what_is_no_run(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    for args, code in ((["nowhere.json"], 1), ([str(tmp_path / "x.json")], 1), ([str(tmp_path)], 1)):
        done = CliRunner().invoke(app, ["report", *args])
        assert done.exit_code == code, done.output
        assert "error:" in done.output
    assert CliRunner().invoke(app, ["inspect", str(tmp_path / "x.json")]).exit_code == 1
    assert CliRunner().invoke(app, ["inspect", str(tmp_path)]).exit_code == 1
