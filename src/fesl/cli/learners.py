"""The learners by the names they have on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fesl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

LEARNERS = ("default", "fesl-c", "fesl-s", "nogd", "rogd-u", "rogd-f")


def make(name: str, task: str) -> Any:
    """A new learner for a task.

    >>> type(make("default", "regression")).__name__
    'Regressor'
    """
    import fesl
    from fesl import losses, paper

    check(name)
    if name == "default":
        return fesl.Regressor() if task == "regression" else fesl.Classifier()
    method: Callable[..., Any] = getattr(paper, name.replace("-", "_"))
    return method(loss=losses.Squared() if task == "regression" else losses.Softmax())


def check(name: str) -> None:
    """Raise if there is no learner of this name."""
    if name not in LEARNERS:
        raise ConfigError(f"learner {name!r} is not known: choose one of {', '.join(LEARNERS)}")


def task_of(model: Any) -> str:
    """What a learner predicts.

    >>> task_of(make("fesl-c", "classification")), task_of(make("default", "regression"))
    ('classification', 'regression')
    """
    loss = model.parts.loss if hasattr(model, "parts") else model.loss
    return "regression" if loss.task == "regression" else "classification"
