"""The prequential loop: the numbers of the learner's own run, whatever the blocks, in bounded memory."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn import metrics as sk

import fesl
from fesl import paper, streams
from fesl.errors import ConfigError, DataError
from fesl.evaluation import Change, History, Prequential, Series, compare, effect, evaluate
from fesl.evaluation.lives import Lives
from fesl.losses import Softmax, Squared
from fesl.tables import as_table


def table(n=900, seed=0):
    """Sensors 0 and 1 are replaced by 2 and 3 at row 500, with 40 rows of overlap; 4 stays and blinks."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 3))
    X = np.column_stack([z[:, :2], z[:, :2] @ rng.normal(size=(2, 2)), z[:, 2]])
    X[500:, :2] = np.nan
    X[:460, 2:4] = np.nan
    X[rng.random(n) < 0.3, 4] = np.nan
    return X, z @ [1.5, -1.0, 0.5]


NAMES = ["a", "b", "c", "d", "e"]
LEARNERS = {
    "default": (lambda: fesl.Classifier(), lambda y: y > 0),
    "three classes": (lambda: fesl.Classifier(), lambda y: np.digitize(y, [-1.0, 1.0])),
    "regressor": (lambda: fesl.Regressor(), lambda y: y),
    "FESL-c": (lambda: paper.fesl_c(), lambda y: y > 0),
    "FESL-s, words": (lambda: paper.fesl_s(loss=Softmax()), lambda y: np.where(y > 0, "hot", "cold")),
    "paper, squared": (lambda: paper.fesl_c(loss=Squared()), lambda y: y),
    "scratch": (lambda: paper.nogd(), lambda y: y > 0),
}


def fed(model, X, y, block=None, **how):
    loop = Prequential(model, **how)
    step = block or len(X)
    runs = [loop.feed(X[i : i + step], y[i : i + step], features=NAMES) for i in range(0, len(X), step)]
    return loop, runs


@pytest.mark.parametrize("name", LEARNERS)
def test_predictions_are_those_of_the_run_itself(name):
    make, target = LEARNERS[name]
    X, z = table(700)
    y = target(z)
    _, runs = fed(make(), X, y, 173)
    expected = make().run(X, y, features=NAMES).predictions
    assert [p for run in runs for p in run.predictions.tolist()] == expected.tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_scores_are_what_scikit_learn_says(name):
    make, target = LEARNERS[name]
    X, z = table()
    y = target(z)
    loop, _ = fed(make(), X, y, 250, window=300)
    run = make().run(X, y, features=NAMES)
    if run.loss.task == "regression":
        assert loop.scores["mae"] == pytest.approx(
            sk.mean_absolute_error(y[1:], run.predictions[1:])
        )  # the first is unknown
        assert loop.recent["rmse"] == pytest.approx(sk.root_mean_squared_error(y[-300:], run.predictions[-300:]))
        return
    right = np.array([a == b for a, b in zip(run.predictions.tolist(), y.tolist(), strict=True)])
    assert loop.scores["accuracy"] == pytest.approx(right.mean())
    assert loop.recent["accuracy"] == pytest.approx(right[-300:].mean())
    assert loop.recent["balanced_accuracy"] == pytest.approx(
        sk.balanced_accuracy_score(y[-300:], run.predictions[-300:].tolist())
    )
    P, order = run.probabilities, np.argsort([str(label) for label in run.labels])
    k = np.array([list(run.labels).index(v) for v in y.tolist()])
    bits = sk.log_loss(k[-300:], P[-300:], labels=range(P.shape[1])) / np.log(2)
    assert loop.recent["log_loss"] == pytest.approx(bits)
    if len(order) == 2:
        assert loop.scores["roc_auc"] == pytest.approx(sk.roc_auc_score(k[-300:], P[-300:, 1]))
    else:
        assert loop.scores["roc_auc"] == pytest.approx(sk.roc_auc_score(k[-300:], P[-300:], multi_class="ovr"))


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_history_whatever_the_blocks(name):
    make, target = LEARNERS[name]
    X, z = table()
    y = target(z)
    whole, parts = (fed(make(), X, y, block, every=60)[0].history for block in (None, 300))
    assert parts.series == whole.series
    assert parts.lives == whole.lives
    assert [(c.row, c.features, c.around) for c in parts.changes] == [
        (c.row, c.features, c.around) for c in whole.changes
    ]
    assert parts.scores == pytest.approx(whole.scores, nan_ok=True)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_change_is_told_in_its_row(name):
    make, target = LEARNERS[name]
    X, z = table()
    h = fed(make(), X, target(z), 128)[0].history
    change = next(c for c in h.changes if c.row == 500)
    assert sorted(change.features) == ["a", "b"]
    born = {e["feature"]: e["row"] for e in h.events if e["kind"] == "appeared"}
    assert born["a"] == born["b"] == 0
    assert born["c"] == born["d"] == 460
    gone = {e["feature"]: e["row"] for e in h.events if e["kind"] == "vanished" and e["feature"] in "ab"}
    assert gone == {"a": 500, "b": 500}


