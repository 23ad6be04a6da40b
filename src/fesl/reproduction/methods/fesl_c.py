"""FESL-c: the weighted combination of ROGD-u and NOGD."""

from fesl import paper
from fesl.reproduction.base import Method

METHOD = Method(
    name="fesl-c",
    title="FESL-c",
    rank=4,
    build=lambda s: paper.fesl_c(s.c, horizon=s.horizon, **s.shared),
    colour="#D55E00",
    marker="s",
    line="-",
)
