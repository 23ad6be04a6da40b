"""`Evolving(model)`: any classifier or regressor of River goes on when features come and go.

Four models run, and are one as long as no feature was ever absent:

* **plain**: the model, on what is observed.
* **recovered**: the old model lives on; what is absent reaches it as expected from what is present.
* **renewed**: a clone that starts when a quarter of the features has changed. It learns the last KEPT labelled rows
  first, in which the new features are what the old ones let expect; so it knows already what the rows taught.
* **default**: `fesl.Classifier` or `fesl.Regressor`, which carries over what the others must learn anew. It learns
  from the start, and has a say from the first absence on: all the more, the better it would have been until then.

A model that cannot do without an absent feature (a pipeline that selects it, say: it raises KeyError) is given what
is expected there from then on, in all three places; where nothing can be expected (a string is absent, or what was
never there), it learns nothing from the event, and the default learner answers for it. A clone that cannot learn
the kept rows starts without them.

When the next change comes, the renewed model takes the recovered one's place if it is the better by then: there are
never more than these. Their predictions are mixed (`fesl.river.mixtures`); the mixture costs at most a few bits
more than the best of them, for any labels (`regret()`).
"""

from __future__ import annotations

import copy
import logging
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from river import active, base, linear_model

from fesl._typing import Event, Name
from fesl.errors import ConfigError, LabelError, shown
from fesl.evolving.labels import unlabelled
from fesl.models import LIMIT
from fesl.portfolio import Classifier, Regressor
from fesl.portfolio.constants import QUARTER
from fesl.portfolio.mixture import Bits
from fesl.river.features import Features, cleaned, numbers
from fesl.river.mixtures import ClassMixture, NumberMixture

if TYPE_CHECKING:
    from river.base.typing import ClfTarget, FeatureName, RegTarget

log = logging.getLogger("fesl.river")

MODELS = ("plain", "recovered", "renewed")
PLAIN, RECOVERED, RENEWED = range(3)
EXPERTS = (*MODELS, "default")
#: Classifiers that answer with something else than a class.
OTHERS = (base.MultiLabelClassifier, active.base.ActiveLearningClassifier)
#: Labelled rows that are kept for the next clone.
KEPT = 400
#: So many vanished features a live one are recovered; beyond it those longest gone are let go.
REMEMBERED = 2
#: A new feature counts once it was seen so often; and no clone starts sooner after the last one.
SETTLED = 16