def test_series_are_means_of_the_rows():
    X, z = table()
    y = z > 0
    h = fed(fesl.Classifier([False, True]), X, y, 300)[0].history
    run = fesl.Classifier([False, True]).run(X, y, features=NAMES, detail=True)
    assert h.series.width == 1
    assert h.series.score == [float(v) for v in run.predictions == y]
    k = y.astype(int)
    n = np.arange(len(y))
    np.testing.assert_allclose(h.series.loss, -run.scores[n, k] / np.log(2), rtol=1e-6)
    np.testing.assert_allclose(h.series.expert_loss[3], -run.experts[n, 3, k] / np.log(2), rtol=1e-6)
    np.testing.assert_allclose(np.array(h.series.weights).T, run.weights, rtol=1e-6, atol=1e-12)
    assert h.series.live == (~np.isnan(X)).sum(axis=1).tolist()
    around = next(c for c in h.changes if c.row == 500).around
    assert around.rows[0] == 200
    assert len(around.rows) == 70  # 300 rows before, the 400 that came after
    np.testing.assert_allclose(around.score[30], (run.predictions == y)[500:510].mean())
    np.testing.assert_allclose(around.score[0], (run.predictions == y)[200:210].mean())


def test_lives_are_exact():
    X, z = table()
    h = fed(fesl.Regressor(), X, z, 77)[0].history
    for j, life in enumerate(sorted(h.lives, key=lambda life: life.name)):
        there = np.flatnonzero(~np.isnan(X[:, j]))
        assert (life.first, life.last, life.count) == (there[0], there[-1], len(there))
        assert sum(life.there) == len(there)
        assert life.there[0] == (there < h.life_width).sum()


def test_regret_is_the_learners_own():
    X, z = table()
    model = fesl.Classifier()
    h = fed(model, X, z > 0, every=100)[0].history
    assert [r["row"] for r in h.regret] == [100.0 * i for i in range(1, 10)]
    assert h.regret[-1]["value"] == pytest.approx(model.regret().value)
    assert h.regret[-1]["allowed"] == pytest.approx(model.regret().allowed)
    assert all(r["holds"] for r in h.regret)


def test_recovery_is_the_learners_own():
    X, z = table()
    model = fesl.Classifier()
    h = fed(model, X, z > 0)[0].history
    found = {life.name: life for life in h.lives}
    assert found["a"].state == "vanished"
    assert found["a"].error == pytest.approx(model.recovery()["a"].error, rel=1e-6)
    assert found["a"].checked == model.recovery()["a"].rows


def test_rows_without_a_label_are_predicted_and_not_scored():
    X, z = table(400)
    y = np.where(np.arange(400) % 3 == 0, np.nan, z)
    loop, runs = fed(fesl.Regressor(), X, y, 100)
    assert sum(len(run.predictions) for run in runs) == 400
    assert loop.labelled == (~np.isnan(y)).sum()
    there = ~np.isnan(y)
    there[1] = False  # the first target: nobody could forecast it
    p = np.concatenate([run.predictions for run in runs])
    assert loop.scores["mae"] == pytest.approx(np.abs(y - p)[there].mean())
    assert sum(n for n in loop.history.series.labelled if n) == there.sum()
    silent = Prequential(fesl.Classifier([0, 1]))
    silent.feed(X, None, features=NAMES)
    assert silent.labelled == 0
    assert silent.history.scores["accuracy"] is None


