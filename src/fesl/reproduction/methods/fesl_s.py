"""FESL-s: one of ROGD-u and NOGD, drawn anew each round."""

from fesl import paper
from fesl.reproduction.base import Method

METHOD = Method(
    name="fesl-s",
    title="FESL-s",
    rank=5,
    build=lambda s: paper.fesl_s(s.c, horizon=s.horizon, **s.shared),
    colour="#AA3377",
    marker="D",
    line="--",
)
