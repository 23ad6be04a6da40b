"""`python -m fesl.demo`."""

from __future__ import annotations

import argparse
from pathlib import Path

from fesl.demo.story import run


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m fesl.demo", description="Sensors that are replaced twice.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/demo.html"), help="where the report goes")
    args = parser.parse_args()
    run(args.out, args.seed)


if __name__ == "__main__":
    main()
