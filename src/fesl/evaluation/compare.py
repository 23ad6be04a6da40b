"""Learners on whole streams, one or several side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fesl.evaluation.history import History
from fesl.evaluation.prequential import Prequential
from fesl.streams import Stream


def evaluate(model: Any, stream: Stream | tuple[Any, Any], **how: Any) -> History:
    """Run a learner over a stream, or over a pair of a table and its labels; `how` goes to `Prequential`.

    >>> import numpy as np
    >>> from fesl import paper, streams
    >>> X = np.random.default_rng(0).normal(size=(400, 6))
    >>> stream = streams.evolve(X, X.sum(axis=1) > 0, groups=2, overlap=20)
    >>> history = evaluate(paper.fesl_c(), stream)
    >>> history.rows, [change.row for change in history.changes]
    (400, [200])
    """
    loop = Prequential(model, **how)
    if isinstance(stream, Stream):
        loop.settings.setdefault("stream", stream.name)
        loop.feed(stream.X, stream.y, features=stream.features)
    else:
        loop.feed(*stream)
    return loop.history


def compare(models: Mapping[str, Any], stream: Stream | tuple[Any, Any], **how: Any) -> dict[str, History]:
    """The same stream for several learners, by name.

    >>> import numpy as np
    >>> from fesl import Classifier, paper
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> found = compare({"ours": Classifier(), "OGD": paper.nogd()}, (X, X[:, 0] > 0))
    >>> sorted(found), found["ours"].scores["accuracy"] > 0.8
    (['OGD', 'ours'], True)
    """
    return {name: evaluate(model, stream, **how) for name, model in models.items()}


def table(histories: Mapping[str, History]) -> str:
    """The scores of several runs as plain text.

    >>> print(table({"one": History(scores={"mae": 0.25}), "two": History(scores={"mae": 0.5})}))
                   one       two
    mae         0.2500    0.5000
    """
    keys = list(dict.fromkeys(key for h in histories.values() for key in h.scores))
    left, wide = max([8, *map(len, keys)]), max([8, *map(len, histories)])
    lines = [" " * left + "".join(f"{name:>{wide + 2}}"[-wide - 2 :] for name in histories)]
    for key in keys:
        cells = [h.scores.get(key) for h in histories.values()]
        lines.append(f"{key:{left}}" + "".join(f"{'-' if v is None else f'{v:.4f}':>{wide + 2}}" for v in cells))
    return "\n".join(line.rstrip() for line in lines)
