"""Recovery: the map psi from the features that are there to those that have vanished."""

from fesl.recovery.least_squares import LeastSquares
from fesl.recovery.lens import Columns, LeastSquaresLens
from fesl.recovery.overlap import Overlap

__all__ = ["Columns", "LeastSquares", "LeastSquaresLens", "Overlap"]
