"""Older versions of the format: one step lifts a document by one version.

To make version 2: raise `container.VERSION`, write `def _from_1(doc: Document) -> None` that changes a document of
version 1 in place into one of version 2 (rename, add or drop entries of `doc.body` and `doc.arrays`), and enter it
below. The golden files of version 1 in the tests must load then as they do now.
"""

from __future__ import annotations

from collections.abc import Callable

from fesl.saving import container
from fesl.saving.document import Document

STEPS: dict[int, Callable[[Document], None]] = {}


def upgrade(version: int, doc: Document) -> Document:
    """The document as the present version would have written it."""
    for old in range(version, container.VERSION):
        STEPS[old](doc)
    return doc
