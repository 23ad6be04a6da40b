"""Golden files: one of every kind of model for every version of the format, with the predictions that followed.

`PYTHONPATH=tests:tests/portfolio python tests/saving/saving_golden.py` writes those of the present version. Those
of older versions are never written again.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from saving_models import default_stream, evolving, evolving_stream, go_on, train, wide_stream

from fesl import Classifier, Regressor
from fesl.saving import container, dumps

HERE = Path(__file__).parent / "golden"


def models():
    """Name, model, and the events that follow."""
    mid = evolving_stream("multiclass")
    yield "overlap", train(evolving("three", "multiclass"), mid[:36]), mid[36:56]
    late = evolving_stream("two targets")
    yield "switched", train(evolving("rogd_u", "two targets"), late[:50]), late[50:70]
    back = default_stream("back", "multiclass", rows=90, width=6)
    yield "classifier", train(Classifier(aliases={"other": "x0"}), back[:50]), back[50:70]
    numbers = default_stream("survivors", "two targets", rows=90, width=6)
    yield "regressor", train(Regressor(), numbers[:55]), numbers[55:75]
    words = wide_stream("binary", rows=40)
    yield "wide", train(Classifier(), words[:25]), words[25:]


def predictions(model, events):
    """As JSON has them."""
    return json.loads(json.dumps([list(p.values()) if isinstance(p, dict) else p for p in go_on(model, events)]))


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, model, events in models():
        (folder / f"{name}.fesl.gz").write_bytes(gzip.compress(dumps(model), mtime=0))
        then = {"predictions": predictions(model, events), "events": events}
        (folder / f"{name}.json").write_text(json.dumps(then) + "\n")


def read(folder, name):
    """The bytes of a golden file, the events that followed, and what was predicted then."""
    data = gzip.decompress((folder / f"{name}.fesl.gz").read_bytes())
    then = json.loads((folder / f"{name}.json").read_text())
    return data, then["events"], then["predictions"]


if __name__ == "__main__":
    write(HERE / f"version-{container.VERSION}")
