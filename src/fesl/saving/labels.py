"""What a learner knows of its labels."""

from __future__ import annotations

from typing import Any

from fesl.errors import LabelError, SavedModelError
from fesl.evolving.labels import Classes, Codec, Targets
from fesl.losses import Loss
from fesl.saving import values
from fesl.saving.document import Section, all_known


def encode(codec: Codec) -> dict[str, Any]:
    """The classes or targets, as JSON.

    >>> from fesl.losses import Softmax
    >>> encode(Classes(Softmax(), ["red", "green"]))
    {'open': False, 'classes': ['red', 'green']}
    """
    if type(codec) is Classes:
        all_known(codec, {"loss", "binary", "open", "labels", "targets"})
        return {"open": codec.open, "classes": values.encode_all(codec.labels, "a class label")}
    if type(codec) is not Targets:
        raise SavedModelError(f"labels of the kind {type(codec).__name__} cannot be saved")
    all_known(codec, {"names", "count", "scalar"})
    names = None if codec.names is None else values.encode_all(codec.names, "the name of a target")
    return {"names": names, "count": codec.count, "scalar": codec.scalar}


def decode(section: Section, loss: Loss) -> Classes | Targets:
    """The codec for labels of this loss."""
    return _targets(section) if loss.task == "regression" else _classes(section, loss)


def _classes(section: Section, loss: Loss) -> Classes:
    codec = Classes(loss, None)
    codec.open = section.typed("open", bool)
    try:
        for label in values.decode_all(section.typed("classes", list), f"{section.where}.classes"):
            codec._declare(label)
    except LabelError as e:
        raise SavedModelError(f"{section.where}: {e}") from None
    if not codec.open and len(codec.labels) < 2:
        raise SavedModelError(f"{section.where} declares fewer than two classes")
    section.close()
    return codec


def _targets(section: Section) -> Targets:
    codec = Targets()
    names, count = section.take("names"), section.take("count")
    codec.scalar = section.typed("scalar", bool)
    section.close()
    if count is None:
        if names is not None or not codec.scalar:
            raise SavedModelError(f"{section.where} knows the form of targets that never came")
        return codec
    if type(count) is not int or count < 1 or (codec.scalar and (count > 1 or names is not None)):
        raise SavedModelError(f"{section.where} cannot have {str(count)[:60]} targets")
    codec.count = count
    if names is not None:
        if type(names) is not list or len(names) != count:
            raise SavedModelError(f"{section.where} should name {count} targets")
        codec.names = values.decode_all(names, f"{section.where}.names")
        values.unique(codec.names, f"{section.where}.names")
    return codec
