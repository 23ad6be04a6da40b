"""The contestants: where each lives, how it is installed, and a conversation with it.

    python -m benchmarks peers                    who is here
    python -m benchmarks peers install [NAME ...]

Each has an environment of its own in `.peers/NAME`; one that is missing there but can be imported here runs here;
any other is absent, which is reported and is no error.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".peers"


@dataclass(frozen=True)
class Peer:
    """A contestant: its adapter in `benchmarks.peers`, the module that it needs, and what pip must install."""

    name: str
    title: str
    module: str
    requires: tuple[str, ...] = ()

    @property
    def python(self) -> str | None:
        """The interpreter that has it, if any does."""
        own = HOME / self.name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if own.exists():
            return str(own)
        return sys.executable if importlib.util.find_spec(self.module) else None


PEERS = {
    peer.name: peer
    for peer in (
        Peer("ours", "fesl", "fesl"),
        Peer("river", "River", "river", ("river==0.26.1",)),
        Peer("sklearn", "scikit-learn", "sklearn", ("scikit-learn==1.9.1",)),
        Peer("vowpal", "Vowpal Wabbit", "vowpalwabbit", ("vowpalwabbit==9.11.9", "numpy")),
        Peer("openmoa", "OpenMOA", "openmoa", ("torch==2.13.0", "openmoa==1.0.1")),
        Peer("capymoa", "CapyMOA", "capymoa", ("torch==2.13.0", "capymoa==0.15.1")),
        Peer("limit", "physical limit", "numpy"),
    )
}


class AbsentError(Exception):
    """The contestant is not installed, or does not start."""


class Worker:
    """A process in which a contestant runs. `ask` sends one request and waits for its reply."""

    def __init__(self, peer: Peer) -> None:
        if peer.python is None:
            raise AbsentError(f"not installed (python -m benchmarks peers install {peer.name})")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        self.peer = peer
        self.process = subprocess.Popen(
            [peer.python, "-m", "benchmarks.peers.worker", peer.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},
        )
        self.greeting = self._reply()
        if "error" in self.greeting:
            self.close()
            raise AbsentError(self.greeting["error"])

    @property
    def version(self) -> str:
        return str(self.greeting["version"])

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """The reply; `error` in it where the contestant failed."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self.process.stdin.flush()
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "its process ended"}

    def close(self) -> None:
        """Let it go."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


@contextmanager
def crowd(names: list[str]) -> Iterator[tuple[dict[str, Worker], dict[str, str]]]:
    """A worker each of those that are here, and the reasons why the others are not."""
    with ExitStack() as stack:
        here: dict[str, Worker] = {}
        absent: dict[str, str] = {}
        for name in names:
            try:
                here[name] = Worker(PEERS[name])
                stack.callback(here[name].close)
            except AbsentError as reason:
                absent[name] = str(reason)
        yield here, absent


def plays(here: dict[str, Worker], models: dict[str, tuple[str, ...]], stream: Path) -> Iterator[tuple[str, Any]]:
    """Everybody who can play the stream, by name, and whether each row was predicted right."""
    for peer, worker in here.items():
        for model in models[peer]:
            answer = worker.ask("play", model=model, stream=str(stream))
            if "right" in answer:
                yield f"{PEERS[peer].title} {model}", judged(answer)


def judged(answer: dict[str, Any]) -> Any:
    """Of a stream that was played: whether each row was predicted right."""
    return np.frombuffer(answer["right"].encode(), np.uint8) == ord("1")


def install(names: list[str]) -> None:
    """An environment for each of the named peers (all that need one, if none is named)."""
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    for name in names or [peer.name for peer in PEERS.values() if peer.requires]:
        peer, folder = PEERS[name], HOME / name
        print(f"{peer.title}: {', '.join(peer.requires)}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(peer.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for requirement in peer.requires:  # one by one: a local build of PyTorch must not be replaced
            subprocess.run([*pip, requirement], check=True)


def show() -> None:
    """Who is here, in which version, and why not."""
    for peer in PEERS.values():
        with crowd([peer.name]) as (here, absent):
            state = here[peer.name].version if here else f"absent: {absent[peer.name]}"
            print(f"{peer.name:9} {peer.title:15} {state}", flush=True)
