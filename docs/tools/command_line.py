"""The command line reference: `python docs/tools/command_line.py` writes docs/cli.md from what `--help` is made of.

That is the signatures of the commands.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from fesl.cli import app
from fesl.reproduction.command import reproduce

PAGE = Path(__file__).parents[1] / "cli.md"
HEAD = """# Command line

`pip install "fesl[cli,files]"`. The same is told by `fesl --help` and `fesl COMMAND --help`. How the commands go
together: [](how-to/files.md).

<!-- Written by `python docs/tools/command_line.py`. -->
"""


def page() -> str:
    """The whole page."""
    found = [(_name(c), _own(_name(c), c.callback), c.epilog or "") for c in app.registered_commands]
    rows = [f"| [`fesl {name}`](#fesl-{name}) | {_says(command)} |" for name, command, _ in found]
    parts = [HEAD, "\n".join(["| | |", "|---|---|", *rows]) + "\n"]
    parts += ["\n".join(_command(*one)) for one in found]
    return "\n".join(parts)


def _name(command: Any) -> str:
    return str(command.name or command.callback.__name__)


def _own(name: str, command: Any) -> Callable[..., Any]:
    """`fesl reproduce` passes everything on, so its options are those of the command it calls."""
    return reproduce if name == "reproduce" else command


def _says(command: Callable[..., Any]) -> str:
    return " ".join((command.__doc__ or "").split())


def _command(name: str, command: Callable[..., Any], epilog: str) -> Iterator[str]:
    hints = get_type_hints(command, include_extras=True)
    given = {key: p.default for key, p in inspect.signature(command).parameters.items()}
    params = [(key, get_args(hint), given[key]) for key, hint in hints.items() if key in given and get_args(hint)]
    arguments = [(key, hint) for key, hint, _ in params if isinstance(hint[1], ArgumentInfo)]
    options = [(key, hint, default) for key, hint, default in params if isinstance(hint[1], OptionInfo)]
    passes_on = typer.Context in hints.values()
    words = [f"{hint[1].metavar}{'...' if get_origin(hint[0]) is list else ''}" for _, hint in arguments]
    yield f"## `fesl {name}`\n"
    yield f"{_says(command)}\n"
    usage = ["fesl", name, *(["[OPTIONS]"] if options else []), *words, *(["..."] if passes_on else [])]
    yield f"```text\n{' '.join(usage)}\n```\n"
    if params:
        yield "| | | default |"
        yield "|---|---|---|"
        yield from (f"| `{hint[1].metavar}` | {_help(hint[1])} | |" for _, hint in arguments)
        for key, hint, default in options:
            yield f"| {_written(key, *hint)} | {_help(hint[1])} | {_default(default, key)} |"
        yield ""
    if examples := _examples(epilog):
        yield "```text\n" + "\n".join(examples) + "\n```\n"


def _written(key: str, kind: Any, info: OptionInfo) -> str:
    """The names of an option, and what follows them."""
    dashed = key.rstrip("_").replace("_", "-")
    flag = kind is bool
    # the first name stands where a default would be, as it is given with `Annotated`
    said = [name for name in (info.default, *(info.param_decls or ())) if isinstance(name, str)]
    names = said or [f"--{dashed}/--no-{dashed}" if flag else f"--{dashed}"]
    written = ", ".join(f"`{part}`" for name in names for part in name.split("/"))
    return written if flag else f"{written} {info.metavar or _value(kind)}"


def _value(kind: Any) -> str:
    """What an option takes, by its type.

    >>> _value(int | None), _value(Literal["a", "b"])
    ('INTEGER', 'a, b')
    """
    inner = [part for part in get_args(kind) if part is not NoneType]
    if get_origin(kind) is Literal:
        return ", ".join(inner)
    if inner:
        return _value(inner[0])
    return {int: "INTEGER", Path: "PATH"}.get(kind, "TEXT")


def _help(info: Any) -> str:
    """What is said of an option; names of other options as code."""
    return re.sub(r"(?<![`\w-])(--[a-z-]+)", r"`\1`", str(info.help or "")).replace("|", "\\|")


def _default(value: Any, key: str) -> str:
    if value is True:
        return f"`--{key}`"
    return "" if value is None or value is False or value == "" else f"`{value}`"


def _examples(epilog: str) -> list[str]:
    text = epilog.removeprefix("Examples:").removeprefix("Example:").replace(", fesl ", "\nfesl ")
    return [line.strip() for line in text.splitlines() if line.strip()]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
