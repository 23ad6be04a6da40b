"""Three doors, same numbers: events, tables of every make, iterables; blocks of any size; predicting is free."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from fesl import EvolvingLearner
from fesl.losses import Softmax, Squared
from fesl.rules import FixedShare
from fesl.spaces import Declared, Periods
from generic import METHODS, TASKS, Stream, assert_same_learner, fingerprint, learn, play, three_cycles

every_task = pytest.mark.parametrize("task", TASKS)


def columns(stream):
    return {
        n: [None if v != v else v for v in col] for n, col in zip(stream.names, stream.X.T.tolist(), strict=True)
    }


TABLES = {
    "array": lambda s: (s.X, {"features": s.names}),
    "list": lambda s: (s.X.tolist(), {"features": s.names}),
    "fortran": lambda s: (np.asfortranarray(s.X), {"features": s.names}),
    "csr": lambda s: (s.csr(), {"features": s.names}),
    "csc": lambda s: (s.csr().tocsc(), {"features": s.names}),
    "pandas": lambda s: (pd.DataFrame(s.X, columns=s.names), {}),
    "nullable pandas": lambda s: (pd.DataFrame(s.X, columns=s.names).convert_dtypes(), {}),
    "polars": lambda s: (pl.DataFrame(columns(s)), {}),
    "arrow": lambda s: (pa.table(columns(s)), {}),
}


def learner(task, **settings):
    return EvolvingLearner(TASKS[task], rule=FixedShare(), seed=3, **settings)


def assert_same_scores(got, expected, rtol=1e-10):
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol * np.nanmax(np.abs(expected)))


@every_task
@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_any_make_equals_its_events(core, task, table):
    stream = three_cycles(1, task)
    one, many = learner(task), learner(task)
    X, keywords = TABLES[table](stream)
    run = many.run(X, stream.y, **keywords)
    assert_same_scores(run.scores, play(one, stream))
    assert_same_learner(many, one)
    assert many.cycle == 3


@every_task
@pytest.mark.parametrize("survivors", [False, True])
def test_learning_and_predicting_tables_of_one_row_equals_running(core, task, survivors):
    stream = three_cycles(2, task, survivors)
    whole, piecewise, predictions = learner(task), learner(task), []
    run = whole.run(stream.X, stream.y, features=stream.names)
    for i in range(len(stream.X)):
        row = stream.rows(i, i + 1)
        predictions.append(piecewise.predict_many(row.X, features=row.names)[0])
        piecewise.learn_many(row.X, row.y, features=row.names)
    assert_same_learner(piecewise, whole)
    if TASKS[task].task == "regression":
        assert_same_scores(np.array(predictions[1:]), run.predictions[1:])
    else:
        assert predictions == run.predictions.tolist()


@every_task
def test_an_iterable_of_events_equals_a_table(core, task):
    stream = three_cycles(3, task)
    one, many = learner(task), learner(task)
    predictions = list(one.iterate(iter(stream.events())))
    run = many.run(stream.X, stream.y, features=stream.names)
    assert_same_learner(one, many)
    if TASKS[task].task == "regression":
        assert_same_scores(np.array(predictions[1:]), run.predictions[1:])
    else:
        assert predictions == run.predictions.tolist()


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_probabilities_are_the_same_through_both_doors(core, task):
    stream, model = three_cycles(4, task), learner(task)
    model.learn_many(stream.X, stream.y, features=stream.names)
    several = model.predict_proba_many(stream.X[-20:], features=stream.names)
    for i, row in enumerate(several):
        p = model.predict_proba_one(stream.event(len(stream.X) - 20 + i))
        assert list(p) == model.classes
        np.testing.assert_allclose(row, list(p.values()), rtol=1e-12)
        assert sum(p.values()) == pytest.approx(1.0)
        assert model.predict_one(stream.event(len(stream.X) - 20 + i)) == max(p, key=p.get)


def test_the_runs_probabilities_know_only_the_classes_met_before(core):
    X = np.array([[1.0], [2.0], [-1.0], [0.5]])
    run = EvolvingLearner(Softmax()).run(X, ["a", "a", "b", "c"])
    np.testing.assert_allclose(run.probabilities.sum(axis=1), [0.0, 1.0, 1.0, 1.0])
    assert run.known.tolist() == [0, 1, 1, 2]
    assert (run.probabilities[:, 2] == 0.0).all()
    assert run.predictions.tolist()[:3] == [None, "a", "a"]


@every_task
@settings(max_examples=8)
@given(data=st.data())
def test_blocks_of_any_size_equal_one_block(core, task, data):
    stream = three_cycles(5, task)
    n = len(stream.X)
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=6)))
    whole, parts, scores = learner(task), learner(task), []
    run = whole.run(stream.X, stream.y, features=stream.names)
    for start, stop in zip([0, *cuts], [*cuts, n], strict=True):
        block = stream.rows(start, stop)
        X = data.draw(st.sampled_from([block.X, block.csr()]))
        scores.append(parts.run(X, block.y, features=block.names).scores)
    widest = run.scores.shape[1]
    padded = [np.pad(f, [(0, 0), (0, widest - f.shape[1])], constant_values=np.nan) for f in scores]
    assert_same_scores(np.vstack(padded), run.scores)
    assert_same_learner(parts, whole)


@pytest.mark.parametrize(
    "spaces",
    [Declared(lambda name: name.split(":")[0]), Periods([(32, 40), (72, 80), (112, 120)])],
    ids=["declared", "periods"],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_told_spaces_are_the_same_through_every_door(core, spaces, backwards):
    stream = three_cycles(6, survivors=False)
    if backwards:
        stream = stream._replace(names=stream.names[::-1], X=stream.X[:, ::-1])
    one, dense, compressed = (EvolvingLearner(spaces=spaces) for _ in range(3))
    expected = play(one, stream)
    assert one.cycle == 3
    assert_same_scores(dense.run(stream.X, stream.y, features=stream.names).scores, expected)
    assert_same_scores(compressed.run(stream.csr(), stream.y, features=stream.names).scores, expected)
    assert_same_learner(dense, one)
    assert_same_learner(compressed, one)


@every_task
def test_rows_without_labels_or_features(core, task):
    """Gaps in labels and features, and empty rows, mean the same through both doors."""
    stream, rng = three_cycles(7, task), np.random.default_rng(0)
    stream.X[rng.random(stream.X.shape) < 0.05] = np.nan
    stream.X[[0, 20, 50, 90]] = np.nan
    labels = [None if gap else y for gap, y in zip(rng.random(len(stream.X)) < 0.3, stream.y, strict=True)]
    if task == "two targets":
        filled = [[np.nan, np.nan] if y is None else y for y in labels]
    else:
        filled = labels
    one, many = learner(task), learner(task)
    for i, y in enumerate(labels):
        one.learn_one(stream.event(i), y)
    many.learn_many(stream.X, filled, features=stream.names)
    assert_same_learner(many, one)


def test_a_column_whose_feature_was_forgotten_is_a_stranger_again(core):
    """Even where another feature has taken its place in the same turn."""
    names = ["a0", "a1", "b0", "b1", "b2", "c0", "c1"]
    alive = ["b1"] + ["a0 a1"] * 7 + ["a0 a1 c0 c1", "b0 b2 c0 c1"] + ["a0 a1 b0 b1 b2"] * 3
    X = np.array([[1.0 + i if name in row.split() else np.nan for name in names] for i, row in enumerate(alive)])
    stream = Stream(names, X, [i % 3 == 0 for i in range(len(X))])
    one, many = learn(EvolvingLearner(), stream), EvolvingLearner().learn_many(X, stream.y, features=names)
    assert one.features["b1"] == "newcomer"
    assert_same_learner(many, one)


def test_a_late_document_with_a_word_never_seen_before(core):
    """It opens no overlap with a space that is gone, and what is present goes on alike through both doors."""
    names, spaces = ["a0", "a1", "a2", "b0", "b1"], Declared(lambda name: name[0])
    alive = ["a0"] * 2 + ["a0 b0"] * 2 + ["b0 b1"] * 2 + ["a0 a1", "b0", "b1", "a2", "a2", "b0 b1", "b1"]
    X = np.array([[1.0 + i if name in row.split() else np.nan for name in names] for i, row in enumerate(alive)])
    y = [i % 3 == 0 for i in range(len(X))]
    one, many = EvolvingLearner(spaces=spaces), EvolvingLearner(spaces=spaces)
    scores = play(one, Stream(names, X, y))
    run = many.run(X, y, features=names)
    present = [i for i, row in enumerate(alive) if "a1" not in row and "a2" not in row]
    np.testing.assert_allclose(run.scores[present], scores[present], rtol=1e-10)
    for model in (one, many):
        assert model.cycle == 1
        assert {n: p for n, p in model.features.items() if n[0] == "b"} == {"b0": "current", "b1": "current"}


def test_an_empty_row_may_bring_a_class(core):
    X, y = np.array([[1.0], [np.nan], [2.0], [3.0]]), ["x", "z", "z", "y"]
    one, many = EvolvingLearner(Softmax()), EvolvingLearner(Softmax())
    many.run(X, y, features=["f"])
    for v, label in zip(X[:, 0], y, strict=True):
        one.learn_one({"f": v}, label)
    assert many.classes == ["x", "z", "y"]
    assert_same_learner(many, one)


def test_label_makes(core):
    """Labels as a list, an array, a column or a series of any make are the same labels."""
    stream = three_cycles(8)
    expected = EvolvingLearner().learn_many(stream.X, stream.y)
    for y in (
        np.array(stream.y),
        np.array(stream.y)[:, np.newaxis],
        np.array(stream.y, dtype=object),
        tuple(stream.y),
        pd.Series(stream.y),
        pl.Series(stream.y),
        pa.chunked_array([stream.y]),
    ):
        assert_same_learner(EvolvingLearner().learn_many(stream.X, y), expected)


def test_missing_labels_of_every_make(core):
    X = np.arange(1.0, 5.0)[:, np.newaxis]
    expected = EvolvingLearner().learn_many(X, [True, None, False, None])
    for y in (
        pd.Series([True, None, False, None], dtype="boolean"),
        pd.Series([True, None, False, None], dtype=object),
        pl.Series([True, None, False, None]),
        np.array([True, None, False, np.nan], dtype=object),
    ):
        assert_same_learner(EvolvingLearner().learn_many(X, y), expected)


@pytest.mark.parametrize("method", METHODS)
def test_detail_shows_each_expert_and_its_weight(core, method):
    stream, model = three_cycles(9, "regression"), METHODS[method](loss=Squared(), seed=2)
    run = model.run(stream.X, stream.y, features=stream.names, detail=True)
    plain = METHODS[method](loss=Squared(), seed=2).run(stream.X, stream.y, features=stream.names)
    np.testing.assert_array_equal(run.scores, plain.scores)
    switched = ~np.isnan(run.weights).any(axis=1)
    np.testing.assert_allclose(run.weights[switched].sum(axis=1), 1.0)
    mixed = np.einsum("tn,tnk->tk", run.weights[switched], run.experts[switched])
    if method == "fesl_s":
        drawn = np.isclose(run.experts[switched], run.scores[switched][:, np.newaxis]).any(axis=1)
        assert drawn.all()
    else:
        np.testing.assert_allclose(run.scores[switched], mixed, rtol=1e-9, atol=1e-12)


# Predicting changes nothing


def questions(stream, i):
    """Events to ask about: the next, an old one, parts of it, strangers, nothing at all."""
    x, old = stream.event(i), stream.event(max(0, i - 60))
    return [
        x,
        old,
        x | old,
        dict(list(x.items())[:1]),
        {"stranger": 1.0},
        x | {"stranger": 1.0, "other": None},
        {},
        dict.fromkeys(x, None),
        dict.fromkeys(x, float("nan")),
    ]


@pytest.mark.parametrize(
    ("method", "task"),
    [("fesl_s", task) for task in TASKS] + [(method, "binary") for method in METHODS if method != "fesl_s"],
)
def test_predicting_changes_nothing_in_any_phase(core, task, method):
    stream = three_cycles(10, task)
    asked, silent = (METHODS[method](loss=TASKS[task], seed=4) for _ in range(2))
    for i, (x, y) in enumerate(stream.events()):
        if i % 7 == 0 or i % 40 in (0, 1, 31, 32, 33, 39):
            before = fingerprint(asked)
            for question in questions(stream, i):
                first = asked.predict_one(question)
                assert asked.predict_one(question) == first
                if TASKS[task].task != "regression":
                    asked.predict_proba_one(question)
            asked.predict_many(stream.X[: i + 1], features=stream.names)
            asked.predict_many(np.ones((2, 1)), features=["stranger"])
            assert fingerprint(asked) == before
        asked.learn_one(x, y)
        silent.learn_one(x, y)
    assert fingerprint(asked) == fingerprint(silent)


@given(seed=st.integers(0, 2**32 - 1))
def test_documents_in_told_periods(seed):
    """Sparse rows in overlaps whose rounds are told: rows without old words, without labels, with stored NaN, with
    words that are back. The compressed door gives what the events give, one by one."""
    rng = np.random.default_rng(seed)
    n, names = 60, [f"w{j}" for j in range(18)]
    held = rng.random((n, 18)) < 0.3
    for first, stop, words in ((0, 20, slice(6, 18)), (20, 24, slice(12, 18)), (24, 40, slice(12, 18))):
        held[first:stop, words] = False
    held[24:40, :6] = rng.random((16, 6)) < 0.02
    held[44:, :12] = rng.random((16, 12)) < 0.02
    X = np.where(held, rng.normal(size=(n, 18)).round(2), 0.0)
    y = [None if rng.random() < 0.1 else bool(v) for v in rng.random(n) < 0.5]
    table = sparse.csr_array(X)
    table.data[rng.random(len(table.data)) < 0.03] = np.nan
    spaces = Periods([(20, 24), (40, 44)])
    one, many = EvolvingLearner(spaces=spaces, seed=1), EvolvingLearner(spaces=spaces, seed=1)
    run, scores = many.run(table, y, features=names), []
    for i in range(n):
        at = slice(table.indptr[i], table.indptr[i + 1])
        x = {names[j]: float(v) for j, v in zip(table.indices[at], table.data[at], strict=True)}
        scores.append(one.score_one(x))
        one.learn_one(x, y[i])
    np.testing.assert_allclose(run.scores, np.array(scores), rtol=1e-9, atol=1e-12)
    assert one.cycle == many.cycle
    assert one.state.overlap.seen == many.state.overlap.seen
    assert {k: v for k, v in many.features.items() if k in one.features} == one.features
