"""Metrics of streams against scikit-learn, in blocks of any size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from fesl.errors import ConfigError, DataError
from fesl.evaluation import MAE, RMSE, Accuracy, BalancedAccuracy, LogLoss, RocAuc, Windowed


def feed(metric, y, p, cuts):
    edges = [0, *sorted(min(cut, len(y)) for cut in cuts), len(y)]
    for a, b in pairwise(edges):
        metric.update(y[a:b], p[a:b])
    return metric.value


def labels(seed, n, classes):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(classes), size=n)
    y = rng.integers(classes, size=n)
    y[:classes] = np.arange(classes)
    return y, P


CUTS = st.lists(st.integers(0, 60), max_size=5)


@given(st.integers(0, 10**6), st.integers(10, 60), st.integers(2, 5), CUTS)
def test_classification_is_what_scikit_learn_says(seed, n, classes, cuts):
    y, P = labels(seed, n, classes)
    p = P.argmax(axis=1)
    assert feed(Accuracy(), y, p, cuts) == pytest.approx(sk.accuracy_score(y, p), abs=1e-12)
    assert feed(BalancedAccuracy(), y, p, cuts) == pytest.approx(sk.balanced_accuracy_score(y, p), abs=1e-12)
    bits = sk.log_loss(y, P, labels=range(classes)) / np.log(2)
    assert feed(LogLoss(), y, P, cuts) == pytest.approx(bits, rel=1e-9)


@given(st.integers(0, 10**6), st.integers(10, 60), st.integers(2, 5), st.integers(1, 3), CUTS)
def test_roc_auc_is_what_scikit_learn_says(seed, n, classes, decimals, cuts):
    y, P = labels(seed, n, classes)
    P = np.round(P, decimals) + 1e-3  # ties
    P /= P.sum(axis=1, keepdims=True)
    expected = sk.roc_auc_score(y, P[:, 1] if classes == 2 else P, multi_class="ovr", labels=range(classes))
    assert feed(RocAuc(n), y, P, cuts) == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 3), CUTS)
def test_regression_is_what_scikit_learn_says(seed, n, targets, cuts):
    rng = np.random.default_rng(seed)
    y, p = rng.normal(size=(2, n, targets)) * 10.0 ** rng.integers(-3, 4)
    assert feed(MAE(), y, p, cuts) == pytest.approx(sk.mean_absolute_error(y, p), rel=1e-9)
    assert feed(RMSE(), y, p, cuts) == pytest.approx(sk.root_mean_squared_error(y, p), rel=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 80), st.integers(1, 100), CUTS)
def test_a_window_is_the_metric_of_its_last_rows(seed, n, size, cuts):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(3, size=(2, n))
    assert feed(Windowed(Accuracy, size), y, p, cuts) == Accuracy().update(y[-size:], p[-size:]).value
    balanced = BalancedAccuracy().update(y[-size:], p[-size:]).value
    assert feed(Windowed(BalancedAccuracy, size), y, p, cuts) == pytest.approx(balanced, abs=1e-12)
    z, q = rng.normal(size=(2, n))
    assert feed(Windowed(RMSE, size), z, q, cuts) == pytest.approx(RMSE().update(z[-size:], q[-size:]).value)


def test_a_window_looks_at_labelled_rows_only():
    window = Windowed(MAE, 2)
    window.update([1.0, 2.0, np.nan, None], [1.0, 3.0, 9.0, 9.0])
    assert window.value == 0.5
    assert window.name == "mae"
    assert not window.rising


@pytest.mark.parametrize("metric", [Accuracy, BalancedAccuracy, LogLoss, RocAuc, MAE, RMSE])
def test_nothing_yet_is_not_a_number(metric):
    assert np.isnan(metric().value)
    probabilistic = metric in (LogLoss, RocAuc)
    empty = metric().update(np.array([np.nan, np.nan]), np.full((2, 2), 0.5) if probabilistic else np.zeros(2))
    assert np.isnan(empty.value)


def test_labels_of_every_kind():
    y = np.array(["cat", None, "dog", "cat"], dtype=object)
    assert Accuracy().update(y, ["cat", "cat", "cat", "cat"]).value == pytest.approx(2 / 3)
    assert BalancedAccuracy().update(y, ["cat", "cat", "cat", "cat"]).value == 0.5
    chances = [[0.5, 0.5], [1.0, 0.0], [0.75, 0.25], [0.25, 0.75]]
    assert LogLoss(["cat", "dog"]).update(y, chances).value == pytest.approx((1 + 2 + 2) / 3)
    assert RocAuc(10, classes=["cat", "dog"]).update(y, chances).value == 0.0  # the dog has the least of "dog"
    assert Accuracy().update([True, False], [True, True]).value == 0.5


def test_an_impossible_label_costs_52_bits():
    assert LogLoss().update([1], [[1.0, 0.0]]).value == pytest.approx(52.0)


def test_one_class_alone_has_no_area():
    assert np.isnan(RocAuc().update([1, 1], [0.2, 0.3]).value)


def test_a_class_that_joins_late_widens_the_window():
    auc = RocAuc().update([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    auc.update([2], [[0.1, 0.1, 0.8]])
    assert auc.value == 1.0


def test_what_is_wrong_is_named():
    with pytest.raises(DataError, match="3 labels and 2 predictions"):
        Accuracy().update([1, 2, 3], [1, 2])
    with pytest.raises(DataError, match="'bird' is none of the 2 classes"):
        LogLoss(["cat", "dog"]).update(["bird"], [[0.5, 0.5]])
    with pytest.raises(ConfigError, match="window=0"):
        RocAuc(0)
