"""The code of the documentation is run by a tool of the documentation."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "tools"))
