"""The streams of the default learner's tests are used here too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "portfolio"))
