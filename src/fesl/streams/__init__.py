"""Makers of streams: tables become streams whose features come and go. Seeded, hence repeatable.

=============  ====================================================================================
`two_spaces`   the paper's: one space, both for a while, the other
`views`        any number of views, one after the other, round and round
`evolve`       the features of one table in groups that follow each other
`trapezoidal`  features only ever appear
`capricious`   each feature is there or not, row by row
`staggered`    new features arrive, then the old ones die one by one
`recorded`     a table with real gaps, as it is
=============  ====================================================================================

`random_map` makes a second space for `two_spaces`, `replay` orders the rows.

>>> import numpy as np
>>> from fesl import streams
>>> X1 = np.random.default_rng(0).random((100, 10))
>>> stream = streams.two_spaces(X1, streams.random_map(X1), np.ones(100), overlap=5, order=0)
>>> [(start, stop, [len(stream.spaces[k]) for k in living])
...  for start, stop, living in stream.segments()]
[(0, 45, [10]), (45, 50, [10, 7]), (50, 100, [7])]
"""

from fesl.streams.base import Stream
from fesl.streams.capricious import capricious
from fesl.streams.evolve import evolve
from fesl.streams.maps import random_map
from fesl.streams.recorded import recorded
from fesl.streams.rows import replay
from fesl.streams.staggered import staggered
from fesl.streams.trapezoidal import trapezoidal
from fesl.streams.two_spaces import two_spaces
from fesl.streams.views import views

__all__ = [
    "Stream",
    "capricious",
    "evolve",
    "random_map",
    "recorded",
    "replay",
    "staggered",
    "trapezoidal",
    "two_spaces",
    "views",
]
