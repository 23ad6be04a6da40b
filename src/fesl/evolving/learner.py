"""The evolving learner: any number of cycles S1 -> S2 -> S3 ..., driven by each sample's own features."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from fesl._guard import Guard
from fesl._typing import Event, Floats, Ints, Name
from fesl.descent import OGD
from fesl.errors import ConfigError
from fesl.evolving import bulk, cycle
from fesl.evolving.cores import Core, make_core
from fesl.evolving.events import read
from fesl.evolving.labels import Classes, Codec, Scores, Targets, unlabelled
from fesl.evolving.parts import Expert, Fresh, Parts, Recovered
from fesl.evolving.run import Run
from fesl.evolving.state import State
from fesl.evolving.trace import Trace
from fesl.losses import Logistic, Loss
from fesl.models import LIMIT, Point
from fesl.recovery import LeastSquares
from fesl.regret import Regret
from fesl.rules import ExponentialWeights, Rule
from fesl.spaces import CURRENT, NEWCOMER, SURVIVOR, VANISHED, Auto, Spaces

NOBODY: Ints = np.empty(0, np.int64)


class EvolvingLearner:
    """Online learning on a stream whose features come and go; the paper's Algorithms 1 to 3 are configurations
    of it (`fesl.paper`).

    New features beside the old: overlap rows are kept. Old ones gone: the old model lives on with their values
    recovered, a fresh model starts beside it, `rule` weighs the two. Features that survive pass through. At the
    end of a cycle the ensemble is the next cycle's old model.

    Parameters
    ----------
    loss
        `Logistic()`, `Softmax()` or `Squared()`: it says the task.
    descent
        Step size and projection of online gradient descent.
    recovery
        How vanished features are recovered, and how many overlap rows are kept for it.
    rule
        How the experts are combined: `ExponentialWeights` (FESL-c) or `FixedShare` (FESL-s).
    experts
        What runs after a switch, `(Recovered(), Fresh())` as a rule.
    spaces
        What tells old from new: `Auto()`, or `Declared` or `Periods` where you know.
    clip
        Scores are clipped to [-clip, clip] before they are weighed, and losses divided by their largest value
        there: they lie in [0, 1] then, and the theorems apply. (For regression the targets must lie there too.)
    classes
        The class labels, where they are known; discovered otherwise.
    seed
        Of the draws of a rule that draws.

    Examples
    --------
    >>> model = EvolvingLearner()
    >>> for i in range(40):                                     # sensor "a" is replaced by "b", which reads 2 a
    ...     a = (-1) ** i * (1 + i % 3)
    ...     x = {"a": a} if i < 20 else {"a": a, "b": 2 * a} if i < 25 else {"b": 2 * a}
    ...     _ = model.learn_one(x, a > 0)
    >>> model.cycle, model.predict_one({"b": 3.0})
    (1, True)
    >>> model.features
    {'a': 'vanished', 'b': 'current'}
    """

    #: What is made anew with each copy, of the parts and the core's state.
    HOT = frozenset(("_core", "_learn_event", "_score_event", "_proba_event", "_ahead", "guard"))

    def __init__(
        self,
        loss: Loss | None = None,
        *,
        descent: OGD | None = None,
        recovery: LeastSquares | None = None,
        rule: Rule | None = None,
        experts: Sequence[Expert] = (Recovered(), Fresh()),
        spaces: Spaces | None = None,
        clip: float | None = None,
        classes: Iterable[Hashable] | None = None,
        seed: int = 0,
    ) -> None:
        if not experts:
            raise ConfigError("experts=(): at least one expert must run after a switch, such as Fresh()")
        if clip is not None and not 0.0 < clip < LIMIT:
            raise ConfigError(f"clip={clip!r}: a score to clip at is a number above zero, or None")
        descent = descent or OGD()
        self.parts = Parts(
            loss=loss or Logistic(),
            step=descent.schedule,
            omega=descent.projection,
            recovery=recovery or LeastSquares(),
            rule=rule or ExponentialWeights(),
            experts=tuple(experts),
            spaces=spaces or Auto(),
            seed=int(seed),
            clip=clip,
        )
        self.codec: Codec = Targets() if self.parts.loss.task == "regression" else Classes(self.parts.loss, classes)
        state = State.start(self.parts.recovery.rows, self.codec.outputs)
        self._use(make_core(self.parts, state, self.codec))

    # One event at a time

    def learn_one(self, x: Event, y: Any = None) -> EvolvingLearner:
        """Learn from an event: its observed features, and its label where there is one.

        An event without a label still shows which features exist, and in an overlap how they go together.
        """
        if not self._learn_event(x, y):
            with self.guard:
                self._learn_slowly(x, y)
        return self

    def predict_one(self, x: Event) -> Any:
        """The predicted label or number(s); changes nothing. An event that holds no known feature is predicted
        with a score of zero; None before any class is known."""
        f = self._score_event(x)
        return self.codec.decode(self._scores_slowly(x) if f is None else f)

    def predict_proba_one(self, x: Event) -> dict[Any, float]:
        """Class probabilities by label; changes nothing."""
        p = self._proba_event(x)
        return self.codec.probabilities(self._scores_slowly(x)) if p is None else p

    def score_one(self, x: Event) -> Floats:
        """The ensemble's raw scores, one an output; changes nothing."""
        f = self._score_event(x)
        return np.array(self._scores_slowly(x) if f is None else f)

    def iterate(self, events: Iterable[tuple[Event, Any]]) -> Iterator[Any]:
        """Predict each event, then learn from it: yields the predictions.

        >>> model = EvolvingLearner()
        >>> list(model.iterate([({"a": 1.0}, True), ({"a": -1.0}, False), ({"a": 2.0}, True)]))
        [None, False, True]
        """
        for x, y in events:
            yield self.predict_one(x)
            self.learn_one(x, y)

    # Tables

    def run(self, X: Any, y: Any, *, features: Sequence[Name] | None = None, detail: bool = False) -> Run:
        """Predict, then learn, row by row: a NumPy array (NaN is not observed), a SciPy sparse matrix (what is not
        stored is zero) or a data frame (pandas, polars, Arrow). Columns are named by `features`, by the data
        frame, or by their numbers.

        >>> X = np.array([[1.0, np.nan], [-1.0, np.nan], [2.0, 4.0], [np.nan, -2.0]])
        >>> EvolvingLearner().run(X, [True, False, True, False]).predictions
        array([None, False, True, False], dtype=object)
        """
        with self.guard:
            return bulk.run(self, X, y, features, detail=detail)

    def learn_many(self, X: Any, y: Any = None, *, features: Sequence[Name] | None = None) -> EvolvingLearner:
        """Learn from a table, row by row."""
        with self.guard:
            bulk.learn(self, X, y, features)
        return self

    def predict_many(self, X: Any, *, features: Sequence[Name] | None = None) -> npt.NDArray[Any]:
        """Predict a table; changes nothing."""
        with self.guard:
            return bulk.predict(self, X, features).predictions

    def predict_proba_many(self, X: Any, *, features: Sequence[Name] | None = None) -> Floats:
        """Class probabilities of a table, one column a class in the order of `classes`; changes nothing."""
        with self.guard:
            return bulk.predict(self, X, features).probabilities

    # What there is to see

    @property
    def state(self) -> State:
        return self._core.state

    @property
    def compiled(self) -> bool:
        """Whether compiled code runs."""
        return self._core.compiled

    @property
    def cycle(self) -> int:
        """How many switches there have been."""
        return self.state.cycle

    @property
    def classes(self) -> list[Any]:
        """The classes known so far, in the order of the probabilities."""
        return list(self.codec.labels) if isinstance(self.codec, Classes) else []

    @property
    def features(self) -> dict[Name, str]:
        """Every feature that is remembered, with the part it plays: current, survivor, newcomer or vanished."""
        part = {CURRENT: "current", SURVIVOR: "survivor", NEWCOMER: "newcomer", VANISHED: "vanished"}
        with self.guard:
            r = self.state.registry
            return {name: part[int(r.role[i])] for name, i in r.index.items()}

    @property
    def weights(self) -> Floats:
        """How much each expert is trusted now."""
        return np.exp(self.state.log_a)

    def regret(self, cycle: int | None = None) -> Regret:
        """What the present cycle (or an earlier one) cost, beside what the theorem allows."""
        if cycle is None or cycle == self.state.cycle:
            return self.state.ledger.regret(self.parts.rule, self.state.cycle)
        for past in self.state.history:
            if past.cycle == cycle:
                return past
        raise ConfigError(f"cycle {cycle!r} is not among the {len(self.state.history)} cycles remembered")

    # Out of the ordinary

    def _use(self, core: Core) -> None:
        """Run on this core. Its one-event methods are looked up once: they are the hot path."""
        self._core = core
        self.guard = Guard(core)
        self._learn_event = core.learn_event
        self._score_event, self._proba_event = core.score_event, core.proba_event
        self._ahead: tuple[int, bytes, State] | None = None

    def _scores_slowly(self, x: Event) -> Scores:
        with self.guard:
            return tuple(self._score_slowly(read(x, self.state.registry.index)[0]).tolist())

    def _score_slowly(self, x: Point) -> Floats:
        """The score of an event that holds strangers, or shows that features have gone or come back."""
        if not len(x.idx):
            return np.zeros(self.state.outputs)
        state, sighting = self.state, cycle.sight(self.state, x.idx)
        ahead = self._look_ahead(x)
        if ahead is state and sighting.old:
            return self._late_score(x)
        core = self._core if ahead is state else make_core(self.parts, ahead, self.codec)
        return core.score(x.only(_in_space(ahead, x)))

    def _detail(self, x: Point, trace: Trace, row: int) -> None:
        """Write each expert's scores and weights of such an event into the trace."""
        ahead = self._look_ahead(x) if len(x.idx) else self.state
        if not cycle.sight(ahead, x.idx).old:
            here = x.only(_in_space(ahead, x))
            F = np.array([expert.score(here) for expert in ahead.experts])
            trace.put(row, trace.scores[row, : ahead.outputs], F, np.exp(ahead.log_a))

    def _look_ahead(self, x: Point) -> State:
        """The state after the turn that this event brings about; remembered until the next learning."""
        key = np.sort(x.idx).tobytes()
        if self._ahead is None or self._ahead[:2] != (self.state.round, key):
            turned = cycle.turn(self.state, self.parts, cycle.sight(self.state, x.idx))
            self._ahead = self.state.round, key, turned
        return self._ahead[2]

    def _learn_slowly(self, x: Event, y: Any) -> None:
        """Learn from an event that is not ordinary. What is wrong with it raises before anything changes."""
        point, strangers = read(x, self.state.registry.index)
        target = self._target(y)
        if len(point.idx) or strangers:
            self._attend(point, strangers, target)

    def _target(self, y: Any) -> Scores | None:
        """The target of a label, with room made for a class that is new."""
        if unlabelled(y):
            return None
        target = self.codec.encode(y)
        if target is None:
            self.codec.admit(y)
            target = self.codec.encode(y)
            if self.codec.outputs != self.state.outputs:
                self.state.fit_outputs(self.codec.outputs)
                self._core.bind(self.state)
                self._ahead = None
        return target

    def _attend(self, x: Point, strangers: dict[Name, float], y: Sequence[float] | Floats | None) -> Ints:
        """Take the turn that the event brings about, register strangers, keep overlap rows, then learn. Returns the
        ids that the strangers were given; none where the sample came late, which brings no newcomers."""
        switches = self.cycle
        state = self._turn(x)
        if self._is_late(x, strangers):
            self._learn_late(x, y)
            return NOBODY
        ids = NOBODY
        if strangers:
            ids = self._introduce(list(strangers), self.cycle > switches)
            x = Point(np.concatenate([x.idx, ids]), np.concatenate([x.val, list(strangers.values())]))
        if not self.parts.spaces.sparse:
            state.registry.see(x.idx, state.round)
        sighting = cycle.sight(state, x.idx)
        if sighting.holds(NEWCOMER):
            state.overlap.add(x)
            if self.parts.spaces.adopts(sighting):
                state = cycle.adopt(state, self.parts)
                self._core.bind(state)
        self._core.learn(x.only(_in_space(state, x)), y)
        if len(state.overlap):
            self._core.side_by_side(self.parts.spaces.quiet(state.registry, state.overlap, state.round))
        return ids

    def _is_late(self, x: Point, strangers: dict[Name, float]) -> bool:
        """Whether this is a sample of the old space, after the switch and the turn it may have brought about."""
        sighting = cycle.sight(self.state, x.idx)
        if sighting.old or not strangers or sighting.holds(CURRENT, NEWCOMER):
            return sighting.old
        return self.parts.spaces.past(list(strangers), self.state.registry)

    def _introduce(self, names: list[Name], switched: bool) -> Ints:
        """Register strangers: those that the switch itself brings, and those that the spaces say so of, belong to
        the space; the others are newcomers."""
        state = self.state
        joins = self.parts.spaces.joins(names, state.registry, state.round) | switched
        ids = np.empty(len(names), np.int64)
        for role, chosen in ((CURRENT, joins), (NEWCOMER, ~joins)):
            ids[chosen] = state.registry.add(compress(names, chosen), role, state.round)
        self._fit_capacity()
        return ids

    def _fit_capacity(self) -> None:
        """Give the models room for what was registered."""
        if self.state.fit_capacity():
            self._core.bind(self.state)

    def _turn(self, x: Point) -> State:
        turned = self._look_ahead(x)
        self._ahead = None
        if turned is not self.state:
            self._core.bind(turned)
        return turned

    def _late_score(self, x: Point) -> Floats:
        model = self.state.recovered
        assert model is not None, "vanished features are only kept beside a recovered model"
        return model.late_score(x)

    @np.errstate(over="ignore", invalid="ignore")
    def _learn_late(self, x: Point, y: Sequence[float] | Floats | None) -> None:
        """A sample of the old space after the switch: the old model learns from it, in its own space."""
        model, state = self.state.recovered, self.state
        if not self.parts.spaces.sparse:
            state.registry.see(x.idx, state.round)
        if len(x.idx) and y is not None and model is not None and model.learns:
            self._core.rates.cover(int(state.clock[0]), len(state.experts))
            tau = self._core.rates.tau[int(state.clock[0]) - self._core.rates.first]
            f = model.late_score(x)
            s = tau * self.parts.loss.gradient(f, y)
            if float(np.abs(s).max()) * float(np.abs(x.val).max()) <= LIMIT:
                model.late_descend(x, f, s, self.parts.omega)
        state.clock[1] += 1

    # Copies

    def __getstate__(self) -> dict[str, Any]:
        with self.guard:  # what is pickled later must not change any more
            told = {"codec": copy.deepcopy(self.codec), "state": copy.deepcopy(self.state)}
            return {"parts": self.parts, **told}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        # Arrays may come from a file mapped read-only (joblib does that): the state must be ours to write.
        self.parts, self.codec = saved["parts"], saved["codec"]
        self._use(make_core(self.parts, copy.deepcopy(saved["state"]), self.codec))


def _in_space(state: State, x: Point) -> npt.NDArray[np.bool_]:
    """Which observed features belong to the space that the experts work on."""
    roles = state.registry.role[x.idx]
    return np.asarray((roles == CURRENT) | (roles == SURVIVOR))
