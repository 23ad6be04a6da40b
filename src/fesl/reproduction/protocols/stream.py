"""One honest pass, as the paper's text reads: T1 = T2 = n/2, step size 1/(c sqrt t), loss with its 1/ln 2."""

from fesl.reproduction.base import Protocol

PROTOCOL = Protocol(
    name="stream",
    title="one honest pass",
    rank=1,
    inferred=False,
    repeats=1,
    c=lambda problem: problem.c,
    note="Every row is seen once: T1 = T2 = n/2, step size 1/(c sqrt t) with the paper's c for the set.",
)
