"""Saved models in files, file objects and bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from fesl.errors import ConfigError, FeslError, SavedModelError
from fesl.evolving import EvolvingLearner
from fesl.portfolio import Classifier, FeatureEvent, Regressor
from fesl.saving import container, evolving, migrations, portfolio, values
from fesl.saving.document import Document
from fesl.spaces import Spaces
from fesl.steps import Step

Model: TypeAlias = EvolvingLearner | Classifier | Regressor
Place: TypeAlias = str | os.PathLike[str]

#: What a header that contradicts itself may run into, beside what is looked for.
ODD = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def save(model: Model, path: Place | BinaryIO, *, extra: Mapping[str, Any] | None = None) -> None:
    """Write a model into a file, or into a binary file object.

    A file is written whole or not at all: first beside its place, then moved there. Callbacks (`on_event`) are not
    saved: give them again when loading; and so with step sizes and spaces that are functions. `extra` is kept
    beside the model for `load_with_extra`: anything that JSON can hold.

    >>> import fesl, io
    >>> model = fesl.Classifier()
    >>> for a in range(-9, 10):
    ...     _ = model.learn_one({"a": a}, "above" if a > 0 else "below")
    >>> place = io.BytesIO()
    >>> save(model, place)
    >>> _ = place.seek(0)
    >>> load(place).predict_one({"a": 5.0})
    'above'
    """
    with _held(model):
        pieces = container.chunks(_document(model, extra))
        if isinstance(path, str | os.PathLike):
            _write(Path(path), pieces)
        else:
            for piece in pieces:
                path.write(piece)


def load(
    path: Place | BinaryIO,
    *,
    on_event: Callable[[FeatureEvent], None] | None = None,
    step: Step | None = None,
    spaces: Spaces | None = None,
) -> Model:
    """The model in a file or binary file object: it goes on bit for bit as if it had never stopped.

    >>> import fesl, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(fesl.Regressor(), os.path.join(folder, "model.fesl"))
    ...     type(load(os.path.join(folder, "model.fesl")))
    <class 'fesl.portfolio.regressor.Regressor'>

    Nothing in a file is ever executed. A file that is damaged, or no saved model, raises `SavedModelError`.

    Parameters
    ----------
    on_event
        Called with every `FeatureEvent`, for a `Classifier` or a `Regressor`.
    step, spaces
        Where the model was saved with a function in that place: the same again.
    """
    return load_with_extra(path, on_event=on_event, step=step, spaces=spaces)[0]


def load_with_extra(
    path: Place | BinaryIO,
    *,
    on_event: Callable[[FeatureEvent], None] | None = None,
    step: Step | None = None,
    spaces: Spaces | None = None,
) -> tuple[Model, dict[str, Any]]:
    """The model, as `load` gives it, and what was saved beside it (an empty dict if nothing was).

    >>> import fesl, io
    >>> place = io.BytesIO()
    >>> save(fesl.Regressor(), place, extra={"unit": "K"})
    >>> _ = place.seek(0)
    >>> load_with_extra(place)[1]
    {'unit': 'K'}
    """
    given = {"step": step, "spaces": spaces}
    if not isinstance(path, str | os.PathLike):
        return _opened(path.read(), on_event, given)
    try:
        return _opened(Path(path).read_bytes(), on_event, given)
    except SavedModelError as e:
        raise SavedModelError(f"{os.fspath(path)}: {e}") from None


def dumps(model: Model) -> bytes:
    """A model as bytes.

    >>> import fesl
    >>> data = dumps(fesl.paper.fesl_c())
    >>> dumps(loads(data)) == data
    True
    """
    with _held(model):
        return b"".join(container.chunks(_document(model)))


def loads(
    data: bytes,
    *,
    on_event: Callable[[FeatureEvent], None] | None = None,
    step: Step | None = None,
    spaces: Spaces | None = None,
) -> Model:
    """The model in these bytes; see `load`.

    >>> loads(b"something else")
    Traceback (most recent call last):
    fesl.errors.SavedModelError: this is no model saved by fesl
    """
    return _opened(data, on_event, {"step": step, "spaces": spaces})[0]


def _opened(data: bytes, on_event: Any, given: dict[str, Any]) -> tuple[Model, dict[str, Any]]:
    """The model in these bytes, and what was saved beside it."""
    if not isinstance(data, bytes):
        raise SavedModelError(f"a saved model is bytes, not {type(data).__name__}: open its file in binary mode")
    try:
        doc = migrations.upgrade(*container.parse(data))
        model = _model(doc, on_event, given)
    except (SavedModelError, ConfigError):
        raise
    except (FeslError, *ODD) as e:
        raise SavedModelError(f"the file contradicts itself ({type(e).__name__}: {e})") from None
    if doc.arrays:
        raise SavedModelError(f"the file holds arrays that nothing asks for: {sorted(doc.arrays)[:5]}")
    return model, doc.extra


def _held(model: Any) -> AbstractContextManager[None]:
    """No other thread may teach the model meanwhile."""
    guard: AbstractContextManager[None] = getattr(model, "guard", None) or nullcontext()
    return guard


def _document(model: Any, extra: Mapping[str, Any] | None = None) -> Document:
    if type(model) is EvolvingLearner:
        doc = evolving.encode(model)
    elif type(model) in (Classifier, Regressor):
        doc = portfolio.encode(model)
    else:
        inside = getattr(model, "learner", None)
        remedy = f"save its .learner, a fesl.{type(inside).__name__}, or pickle it" if inside else "pickle it"
        raise SavedModelError(
            f"a {type(model).__module__}.{type(model).__name__} cannot be saved: what can is a fesl.Classifier, a "
            f"fesl.Regressor, and an EvolvingLearner (all that fesl.paper makes); {remedy}"
        )
    doc.extra = values.plain(dict(extra or {}))
    return doc


def _model(doc: Document, on_event: Any, given: dict[str, Any]) -> Model:
    default = doc.kind in ("classifier", "regressor")
    if default and any(part is not None for part in given.values()):
        raise ConfigError("step= and spaces= are for an EvolvingLearner: the file holds a Classifier or Regressor")
    if default:
        return portfolio.decode(doc, on_event)
    if doc.kind != "evolving":
        raise SavedModelError(f"a model of the kind {doc.kind[:60]!r} is not known")
    if on_event is not None:
        raise ConfigError("on_event= is for a Classifier or Regressor: the file holds an EvolvingLearner")
    return evolving.decode(doc, given)


def _write(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Beside its place, to the disk, then into its place in one step. A link stays a link."""
    if path.exists() and not path.is_file():  # a pipe or a device (or a folder, which raises)
        with open(path, "wb") as device:
            device.writelines(pieces)
        return
    path = Path(os.path.realpath(path))
    beside = path.with_name(f".{path.name[:80]}.{os.urandom(6).hex()}.part")
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(file, "wb") as out:
            out.writelines(pieces)
            out.flush()
            os.fsync(out.fileno())
        if path.exists():
            os.chmod(beside, stat.S_IMODE(path.stat().st_mode))
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """The folder itself to the disk, where that can be asked for."""
    if hasattr(os, "O_DIRECTORY"):
        at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(at)
        finally:
            os.close(at)