def test_classes_met_late_and_labels_of_any_kind():
    X, z = table(400)
    y = np.where(z > 1, "high", np.where(z < -1, None, "low"))
    y = np.array(["low"] * 150 + y.tolist()[150:], dtype=object)
    loop, _ = fed(fesl.Classifier(), X, y, 90)
    assert loop.history.classes == ["low", "high"]
    assert loop.labelled == sum(v is not None for v in y)
    assert 0 < loop.scores["log_loss"] < 1  # the first "high" could be given no chance, and is not counted


@pytest.mark.parametrize("make", [fesl.Regressor, lambda: paper.fesl_c(loss=Squared())])
def test_several_targets(make):
    X, z = table(300)
    Y = np.column_stack([z, -2 * z])
    loop, runs = fed(make(), X, Y, 100)
    loop.feed(X, None, features=NAMES)
    assert loop.labelled == 300
    p = np.concatenate([run.predictions for run in runs])
    assert loop.scores["rmse"] == pytest.approx(sk.root_mean_squared_error(Y[1:], p[1:]))


def test_columns_may_differ_between_blocks():
    loop = Prequential(fesl.Classifier())
    rng = np.random.default_rng(0)
    for names in (["a", "b"], ["b", "c", "d"], ["d"]):
        X = rng.normal(size=(60, len(names)))
        loop.feed(X, X[:, 0] > 0, features=names)
    lives = {life.name: (life.first, life.last) for life in loop.history.lives}
    assert lives == {"a": (0, 59), "b": (0, 119), "c": (60, 119), "d": (60, 179)}


def test_sparse_tables():
    rng = np.random.default_rng(0)
    X = sparse.random(200, 600, density=0.02, random_state=1, format="csr")
    y = rng.integers(2, size=200)
    loop = Prequential(fesl.Classifier())
    for i in range(0, 200, 50):
        loop.feed(X[i : i + 50], y[i : i + 50])
    counts = np.diff(X.tocsc().indptr)
    lives = {int(life.name): life for life in loop.history.lives}
    assert {j: life.count for j, life in lives.items()} == {j: n for j, n in enumerate(counts.tolist()) if n}
    column = X.tocsc()[:, [7]].tocoo().row
    assert (lives[7].first, lives[7].last) == (column.min(), column.max())


def test_a_callback_of_ones_own_still_hears():
    heard = []
    model = fesl.Classifier(on_event=heard.append)
    X, z = table(600)
    loop, _ = fed(model, X, z > 0, 200)
    assert len(heard) == sum(loop.counts.values())
    assert model.log.callback.__self__ is heard


def test_times_name_the_rows():
    X, z = table()
    loop = Prequential(fesl.Classifier())
    for i in range(0, 900, 100):
        at = slice(i, i + 100)
        loop.feed(X[at], z[at] > 0, features=NAMES, times=[f"hour {k}" for k in range(i, i + 100)])
    change = next(c for c in loop.history.changes if c.row == 500)
    assert change.time == "hour 500"
    assert all(e["time"] == f"hour {e['row']}" for e in loop.history.events)


def test_going_on_with_a_learner_that_has_lived_before():
    X, z = table()
    model = fesl.Classifier()
    model.learn_many(X[:300], z[:300] > 0, features=NAMES)
    loop = Prequential(model)
    loop.feed(X[300:], z[300:] > 0, features=NAMES)
    change = next(c for c in loop.history.changes if "a" in c.features)
    assert change.row == 200
    assert all(e["row"] >= 0 for e in loop.history.events)


def test_memory_is_bounded():
    rng = np.random.default_rng(0)
    loop = Prequential(paper.fesl_c(), every=2000)
    for _ in range(6):
        X = rng.normal(size=(2000, 2))
        loop.feed(X, X[:, 0] > 0)
    h = loop.history
    assert h.series.width == 8
    assert len(h.series.rows) == 1500
    assert sum(h.series.labelled) == 12000
    assert h.life_width == 64
    assert len(h.lives[0].there) <= 256
    assert len(loop.changes.tail) <= 350


def test_many_features_are_counted_not_followed():
    lives = Lives(followed=400)
    lives.see(as_table(sparse.eye(500, 600, format="csr")), 0)
    lives.see(as_table(sparse.eye(500, 600, format="csr")), 500)
    assert len(lives.names) == 400
    assert len(lives.others) == 100
    assert lives.last[:400].tolist() == list(range(500, 900))


