"""Least squares from the overlap rows: the paper's M, never written down."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.errors import ConfigError
from fesl.models import LIMIT
from fesl.recovery.lens import Block, Columns, LeastSquaresLens
from fesl.recovery.overlap import Overlap
from fesl.recovery.table import fit_table

#: Overlap rows with more cells than this are decomposed through the small matrix O2 O2'.
LARGE = 50_000

#: Overlap rows of which a larger part than this is filled are kept dense.
DENSE = 0.25

EPS = float(np.finfo(np.float64).eps)

#: Singular values no further apart than this: the overlap rows themselves serve as coordinates, z = O2 x instead of
#: phi = S^-1 U' z, which costs a product less a round and at most the fourth power of this in rounding errors.
ROUND = 30.0

#: So many vanished features at a time.
CHUNK = 4096

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
        table = overlap.table() if self.ridge == 0.0 else None
        lens = table and fit_table(*table, vanished, present, capacity, explicit, DENSE)
        if lens is not None:
            return lens
        O = overlap.matrix(capacity)
        rows = _complete(O, present, overlap.observed(capacity)) if gaps else np.arange(O.shape[0])
        O = O if len(rows) == O.shape[0] else O[rows]
        O1, O2 = _columns(O, vanished), _columns(O, present)
        U, S, Vt = row_space(O2)
        blocks = tuple(self._block(O1, U, S, rows, features) for rows, features in _patterns(O1, gaps))
        lift: Floats | None = None
        gram = _gram
        if O2.nnz <= DENSE * O2.shape[0] * O2.shape[1]:
            columns, lift = Columns.sparse_of(O2, present, capacity), U.T / S[:, np.newaxis]
            if len(S) == len(U) and S.max() <= ROUND * S.min() and not explicit:
                blocks = tuple(replace(b, T=lift.T @ b.T) for b in blocks)
                lift, gram = None, _small_gram
        else:
            columns = Columns.dense_of(Vt, present, capacity)
        if explicit:
            A = np.zeros((len(vanished), len(S)))
            for b in blocks:
                A[b.features] = b.o1.T @ b.T.T
            return LeastSquaresLens(vanished, columns, len(vanished), None, blocks, A if lift is None else A @ lift)
        H = sum((gram(b) for b in blocks), start=np.zeros((len(S), len(S))))
        return LeastSquaresLens(vanished, columns, len(S), H, blocks, lift)

    def _block(self, O1: sparse.csr_array, U: Floats, S: Floats, rows: Ints, features: Ints) -> Block:
        """T = (U S)^+ over the rows that the features are learned from, shrunk by the ridge."""
        o1 = O1 if len(rows) == len(U) else O1[rows]
        o1 = o1 if len(features) == o1.shape[1] else _columns(o1, features)
        if len(rows) == len(U):
            T = U.T * (S / (S**2 + self.ridge))[:, np.newaxis]
        else:
            u, s, vt = np.linalg.svd(U[rows] * S, full_matrices=False)
            keep = _nonzero(s, max(len(rows), len(S)))
            s = s[keep]
            T = (vt[keep].T * (s / (s**2 + self.ridge))) @ u[:, keep].T
        if np.abs(T).max(initial=0.0) * np.abs(o1.data).max(initial=0.0) > LIMIT:
            T = np.zeros_like(T)  # old and new are too many orders of magnitude apart: nothing is recovered
        return Block(features, T, o1)


def row_space(O2: sparse.csr_array) -> tuple[Floats, Floats, Floats]:
    """U, S and V' of O2 = U S V', without what is zero up to rounding. Very wide rows go through the B x B matrix
    O2 O2', whose eigenvalues are S^2; V' = S^-1 U' O2 is not made then, unless O2 is dense.

    >>> U, S, Vt = row_space(sparse.csr_array(np.array([[3.0, 0.0], [0.0, 0.0]])))
    >>> S, np.abs(Vt)
    (array([3.]), array([[1., 0.]]))
    """
    B, d2 = O2.shape
    if B == 0 or d2 == 0:
        return np.zeros((B, 0)), np.zeros(0), np.zeros((0, d2))
    if B * d2 <= LARGE:
        U, S, Vt = np.linalg.svd(O2.toarray(), full_matrices=False)
        keep = _nonzero(S, max(B, d2))
        return U[:, keep], S[keep], Vt[keep]
    S2, U = np.linalg.eigh((O2 @ O2.T).toarray())
    S = np.sqrt(np.maximum(S2, 0.0))
    keep = (B * EPS * S2[-1] < S2) & (S > FLOOR)
    U, S = U[:, keep], S[keep]
    dense = O2.nnz > DENSE * B * d2
    return U, S, np.asarray(U.T @ O2) / S[:, np.newaxis] if dense else np.zeros((0, d2))


def _columns(O: sparse.csr_array, chosen: Ints) -> sparse.csr_array:
    """O[:, chosen] for distinct columns, in time that does not grow with their number."""
    place = np.full(O.shape[1], -1)
    place[chosen] = np.arange(len(chosen))
    at = place[O.indices]
    kept = at >= 0
    ends = np.concatenate([[0], np.cumsum(kept)])[O.indptr]
    return sparse.csr_array((O.data[kept], at[kept], ends), shape=(O.shape[0], len(chosen)))


def _gram(b: Block) -> Floats:
    """A A' for A = T O1, a few vanished features at a time. (T (O1 O1') T' would square the condition)."""
    H = np.zeros((len(b.T), len(b.T)))
    columns = sparse.csc_array(b.o1)
    columns = columns[:, np.flatnonzero(np.diff(columns.indptr))]
    for first in range(0, columns.shape[1], CHUNK):
        A = np.asarray(columns[:, first : first + CHUNK].T @ b.T.T)
        H += A.T @ A
    return H


