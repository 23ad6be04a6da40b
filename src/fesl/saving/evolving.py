"""The evolving learner: its parts, what it knows of labels, and its state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields as dataclass_fields
from typing import Any

import numpy as np

from fesl.errors import SavedModelError
from fesl.evolving.cores import make_core
from fesl.evolving.learner import EvolvingLearner
from fesl.evolving.parts import Parts
from fesl.evolving.state import HISTORY, State
from fesl.models import LIMIT, LinearModel, RecoveredModel
from fesl.recovery import Overlap
from fesl.regret import Ledger, Regret
from fesl.saving import labels, parts, values
from fesl.saving.checks import lives, placed
from fesl.saving.document import LARGEST, Document, Section, all_known, whole
from fesl.saving.fields import Array, Dims, Field, Scalar, floats, ints, names_of, put, put_array, take, take_array
from fesl.saving.lens import LINEAR, put_recovered, take_recovered
from fesl.saving.rows import put_overlap, take_overlap
from fesl.spaces import FREE, VANISHED, Registry

#: The logarithm of a weight is zero at most, but for rounding.
ROUNDED = 1e-9
#: N experts, K outputs, room for `cap` features.
STATE: tuple[Field, ...] = (
    *floats("log_a", "N", high=ROUNDED),
    *ints("clock", 2, low=0),
    *ints("skipped", 1, low=0),
    Scalar("outputs", int, low=1),
    Scalar("cycle", int),
)
REGISTRY = (Array("role", "u1", ("cap",), 0, VANISHED), *ints("count born last", "cap"))
INDEX, UNUSED = ints("index", "used", low=0)[0], ints("free", "unused", low=0)[0]
#: The last two sums are the smallest and the largest loss: infinite before the first.
LEDGER = (*ints("rounds", 1, low=0), *floats("sums", "sums", low=-np.inf, high=np.inf))
PLACES = ("loss", "step", "omega", "recovery", "rule", "spaces")
REGRET = tuple(field.name for field in dataclass_fields(Regret))
#: As many experts as compiled code has room for.
MOST = 64


def encode(model: EvolvingLearner) -> Document:
    doc = Document("evolving", {})
    saved = set(vars(model)) - model.HOT
    if saved != {"parts", "codec"}:
        raise SavedModelError(f"EvolvingLearner holds {sorted(saved)}: more than the file format knows")
    doc.body = {
        "parts": _encode_parts(model.parts),
        "labels": labels.encode(model.codec),
        "state": _encode_state(doc, model.state),
    }
    return doc


def decode(doc: Document, given: dict[str, Any]) -> EvolvingLearner:
    body = Section("body", doc.body)
    chosen = _decode_parts(body.section("parts"), given)
    codec = labels.decode(body.section("labels"), chosen.loss)
    state = _decode_state(doc, body.section("state"), chosen)
    body.close()
    if state.outputs != codec.outputs:
        raise SavedModelError(f"the state has {state.outputs} outputs, the labels need {codec.outputs}")
    model = EvolvingLearner.__new__(EvolvingLearner)
    model.parts, model.codec = chosen, codec
    model._use(make_core(chosen, state, codec))
    return model


# Parts


def _encode_parts(chosen: Parts) -> dict[str, Any]:
    all_known(chosen, {*PLACES, "experts", "seed", "clip"})
    return {
        **{place: parts.encode(place, getattr(chosen, place)) for place in PLACES},
        "experts": [parts.encode("experts", expert) for expert in chosen.experts],
        "seed": values.encode(chosen.seed, "seed"),
        "clip": values.encode(chosen.clip, "clip"),
    }


def _decode_parts(section: Section, given: dict[str, Any]) -> Parts:
    found = {place: parts.decode(place, section.section(place), given.get(place)) for place in PLACES}
    experts = tuple(parts.decode("experts", each) for each in section.sections("experts"))
    seed, clip = section.typed("seed", int), section.take("clip")
    section.close()
    if not 1 <= len(experts) <= MOST:
        raise SavedModelError(f"{section.where} has {len(experts)} experts")
    if clip is not None and (type(clip) not in (int, float) or not 0.0 < clip < LIMIT):
        raise SavedModelError(f"{section.where}.clip is no score to clip at")
    return Parts(**found, experts=experts, seed=seed, clip=clip)


# State


def _encode_state(doc: Document, state: State) -> dict[str, Any]:
    others = {"registry", "experts", "overlap", "past", "ledger", "history"}
    all_known(state, names_of(STATE) | others)
    body: dict[str, Any] = {}
    dims: Dims = {"N": len(state.experts), "K": state.outputs}
    put(doc, body, "state", state, STATE, dims)
    body["registry"] = _encode_registry(doc, state.registry, dims)
    body["experts"] = [_encode_expert(doc, f"expert.{i}", e, dims) for i, e in enumerate(state.experts)]
    body["overlap"] = put_overlap(doc, "overlap", state.overlap)
    body["past"] = None if state.past is None else put_overlap(doc, "past", state.past)
    all_known(state.ledger, {"n", *names_of(LEDGER)})
    put(doc, body, "ledger", state.ledger, LEDGER, {"sums": 2 * dims["N"] + 4})
    body["history"] = [[_plain(getattr(past, name)) for name in REGRET] for past in state.history]
    return body


def _decode_state(doc: Document, section: Section, chosen: Parts) -> State:
    experts = section.sections("experts")
    dims: Dims = {"N": len(experts)}
    found = take(doc, section, "state", STATE, dims)
    dims["K"] = found["outputs"]
    registry = _decode_registry(doc, section.section("registry"), dims)
    rows, cap = chosen.recovery.rows, dims["cap"]
    overlap = take_overlap(doc, section.section("overlap"), "overlap", rows, cap)
    past = section.take("past")
    if past is not None:
        past = take_overlap(doc, Section("past", past), "past", rows, cap)
    models = [_decode_expert(doc, each, f"expert.{i}", dims, past) for i, each in enumerate(experts)]
    if len(models) not in (1, len(chosen.experts)):
        raise SavedModelError(f"{len(models)} experts run: it should be one, or {len(chosen.experts)}")
    state = State(
        registry=registry,
        experts=models,
        overlap=overlap,
        past=past,
        ledger=_decode_ledger(doc, section, dims["N"]),
        **found,
    )
    state.history.extend(_decode_regret(each) for each in section.typed("history", list)[-HISTORY:])
    section.close()
    recovered = [model for model in models if isinstance(model, RecoveredModel)]
    vanished = registry.ids(VANISHED)
    if any(not np.array_equal(np.sort(model.lens.vanished), vanished) for model in recovered):
        raise SavedModelError("the features that have vanished are not those that are recovered")
    if len(vanished) and not recovered:
        raise SavedModelError("features have vanished, and there is no model that recovers them")
    return state


def _encode_registry(doc: Document, registry: Registry, dims: Dims) -> dict[str, Any]:
    all_known(registry, {"index", "names", "free", *names_of(REGISTRY)})
    put(doc, {}, "registry", registry, REGISTRY, dims)
    ids = whole(list(registry.index.values()))
    lives(registry.count[ids], registry.born[ids], registry.last[ids] + 1)
    put_array(doc, "registry", INDEX, ids, {})
    put_array(doc, "registry", UNUSED, whole(registry.free), {})
    return {"names": values.encode_all(registry.names, "a feature")}


def _decode_registry(doc: Document, section: Section, dims: Dims) -> Registry:
    found = take(doc, section, "registry", REGISTRY, dims)
    names = values.decode_all(section.typed("names", list), f"{section.where}.names")
    section.close()
    ids, free = take_array(doc, "registry", INDEX, {}), take_array(doc, "registry", UNUSED, {})
    placed("registry", ids, free, names, dims["cap"])
    registry = Registry(1)
    registry.names, registry.free = names, free.tolist()
    registry.index = {names[i]: i for i in ids.tolist()}
    for name, value in found.items():
        setattr(registry, name, value)
    role, count, born, last = (found[name] for name in ("role", "count", "born", "last"))
    if not np.array_equal(np.flatnonzero(role != FREE), np.sort(ids)):
        raise SavedModelError(
            "registry.role does not say of the known features, and of no others, which part they play"
        )
    lives(count[ids], born[ids], last[ids] + 1)
    return registry


def _encode_expert(doc: Document, where: str, model: LinearModel | RecoveredModel, dims: Dims) -> dict[str, Any]:
    if type(model) is RecoveredModel:
        return {"model": "recovered", **put_recovered(doc, where, model, dims)}
    body: dict[str, Any] = {"model": "linear"}
    all_known(model, names_of(LINEAR))
    put(doc, body, where, model, LINEAR, dims)
    return body


def _decode_expert(
    doc: Document, section: Section, where: str, dims: Dims, past: Overlap | None
) -> LinearModel | RecoveredModel:
    kind = section.typed("model", str)
    model: LinearModel | RecoveredModel
    if kind == "recovered":
        model = take_recovered(doc, section, where, dims, past)
    elif kind == "linear":
        found = take(doc, section, where, LINEAR, dims)
        section.close()
        model = LinearModel(found["W"], 0.0, found["learns"])
        model.num = found["num"]
    else:
        raise SavedModelError(f"{section.where} is no model that is known")
    if not model.num[0] > 0.0:
        raise SavedModelError(f"{where}.num: the scale should be above zero")
    return model


def _decode_ledger(doc: Document, section: Section, experts: int) -> Ledger:
    ledger = Ledger(experts)
    found = take(doc, section, "ledger", LEDGER, {"sums": 2 * experts + 4})
    if not np.isfinite(found["sums"][:-2]).all():
        raise SavedModelError("ledger.sums: a loss is not finite")
    ledger.rounds, ledger.sums = found["rounds"], found["sums"]
    return ledger


def _decode_regret(entry: Any) -> Regret:
    """A past cycle: its figures in the order of `Regret`."""
    if type(entry) is not list or len(entry) != len(REGRET):
        raise SavedModelError("an entry of the history has too few or too many figures")
    found = dict(zip(REGRET, entry, strict=True))
    experts = found.pop("experts")
    flags = {name: found.pop(name) for name in ("tracks", "assumption_held")}
    counts = {name: found.pop(name) for name in ("cycle", "rounds")}
    figures = {name: values.decode(value, "history") for name, value in found.items()}
    if type(experts) is not list or not _all(float, [*experts, *figures.values()]):
        raise SavedModelError("an entry of the history holds something else than figures")
    if not _all(bool, flags.values()) or not _all(int, counts.values()):
        raise SavedModelError("an entry of the history holds something else than figures")
    if not all(0 <= n <= LARGEST for n in counts.values()):
        raise SavedModelError("an entry of the history counts more rounds than there can be")
    return Regret(**counts, experts=tuple(experts), **figures, **flags)


def _plain(value: Any) -> Any:
    return [values.encode(each) for each in value] if isinstance(value, tuple) else values.encode(value)


def _all(kind: type, found: Iterable[Any]) -> bool:
    return all(type(value) is kind for value in found)
