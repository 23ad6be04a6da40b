"""The turns of a cycle: what happens to the state when features come and go.

    settled      one model on the space S
    overlapping  newcomers N stand beside S: rows with both are kept, the model goes on as before
    switched     features V of S are gone: the old model lives on with V recovered from what is present,
                 a fresh one starts beside it, the rule weighs them; N belongs to the space now
    ...          the next newcomers: overlapping again, and at the next switch the ensemble *is* the old model

Every turn returns a new state and leaves the one it was given as it was, so that predicting can look ahead.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.evolving.parts import Parts, Recovered
from fesl.evolving.state import State
from fesl.models import LIMIT, LinearModel, RecoveredModel
from fesl.recovery import Overlap
from fesl.regret import Ledger
from fesl.spaces import CURRENT, NEWCOMER, SURVIVOR, VANISHED, Sighting


def sight(state: State, ids: Ints) -> Sighting:
    """The event as the spaces see it."""
    return Sighting(ids, state.round, state.registry, state.overlap, state.past)


@np.errstate(over="ignore", invalid="ignore")
def turn(state: State, parts: Parts, sighting: Sighting) -> State:
    """The state in which an event with these features is to be predicted and learned: this one as a rule, a
    new one where the event shows that features have gone or come back."""
    if sighting.holds(VANISHED):
        late = sighting.old and not parts.spaces.back(sighting)
        return state if late else come_back(state, parts, sighting.ids)
    gone = parts.spaces.gone(sighting)
    if not len(gone):
        return state
    return switch(state, parts, gone) if sighting.holds(NEWCOMER) else lose(state, parts, gone)


def switch(state: State, parts: Parts, vanished: Ints) -> State:
    """The old features are gone: recover them, start the new model, weigh both from even odds on."""
    new = state.fork()
    r = new.registry
    r.release(r.ids(VANISHED))
    w = parts.omega(collapse(state, r.ids(CURRENT, SURVIVOR)))
    r.role[r.ids(CURRENT, SURVIVOR)] = SURVIVOR
    r.role[vanished] = VANISHED
    r.role[r.ids(NEWCOMER)] = CURRENT
    new.past, new.overlap = state.overlap, Overlap(parts.recovery.rows)
    new.experts = [_expert(kind, new, parts, w) for kind in parts.experts]
    if new.recovered is None:
        r.release(r.ids(VANISHED))
        r.role[r.ids(SURVIVOR)] = CURRENT
    new.history.append(state.ledger.regret(parts.rule, state.cycle))
    new.log_a = np.full(len(new.experts), -np.log(len(new.experts)))
    new.ledger = Ledger(len(new.experts))
    new.clock[0] = 0
    new.cycle += 1
    return new


def lose(state: State, parts: Parts, vanished: Ints) -> State:
    """Features that had survived the switch are gone too: recover them as well, from the same overlap rows."""
    new = state.fork()
    new.registry.role[vanished] = VANISHED
    return _refit(new, parts)


def come_back(state: State, parts: Parts, ids: Ints) -> State:
    """Vanished features are back: they pass through again, with what the old model knows of them."""
    new = state.fork()
    back = ids[new.registry.role[ids] == VANISHED]
    new.registry.role[back] = SURVIVOR
    return _refit(new, parts)


def adopt(state: State, parts: Parts) -> State:
    """Newcomers have stood beside the old features for long: one model on all of them from now on."""
    new = state.fork()
    r = new.registry
    r.release(r.ids(VANISHED))
    model = LinearModel(parts.omega(collapse(state, r.ids(CURRENT, SURVIVOR))))
    r.role[r.ids(SURVIVOR, NEWCOMER)] = CURRENT
    new.past, new.overlap = None, Overlap(parts.recovery.rows)
    new.experts, new.log_a, new.ledger = [model], np.zeros(1), Ledger(1)
    new.history.append(state.ledger.regret(parts.rule, state.cycle))
    return new


def collapse(state: State, space: Ints) -> Floats:
    """The whole ensemble as one linear model on the space that is alive: sum of a_i w_i. Exact where the rule
    combines; where it draws, the mean of what it draws. It may lie outside Omega, and is projected then."""
    w = np.zeros((state.registry.capacity, state.outputs))
    for a, expert in zip(np.exp(state.log_a), state.experts, strict=True):
        w[space] += a * expert.linear()[space]
    return np.clip(np.nan_to_num(w, nan=0.0), -LIMIT, LIMIT)


def _expert(kind: object, state: State, parts: Parts, w: Floats) -> LinearModel | RecoveredModel:
    if not isinstance(kind, Recovered):
        return LinearModel.zeros(state.registry.capacity, state.outputs)
    return _recover(state, parts, w, kind.learns)


def _recover(state: State, parts: Parts, w: Floats, learns: bool) -> RecoveredModel:
    r, past = state.registry, state.past
    assert past is not None, "a recovered model stands on overlap rows"
    present = r.ids(CURRENT, SURVIVOR)
    gaps = not parts.spaces.sparse
    lens = parts.recovery.fit(past, r.ids(VANISHED), present, r.capacity, gaps=gaps, explicit=parts.boxed)
    return RecoveredModel(lens, w, r.ids(SURVIVOR), learns)


def _refit(state: State, parts: Parts) -> State:
    """The recovered expert anew, on the same old model and overlap rows, for other vanished features."""
    state.experts = [
        _recover(state, parts, e.old_weights(), e.learns) if isinstance(e, RecoveredModel) else e
        for e in state.experts
    ]
    return state
