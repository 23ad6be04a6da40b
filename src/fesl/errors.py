"""Every error that `fesl` raises on purpose, in one tree.

    FeslError
    ├── ConfigError        a part was given a setting that cannot work
    ├── FeatureError       an event carries a value that is not a finite number
    ├── LabelError         a label of the wrong kind, number or class
    ├── DataError          a table, file or data set that cannot be read as a stream
    ├── SavedModelError    a model that cannot be saved, or a file that is no saved model, or a damaged one
    └── MissingExtraError  an optional dependency is not installed

Each message names the culprit and the remedy. An event that raises leaves the learner exactly as it was.
"""

from __future__ import annotations


class FeslError(Exception):
    """Root of the tree: `except FeslError` catches everything that is ours.

    >>> issubclass(LabelError, FeslError) and issubclass(LabelError, ValueError)
    True
    """


class ConfigError(FeslError, ValueError):
    """A part was given a setting that cannot work."""


class FeatureError(FeslError, ValueError):
    """An event carries something that is not a finite number."""


class LabelError(FeslError, ValueError):
    """A label of the wrong kind, of an undeclared class, or with the wrong number of targets."""


class DataError(FeslError, ValueError):
    """A table, file or data set that cannot be read as a stream."""


class SavedModelError(FeslError, ValueError):
    """A model that cannot be saved, or a file that is not a saved model or is damaged: nothing was made of it."""


class MissingExtraError(FeslError, ImportError):
    """An optional dependency is missing; the message is the line that installs it.

    >>> print(MissingExtraError("river", "river"))
    this needs the package 'river': pip install "fesl[river]"
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f'this needs the package {package!r}: pip install "fesl[{extra}]"')
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return type(self), (self.package, self.extra)


def shown(value: object) -> str:
    """A value in a message, cut where it is long.

    >>> shown(1.5), shown("x" * 99)[-6:], shown(10**9999)
    ('1.5', 'xxx...', 'a number of thousands of digits')
    """
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 40 else text[:37] + "..."
