"""NOGD: gradient descent starts from scratch when the features change."""

from fesl import paper
from fesl.reproduction.base import Method

METHOD = Method(
    name="nogd",
    title="NOGD",
    rank=1,
    build=lambda s: paper.nogd(s.c, **s.shared),
    colour="#0072B2",
    marker="o",
    line="-",
)
