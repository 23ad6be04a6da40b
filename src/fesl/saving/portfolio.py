"""The default learner: `Classifier` and `Regressor`, narrow or wide."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from fesl.errors import SavedModelError
from fesl.evolving.labels import Classes
from fesl.losses import Softmax, Squared
from fesl.portfolio import Classifier, FeatureEvent, Kind, Regressor, Suggestion
from fesl.portfolio.changes.lives import Log
from fesl.portfolio.state import State
from fesl.portfolio.wide.state import WideState
from fesl.saving import labels, narrow, values, wide
from fesl.saving.document import LARGEST, Document, Section, all_known

SUGGESTED = 100


def encode(model: Classifier | Regressor) -> Document:
    doc = Document("classifier" if type(model) is Classifier else "regressor", {})
    saved = set(vars(model)) - model.HOT
    if saved != {"loss", "codec", "aliases", "log", "state"}:
        raise SavedModelError(f"{type(model).__name__} holds {sorted(saved)}: other than the file format knows")
    all_known(model.log, {"events", "callback", "untold", "passed_over"})
    state = model.state
    doc.body = {
        "labels": labels.encode(model.codec),
        "aliases": [[values.encode(new, "an alias"), values.encode(role)] for new, role in model.aliases.items()],
        "events": [_event(event) for event in model.log.events],
        "suggested": [_suggestion(each) for each in state.suggested],
        "wide": isinstance(state, WideState),
        "state": wide.encode(doc, state) if isinstance(state, WideState) else narrow.encode(doc, state),
    }
    return doc


def decode(doc: Document, on_event: Callable[[FeatureEvent], None] | None) -> Classifier | Regressor:
    regression = doc.kind == "regressor"
    body = Section("body", doc.body)
    kind: type[Classifier | Regressor] = Regressor if regression else Classifier
    model = kind.__new__(kind)
    model.loss = Squared() if regression else Softmax()
    codec = labels.decode(body.section("labels"), model.loss)
    model.aliases = _aliases(body.typed("aliases", list))
    model.log = Log(on_event)
    model.log.events.extend(_read_event(entry) for entry in body.typed("events", list))
    suggested = deque((_read_suggestion(entry) for entry in body.typed("suggested", list)), maxlen=SUGGESTED)
    known = len(codec.labels) if isinstance(codec, Classes) else codec.count or 0
    read = wide.decode if body.typed("wide", bool) else narrow.decode
    state: State | WideState = read(doc, body.section("state"), regression, known)
    body.close()
    model.codec, state.suggested = codec, suggested
    if isinstance(state, WideState) and state.inner is not None:
        state.inner.suggested = suggested
    model._use(state)
    return model


def _event(event: FeatureEvent) -> list[Any]:
    return [event.kind.name, values.encode(event.feature, "a feature"), event.time, event.count]


def _read_event(entry: Any) -> FeatureEvent:
    if type(entry) is not list or len(entry) != 4 or type(entry[0]) is not str or entry[0] not in Kind.__members__:
        raise SavedModelError("an entry of events cannot be read")
    kind, feature, time, count = entry
    return FeatureEvent(Kind[kind], values.decode(feature, "events"), _whole(time), _whole(count))


def _suggestion(each: Suggestion) -> list[Any]:
    new, role = values.encode(each.new, "a feature"), values.encode(each.role, "a feature")
    return [new, role, values.encode(each.agreement), each.rows]


def _read_suggestion(entry: Any) -> Suggestion:
    if type(entry) is not list or len(entry) != 4 or type(entry[2]) is not float:
        raise SavedModelError("an entry of suggested cannot be read")
    new, role = values.decode(entry[0], "suggested"), values.decode(entry[1], "suggested")
    return Suggestion(new, role, entry[2], _whole(entry[3]))


def _aliases(pairs: list[Any]) -> dict[Any, Any]:
    if not all(type(pair) is list and len(pair) == 2 for pair in pairs):
        raise SavedModelError("aliases should be pairs")
    found = [(values.decode(new, "aliases"), values.decode(role, "aliases")) for new, role in pairs]
    values.unique([new for new, _ in found], "aliases")
    return dict(found)


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > LARGEST:
        raise SavedModelError("a count of events or suggested is no whole number")
    return value