def _small_gram(b: Block) -> Floats:
    """The same where the condition is small: T (O1 O1') T'."""
    return np.asarray(b.T @ (b.o1 @ b.o1.T).toarray() @ b.T.T)


def _nonzero(S: Floats, size: int) -> npt.NDArray[np.bool_]:
    """Which singular values are more than rounding errors."""
    return np.asarray(max(size * EPS * S.max(initial=0.0), FLOOR) < S)


def _complete(O: sparse.csr_array, present: Ints, seen: Ints) -> Ints:
    """The rows that hold every regular present feature, so that one that came late is not taken for zero.

    Regular is what was there in at least half of the rows.
    """
    regular = present[2 * seen[present] >= O.shape[0]]
    if (seen[regular] == O.shape[0]).all():
        return np.arange(O.shape[0])
    stored = sparse.csr_array((np.ones(len(O.indices)), O.indices, O.indptr), shape=O.shape)
    rows = np.flatnonzero(stored[:, regular].sum(axis=1) == len(regular))
    return rows if len(rows) else np.arange(O.shape[0])


def _patterns(O1: sparse.csr_array, gaps: bool) -> list[tuple[Ints, Ints]]:
    """Groups of vanished features with the rows that each group is learned from. Nothing is learned of those that
    no row holds."""
    B, V = O1.shape
    counts = np.bincount(O1.indices, minlength=V)
    split = (counts < B) & (2 * counts >= B) & gaps
    partly, whole = np.flatnonzero(split), np.flatnonzero(~split & (counts > 0))
    groups: dict[tuple[int, ...], list[int]] = {}
    by_column = sparse.csc_array(O1) if len(partly) else O1
    for j in partly:
        rows = np.sort(by_column.indices[by_column.indptr[j] : by_column.indptr[j + 1]])
        groups.setdefault(tuple(rows.tolist()), []).append(int(j))
    found = [(np.array(rows), np.array(features)) for rows, features in groups.items()]
    return ([(np.arange(B), whole)] if len(whole) else []) + found
