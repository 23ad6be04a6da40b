"""Small pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable


class Notes:
    """Numbered reasons, each told once."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, text: str) -> str:
        if text not in self.texts:
            self.texts.append(text)
        return f" [{self.texts.index(text) + 1}]"

    def listed(self) -> str:
        return "\n".join(f"{k}. {text}" for k, text in enumerate(self.texts, 1))


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in [head, *rows]]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def short(value: float) -> str:
    """Three figures, as people write them.

    >>> short(0.51234), short(7.5), short(1234.5)
    ('0.512', '7.5', '1,234')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
