"""A prequential run over files: the loop, and what is written when it ends, however it ends."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fesl.cli import ahead, learners, outputs, stored
from fesl.errors import ConfigError, DataError, FeslError
from fesl.files.source import arrow

if TYPE_CHECKING:
    from fesl.cli.screen import Meter
    from fesl.evaluation import Prequential
    from fesl.files import Block, Stream

#: So many rows without any label are kept until the task can be guessed.
PATIENCE = 100_000
#: So many classes can a task have that was guessed; more must be meant.
CLASSES = 100


@dataclass(frozen=True)
class Places:
    """Where a run writes what: nothing where None, `-` is standard output.

    >>> Places(json=Path("-")).talks, Places(save=Path("m.fesl")).talks
    (True, False)
    """

    save: Path | None = None
    report: Path | None = None
    events: Path | None = None
    predictions: Path | None = None
    json: Path | None = None

    def check(self, files: list[str]) -> None:
        """Raise now what would otherwise be found out after hours."""
        found = {name: path for name, path in vars(self).items() if path is not None}
        if sum(str(path) == "-" for path in found.values()) > 1:
            raise ConfigError("only one of --predictions, --events and --json can be - (standard output)")
        if self.predictions is not None:
            outputs.check(self.predictions)
        inputs = {Path(file).resolve() for file in files if file != "-"}
        for name, path in found.items():
            if str(path) == "-":
                if name in ("save", "report"):
                    raise ConfigError(f"--{name} needs the name of a file")
                continue
            if path.is_dir():
                raise ConfigError(f"--{name} {path} is a directory: name a file in it")
            if path.resolve() in inputs:
                raise ConfigError(f"--{name} {path} is also read: choose another name")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as reason:
                raise ConfigError(f"--{name} {path}: {reason.strerror}") from None

    @property
    def talks(self) -> bool:
        """Whether standard output carries data."""
        return any(str(path) == "-" for path in vars(self).values())


class Session:
    """One run. `loop` is None until the first label says what there is to learn."""

    def __init__(self, stream: Stream, places: Places, learner: str, every: int | None, model: Any = None) -> None:
        self.stream, self.places, self.learner, self.every = stream, places, learner, every
        self.model = model
        self.loop: Prequential | None = None
        self.stopped: int | None = None
        self.seconds = 0.0
        self._waiting = False
        self._state = stream.state
        self._sink: outputs.Sink | None = None
        self._events: outputs.Events | None = None

    def run(self, meter: Meter) -> None:
        """All of the stream, or until somebody stops it."""
        began = time.monotonic()
        try:
            with self._stoppable():
                for block in self._blocks():
                    for part in parts(block):
                        self._feed(part)
                        meter.update(self.loop)
                        if self.stopped:
                            return
        finally:
            self.seconds = time.monotonic() - began

    def finish(self) -> tuple[list[tuple[str, str]], Exception | None]:
        """Write what there is: gives what went where, and the first thing that went wrong; that keeps nothing else
        from being written. Of a run that learned nothing there is nothing to write."""
        written: list[tuple[str, str]] = []
        wrong: Exception | None = None
        for name, place, write in self._last():
            try:
                write()
                if place is not None and str(place) != "-":
                    written.append((name, str(place)))
            except (FeslError, OSError) as error:
                wrong = wrong or error
        return written, wrong

    def _last(self) -> Iterator[tuple[str, Path | None, Callable[[], None]]]:
        """What is to be written at the end: its name, its place, and how."""
        places, loop = self.places, self.loop
        for name, place, open_ in (
            ("predictions", places.predictions, self._sink),
            ("events", places.events, self._events),
        ):
            if open_ is not None:
                yield name, place, open_.close
        if loop is None:
            return
        if places.save is not None:
            yield (
                "model",
                places.save,
                partial(stored.save, self.model, places.save, self.stream, self._state, self.learner),
            )
        if places.json is not None:
            yield "run", places.json, partial(_json, loop, places.json)
        if places.report is not None:
            yield "report", places.report, partial(_report, loop, places.report)

    def _blocks(self) -> Iterator[Block]:
        """The blocks of the stream, from the one on that tells the task."""
        blocks = ahead.blocks(self.stream)
        kept: list[Block] = []
        while True:
            self._waiting = True
            try:
                item = next(blocks, None)
            except KeyboardInterrupt:
                self.stopped = self.stopped or signal.SIGINT
                item = None
            finally:
                self._waiting = False
            if item is None:
                break
            block, self._state = item
            kept.append(block)
            if self.stream.task == "auto" and sum(map(len, kept)) < PATIENCE:
                continue
            self._begin()
            yield from kept
            kept.clear()
        if kept and not self.stopped:
            self._begin()

    def _begin(self) -> None:
        """Make the learner, now that the task is known."""
        if self.loop is not None:
            return
        from fesl.evaluation import Prequential

        task = self.stream.task
        if task == "auto":
            name = self.stream.targets.names[0]
            raise DataError(f"no row has a value of {name!r} to learn from: choose another --target, or say --task")
        if self.model is None:
            self.model = learners.make(self.learner, task)
        self.loop = Prequential(self.model, every=self.every, settings=self._settings())
        if self.places.predictions is not None:
            self._sink = outputs.sink(self.places.predictions, self.stream)
        if self.places.events is not None:
            self._events = outputs.Events(self.places.events)

    def _settings(self) -> dict[str, Any]:
        s = self.stream.settings
        told = {
            "files": [source.name for source in self.stream.sources],
            "target": list(self.stream.targets.names),
            "task": self.stream.task,
            "learner": self.learner,
            "kept apart": [*s.ids, *s.times],
            "dropped": list(s.drop),
            "missing": list(s.missing),
        }
        return {name: value for name, value in told.items() if value}

    def _feed(self, block: Block) -> None:
        assert self.loop is not None
        first = self.loop.rows
        times = None if block.times is None else block.times.tolist()
        run = self.loop.feed(block.X, block.y, features=block.names, times=times)
        if self._sink is not None:
            self._sink.write(block, run)
        if self.stream.settings.task == "auto" and len(run.labels) > CLASSES:
            name = self.stream.targets.names[0]
            raise DataError(
                f"column {name!r} has more than {CLASSES} different values, too many for a guess that they are "
                "classes: say --task regression, or --task classification if they are"
            )
        if self._events is not None:
            self._events.write(self.loop, block, first)

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """Ctrl-C and a polite kill end the run after the rows at hand; a second one ends it at once."""

        def stop(number: int, frame: object) -> None:
            if self.stopped or (self._waiting and self.stream.size is None):
                self.stopped = self.stopped or number
                raise KeyboardInterrupt
            self.stopped = number

        arrow().enable_signal_handlers(False)  # they would cancel what is being read
        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def parts(block: Block) -> Iterator[Block]:
    """Rows that take about a twentieth of a second: the more features, the fewer. Never the clock's choice, so that
    two runs are the same.

    >>> import numpy as np
    >>> from fesl.files import Block
    >>> block = Block(np.zeros((500, 100)), [f"x{j}" for j in range(100)], np.zeros(500), "a.csv", np.arange(500))
    >>> [len(part) for part in parts(block)]
    [363, 137]
    """
    width = block.X.shape[1]
    rows = 256 if not hasattr(block.X, "flags") else max(32, min(4096, 4_000_000 // (width * width + 1000)))
    for start in range(0, len(block), rows):
        yield block[start : start + rows]


def _json(loop: Prequential, path: Path) -> None:
    if str(path) == "-":
        print(json.dumps(loop.history.as_dict(), allow_nan=False, ensure_ascii=False), flush=True)
    else:
        loop.history.to_json(path)


def _report(loop: Prequential, path: Path) -> None:
    from fesl import report

    report.write(loop.history, path)
