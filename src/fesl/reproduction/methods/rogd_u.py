"""ROGD-u: the old model on recovered features, updating."""

from fesl import paper
from fesl.reproduction.base import Method

METHOD = Method(
    name="rogd-u",
    title="ROGD-u",
    rank=2,
    build=lambda s: paper.rogd_u(s.c, **s.shared),
    colour="#009E73",
    marker="*",
    line="-",
)
