"""A learner in a file, together with what is needed to go on reading: the columns, their words, the task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fesl.errors import ConfigError, DataError

if TYPE_CHECKING:
    from fesl.files import Settings, Stream

READER = "reader"
#: Settings that a resumed run takes from the saved one unless it says otherwise.
KEPT = ("targets", "ids", "times", "drop", "missing", "categories")


def save(model: Any, path: Path, stream: Stream, state: dict[str, Any], learner: str) -> None:
    """Write the learner and what its stream knew when it had learned the last row."""
    from fesl import saving

    settings = stream.settings.to_dict()
    reader = {
        "settings": {name: settings[name] for name in KEPT} | {"targets": list(stream.targets.names)},
        "state": state,
        "learner": learner,
    }
    saving.save(model, path, extra={READER: reader})


def load(path: Path) -> tuple[Any, dict[str, Any]]:
    """The learner, and what its stream knew (empty if it was not saved by `fesl run`)."""
    from fesl import saving

    try:
        model, extra = saving.load_with_extra(path)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; --save writes one") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory, not a saved model") from None
    except PermissionError:
        raise DataError(f"{path}: no permission to read it") from None
    found = extra.get(READER, {})
    return model, found if isinstance(found, dict) else {}


def merged(settings: Settings, saved: dict[str, Any], path: Path) -> Settings:
    """The settings of a resumed run: what it says, else what was saved."""
    from dataclasses import replace

    from fesl.files import Settings

    if not saved:
        return settings
    before = Settings.from_dict(saved["settings"])
    if settings.targets and settings.targets != before.targets:
        was = ", ".join(before.targets)
        raise ConfigError(f"{path} predicts {was!r}: leave --target out, or start a new model")
    task = saved["state"]["task"]
    if settings.task not in ("auto", task):
        raise ConfigError(f"{path} is a {task}: leave --task out, or start a new model")
    same = {name: getattr(before, name) for name in KEPT if not getattr(settings, name) or name == "categories"}
    return replace(settings, **same)
