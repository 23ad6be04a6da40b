"""What was skipped, changed or left out while reading: counted, and told once."""

from __future__ import annotations

from dataclasses import dataclass

from fesl.errors import DataError


@dataclass
class Note:
    """Something that happened `count` times; `first` says where it happened first."""

    what: str
    first: str
    count: int

    def __str__(self) -> str:
        if self.count == 1:
            return f"{self.what} ({self.first})"
        return f"{self.count:,} x {self.what} (first: {self.first})"


class Notes:
    """Everything there is to tell about the files. `strict` refuses instead: what was not read cleanly is an error.

    >>> notes = Notes()
    >>> notes.add("row too short, skipped", "a.csv, row 7")
    >>> notes.add("row too short, skipped", "a.csv, row 9", count=2)
    >>> notes.lines()
    ['3 x row too short, skipped (first: a.csv, row 7)']
    >>> Notes(strict=True).add("row too short, skipped", "a.csv, row 7")
    Traceback (most recent call last):
    ...
    fesl.errors.DataError: a.csv, row 7: row too short, skipped (refused because reading is strict)
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self._notes: dict[str, Note] = {}

    def add(self, what: str, first: str, count: int = 1) -> None:
        """Something was not read as it stands."""
        if self.strict:
            raise DataError(f"{first}: {what} (refused because reading is strict)")
        self.tell(what, first, count)

    def tell(self, what: str, first: str, count: int = 1) -> None:
        """Something worth knowing, which even strict reading allows."""
        if what in self._notes:
            self._notes[what].count += count
        else:
            self._notes[what] = Note(what, first, count)

    def lines(self) -> list[str]:
        """One line a kind of thing, in the order they came up."""
        return [str(note) for note in self._notes.values()]
