"""Online learning on streams whose features come and go.

>>> import fesl
>>> model = fesl.paper.fesl_c()
>>> model = model.learn_one({"temperature": 21.5, "humidity": 0.4}, False)
>>> model.predict_one({"temperature": 21.0})
False
"""

from fesl import errors, losses, paper, projections, recovery, rules, spaces, steps
from fesl._version import __version__
from fesl.descent import OGD
from fesl.evolving import EvolvingLearner, Fresh, Recovered, Run
from fesl.portfolio import Classifier, Regressor
from fesl.regret import Regret

__all__ = [
    "OGD",
    "Classifier",
    "EvolvingLearner",
    "Fresh",
    "Recovered",
    "Regressor",
    "Regret",
    "Run",
    "__version__",
    "errors",
    "losses",
    "paper",
    "projections",
    "recovery",
    "rules",
    "spaces",
    "steps",
]
