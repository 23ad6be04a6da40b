"""Online gradient descent, the paper's base learner."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fesl._typing import Floats
from fesl.models import Model, Point
from fesl.projections import Free, Projection
from fesl.steps import InverseSqrt, Step, as_step


@dataclass(frozen=True)
class OGD:
    """w <- Proj(w - tau_t dl/df x'): the paper's equation (1), for k outputs, dense or sparse x.

    `step` is a number or a schedule of t, which restarts at 1 when the features change; `projection` is onto
    the convex set Omega. Only observed features are touched.

    >>> from fesl.losses import Squared
    >>> from fesl.models import LinearModel
    >>> from fesl.models import LinearModel
    >>> ogd, loss = OGD(step=0.1), Squared()
    >>> w = LinearModel.zeros(capacity=2, outputs=1)
    >>> x = Point(np.array([0, 1]), np.array([1.0, 2.0]))
    >>> for t in range(3):
    ...     f = w.score(x)
    ...     ogd.descend(w, x, f, loss.gradient(f, 5.0), t)
    >>> w.linear()[:, 0], w.score(x)
    (array([1., 2.]), array([5.]))

    References: Zinkevich, ICML 2003; Hou, Zhang, Zhou, NIPS 2017, section 3.
    """

    step: float | Step = field(default_factory=InverseSqrt)
    projection: Projection = field(default_factory=Free)

    @property
    def schedule(self) -> Step:
        return as_step(self.step)

    def descend(self, model: Model, x: Point, f: Floats, gradient: Floats, t: int) -> None:
        """One step on a model that scored f, in round t counted from zero."""
        tau = float(self.schedule(np.array([t + 1.0]))[0])
        model.descend(x, f, tau * gradient, self.projection)
