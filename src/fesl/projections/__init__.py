"""Projections: back onto Omega, the convex set of models we are interested in."""

from fesl.projections.ball import Ball
from fesl.projections.base import Projection
from fesl.projections.box import Box
from fesl.projections.free import Free

__all__ = ["Ball", "Box", "Free", "Projection"]
