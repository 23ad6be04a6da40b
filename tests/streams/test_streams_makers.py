"""The makers: what is where, and when."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from fesl import streams
from fesl.errors import ConfigError, DataError
from fesl.streams.rows import calendar

RNG = np.random.default_rng(7)
X1, X2, Y = RNG.random((40, 5)), RNG.random((40, 3)), np.where(RNG.random(40) < 0.5, -1, 1)


def test_two_spaces_is_the_papers_calendar() -> None:
    stream = streams.two_spaces(X1, X2, Y, overlap=6)
    mask = stream.mask()
    assert mask[:, :5].all(axis=1).tolist() == [t < 20 for t in range(40)]
    assert mask[:, 5:].all(axis=1).tolist() == [t >= 14 for t in range(40)]
    np.testing.assert_array_equal(stream.X[:20, :5], X1[:20])
    np.testing.assert_array_equal(stream.X[14:, 5:], X2[14:])
    np.testing.assert_array_equal(stream.y, Y)
    assert (stream.overlaps, stream.switches) == (((14, 20),), (20,))


def test_nine_replays_cut_in_half() -> None:
    order = RNG.permutation(40)
    stream = streams.two_spaces(X1, X2, Y, overlap=10, order=order, repeats=9)
    assert len(stream) == 360
    assert stream.switches == (180,)
    np.testing.assert_array_equal(stream.y, np.tile(Y[order], 9))
    np.testing.assert_array_equal(stream.X[:180, :5], np.tile(X1[order], (9, 1))[:180])


@settings(deadline=None)
@given(n=st.integers(1, 50), repeats=st.integers(1, 4), seed=st.integers(0, 99))
def test_replay_goes_through_every_row_each_time(n: int, repeats: int, seed: int) -> None:
    rows = streams.replay(n, seed, repeats)
    assert np.bincount(rows, minlength=n).tolist() == [repeats] * n
    assert (rows == streams.replay(n, np.random.default_rng(seed), repeats)).all()
    assert (rows.reshape(repeats, n) == rows[:n]).all()


@settings(deadline=None)
@given(
    n=st.integers(12, 80),
    groups=st.integers(2, 4),
    overlap=st.integers(0, 3),
    seed=st.none() | st.integers(0, 9),
)
def test_evolve_shows_each_group(n: int, groups: int, overlap: int, seed: int | None) -> None:
    X, y = np.arange(n * 7.0).reshape(n, 7), np.ones(n)
    names = [f"c{j}" for j in range(7)]
    stream = streams.evolve(X, y, groups=groups, overlap=overlap, seed=seed, features=names)
    assert sorted(np.concatenate(stream.spaces)) == list(range(7))
    assert len(stream.switches) == groups - 1
    assert stream.mask().any(axis=1).all()
    for (_, stop), (start, _) in pairwise(stream.spans):
        assert stop - start == overlap
    for t, (event, _) in enumerate(stream):  # every value under its own name
        assert all(value == X[t, names.index(name)] for name, value in event.items())


@pytest.mark.parametrize(
    ("n", "groups", "ratio", "edges"),  # the edges of OpenMOA 1.0.1's 2 g - 1 stages
    [
        (100, 3, 1.0, [20, 40, 60, 80, 100]),
        (1000, 2, 0.5, [400, 600, 1000]),
        (690, 4, 0.2, [150, 180, 330, 360, 510, 540, 690]),
        (653, 3, 0.37, [174, 239, 413, 478, 653]),
    ],
)
def test_evolve_with_a_ratio(n: int, groups: int, ratio: float, edges: list[int]) -> None:
    stream = streams.evolve(np.ones((n, 8)), np.ones(n), groups=groups, overlap=ratio)
    assert [stop for _, stop, _ in stream.segments()] == edges
    alternating = [1 + k % 2 for k in range(2 * groups - 1)]
    assert [len(living) for _, _, living in stream.segments()] == alternating


def test_views_come_round_again() -> None:
    stream = streams.views([X1, X2, X1 * 2], Y, overlap=2, cycles=2)
    assert len(stream.spaces) == 6
    assert stream.spaces[0] is stream.spaces[3]
    assert stream.switches == (6, 13, 20, 26, 33)
    np.testing.assert_array_equal(stream.X[18:26, :5], X1[18:26])
    assert stream.space_of()["s2x0"] == 1


@pytest.mark.parametrize("maker", ["two", "views"])
def test_sparse_streams_say_the_same_as_dense_ones(maker: str) -> None:
    thin = [np.where(RNG.random((40, d)) < 0.3, RNG.random((40, d)), 0.0) for d in (6, 4, 5)]
    csr = [sparse.csr_matrix(X) for X in thin]

    def make(tables: list[object]) -> streams.Stream:
        if maker == "two":
            return streams.two_spaces(tables[0], tables[1], Y, overlap=3, order=1, repeats=2)
        return streams.views(tables, Y, overlap=3, cycles=2, order=1)

    dense, slim = make(thin), make(csr)
    assert sparse.issparse(slim.X)
    assert slim.spans == dense.spans
    assert (slim.overlaps, slim.switches) == (dense.overlaps, dense.switches)
    np.testing.assert_array_equal(slim.mask(), dense.mask())
    np.testing.assert_array_equal(slim.X.toarray(), np.nan_to_num(dense.X))
    for (full, label), (stored, same) in zip(dense, slim, strict=True):
        assert label == same
        assert stored == {name: value for name, value in full.items() if value}


def test_evolve_takes_sparse_tables() -> None:
    dense, slim = (streams.evolve(X, Y, groups=2, overlap=4, seed=1) for X in (X1, sparse.csr_array(X1)))
    np.testing.assert_array_equal(slim.X.toarray(), np.nan_to_num(dense.X))
    assert slim.features == dense.features


def test_a_dense_view_among_sparse_ones() -> None:
    stream = streams.views([sparse.csr_matrix(X1), X2], Y, overlap=4)
    np.testing.assert_array_equal(stream.X[20:].toarray()[:, 5:], X2[20:])


@settings(deadline=None)
@given(steps=st.integers(1, 12), seed=st.none() | st.integers(0, 20), d=st.integers(1, 15))
def test_trapezoidal_features_stay(steps: int, seed: int | None, d: int) -> None:
    stream = streams.trapezoidal(np.ones((60, d)), np.ones(60), steps=steps, seed=seed)
    mask = stream.mask().astype(int)
    assert (np.diff(mask, axis=0) >= 0).all()
    assert mask[-1].all()
    assert mask[0].any()
    births = 60 - mask.sum(axis=0)
    assert set(births % (60 // steps)) == {0}
    assert (stream.switches, stream.overlaps) == ((), ())


def test_trapezoidal_in_ten_stages_deals_the_features_out() -> None:
    stream = streams.trapezoidal(np.ones((100, 20)), np.ones(100), seed=3)
    assert stream.mask().sum(axis=1).tolist() == [2 * (1 + t // 10) for t in range(100)]


@settings(deadline=None)
@given(missing=st.floats(0, 1), least=st.integers(0, 4), seed=st.integers(0, 50))
def test_capricious_leaves_the_least(missing: float, least: int, seed: int) -> None:
    X = np.arange(120.0).reshape(30, 4)
    stream = streams.capricious(X, np.ones(30), missing=missing, least=least, seed=seed)
    mask = stream.mask()
    assert mask.sum(axis=1).min() >= least
    np.testing.assert_array_equal(stream.X[mask], X[mask])


def test_capricious_rate_and_forced_rows() -> None:
    mask = streams.capricious(np.ones((20000, 6)), np.ones(20000), missing=0.3).mask()
    np.testing.assert_allclose(mask.mean(axis=0), 0.7, atol=0.02)
    assert abs(np.corrcoef(mask[:, 0], mask[:, 1])[0, 1]) < 0.03
    forced = streams.capricious(np.ones((20000, 4)), np.ones(20000), missing=1.0, least=2).mask()
    assert (forced.sum(axis=1) == 2).all()
    np.testing.assert_allclose(forced.mean(axis=0), 0.5, atol=0.02)


@pytest.mark.parametrize("seed", [None, 4])
def test_staggered_deaths(seed: int | None) -> None:
    stream = streams.staggered(X1, X2, Y, overlap=5, switch=16, last=36, seed=seed)
    mask = stream.mask()
    deaths = mask[:, :5].sum(axis=0)
    assert sorted(deaths) == [16, 21, 26, 31, 36] == list(stream.switches)
    assert (deaths == sorted(deaths)).all() == (seed is None)
    assert (np.diff(mask[:, :5].astype(int), axis=0) <= 0).all()
    assert mask[11:, 5:].all()
    assert not mask[:11, 5:].any()
    assert mask[11:16].all()
    assert stream.overlaps == ((11, 16),)


def test_staggered_by_default_leaves_time_alone_for_the_new() -> None:
    stream = streams.staggered(X1[:, :1], X2, Y)
    assert stream.switches == (20,)
    assert streams.staggered(X1, X2, Y).switches == (20, 22, 25, 27, 30)


def test_random_map_is_linear_and_seeded() -> None:
    X = streams.random_map(X1, seed=2)
    assert X.shape == (40, 3)
    W = np.linalg.lstsq(X1, X, rcond=None)[0]
    assert ((W >= 0) & (W < 1)).all()
    np.testing.assert_allclose(X1 @ W, X)
    np.testing.assert_array_equal(X, streams.random_map(X1, seed=2))
    gaussian = np.linalg.lstsq(X1, streams.random_map(X1, kind="gaussian"), rcond=None)[0]
    assert (gaussian < 0).any()
    assert streams.random_map(np.ones((2, 180))).shape == (2, 125)  # as the paper's dna


def test_random_map_noise_is_relative() -> None:
    X = np.random.default_rng(0).random((4000, 10)) * 100
    clean, noisy = (streams.random_map(X, noise=noise, seed=5) for noise in (0.0, 0.1))
    np.testing.assert_allclose((noisy - clean).std(axis=0), 0.1 * clean.std(axis=0), rtol=0.1)


@settings(deadline=None)
@given(st.integers(1, 60), st.lists(st.integers(0, 60), min_size=1, max_size=4), st.integers(0, 10))
def test_calendar_is_refused_or_sound(n: int, switches: list[int], overlap: int) -> None:
    try:
        spans = calendar(n, switches, overlap)
    except ConfigError:
        return
    assert spans[0][0] == 0
    assert spans[-1][1] == n
    assert all(0 <= start < stop <= n for start, stop in spans)
    assert all(b[0] <= a[1] < b[1] and a[0] <= b[0] for a, b in pairwise(spans))


@pytest.mark.parametrize(
    "make",
    [
        lambda: streams.two_spaces(X1, X2, Y, overlap=21),
        lambda: streams.two_spaces(X1, X2, Y, overlap=-1),
        lambda: streams.two_spaces(X1, X2, Y, switch=40),
        lambda: streams.two_spaces(X1, X2, Y, order=[0, 40]),
        lambda: streams.two_spaces(X1, X2, Y, repeats=0),
        lambda: streams.views([X1], Y),
        lambda: streams.views([X1, X2], Y, cycles=0),
        lambda: streams.evolve(X1, Y, groups=6),
        lambda: streams.evolve(X1, Y, overlap=-0.5),
        lambda: streams.trapezoidal(X1, Y, steps=0),
        lambda: streams.capricious(X1, Y, missing=1.5),
        lambda: streams.capricious(X1, Y, least=6),
        lambda: streams.staggered(X1, X2, Y, switch=20, last=19),
        lambda: streams.random_map(X1, ratio=0.1),
        lambda: streams.random_map(X1, kind="cauchy"),  # type: ignore[arg-type]
    ],
)
def test_settings_that_cannot_work(make: object) -> None:
    with pytest.raises(ConfigError):
        make()  # type: ignore[operator]


def test_data_that_do_not_go_together() -> None:
    with pytest.raises(DataError, match="do not go together"):
        streams.two_spaces(X1, X2[:-1], Y)
    for make in (streams.recorded, streams.capricious, streams.trapezoidal):
        with pytest.raises(DataError, match="do not go together"):
            make(X1, np.ones(41))
        with pytest.raises(DataError, match="toarray"):
            make(sparse.csr_matrix(X1), Y)
    with pytest.raises(DataError, match="do not go together"):
        streams.staggered(X1, X2[:-1], Y)
    with pytest.raises(DataError, match="different feature names"):
        streams.recorded(X1, Y, features=list("aabcd"))
    with pytest.raises(DataError, match="rows by features"):
        streams.recorded(X1[0], Y)
