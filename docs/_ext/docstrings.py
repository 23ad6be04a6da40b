"""Docstrings as pages: indented formulas of plain text are shown as they stand, and `|` and `*` mean nothing."""

from __future__ import annotations

import re
from typing import Any

#: A paragraph before an indented one that is no list, no field and no directive.
PROSE = re.compile(r"^(?![-*+:>]|\.\. |\d+\.|=+\s|>>>)\S")


def literal(lines: list[str]) -> list[str]:
    """An indented block that follows a paragraph and a blank line becomes a literal block."""
    out: list[str] = []
    for i, line in enumerate(lines):
        deeper = line.startswith("    ") and line.strip() and not line.lstrip().startswith((">>>", ".. "))
        after_prose = i >= 2 and not lines[i - 1].strip() and PROSE.match(lines[i - 2])
        if deeper and after_prose and not lines[i - 2].endswith("::"):
            out += ["::", ""]
        out.append(line)
    return out


def escaped(line: str) -> str:
    """`||w||` is a norm, not a substitution; `a * b` a product."""
    if line.startswith("    ") or line.lstrip().startswith((">>>", "...", "..", ":", "*", "=")):
        return line
    parts = re.split(r"(``[^`]*``|`[^`]*`|\*\*[^*]+\*\*|(?<!\w)\*[^*\s][^*]*\*(?!\w))", line)
    return "".join(p if i % 2 else re.sub(r"(?<!\\)([|*])", r"\\\1", p) for i, p in enumerate(parts))


def process(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Runs before napoleon: the sections are still those of the docstring."""
    lines[:] = [escaped(line) for line in literal(lines)]


def signature(
    app: Any, what: str, name: str, obj: object, options: object, given: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Type aliases by their bare names, and what a factory makes as `...`."""
    return _bare(given), _bare(returned)


def _bare(part: str | None) -> str | None:
    if part is None:
        return None
    part = re.sub(r"TypeAliasForwardRef\('([\w.]+)'\)", r"\1", part)
    return re.sub(r"<function (\w+)[^>]*>", r"\1", part.replace("<factory>", "..."))


def skip(app: Any, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """scikit-learn makes methods for the routing of metadata, which none of ours asks for."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process, priority=100)
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
