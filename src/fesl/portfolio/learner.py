"""The default learner: one pass, nothing to tune, any pattern of absence."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy.typing as npt

from fesl._guard import Guard
from fesl._typing import Event, Floats, Name
from fesl.errors import ConfigError, shown
from fesl.evolving.events import read
from fesl.evolving.labels import Classes, Codec, Scores, unlabelled
from fesl.evolving.run import Run
from fesl.losses import Loss
from fesl.models import Point
from fesl.portfolio import doors, inspect
from fesl.portfolio.changes import attention, suggestions
from fesl.portfolio.changes.lives import FeatureEvent, Log
from fesl.portfolio.changes.suggestions import Suggestion
from fesl.portfolio.constants import CROWD, LABELLED, QUARTER, SPARSE, WIDE
from fesl.portfolio.cores import make_core
from fesl.portfolio.inspect import Recovery
from fesl.portfolio.mixture import Bits
from fesl.portfolio.state import State
from fesl.portfolio.wide import choice, spaces, steady
from fesl.portfolio.wide.core import Wide
from fesl.portfolio.wide.state import WideState


class Portfolio:
    """What `Classifier` and `Regressor` share."""

    #: What is made anew with each copy.
    HOT = frozenset(("_core", "_learn_event", "_predict_event", "guard"))
    loss: Loss
    codec: Codec
    guard: Guard

    def __init__(
        self,
        codec: Codec,
        aliases: Mapping[Name, Name] | None,
        on_event: Callable[[FeatureEvent], None] | None,
    ) -> None:
        self.codec = codec
        self.aliases = _roles(aliases)
        if on_event is not None and not callable(on_event):
            raise ConfigError(f"on_event={shown(on_event)}: pass a function of one FeatureEvent, or None")
        self.log = Log(on_event)
        self._use(State(self.loss.task == "regression"))
        self._fit_outputs()

    # One event at a time

    def learn_one(self, x: Event, y: Any = None) -> Self:
        """Learn from an event: its observed features, and its label where there is one.

        An absent key, None and NaN all mean "not observed". An event without a label still counts for the
        scales of the features and for how they go together.
        """
        if self.aliases:
            x = self._renamed(x)
        if not self._learn_event(x, y):
            with self.guard:
                self._learn_slowly(x, y)
        if self._core.news:
            self._settle()
        if self.log.untold:
            self.log.tell()
        return self

    def predict_one(self, x: Event) -> Any:
        """The predicted label or number(s); changes nothing. None before any class is known."""
        return self.codec.decode(self._scores(x))

    def iterate(self, events: Iterable[tuple[Event, Any]]) -> Iterator[Any]:
        """Predict each event, then learn from it: yields the predictions."""
        for x, y in events:
            yield self.predict_one(x)
            self.learn_one(x, y)

    # Tables

    def run(self, X: Any, y: Any, *, features: Sequence[Name] | None = None, detail: bool = False) -> Run:
        """Predict, then learn, row by row: a NumPy array (NaN is not observed), a SciPy sparse matrix (what is not
        stored is zero) or a data frame (pandas, polars, Arrow). Columns are named by `features`, by the data
        frame, or by their numbers. The scores of the run are log-probabilities, or numbers."""
        with self.guard:
            self._settle()
            return doors.run(self, X, y, features, detail=detail)

    def learn_many(self, X: Any, y: Any = None, *, features: Sequence[Name] | None = None) -> Self:
        """Learn from a table, row by row."""
        with self.guard:
            self._settle()
            doors.learn(self, X, y, features)
        return self

    def predict_many(self, X: Any, *, features: Sequence[Name] | None = None) -> npt.NDArray[Any]:
        """Predict a table; changes nothing."""
        with self.guard:
            return doors.predict(self, X, features).predictions

    # What there is to see

    @property
    def classes(self) -> list[Any]:
        """The classes known so far, in the order of the probabilities; a regression has none."""
        return list(self.codec.labels) if isinstance(self.codec, Classes) else []

    @property
    def compiled(self) -> bool:
        """Whether compiled code runs."""
        return self._core.compiled

    @property
    def weights(self) -> dict[str, float]:
        """How much each expert is trusted now (with several targets: on average)."""
        with self.guard:
            return dict(zip(self.state.experts, self.state.a.mean(axis=0).tolist(), strict=True))

    @property
    def features(self) -> dict[Name, str]:
        """Every feature that is remembered: "live" (in the last event), "missing" (for a moment) or "vanished"."""
        with self.guard:
            return inspect.features(self.state)

    @property
    def events(self) -> list[FeatureEvent]:
        """The last thousand things that happened to features."""
        with self.guard:
            return list(self.log.events)

    def recovery(self) -> dict[Name, Recovery]:
        """How well each feature is recovered from the others: a running error for live ones, the error on the kept
        rows for vanished ones."""
        with self.guard:
            st = self._narrow
            return {} if st is None else inspect.recovery(st)

    def suggest_aliases(self) -> list[Suggestion]:
        """Which newer feature could take an older one's role, best first: they stood side by side in the kept rows
        and agree in value."""
        with self.guard:
            st = self._narrow
            return [] if st is None else suggestions.ranked(st)

    def regret(self) -> Bits:
        """What the stream cost so far, in bits: each expert, the mixture, and what the bound allows."""
        with self.guard:
            return self.state.account.bits(self.state.experts, int(self.state.clock[LABELLED]))

    @property
    def _narrow(self) -> State | None:
        """What knows how features go together: of a wide learner the narrow one inside, if there is one."""
        return self.state if isinstance(self.state, State) else self.state.inner

    # Out of the ordinary

    def _use(self, state: State | WideState) -> None:
        core = make_core(state, self.codec)
        if hasattr(self, "guard"):  # before others can see it
            self.guard.watch(core)
        else:
            self.guard = Guard(core)
        self.state, self._core = state, core
        self._learn_event, self._predict_event = core.learn_event, core.predict_event

    def _renamed(self, x: Event) -> Event:
        """The event under the names of the roles; a role that is there itself comes first."""
        if not isinstance(x, Mapping):
            return x
        found = dict.fromkeys(self.aliases.get(k, k) for k in x)
        for own in (True, False):
            for k, v in x.items():
                role = self.aliases.get(k, k)
                if (k not in self.aliases) == own and unlabelled(found[role]):
                    found[role] = v
        return found

    def _scores(self, x: Event) -> Scores:
        if self.aliases:
            x = self._renamed(x)
        p = self._predict_event(x)
        return self._scores_slowly(x) if p is None else tuple(p)

    def _scores_slowly(self, x: Event) -> Scores:
        with self.guard:
            point = read(x, self.state.index)[0].ordered()
            if not self.state.outputs:
                return (0.0,) * self.codec.outputs
            return tuple(self._core.predict(point).tolist())

    def _learn_slowly(self, x: Event, y: Any) -> None:
        """Learn from an event that is not ordinary. What is wrong with it raises before anything changes."""
        self._settle()
        point, strangers = read(x, self.state.index)
        target = self._target(y)
        self._learn_point(point, strangers, target)

    def _learn_point(self, x: Point, strangers: dict[Name, float], y: Sequence[float] | Floats | None) -> None:
        st = self.state
        if isinstance(st, State) and self._stray(st, len(strangers)):
            strangers = {}
        live, here = st.n - 1 + len(strangers), len(x.idx) + len(strangers)
        sparse = len(x.idx) and strangers and live > SPARSE and here < QUARTER * live
        if isinstance(st, State) and (live > WIDE or sparse):
            most = max([here, *st.lately()])  # one event alone may be anything
            if live > WIDE or most < QUARTER * live:
                self.widen(centred=2 * most >= live)
        if isinstance(self._core, Wide):
            self._core.learn(spaces.attend(self._core, self.log, x, strangers).ordered(), y, self.log)
        else:
            attention.learn(self._core, self.log, x, strangers, y)

    @staticmethod
    def _stray(st: State, many: int) -> bool:
        """Whether so many strangers, more than there are features, came by mistake: they would make the learner
        wide for good. Two such events mean that they are there."""
        known = st.n - 1
        return 0 < known < many and known + many > WIDE and attention.first(st, CROWD)

    def widen(self, *, centred: bool = False) -> None:
        """Go on with diagonal covariances, as the learner does by itself above WIDE live features. `centred` says
        that an event holds nearly all features (sensors); otherwise what it does not hold is zero (words)."""
        with self.guard:
            if isinstance(self.state, State):
                wide = WideState(self.state, centred)
                if not centred:
                    steady.part_with_means(wide)
                if choice.fill(wide):
                    wide.keep_inside(self.state)
                self._use(wide)

    def _target(self, y: Any) -> Scores | None:
        """The target of a label, with room made for what is new about it."""
        if unlabelled(y):
            return None
        target = self.codec.encode(y)
        if target is None:
            self.codec.admit(y)
            target = self.codec.encode(y)
            self._fit_outputs()
        return target

    def _fit_outputs(self) -> None:
        known = len(self.codec.labels) if isinstance(self.codec, Classes) else getattr(self.codec, "count", 0) or 0
        if known > self.state.outputs:
            self.state.fit_outputs(known)
            self._core.bind()

    def _settle(self) -> None:
        """What a round, perhaps one of another thread, left to be done."""
        with self.guard:
            core = self._core
            if not core.news:
                return  # another thread was here
            if isinstance(core, Wide):
                core.settle(self.log)
            else:
                attention.settle(core, self.log)

    # Copies

    def __getstate__(self) -> dict[str, Any]:
        with self.guard:  # what is pickled later must not change any more
            told = {"state": copy.deepcopy(self.state), "codec": copy.deepcopy(self.codec), "log": self.log.copy()}
            return {**{key: value for key, value in vars(self).items() if key not in self.HOT}, **told}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        # Arrays may come from a file mapped read-only: the state must be ours to write.
        self._use(copy.deepcopy(saved["state"]))


def _roles(aliases: Mapping[Name, Name] | None) -> dict[Name, Name]:
    """Each alias with the role that it stands for in the end.

    >>> _roles({"v3": "v2", "v2": "v1"})
    {'v3': 'v1', 'v2': 'v1'}
    """
    if aliases is None:
        return {}
    if not isinstance(aliases, Mapping) or not all(isinstance(role, Hashable) for role in aliases.values()):
        raise ConfigError(f"aliases={shown(aliases)}: pass a mapping from new names to the features they stand for")
    found: dict[Name, Name] = {}
    for new, role in aliases.items():
        met = {new}
        while role in aliases and role not in met:
            met.add(role)
            role = aliases[role]
        if role in met:
            raise ConfigError(f"aliases={shown(aliases)}: {new!r} stands for itself in the end")
        found[new] = role
    return found