def test_changes_beyond_the_limit_spare_those_that_are_for_good():
    from fesl.evaluation.changes import KEPT, Changes

    changes = Changes()
    rows = np.zeros((100, 4))
    for i in range(KEPT + 20):
        back = [] if i in (3, 5) else ["x"]
        changes.add(100 * i, rows, [(100 * i + 10, f"gone {i}" if i in (3, 5) else "x")], [])
        changes.add(100 * i, rows[:0], [], back)
    assert changes.total == KEPT + 20
    assert len(changes.kept) == KEPT
    assert {310, 510} <= {c.row for c in changes.kept}


def test_json_is_strict_and_comes_back(tmp_path):
    X, z = table()
    h = fed(fesl.Classifier(), X, z > 0)[0].history
    path = h.to_json(tmp_path / "new" / "history.json")
    text = path.read_text(encoding="utf-8")
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert History.from_json(path) == h


@pytest.mark.parametrize(
    ("data", "culprit"),
    [
        ([], "not a history"),
        ({}, "not a history"),
        ({"format": "fesl-history", "version": 99}, "version 99"),
        ({"format": "fesl-history", "version": 1, "series": {"strange": 1}}, "damaged"),
        ({"format": "fesl-history", "version": 1, "lives": [3]}, "damaged"),
        ({"format": "fesl-history", "version": 1, "changes": [{"row": 1}]}, "damaged"),
    ],
)
def test_what_is_no_history_is_refused(data, culprit, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(data))
    with pytest.raises(DataError, match=culprit):
        History.from_json(path)
    path.write_text("{")
    with pytest.raises(DataError, match="not a JSON file"):
        History.from_json(path)


def test_bad_input_changes_nothing():
    X, z = table(200)
    loop = Prequential(fesl.Regressor())
    loop.feed(X[:100], z[:100], features=NAMES)
    before = loop.history
    with pytest.raises(fesl.errors.FeslError):
        loop.feed([["x", 1]], [1.0])
    with pytest.raises(fesl.errors.FeslError):
        loop.feed(X[100:], ["x"] * 100, features=NAMES)
    late = z[100:].tolist() * 8
    late[700] = "x"
    with pytest.raises(fesl.errors.FeslError):
        loop.feed(np.tile(X[100:], (8, 1)), late, features=NAMES)
    after = loop.history
    assert (after.series, after.lives, after.scores) == (before.series, before.lives, before.scores)
    with pytest.raises(ConfigError, match="every=0"):
        Prequential(fesl.Regressor(), every=0)


def test_no_rows_at_all():
    loop = Prequential(fesl.Classifier())
    run = loop.feed(np.zeros((0, 2)), [], features=["a", "b"])
    assert len(run.predictions) == 0
    assert loop.history.rows == 0


def test_evaluate_and_compare():
    X = np.random.default_rng(0).normal(size=(400, 8))
    stream = streams.evolve(X, X[:, 0] > 0, groups=2, overlap=30)
    found = compare({"c": paper.fesl_c(), "scratch": paper.nogd()}, stream, settings={"seed": 3})
    assert found["c"].settings["stream"] == stream.name
    assert found["c"].settings["seed"] == 3
    assert found["c"] != found["scratch"]
    assert [c.row for c in found["c"].changes] == list(stream.switches)
    assert evaluate(paper.fesl_c(), (stream.X, stream.y)).scores == found["c"].scores


def test_effect_tells_when_it_does_not_recover():
    around = Series(10, [10.0 * i for i in range(40)], [10.0] * 40, score=[0.9] * 20 + [0.5] * 20)
    found = effect(History(task="binary"), Change(200, ["a"], 1, around))
    assert (found.before, found.first, found.later) == pytest.approx((0.9, 0.5, 0.5))
    assert found.extra == pytest.approx(80.0)
    assert found.back is None
    assert effect(History(), Change(200, ["a"], 1, Series())) is None


def test_effect_of_an_error_points_the_other_way():
    around = Series(10, [10.0 * i for i in range(40)], [10.0] * 40, score=[1.0] * 20 + [3.0] * 10 + [1.0] * 10)
    found = effect(History(task="regression"), Change(200, ["a"], 1, around))
    assert found.extra == pytest.approx(200.0)
    assert found.back == 150
