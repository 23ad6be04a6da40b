"""Online learning on streams whose features come and go.

>>> import fesl
>>> model = fesl.paper.fesl_c()
>>> model = model.learn_one({"temperature": 21.5, "humidity": 0.4}, False)
>>> model.predict_one({"temperature": 21.0})
False
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fesl._version import __version__

if TYPE_CHECKING:
    from fesl import (
        errors,
        evaluation,
        losses,
        paper,
        projections,
        recovery,
        report,
        rules,
        saving,
        spaces,
        steps,
        streams,
    )
    from fesl.descent import OGD
    from fesl.evolving import EvolvingLearner, Fresh, Recovered, Run
    from fesl.portfolio import Classifier, Regressor
    from fesl.regret import Regret
    from fesl.saving import load, save

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
    "evaluation",
    "load",
    "losses",
    "paper",
    "projections",
    "recovery",
    "report",
    "rules",
    "save",
    "saving",
    "spaces",
    "steps",
    "streams",
]

#: Where each public name lives that is no module of its own. Everything is imported when it is first asked for, so
#: that the command line starts at once.
_HOME = {
    "OGD": "fesl.descent",
    "Classifier": "fesl.portfolio",
    "EvolvingLearner": "fesl.evolving",
    "Fresh": "fesl.evolving",
    "Recovered": "fesl.evolving",
    "Regressor": "fesl.portfolio",
    "Regret": "fesl.regret",
    "Run": "fesl.evolving",
    "load": "fesl.saving",
    "save": "fesl.saving",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value
    if name in __all__:
        return import_module(f"fesl.{name}")
    raise AttributeError(f"module 'fesl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
