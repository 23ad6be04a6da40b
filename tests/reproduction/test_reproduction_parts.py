"""Methods, protocols and problems are found; the paper's figures are written down right."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import numpy as np
import pytest

from fesl import datasets
from fesl.errors import ConfigError
from fesl.evolving import EvolvingLearner
from fesl.losses import Logistic, Squared
from fesl.reproduction import base, published
from fesl.reproduction.base import Setting, Tables, choose, in_two_spaces, methods, problems, protocols, told
from fesl.reproduction.problems._of_entry import of_entry
from fesl.reproduction.protocols.paper import c_without_ln2
from fesl.spaces import Auto, Declared, Periods

METHOD_FILE = """
from fesl import paper
from fesl.reproduction.base import Method
METHOD = Method("mine", "Mine", 9, lambda s: paper.nogd(s.c, **s.shared), "#000000", "x")
"""


def test_every_method_file_is_one_column() -> None:
    assert list(methods()) == list(published.METHODS)
    looks = [(m.colour, m.marker) for m in methods().values()]
    assert len(set(looks)) == len(looks)


def test_a_new_method_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fesl.reproduction.methods as package

    (tmp_path / "mine.py").write_text(METHOD_FILE)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    methods.cache_clear()
    try:
        assert list(methods())[-1] == "mine"
    finally:
        methods.cache_clear()


def test_every_data_set_is_a_problem() -> None:
    assert set(datasets.names()) <= set(problems())
    assert sum(p.group == "synthetic" for p in problems().values()) == 9
    assert sum(p.group == "reuters" for p in problems().values()) == 20


def test_a_data_set_without_a_file_takes_the_settings_of_its_entry() -> None:
    problem = of_entry(datasets.info("german"))
    assert (problem.c, problem.overlap, problem.classes) == (50.0, 10, (-1, 1))
    rssi = of_entry(datasets.info("rssi"))
    assert rssi.group == "regression"
    assert rssi.classes == ()


def test_problem_files_are_few_and_short() -> None:
    folder = Path(base.__file__).parent
    for part in ("methods", "protocols", "problems"):
        for module in pkgutil.iter_modules([str(folder / part)]):
            assert len((folder / part / f"{module.name}.py").read_text().splitlines()) <= 85


def test_unknown_names_say_what_there_is() -> None:
    with pytest.raises(ConfigError, match=r"no method is called 'fesl'; did you mean .*fesl-"):
        choose(methods(), ["fesl"], "method")


@pytest.mark.parametrize("name", list(published.METHODS))
def test_every_method_builds_from_one_setting(name: str) -> None:
    setting = Setting(c=2.0, loss=Logistic(), spaces=Auto(), classes=(-1, 1), horizon=50, seed=3, clip=5.0)
    model = methods()[name].build(setting)
    assert isinstance(model, EvolvingLearner)
    assert model.parts.clip == 5.0
    assert model.classes == [-1, 1]
    regression = Setting(c=2.0, loss=Squared(), spaces=Auto(), classes=(), horizon=50, seed=3)
    assert methods()[name].build(regression).parts.clip is None


def test_the_inferred_protocol_says_so() -> None:
    paper = protocols()["paper"]
    assert paper.inferred
    assert "INFERRED FROM THE TABLE" in paper.note
    assert "fitted" in paper.note
    assert not protocols()["stream"].inferred


def test_the_inferred_step_leaves_out_ln2() -> None:
    assert c_without_ln2(problems()["german"]) == pytest.approx(50.0 / np.log(2.0))
    assert c_without_ln2(problems()["rssi"]) == problems()["rssi"].c


def test_dense_streams_are_told_by_round_and_sparse_ones_by_name() -> None:
    from scipy import sparse

    X = np.ones((20, 2))
    order = np.arange(20)
    dense = in_two_spaces(Tables(X, X, np.ones(20)), 3, order, 1)
    assert told(dense) == Periods(((7, 10),))
    spread = in_two_spaces(Tables(sparse.csr_matrix(X), sparse.csr_matrix(X), np.ones(20)), 3, order, 1)
    assert isinstance(told(spread), Declared)


def test_table_2_as_printed() -> None:
    assert len(published.sets()) == 29
    bold = {m: sum(published.accuracy(s)[m].best for s in published.sets()[:9]) for m in published.METHODS}
    assert bold == {"nogd": 0, "rogd-u": 5, "rogd-f": 0, "fesl-c": 5, "fesl-s": 8}  # as its section 5.3 counts
    bold = {m: sum(published.accuracy(s)[m].best for s in published.sets()[9:]) for m in published.METHODS}
    assert bold == {"nogd": 8, "rogd-u": 1, "rogd-f": 0, "fesl-c": 17, "fesl-s": 9}


def test_table_1_agrees_with_the_registry() -> None:
    for name in published.sets():
        paper, size = datasets.info(name).paper, published.size(name)
        assert paper is not None
        assert size is not None
        assert paper.n == size.n
        assert paper.d1 in (None, size.d1)
        assert paper.d2 in (None, size.d2)
