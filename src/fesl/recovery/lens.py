r"""The lens that least squares gives: psi(x) = A' phi(x), phi(x) = P x, in as few coordinates as possible.

Symbols: O1 (B x V) the vanished features and O2 (B x d2) the present ones in the overlap rows, K = O2 O2'. Least
squares is psi(x) = O1' K^+ O2 x. The three forms, from the same two factors:

    dual      phi = z = O2 x   (B numbers)    A = K^+ O1         H = A A'      when B <= d2
    primal    phi = x_S2       (d2 numbers)   A = O2' K^+ O1     H = A A'      when d2 < B
    explicit  phi = psi(x)     (V numbers)    A = I              H = I         only where Omega is a box,
                                                                              which no rotation respects

A itself is kept as K^+ and the overlap rows: nothing of size d2 x V exists in any of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.models import Point

#: A matrix with a larger part of its cells filled than this is kept dense.
DENSE = 0.25


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
    def of(cls, P: sparse.csr_array, present: Ints) -> Columns:
        """From P (size x capacity), of which only the present features are kept."""
        size, capacity = P.shape
        kept = sparse.csc_array(P[:, present])
        if kept.nnz > DENSE * size * len(present):
            dense = np.zeros((capacity, size))
            dense[present] = kept.toarray().T
            return cls(size, dense, np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))
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
        z = np.zeros(self.size)
        for i, v in zip(x.idx, x.val, strict=True):
            at = slice(self.ptr[i], self.ptr[i + 1])
            z[self.rows[at]] += v * self.vals[at]
        return z

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
    """Vanished features that were observed in the same overlap rows: their part of O1 and of K^+."""

    rows: Ints
    features: Ints
    kinv: Floats
    o1: sparse.csr_array


@dataclass(frozen=True)
class LeastSquaresLens:
    """psi from overlap rows. `into` is O2 for the primal form (phi = x), `lift` is A for the explicit one."""

    vanished: Ints
    columns: Columns
    H: Floats | None
    blocks: tuple[Block, ...]
    samples: int
    into: sparse.csr_array | None = None
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
        if self.lift is not None:
            return w.copy()
        c = np.zeros((self.samples, w.shape[1]))
        for b in self.blocks:
            c[b.rows] += b.kinv @ (b.o1 @ w[b.features])
        return c if self.into is None else np.asarray(self.into.T @ c)

    def recover(self, q: Floats) -> Floats:
        if self.lift is not None:
            return q
        q = q if self.into is None else self.into @ q
        w = np.zeros((len(self.vanished), q.shape[1]))
        for b in self.blocks:
            w[b.features] = b.o1.T @ (b.kinv @ q[b.rows])
        return w

    def pull_back(self, c: Floats) -> Floats:
        return self.columns.transposed(c if self.lift is None else self.lift.T @ c)

    def reserved(self, capacity: int) -> LeastSquaresLens:
        return replace(self, columns=self.columns.grown(capacity))
