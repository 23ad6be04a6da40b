"""The recovery map the short way: every overlap row holds the same features, and they are well conditioned."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.models import LIMIT
from fesl.recovery.lens import Block, Columns, LeastSquaresLens

#: Condition numbers up to this: orthonormal coordinates come from a Cholesky factor, which squares them. Larger
#: ones are left to the singular values.
WELL = 1e4

#: Above this, one step of Newton's iteration takes away the error that the squares have brought.
ROUND = 100.0

#: A product of fewer multiplications than the first takes one thread, one of more than the second is worth several.
ALONE, WORTH = 2**18, 2**26

#: Values beyond these leave too little room for their squares.
SMALL, LARGE = 1e-40, 1e40


def fit_table(
    ids: Ints, O: Floats, vanished: Ints, present: Ints, capacity: int, explicit: bool, sparse_part: float
) -> LeastSquaresLens | None:
    """The lens that recovers `vanished` from `present`; O are the values of the features `ids` in the overlap rows.
    None where a longer way must be gone, as where no more than a part of `present` is among them."""
    place = np.full(capacity, -1)
    place[ids] = np.arange(len(ids))
    there, features = present[place[present] >= 0], np.flatnonzero(place[vanished] >= 0)
    if len(there) <= sparse_part * len(present):
        return None
    o1, o2 = _taken(O, place[vanished[features]]), _taken(O, place[there])
    found = pseudo_inverse(o2)
    if found is None:
        return None
    T, P = found
    if np.abs(T).max(initial=0.0) * np.abs(o1).max(initial=0.0) > LIMIT:
        return None
    if P is None:
        columns = Columns.identity_of(there, capacity)
    else:
        columns = Columns.dense_of(P, there, capacity)
    A = product(T, o1)
    blocks = (Block(features, T, full(o1)),) if len(features) else ()
    if explicit:
        lift = np.zeros((len(vanished), len(T)))
        lift[features] = A.T
        return LeastSquaresLens(vanished, columns, len(vanished), None, blocks, lift)
    return LeastSquaresLens(vanished, columns, len(T), product(A, A.T), blocks)


def pseudo_inverse(O2: Floats) -> tuple[Floats, Floats | None] | None:
    """T and P with O2^+ = P' T, the rows of P an orthonormal basis of the row space; no P where it is the identity,
    and neither where O2 is not well conditioned.

    >>> T, P = pseudo_inverse(np.array([[2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]))
    >>> P.round(9), (P.T @ T).round(9)
    (array([[1., 0., 0.],
           [0., 1., 0.]]), array([[ 0.5,  0. ],
           [-1. ,  1. ],
           [ 0. ,  0. ]]))
    """
    B, d2 = O2.shape
    if not (B and d2 and SMALL < np.abs(O2).max() < LARGE):
        return None
    Q = O2 if d2 > B else O2.T
    try:
        L = np.linalg.cholesky(product(Q, Q.T))
    except np.linalg.LinAlgError:
        return None
    T = np.linalg.inv(L)
    condition = np.abs(L).sum(axis=0).max() * np.abs(T).sum(axis=0).max()
    if not condition <= WELL:
        return None
    Q = product(T, Q)
    if condition > ROUND:
        C = 1.5 * np.eye(len(Q)) - 0.5 * product(Q, Q.T)
        Q, T = product(C, Q), product(C, T)
    return (T, Q) if d2 > B else (product(T.T, Q), None)


def product(A: Floats, B: Floats) -> Floats:
    """A B, one of middling size a few rows at a time: NumPy would take several threads for it, which wait for each
    other ten times as long as it takes wherever the machine has something else to do."""
    step = max(1, ALONE // max(1, A.shape[1] * B.shape[1]))
    if step >= len(A) or A.size * B.shape[1] > WORTH:
        return A @ B
    out = np.empty((len(A), B.shape[1]))
    for i in range(0, len(A), step):
        np.matmul(A[i : i + step], B, out=out[i : i + step])
    return out


def _taken(O: Floats, at: Ints) -> Floats:
    """O[:, at] for increasing columns, without a copy where they are consecutive."""
    if len(at) and at[-1] - at[0] == len(at) - 1:
        return O[:, at[0] : at[-1] + 1]
    return O[:, at]


def full(O: Floats) -> sparse.csr_array:
    """A matrix all of whose entries are stored."""
    B, n = O.shape
    indices = np.tile(np.arange(n, dtype=np.int32), B)
    return sparse.csr_array((O.ravel(), indices, np.arange(0, B * n + 1, n, dtype=np.int32)), shape=O.shape)
