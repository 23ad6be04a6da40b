"""What the wrapper knows of features: who lives, who is gone, and what is expected of them."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("river")

from fesl.portfolio.constants import WIDE
from fesl.river.features import Features, cleaned


def test_a_chain_of_spaces_is_bridged():
    """A never meets C; what stands between them tells."""
    f, rng = Features(), np.random.default_rng(0)
    for t in range(600):
        z = rng.normal(size=2)
        reads = {"a": z[0], "b": z[0] + z[1], "b2": z[0] - z[1], "c": 2 * z[0], "c2": z[1]}
        names = "a b b2" if t < 200 else "b b2" if t < 300 else "b b2 c c2" if t < 400 else "c c2"
        f.learn({k: reads[k] for k in names.split()})
    assert set(f.names_of(f.gone)) == {"a", "b", "b2"}
    found = f.recovered({"c": 2.0, "c2": 0.5})
    assert found["b"] == pytest.approx(1.5, abs=0.3)
    assert found["a"] == pytest.approx(1.0, abs=0.3)


def test_a_blinking_feature_is_not_gone():
    f, rng = Features(), np.random.default_rng(0)
    for _ in range(300):
        f.learn({"a": 1.0, **({"b": 2.0} if rng.random() < 0.5 else {})})
    assert f.live == ["a", "b"]


def test_more_features_than_are_followed():
    f = Features()
    f.learn({f"w{i}": 1.0 for i in range(WIDE + 50)})
    assert len(f.names) == WIDE
    for t in range(10):
        f.learn({f"v{t}x{i}": 1.0 for i in range(100)})
    assert len(f.names) == WIDE


def test_a_whole_number_too_long_for_a_float_reaches_the_model():
    stamp = 1_700_000_000_123_456_789
    assert cleaned({"t": stamp, "u": np.float32("nan"), "v": np.int64(2**62 + 1)}) == {"t": stamp, "v": 2**62 + 1}


def test_what_comes_back_is_not_let_go_to_make_room_for_what_comes_with_it(monkeypatch):
    monkeypatch.setattr("fesl.river.features.WIDE", 2)
    f = Features()
    for _ in range(60):
        f.learn({"a": 1.0})
    for _ in range(200):
        f.learn({"b": 1.0})
    assert f.longest_gone() == ["a"]
    f.learn({"a": 2.0, "b": 1.0, "c": 1.0})
    assert f.names == ["a", "b"]
    assert f.live == ["a", "b"]
