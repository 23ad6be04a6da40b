"""ROGD-f: the old model on recovered features, frozen."""

from fesl import paper
from fesl.reproduction.base import Method

METHOD = Method(
    name="rogd-f",
    title="ROGD-f",
    rank=3,
    build=lambda s: paper.rogd_f(s.c, **s.shared),
    colour="#8A8A8A",
    marker="+",
    line="-",
)
