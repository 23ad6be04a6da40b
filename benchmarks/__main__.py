"""The command: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import (
    ablation,
    contestants,
    drift,
    files,
    gap,
    growth,
    guard,
    machine,
    paper_setting,
    quality,
    regression,
    sets,
    speed,
    startup,
    wide,
    wrapped,
)
from benchmarks import patterns as kinds
from benchmarks.report import claims, page

OUT = contestants.ROOT / "out" / "benchmarks"
#: The cells of the daily run: two of the paper's sets where they are, two that come with scikit-learn.
QUICK_SETS = ("diabetes", "credit-a", "wine", "breast-cancer")
ALL_PATTERNS = (*kinds.PATTERNS, *(f"OpenMOA's {name}" for name in kinds.OPENMOA))
#: Asked for by name, or with --full: in a quick run there is no time for them.
LONG = ("openmoa", "wrapped", "regression")
#: Built for speed only: its SGD is scikit-learn's behind Java.
NOT_FOR_QUALITY = ("limit", "capymoa")

Arguments = argparse.Namespace


def _sets(args: Arguments) -> list[str]:
    here = sets.available()
    wanted = args.sets or (here if args.full else [name for name in QUICK_SETS if name in here])
    return [name for name in wanted if name in here]


def _runs(args: Arguments, quick: int, full: int) -> int:
    return int(args.runs or (full if args.full else quick))


def _nine(args: Arguments) -> list[str]:
    return [name for name in _sets(args) if name in paper_setting.BEST]


def _quality(args: Arguments) -> dict[str, Any]:
    patterns = args.patterns or (ALL_PATTERNS if args.full else ("evolvable", "trapezoidal", "capricious", "paper"))
    peers = [name for name in args.peers if name not in NOT_FOR_QUALITY]
    runs = _runs(args, 1, 3)
    return quality.run(_sets(args), list(patterns), peers, runs, args.jobs, quick=not args.full, kept=args.kept)


def _linear(args: Arguments) -> dict[str, Any]:
    """Ours and River's linear learner only, on more row orders: one order is a toss where both are close."""
    patterns, peers = args.patterns or (*kinds.PATTERNS,), ["ours", "river"]
    models = ("default", "Scaler | LogisticRegression")
    return quality.run(_sets(args), list(patterns), peers, _runs(args, 3, 10), args.jobs, models=models)


def _openmoa(args: Arguments) -> dict[str, Any]:
    """Ours and OpenMOA's, on the patterns that it is made for."""
    three = ("evolvable", "trapezoidal", "capricious")
    patterns = args.patterns or [pattern for pattern in ALL_PATTERNS if pattern.split()[-1] in three]
    runs = _runs(args, 1, 3)
    return quality.run(_sets(args), list(patterns), ["ours", "openmoa"], runs, args.jobs, not args.full, args.kept)


def _wrapped(args: Arguments) -> list[dict[str, Any]]:
    kinds = [pattern for pattern in args.patterns or wrapped.PATTERNS if pattern in wrapped.PATTERNS]
    return wrapped.run(_sets(args), kinds, _runs(args, 1, 3), 2000 if args.full else 1000, args.jobs)


def _regression(args: Arguments) -> list[dict[str, Any]]:
    names = [name for name in args.sets or regression.SETS if name in regression.SETS]
    kinds = [pattern for pattern in args.patterns or regression.PATTERNS if pattern in regression.PATTERNS]
    return regression.run(names, kinds, _runs(args, 1, 3), args.full)


