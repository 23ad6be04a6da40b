"""The paper's five methods: configurations of the same parts.

>>> from fesl import paper
>>> model = paper.fesl_c(c=10.0, horizon=384)

All take the loss (which says the task), c of the step size 1/(c sqrt t), the projection, what tells the spaces
apart and the declared classes; `fesl_c` and `fesl_s` also the horizon T2 (None: unknown, an anytime rate).

References: Hou, Zhang, Zhou, *Learning with Feature Evolvable Streams*, NIPS 2017, Algorithms 1 to 3, section 5.2.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypedDict, Unpack

from fesl.descent import OGD
from fesl.evolving import EvolvingLearner, Fresh, Recovered
from fesl.losses import Loss
from fesl.projections import Free, Projection
from fesl.recovery import LeastSquares
from fesl.rules import ExponentialWeights, FixedShare
from fesl.spaces import Auto, Spaces
from fesl.steps import InverseSqrt

__all__ = ["fesl_c", "fesl_s", "nogd", "rogd_f", "rogd_u"]


class Shared(TypedDict, total=False):
    """What every method of the paper can be given."""

    loss: Loss
    recovery: LeastSquares
    spaces: Spaces
    classes: Iterable[Hashable]
    clip: float
    seed: int


def nogd(c: float = 1.0, projection: Projection = Free(), **shared: Unpack[Shared]) -> EvolvingLearner:
    """NOGD: gradient descent starts from scratch when the features change.

    >>> nogd().parts.experts
    (Fresh(),)
    """
    return EvolvingLearner(descent=_ogd(c, projection), experts=(Fresh(),), **_paper(shared))


def rogd_u(c: float = 1.0, projection: Projection = Free(), **shared: Unpack[Shared]) -> EvolvingLearner:
    """ROGD-u: the old model on recovered features, updating.

    >>> rogd_u().parts.experts
    (Recovered(learns=True),)
    """
    return EvolvingLearner(descent=_ogd(c, projection), experts=(Recovered(),), **_paper(shared))


def rogd_f(c: float = 1.0, projection: Projection = Free(), **shared: Unpack[Shared]) -> EvolvingLearner:
    """ROGD-f: the old model on recovered features, frozen.

    >>> rogd_f().parts.experts
    (Recovered(learns=False),)
    """
    return EvolvingLearner(descent=_ogd(c, projection), experts=(Recovered(learns=False),), **_paper(shared))


def fesl_c(
    c: float = 1.0, projection: Projection = Free(), horizon: int | None = None, **shared: Unpack[Shared]
) -> EvolvingLearner:
    """FESL-c: the weighted combination of ROGD-u and NOGD.

    >>> fesl_c(horizon=345).parts.rule
    ExponentialWeights(horizon=345)
    """
    return EvolvingLearner(descent=_ogd(c, projection), rule=ExponentialWeights(horizon), **_paper(shared))


def fesl_s(
    c: float = 1.0, projection: Projection = Free(), horizon: int | None = None, **shared: Unpack[Shared]
) -> EvolvingLearner:
    """FESL-s: the dynamic selection between ROGD-u and NOGD.

    >>> fesl_s(horizon=345).parts.rule
    FixedShare(horizon=345)
    """
    return EvolvingLearner(descent=_ogd(c, projection), rule=FixedShare(horizon), **_paper(shared))


def _ogd(c: float, projection: Projection) -> OGD:
    return OGD(InverseSqrt(c), projection)


def _paper(shared: Shared) -> Shared:
    """In the paper an overlap ends with a switch, however long it is, and all of its rows count."""
    defaults: Shared = {"spaces": Auto(adopt_after=None), "recovery": LeastSquares(rows=1000)}
    return {**defaults, **shared}
