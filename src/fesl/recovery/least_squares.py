"""Least squares from the overlap rows: the paper's M, never written down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.errors import ConfigError
from fesl.models import LIMIT
from fesl.recovery.lens import Block, Columns, LeastSquaresLens
from fesl.recovery.overlap import Overlap

#: Overlap rows with more cells than this are decomposed through the small B x B matrix K.
LARGE = 50_000

#: Singular values below this are taken for zero: the squares of their inverses leave the range of floats.
FLOOR = 1e-50


@dataclass(frozen=True)
class LeastSquares:
    """M = argmin sum over the overlap rows of ||x1 - M'x2||^2 (+ ridge ||M||^2), psi(x2) = M'x2.

    The paper prints M = (sum x2 x2')^-1 (sum x2 x1'); with B < d2 rows that inverse does not exist, and the
    minimum-norm solution (pseudo-inverse) is what reproduces its figures. `ridge` > 0 shrinks it. At most `rows`
    overlap rows are kept, the latest.

    A vanished feature that was there in at least half of the rows is learned from the rows it was there in; one
    rarer than that (a word, an indicator) counts as zero where it is absent, and so does any where the spaces are
    told (`Declared`, `Periods`).

    >>> from fesl.models import Point, RecoveredModel
    >>> overlap = Overlap(rows=10)
    >>> for a, b in (1.0, 0.0), (0.0, 1.0), (2.0, 1.0):            # features 0, 1 become 2 = a + b, 3 = a - b
    ...     overlap.add(Point(np.arange(4), np.array([a, b, a + b, a - b])))
    >>> lens = LeastSquares().fit(overlap, np.array([0, 1]), np.array([2, 3]), capacity=4)
    >>> new = Point(np.array([2, 3]), np.array([5.0, -1.0]))
    >>> lens.psi(new).round(6)
    array([2., 3.])
    >>> w = np.array([[10.0], [1.0], [0.0], [0.0]])
    >>> RecoveredModel(lens, w, survivors=np.array([], int)).score(new).round(6)
    array([23.])

    References: Hou, Zhang, Zhou, NIPS 2017, section 4.
    """

    ridge: float = 0.0
    rows: int = 200

    def __post_init__(self) -> None:
        if not (self.ridge >= 0.0 and self.rows >= 1):
            raise ConfigError(
                f"LeastSquares(ridge={self.ridge!r}, rows={self.rows!r}): ridge must be 0 or more, rows 1 or more"
            )

    def fit(
        self,
        overlap: Overlap,
        vanished: Ints,
        present: Ints,
        capacity: int,
        *,
        gaps: bool = True,
        explicit: bool = False,
    ) -> LeastSquaresLens:
        """The lens that recovers `vanished` from `present`. `gaps=False`: what a row does not hold is a zero;
        `explicit`: the form for Omega a box."""
        O = overlap.matrix(capacity)
        if gaps:
            O = O[_complete(O, present, overlap.observed(capacity))]
        O1, O2 = sparse.csc_array(O)[:, vanished], sparse.csr_array(O[:, present])
        blocks = tuple(self._block(O1, O2, r, f) for r, f in _patterns(O1, gaps))
        B, d2 = O2.shape
        if explicit:
            lift = np.zeros((len(vanished), B))
            for b in blocks:
                lift[np.ix_(b.features, b.rows)] = b.o1.T @ b.kinv
            return LeastSquaresLens(vanished, Columns.of(O, present), None, blocks, B, lift=lift)
        H = _gram(blocks, B)
        if d2 >= B:
            return LeastSquaresLens(vanished, Columns.of(O, present), H, blocks, B)
        select = sparse.csr_array((np.ones(d2), (np.arange(d2), present)), shape=(d2, capacity))
        H = np.asarray(O2.T @ (O2.T @ H.T).T)
        return LeastSquaresLens(vanished, Columns.of(select, present), H, blocks, B, into=O2)

    def _block(self, O1: sparse.csc_array, O2: sparse.csr_array, rows: Ints, features: Ints) -> Block:
        o1 = sparse.csr_array(sparse.csr_array(O1[:, features])[rows])
        kinv = pseudo_inverse(O2[rows], self.ridge)
        if np.abs(kinv).max(initial=0.0) * np.abs(o1.data).max(initial=0.0) > LIMIT:
            kinv = np.zeros_like(kinv)  # old and new are too many orders of magnitude apart: nothing is recovered
        return Block(rows, features, kinv, o1)


def pseudo_inverse(O2: sparse.csr_array, ridge: float) -> Floats:
    """(O2 O2' + ridge I)^+ on the range of O2.

    The rank is judged on the singular values of O2, not on their squares; very wide rows go through the squares,
    which costs B^2 rather than B d2 numbers.
    """
    B, d2 = O2.shape
    if B == 0 or d2 == 0:
        return np.zeros((B, B))
    eps = float(np.finfo(np.float64).eps)
    if B * d2 <= LARGE:
        U, S, _ = np.linalg.svd(O2.toarray(), full_matrices=False)
        keep, S2 = max(max(B, d2) * eps * S[0], FLOOR) < S, S**2
    else:
        S2, U = np.linalg.eigh((O2 @ O2.T).toarray())
        keep = max(B * eps * S2[-1], FLOOR**2) < S2
    U = U[:, keep]
    return np.asarray((U / (S2[keep] + ridge)) @ U.T)


def _gram(blocks: tuple[Block, ...], B: int) -> Floats:
    """H = A A' for the dual form."""
    H = np.zeros((B, B))
    for b in blocks:
        H[np.ix_(b.rows, b.rows)] += b.kinv @ (b.o1 @ b.o1.T).toarray() @ b.kinv
    return H


def _complete(O: sparse.csr_array, present: Ints, seen: Ints) -> Ints:
    """The rows that hold every regular present feature, so that one that came late is not taken for zero.

    Regular is what was there in at least half of the rows.
    """
    regular = present[2 * seen[present] >= O.shape[0]]
    stored = sparse.csr_array((np.ones(len(O.indices)), O.indices, O.indptr), shape=O.shape)
    rows = np.flatnonzero(stored[:, regular].sum(axis=1) == len(regular))
    return rows if len(rows) else np.arange(O.shape[0])


def _patterns(O1: sparse.csc_array, gaps: bool) -> list[tuple[Ints, Ints]]:
    """Groups of vanished features with the rows that each group is learned from."""
    B = O1.shape[0]
    counts = np.diff(O1.indptr)
    split = (counts < B) & (2 * counts >= B) & gaps
    partly, whole = np.flatnonzero(split), np.flatnonzero(~split)
    groups: dict[tuple[int, ...], list[int]] = {}
    for j in partly:
        rows = np.sort(O1.indices[O1.indptr[j] : O1.indptr[j + 1]])
        groups.setdefault(tuple(rows.tolist()), []).append(int(j))
    found = [(np.array(rows), np.array(features)) for rows, features in groups.items()]
    return ([(np.arange(B), whole)] if len(whole) else []) + found
