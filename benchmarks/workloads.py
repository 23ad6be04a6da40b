"""The streams on which speed is measured, made of random numbers, written where every contestant can read them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from benchmarks.peers.base import save


class Stream(NamedTuple):
    """A stream on disk, and the rows at which it is cut into parts that are timed apart."""

    path: str
    rows: int
    cuts: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()


#: The rounds after a switch that are told apart: the learners relearn what they kept in them.
JUST_AFTER = 200


def two_spaces(n: int, d: int, B: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, int]:
    """d features replaced by d others, linear in them, in the middle: X, y in {0, 1} and the row of the switch."""
    rng = np.random.default_rng(seed)
    X1 = rng.normal(size=(n, d))
    y = (X1 @ rng.normal(size=d) > 0).astype(int)
    X2 = X1 @ rng.normal(size=(d, d)) / np.sqrt(d)
    T1 = n // 2
    X = np.full((n, 2 * d), np.nan)
    X[:T1, :d], X[T1 - B :, d:] = X1[:T1], X2[T1 - B :]
    return X, y, T1


def dense(folder: Path, n: int, d: int, B: int) -> Stream:
    """Before, in and after an overlap; the first rounds after the switch by themselves."""
    X, y, T1 = two_spaces(n, d, B)
    path = folder / f"dense-{n}-{d}-{B}.npz"
    save(path, X, y, 2)
    later = T1 + min(JUST_AFTER, (n - T1) // 2)
    return Stream(str(path), n, (T1 - B, T1, later), ("before", "overlap", "just after", "after"))


def documents(
    n: int = 18_758, d1: int = 21_531, d2: int = 24_892, words: int = 100, B: int = 50, seed: int = 0
) -> tuple[sparse.csr_array, np.ndarray]:
    """Documents in two languages, the second from the middle on: by default of the size of Reuters EN-FR."""
    rng = np.random.default_rng(seed)
    T1 = n // 2

    def view(rows: int, d: int) -> sparse.csr_array:
        columns = (d * rng.random((rows, words)) ** 3).astype(np.int64)
        values = rng.random((rows, words)) / np.sqrt(words)
        table = (values.ravel(), columns.ravel(), np.arange(0, rows * words + 1, words))
        X = sparse.csr_array(table, shape=(rows, d))
        X.sum_duplicates()
        return X

    V1, V2 = view(T1, d1), view(n - T1 + B, d2)
    before = sparse.hstack([V1, sparse.vstack([sparse.csr_array((T1 - B, d2)), V2[:B]])])
    X = sparse.csr_array(sparse.vstack([before, sparse.hstack([sparse.csr_array((n - T1, d1)), V2[B:]])]))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # all that scikit-learn takes
    y = (X @ rng.normal(size=d1 + d2) > 0).astype(int)
    return X, y


def reuters_sized(folder: Path, n: int = 18_758) -> Stream:
    """Two languages, 46,423 words, about a hundred a document."""
    X, y = documents(n)
    path = folder / f"documents-{n}.npz"
    save(path, X, y, 2)
    return Stream(str(path), n)
