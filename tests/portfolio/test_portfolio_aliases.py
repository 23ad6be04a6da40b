"""A new name for an old role."""

from __future__ import annotations

import numpy as np
import pytest

from fesl import Classifier


def stream(n=120, seed=0):
    z = np.random.default_rng(seed).normal(size=n)
    return [(v, bool(v > 0)) for v in z.tolist()]


def test_an_alias_keeps_weights_and_statistics(core):
    plain, renamed = Classifier(), Classifier(aliases={"new": "old"})
    for i, (v, y) in enumerate(stream()):
        plain.learn_one({"old": v}, y)
        renamed.learn_one({"old" if i < 60 else "new": v}, y)
    assert renamed.predict_proba_one({"new": 0.3}) == plain.predict_proba_one({"old": 0.3})
    assert list(renamed.features) == ["old"]
    assert renamed.predict_many(np.array([[0.4]]), features=["new"]).tolist() == [True]


def test_while_both_are_there_the_role_itself_counts(core):
    plain, renamed = Classifier(), Classifier(aliases={"new": "old"})
    for v, y in stream(40):
        plain.learn_one({"old": v}, y)
        renamed.learn_one({"new": 99.0, "old": v}, y)
    assert renamed.predict_proba_one({"old": 0.3}) == plain.predict_proba_one({"old": 0.3})
    table = np.array([[99.0, 0.3], [0.3, np.nan]])
    p = renamed.predict_proba_many(table, features=["new", "old"])
    np.testing.assert_allclose(p[0], p[1], rtol=1e-12)


def test_candidates_are_ranked_by_agreement(core):
    rng = np.random.default_rng(0)
    model = Classifier()
    for i, (v, y) in enumerate(stream()):
        old = {"temp": 20 + v, "other": float(rng.normal())}
        near = 20 + v + 0.05 * float(rng.normal())
        new = {"temp2": near, "noise": float(rng.normal()), "fahrenheit": 68 + 1.8 * v}
        model.learn_one({**(old if i < 80 else {}), **(new if i >= 70 else {})}, y)
    best = model.suggest_aliases()[0]
    assert (best.new, best.role, best.rows) == ("temp2", "temp", 10)
    assert best.agreement > 0.98
    assert all(s.new != "fahrenheit" for s in model.suggest_aliases())


def test_candidates_are_seen_before_the_old_one_goes(core):
    model = Classifier()
    for i, (v, y) in enumerate(stream(70)):
        model.learn_one({"a": v, **({"b": v} if i > 50 else {})}, y)
    assert [(s.new, s.role) for s in model.suggest_aliases()] == [("b", "a")]
    assert model.suggest_aliases()[0].agreement == pytest.approx(1.0)


def test_an_alias_tells_what_its_role_does_not_in_any_order(core):
    """Two aliases and the role itself: the role comes first, then the aliases as they stand; what holds nothing
    does not count. Events and tables agree."""
    rng = np.random.default_rng(5)
    X = np.where(rng.random((80, 4)) < 0.3, np.nan, rng.normal(size=(80, 4)))
    y = rng.random(80) < 0.5
    roles = {"v2": "v1", "v3": "v1"}
    for names in (["v1", "v2", "v3", "other"], ["v3", "other", "v2", "v1"], ["v2", "v1", "other", "v3"]):
        first = [X[:, names.index(name)] for name in ["v1", *(n for n in names if n in roles)]]
        merged = np.where(np.isnan(first[0]), np.where(np.isnan(first[1]), first[2], first[1]), first[0])
        plain, by_event, by_table = Classifier(), Classifier(aliases=roles), Classifier(aliases=roles)
        for row, v1, label in zip(X.tolist(), merged.tolist(), y.tolist(), strict=True):
            event = dict(zip(names, row, strict=True))
            plain.learn_one({"v1": v1, "other": event["other"]}, label)
            by_event.learn_one({name: None if v != v else v for name, v in event.items()}, label)
        by_table.learn_many(X, y, features=names)
        x = {"v1": 0.5, "other": -1.0}
        assert by_event.predict_proba_one(x) == plain.predict_proba_one(x) == by_table.predict_proba_one(x)


def test_a_sensor_in_other_units_is_not_taken_for_its_neighbour():
    """Four sensors that go together are replaced by four that read in Fahrenheit: one may read as another did."""
    for seed in range(8):
        rng, model = np.random.default_rng(seed), Classifier()
        level, sd = rng.uniform(10, 100, 4), rng.uniform(2, 15, 4)
        for i in range(390):
            z = 0.3 * rng.normal(size=4) + 0.95 * rng.normal()
            celsius = level + sd * z
            x = {f"o{j}": celsius[j] for j in range(4)} if i < 330 else {}
            x |= {f"n{j}": 1.8 * celsius[j] + 32 for j in range(4)} if i >= 300 else {}
            model.learn_one(x, bool(z.sum() > 0))
        assert model.suggest_aliases() == []
