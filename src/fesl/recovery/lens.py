r"""The lens that least squares gives: psi(x) = A' phi(x), phi(x) = P x, in as few coordinates as possible.

Symbols: O1 (B x V) the vanished features and O2 (B x d2) the present ones in the overlap rows; O2 = U S V' its
singular value decomposition, of rank r <= min(B, d2). Least squares is psi(x) = O1' (O2')^+ x, and x matters
only through its part in the row space of O2, so

    phi(x) = V' x = S^-1 U' O2 x   (r numbers)        A = S^-1 U' O1        H = A A'.

This is the dual form z = O2 x (B numbers) and the primal one x (d2 numbers) in one, in coordinates that are
orthonormal: z carries the condition number of O2 in every product and H its fourth power, phi carries none. Where
that number is small and the rows are sparse (documents), phi is z and T = (O2 O2')^-1, a product less a round. Any
other orthonormal basis would do instead of V, and `recovery.table` has a quick one; where the rows span everything
it is the identity, and phi is x. Only where Omega is a box, which no rotation respects, phi is psi(x) itself and A
the identity.

A is kept as two factors, T = S^-1 U' and the overlap rows O1: nothing of size d2 x V exists.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.models import Point


@dataclass(frozen=True)
class Columns:
    """P stored by feature id, so that P x is one pass over the observed features of x.

    `dense` has one row a feature id; or else feature i has the entries `ptr[i]:ptr[i + 1]` of `rows`, `vals`.
    """

    size: int
    dense: Floats | None
    ptr: Ints
    rows: Ints
    vals: Floats

    @classmethod
    def dense_of(cls, P: Floats, present: Ints, capacity: int) -> Columns:
        """From P (size x present features)."""
        dense = np.zeros((capacity, len(P)))
        dense[present] = P.T
        return cls(len(P), dense, np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def identity_of(cls, present: Ints, capacity: int) -> Columns:
        """P x is the present features themselves, in this order."""
        ptr = np.zeros(capacity + 1, np.int64)
        ptr[present + 1] = 1
        rows = np.argsort(present, kind="stable")
        return cls(len(present), None, ptr.cumsum(), rows, np.ones(len(present)))

    @classmethod
    def sparse_of(cls, P: sparse.csr_array, present: Ints, capacity: int) -> Columns:
        """The same, compressed."""
        size, kept = P.shape[0], sparse.csc_array(P)
        lengths = np.zeros(capacity, np.int64)
        lengths[present] = np.diff(kept.indptr)
        ptr = np.concatenate([[0], lengths.cumsum()]).astype(np.int64)
        order = np.argsort(present, kind="stable")
        kept = kept[:, order]
        return cls(size, None, ptr, kept.indices.astype(np.int64), kept.data.astype(np.float64))

    def apply(self, x: Point) -> Floats:
        """P x."""
        if self.dense is not None:
            return np.asarray(x.val @ self.dense[x.idx])
        start, lengths = self.ptr[x.idx], self.ptr[x.idx + 1] - self.ptr[x.idx]
        at = np.arange(lengths.sum()) + np.repeat(start - lengths.cumsum() + lengths, lengths)
        z = np.bincount(self.rows[at], self.vals[at] * np.repeat(x.val, lengths), minlength=self.size)
        return np.asarray(z, np.float64)

    def transposed(self, c: Floats) -> Floats:
        """P' c, one row a feature id."""
        if self.dense is not None:
            return np.asarray(self.dense @ c)
        P = sparse.csr_array((self.vals, self.rows, self.ptr), shape=(len(self.ptr) - 1, self.size))
        return np.asarray(P @ c)

    def grown(self, capacity: int) -> Columns:
        """The same P with room for more feature ids, which it does not use."""
        if self.dense is not None:
            dense = np.zeros((capacity, self.size))
            dense[: len(self.dense)] = self.dense
            return Columns(self.size, dense, self.ptr, self.rows, self.vals)
        ptr = np.full(capacity + 1, self.ptr[-1], np.int64)
        ptr[: len(self.ptr)] = self.ptr
        return Columns(self.size, None, ptr, self.rows, self.vals)


@dataclass(frozen=True)
class Block:
    """Vanished features that were observed in the same overlap rows: A = T O1 for them."""

    features: Ints
    T: Floats
    o1: sparse.csr_array


@dataclass(frozen=True)
class LeastSquaresLens:
    """psi from overlap rows. `lift` turns P x into phi where P is not V' itself: where the overlap rows are kept
    sparse, and where phi is psi (then H is None)."""

    vanished: Ints
    columns: Columns
    size: int
    H: Floats | None
    blocks: tuple[Block, ...]
    lift: Floats | None = None

    def phi(self, x: Point) -> Floats:
        z = self.columns.apply(x)
        return z if self.lift is None else np.asarray(self.lift @ z)

    def psi(self, x: Point) -> Floats:
        """The recovered values of the vanished features, in the order of `vanished`.

        An inspection: learning and predicting never need it.
        """
        return self.recover(self.phi(x)[:, np.newaxis])[:, 0]

    def project(self, w: Floats) -> Floats:
        if self.H is None:
            return w.copy()
        c = np.zeros((self.size, w.shape[1]))
        for b in self.blocks:
            c += b.T @ (b.o1 @ w[b.features])
        return c

    def recover(self, q: Floats) -> Floats:
        if self.H is None:
            return q
        w = np.zeros((len(self.vanished), q.shape[1]))
        for b in self.blocks:
            w[b.features] = b.o1.T @ (b.T.T @ q)
        return w

    def pull_back(self, c: Floats) -> Floats:
        return self.columns.transposed(c if self.lift is None else self.lift.T @ c)

    def reserved(self, capacity: int) -> LeastSquaresLens:
        return replace(self, columns=self.columns.grown(capacity))
