"""Names, ids and parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fesl.spaces import CURRENT, FREE, NEWCOMER, SURVIVOR, VANISHED, Registry


def test_names_get_ids_and_parts():
    r = Registry()
    ids = r.add(["a", "b", ("a", 1)], CURRENT)
    r.add(["c"], NEWCOMER, round=7)
    assert [r.names[i] for i in ids] == ["a", "b", ("a", 1)]
    assert r.ids(CURRENT).tolist() == ids.tolist()
    assert r.ids(CURRENT, NEWCOMER).tolist() == [0, 1, 2, 3]
    assert r.ids(SURVIVOR, VANISHED).tolist() == []
    assert (r.born[3], r.last[3], r.count[3]) == (7, 6, 0)


def test_sightings_are_counted():
    r = Registry()
    r.add(["a", "b"], CURRENT, round=3)
    r.see(np.array([1]), 4)
    r.see(np.array([1, 0]), 9)
    assert r.count[:2].tolist() == [1, 2]
    assert r.last[:2].tolist() == [9, 9]


def test_a_released_id_starts_anew():
    r = Registry()
    r.add(["a", "b"], CURRENT)
    r.see(np.array([0]), 5)
    r.release(np.array([0]))
    assert "a" not in r.index
    assert r.role[0] == FREE
    assert r.add(["c"], NEWCOMER, round=8).tolist() == [0]
    assert (r.names[0], r.count[0], r.born[0]) == ("c", 0, 8)


def test_a_copy_shares_nothing():
    r = Registry()
    r.add(["a"], CURRENT)
    twin = r.copy()
    twin.add(["b"], NEWCOMER)
    twin.see(np.array([0]), 3)
    twin.release(np.array([0]))
    assert r.index == {"a": 0}
    assert (r.role[0], r.count[0]) == (CURRENT, 0)


@given(st.lists(st.sets(st.integers(0, 30), max_size=12), max_size=25))
def test_ids_stay_small_and_unique_however_names_come_and_go(spaces):
    r, alive = Registry(capacity=2), set()
    for names in spaces:
        r.release(np.array([r.index[n] for n in alive - names], np.int64))
        r.add(sorted(names - alive), CURRENT)
        alive = names
        assert set(r.index) == alive
        assert len(set(r.index.values())) == len(alive)
        assert all(r.names[i] == n for n, i in r.index.items())
        assert len(r.ids(CURRENT)) == len(alive)
    most = max((len(s) for s in spaces), default=0)
    assert len(r.names) <= 2 * most
    assert r.capacity <= max(2, 4 * most)