#: By name: what computes a part, and what prints it.
PARTS: dict[str, tuple[Callable[[Arguments], Any], Callable[[Any], None]]] = {
    "speed": (lambda args: speed.run(args.full, args.peers, args.clock), speed.show),
    "startup": (lambda args: startup.run(args.full, args.peers), startup.show),
    "growth": (lambda args: growth.run(args.full), growth.show),
    "quality": (_quality, quality.show),
    "openmoa": (_openmoa, quality.show),
    "linear": (_linear, quality.show),
    "wrapped": (_wrapped, wrapped.show),
    "regression": (_regression, regression.show),
    "gap": (lambda args: gap.run(_sets(args), _runs(args, 1, 5)), gap.show),
    "drift": (lambda args: drift.run(_sets(args), args.peers, _runs(args, 1, 3), args.full), drift.show),
    "wide": (lambda args: wide.run(args.peers, _runs(args, 1, 3), args.full), wide.show),
    "paper": (lambda args: paper_setting.run(_nine(args), _runs(args, 2, 10), args.overlap), paper_setting.show),
}


def measure(name: str, args: Arguments) -> dict[str, Any]:
    """Compute a part, print it, and keep it as JSON."""
    compute, show = PARTS[name]
    began = time.perf_counter()
    found = compute(args)
    show(found)
    folder = OUT if args.full else OUT / "quick"
    folder.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine.describe(), "full": args.full, "found": found}
    (folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")
    print(f"({name}: {time.perf_counter() - began:.0f} s)", file=sys.stderr)
    return document


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    found.add_argument("--full", action="store_true", help="everything, not what fits into two minutes")
    found.set_defaults(peers=list(contestants.PEERS), sets=None, patterns=None, runs=None, jobs=2)
    found.set_defaults(overlap=10, clock="wall", kept=False)
    commands = found.add_subparsers(dest="command", metavar="PART")
    for name in (*PARTS, "ablation"):
        command = commands.add_parser(name, help=f"only {name}")
        command.add_argument("--full", action="store_true", default=argparse.SUPPRESS)
        command.add_argument("--peers", nargs="+", choices=list(contestants.PEERS), default=argparse.SUPPRESS)
        command.add_argument("--sets", nargs="+", default=argparse.SUPPRESS)
        command.add_argument("--patterns", nargs="+", choices=(*ALL_PATTERNS, "full"), default=argparse.SUPPRESS)
        command.add_argument("--runs", type=int, default=argparse.SUPPRESS, help="row orders")
        command.add_argument("--jobs", type=int, default=argparse.SUPPRESS, help="contestants at the same time")
        command.add_argument("--overlap", type=int, default=argparse.SUPPRESS)
        command.add_argument("--kept", action="store_true", default=argparse.SUPPRESS, help="compute only ours")
        command.add_argument("--clock", choices=("wall", "cpu"), default=argparse.SUPPRESS)
    peers = commands.add_parser("peers", help="who is here; `peers install [NAME ...]` brings the others")
    peers.add_argument("action", nargs="?", choices=("show", "install"), default="show")
    peers.add_argument("names", nargs="*")
    csv = commands.add_parser("files", help="`fesl run` beside River, over a CSV file")
    csv.add_argument("--rows", type=int, default=100_000)
    csv.add_argument("--repeats", type=int, default=3)
    counting = commands.add_parser("guard", help="instructions an event, beside the baseline")
    counting.add_argument("--update", action="store_true")
    writing = commands.add_parser("page", help="the page of the documentation, of the JSON files")
    writing.add_argument("--quick", action="store_true", help="of the quick run")
    writing.add_argument("--to", type=Path, default=contestants.ROOT / "docs" / "benchmarks.md")
    return found


def main(arguments: list[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    if args.command == "peers":
        contestants.install(args.names) if args.action == "install" else contestants.show()
    elif args.command == "guard":
        return guard.main(args.update)
    elif args.command == "page":
        page.write(OUT / "quick" if args.quick else OUT, args.to)
    elif args.command == "files":
        files.main(args.rows, args.repeats)
    elif args.command == "ablation":
        chosen = [kind for kind in args.patterns or () if kind in kinds.PATTERNS]
        ablation.show(_sets(args) if chosen else _nine(args), chosen, _runs(args, 3, 10), args.overlap)
    else:
        names = [args.command] if args.command else [name for name in PARTS if args.full or name not in LONG]
        claims.show({name: measure(name, args) for name in names})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
