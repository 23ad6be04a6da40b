"""Saving and loading: a versioned file of plain values and arrays. `docs/file-format.md` describes it.

>>> from fesl import paper, saving
>>> data = saving.dumps(paper.fesl_c().learn_one({"a": 1.0}, True))
>>> saving.loads(data).features
{'a': 'current'}
"""

from fesl.saving.files import dumps, load, load_with_extra, loads, save

__all__ = ["dumps", "load", "load_with_extra", "loads", "save"]
