"""The paper's experiments, reproduced by one command: `fesl reproduce`, or `python -m fesl.reproduction`.

>>> from fesl.reproduction import base
>>> [method.title for method in base.methods().values()]
['NOGD', 'ROGD-u', 'ROGD-f', 'FESL-c', 'FESL-s']
>>> {name: protocol.title for name, protocol in base.protocols().items()}
{'stream': 'one honest pass', 'paper': 'nine replays, inferred from the table'}

A method is one short file in `methods/`, a protocol one in `protocols/`; a data set is one in `fesl.datasets`, and
only where it needs more than that one in `problems/`.
"""

from fesl.reproduction.base import Method, Problem, Protocol, Setting, Tables
from fesl.reproduction.results import Document, dump, read
from fesl.reproduction.runner import Outcome, Selection
from fesl.reproduction.whole import Reproduction, reproduce

__all__ = [
    "Document",
    "Method",
    "Outcome",
    "Problem",
    "Protocol",
    "Reproduction",
    "Selection",
    "Setting",
    "Tables",
    "dump",
    "read",
    "reproduce",
]