class Evolving(base.Wrapper[Any], base.Estimator):
    """Any classifier or regressor of River, for streams whose features come and go.

    While every feature is always there its predictions are those of the model itself. An absent key, None and NaN
    mean "not observed", and never reach the model; a label of None still tells how features go together. What is no
    number (a string) is passed to the model as it is, and not recovered.

    Parameters
    ----------
    model
        A classifier or regressor, or a pipeline that ends in one. It goes on learning as the plain model; clones
        of it, with its settings and seed, are made as needed.

    Attributes
    ----------
    models
        The live models by name: "plain", "recovered" and "renewed".
    default
        The default learner that runs beside them.
    features
        What is known of the features.
    mixture
        How much each model is trusted.

    Examples
    --------
    >>> from river import evaluate, metrics, tree
    >>> def replaced():                                         # sensor "a" is replaced by "b", which reads 5 - a
    ...     for i in range(600):
    ...         a = (i * 7919 % 200 - 100) / 50
    ...         yield {"a": a} if i < 400 else {"a": a, "b": 5 - a} if i < 420 else {"b": 5 - a}, a > 0
    >>> plain = tree.HoeffdingTreeClassifier()
    >>> model = Evolving(plain.clone())
    >>> evaluate.progressive_val_score(replaced(), plain, metrics.Accuracy())
    Accuracy: 97.16%
    >>> evaluate.progressive_val_score(replaced(), model, metrics.Accuracy())
    Accuracy: 98.83%
    >>> model.regret().within
    True
    """

    def __new__(cls, model: Any = None) -> Evolving:
        if cls is not Evolving:
            return super().__new__(cls)
        if isinstance(model, base.Classifier) and not isinstance(model, OTHERS):
            return super().__new__(_EvolvingClassifier)
        if isinstance(model, base.Regressor) and not isinstance(model, base.MultiTargetRegressor):
            return super().__new__(_EvolvingRegressor)
        raise ConfigError(
            f"Evolving({type(model).__name__}): wrap a classifier, a regressor with one target, or a pipeline that "
            "ends in one of these"
        )

    def __init__(self, model: Any) -> None:
        self.model = model
        self.features = Features()
        self.mixture: Any = self._mixture()
        self.default: Any = self._companion()
        self._live = [model] * len(MODELS)
        self._kept: deque[tuple[dict[Name, Any], Any]] = deque(maxlen=KEPT)
        self._start: set[Name] = set()
        self._since = 0
        self._whole = False  # the models cannot do without what is absent
        self._blank = model.clone()

    @property
    def models(self) -> dict[str, Any]:
        return dict(zip(MODELS, self._live, strict=True))

    @property
    def _wrapped_model(self) -> Any:
        return self.model

    def regret(self) -> Bits:
        """What the stream cost so far, in bits: each model, the mixture, and what the bound allows."""
        bits: Bits = self.mixture.weights.bits()
        return bits

    def _mixture(self) -> ClassMixture | NumberMixture:
        raise NotImplementedError

    def _companion(self) -> Any:
        raise NotImplementedError

    def _ask(self, model: Any, x: dict[Name, Any]) -> Any:
        raise NotImplementedError

    def _alone(self, x: dict[Name, Any], full: dict[Name, Any]) -> bool:
        """Whether the models are one, and it sees all there is."""
        return all(m is self.model for m in self._live) and len(full) == len(x)

    def _said(
        self, x: dict[Name, Any], full: dict[Name, Any], instead: Any
    ) -> tuple[list[Any], list[dict[Name, Any] | None]]:
        """What each of MODELS says, and the inputs that it was given; None, and the answer `instead`, where it
        cannot do without what is absent."""
        if not self._whole:
            inputs = [x, full, x]
            try:
                return [self._ask(model, seen) for model, seen in zip(self._live, inputs, strict=True)], [*inputs]
            except KeyError:
                pass
        found = [self._asked(model, full) for model in self._live]
        return [instead if p is None else p for p in found], [None if p is None else full for p in found]

    def _asked(self, model: Any, x: dict[Name, Any]) -> Any | None:
        """What the model says; None where it cannot do without what is absent."""
        try:
            return self._ask(model, x)
        except KeyError as lack:
            log.info("the wrapped model lacks %s: it is passed over in this round", lack)
            return None

    def _predict(self, x: Event) -> Any:
        x = cleaned(x)
        full = {**x, **self.features.recovered(x)}
        if self._alone(x, full):
            p = self._asked(self.model, x)
            if p is not None:
                return p
        instead = self._ask(self.default, numbers(x))
        return self.mixture.predict([*self._said(x, full, instead)[0], instead])

    def _learn(self, x: Event, y: Any) -> None:
        x = cleaned(x)
        if unlabelled(y):
            self.default.learn_one(numbers(x), y)
        else:
            self._learn_label(x, y)
        self.features.learn(x)
        self._start = self._start or set(self.features.live)
        if self._changed():
            self._renew()

    def _learn_label(self, x: dict[Name, Any], y: Any) -> None:
        full = {**x, **self.features.recovered(x)}
        instead = self._ask(self.default, numbers(x))
        first = self._asked(self.model, x) if self._alone(x, full) else None
        alone = first is not None
        said, inputs = ([first] * len(MODELS), [x] * len(MODELS)) if alone else self._said(x, full, instead)
        self.default.learn_one(numbers(x), y)  # raises where y is no label, before anybody has learned it
        self._whole = self._whole or (inputs[PLAIN] is full and len(full) > len(x))
        if self._live[RECOVERED] is self.model and len(full) > len(x) and not self._whole:
            self._live[RECOVERED] = copy.deepcopy(self.model)
        for i, model in enumerate(self._live):
            if inputs[i] is not None and not any(model is other for other in self._live[:i]):
                model.learn_one(inputs[i], y)
        said = [*said, instead]
        self.mixture.learn(said, y, alone=alone)
        self._kept.append((x, y))

    def _changed(self) -> bool:
        """Whether a quarter of the features is not what it was when the last clone started."""
        f = self.features
        lost = self._start.difference(f.live)
        gained = set(f.names_of(~f.gone & (f.seen >= SETTLED))) - self._start
        return f.clock - self._since >= SETTLED and len(lost) + len(gained) >= max(1.0, QUARTER * len(self._start))

    def _renew(self) -> None:
        f, a = self.features, self.mixture.weights.a[0]
        live = set(f.live)
        if self._live[RENEWED] is not self.model and a[RENEWED] > a[RECOVERED]:
            self._live[RECOVERED] = self._live[RENEWED]
            self._let_go(set(f.names) - live - self._start)
        gone = f.longest_gone()
        self._let_go(gone[: max(0, len(gone) - REMEMBERED * len(live))])
        self._live[RENEWED] = self._taught(live)
        self._start, self._since = live, f.clock
        self.mixture.weights.share()

    def _let_go(self, names: Iterable[Name]) -> None:
        if not self._whole:  # whoever cannot do without them goes on needing them
            self.features.let_go(names)

    def _taught(self, live: set[Name]) -> Any:
        """A clone that has learned the kept rows as if they held the live features, without those of which they
        tell next to nothing: a model that scales its inputs would take the little that is expected for all."""
        model, index = self._blank.clone(), self.features.index
        rows = [(x, y) for x, y in self._kept if any(name in index for name in x)]
        told = [self.features.recovered(x, None if self._whole else live) for x, _ in rows]
        faint = set() if self._whole else self.features.faint(told)
        try:
            for (x, y), expected in zip(rows, told, strict=True):
                seen = {name: v for name, v in x.items() if self._whole or name in live or name not in index}
                shown = {**seen, **{name: v for name, v in expected.items() if name not in faint}}
                if shown:
                    model.learn_one(shown, y)
        except Exception:  # what is expected may be more than a model can take, and who knows what it raises
            return self._blank.clone()
        return model


