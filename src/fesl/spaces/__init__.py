"""Spaces: which features are old, new, gone. Read off each sample's own features, or told."""

from fesl.spaces.auto import Auto
from fesl.spaces.base import Quiet, Sighting, Spaces
from fesl.spaces.declared import Declared
from fesl.spaces.periods import Periods
from fesl.spaces.registry import CURRENT, FREE, NEWCOMER, SURVIVOR, VANISHED, Registry

__all__ = [
    "CURRENT",
    "FREE",
    "NEWCOMER",
    "SURVIVOR",
    "VANISHED",
    "Auto",
    "Declared",
    "Periods",
    "Quiet",
    "Registry",
    "Sighting",
    "Spaces",
]
