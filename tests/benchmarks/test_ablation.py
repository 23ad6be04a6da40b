"""What the ingredients are worth."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from benchmarks import ablation


def test_of_a_pattern(capsys):
    ablation.show(["wine"], ["evolvable"], 1, 10)
    head, *lines = capsys.readouterr().out.splitlines()
    assert "1 sets" in head
    assert "evolvable" in head
    assert [line.split("  ")[-1].strip() for line in lines] == [*ablation.ABLATIONS, *ablation.MASKED]
    means = np.array([float(line.split()[0]) for line in lines])
    assert (means > 0.5).all()
    assert len(set(means.tolist())) > 5


def test_experts_that_say_nothing_yet_do_not_count():
    p = np.array([[[np.nan, np.nan]], [[1.0, np.nan]], [[0.2, 0.8]], [[0.9, 0.1]]])
    assert ablation._mix(p, np.array([0, 1, 1, 0]), np.ones(1), 0) == pytest.approx(2 / 3)
    assert ablation._mix(p, np.array([0, 1, 1, 0]), np.ones(1), 2) == 1.0