def _last(model: Any) -> Any:
    """What a pipeline ends in; any other model is itself."""
    steps = getattr(model, "steps", None)
    return _last(list(steps.values())[-1]) if isinstance(steps, dict) and steps else model


class _EvolvingClassifier(Evolving, base.Classifier):
    """`Evolving` around a classifier."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": linear_model.LogisticRegression()}

    @property
    def _multiclass(self) -> bool:
        return bool(self.model._multiclass)

    def learn_one(self, x: dict[FeatureName, Any], y: ClfTarget, **kwargs: Any) -> None:
        if not isinstance(y, Hashable):
            raise LabelError(
                f"label {shown(y)} is a {type(y).__name__}: a class label is a number, a string or a boolean"
            )
        binary = not self._multiclass and type(_last(self.model)).__module__.startswith("river.")
        if binary and not (unlabelled(y) or y in (False, True)):
            raise LabelError(
                f"label {shown(y)}: {type(self.model).__name__} tells True from False; turn labels into these, or "
                "wrap it in multiclass.OneVsRestClassifier"
            )
        self._learn(x, y)

    def predict_proba_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> dict[ClfTarget, float]:
        """Class probabilities by label; changes nothing."""
        found: dict[ClfTarget, float] = self._predict(x)
        return found

    def _mixture(self) -> ClassMixture:
        return ClassMixture(EXPERTS)

    def _companion(self) -> Classifier:
        return Classifier()

    def _ask(self, model: Any, x: dict[Name, Any]) -> dict[Any, float]:
        try:
            p: dict[Any, float] = model.predict_proba_one(x)
        except NotImplementedError:
            label = model.predict_one(x)
            p = {} if label is None else {label: 1.0}
        return p


class _EvolvingRegressor(Evolving, base.Regressor):
    """`Evolving` around a regressor."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": linear_model.LinearRegression()}

    def learn_one(self, x: dict[FeatureName, Any], y: RegTarget, **kwargs: Any) -> None:
        if not unlabelled(y) and not (isinstance(y, int | float | np.number) and abs(y) <= LIMIT):
            raise LabelError(f"label {y!r} is no finite number: drop it, or pass None for an unlabelled event")
        self._learn(x, y)

    def predict_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> RegTarget:
        """The forecast; changes nothing."""
        return float(self._predict(x))

    def _mixture(self) -> NumberMixture:
        return NumberMixture(EXPERTS)

    def _companion(self) -> Regressor:
        return Regressor()

    def _ask(self, model: Any, x: dict[Name, Any]) -> float:
        return float(model.predict_one(x) or 0.0)
