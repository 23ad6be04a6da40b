"""Damaged and hostile files: each must be refused with our error, or load and work.

Run in a process of its own, with the path of the tests as the test does it: `python saving_fuzz.py COUNT [FIRST]`
prints what became of the cases, which depend on nothing but their numbers, as JSON; the last line of standard error
is the case that was under way.
"""

from __future__ import annotations

import faulthandler
import hashlib
import json
import random
import struct
import sys
import traceback
import warnings
from collections import Counter

import pandas as pd
from saving_models import gallery

from fesl import EvolvingLearner
from fesl.errors import FeslError, SavedModelError
from fesl.saving import container, dumps, loads

ODD = [None, True, False, -1, 0, 1, 2, 7, 2**31, 2**53, 2**63, -(2**70), 0.5, -0.0, 1e308, "", "x", [], {}, [[]]]
ODD += [{"tuple": [1, "a"]}, {"float": "inf"}, {"part": "Fresh"}, {"given": "x"}, [0] * 5]
INTS = [-1, 0, 1, 2, 5, 191, 192, 10**6, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), -(10**9)]
FLOATS = [float("nan"), float("inf"), -float("inf"), -1.0, 0.0, -0.0, 1e-320, 1e-9, 0.5, 3.0, 1e100, 1e308, -1e308]
SIZES = {"<f8": 8, "<i8": 8, "|u1": 1, "|b1": 1}


class Opened:
    """A file taken apart: its header, and the bytes of each array."""

    def __init__(self, data):
        _, self.version, self.zero, length = container.PREFIX.unpack_from(data)
        at = container.PREFIX.size
        self.header = json.loads(data[at : at + length])
        at += length + -length % 8
        self.raw = []
        for _, dtype, shape, _ in self.header["arrays"]:
            size = SIZES[dtype]
            for n in shape:
                size *= n
            self.raw.append(bytearray(data[at : at + size]))
            at += size + -size % 8

    def sealed(self):
        """Put together again, with a right checksum."""
        header = json.dumps(self.header).encode()
        content = container.PREFIX.pack(container.MAGIC, self.version, self.zero, len(header))
        content += header + bytes(-len(header) % 8)
        content += b"".join(bytes(raw) + bytes(-len(raw) % 8) for raw in self.raw)
        return content + hashlib.sha256(content).digest()


# Damage: the checksum does not know of it


def flip(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def cut(data, rng):
    return data[: rng.randrange(len(data))]


def swap(data, rng):
    a, b, c = sorted(rng.randrange(len(data)) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:] + (b"" if rng.random() < 0.9 else b"\0")


def reseal_flip(data, rng):
    content = bytearray(flip(data[:-32], rng))
    return bytes(content) + hashlib.sha256(content).digest()


# Hostility: the checksum is right


def change_header(data, rng):
    """Change, drop or double something anywhere in the header."""
    opened = Opened(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        _change(opened.header["body" if rng.random() < 0.8 else "arrays"], rng)
    return opened.sealed()


def _change(node, rng):
    while True:
        if not node:
            return
        key = rng.choice(list(node)) if isinstance(node, dict) else rng.randrange(len(node))
        inner = node[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.85:
            node = inner
            continue
        break
    way = rng.random()
    if way < 0.15:
        del node[key]
    elif way < 0.3 and type(inner) in (int, float):
        node[key] = inner + rng.choice([-1, 1, 2, 100])
    elif way < 0.4:
        other = rng.choice(list(node)) if isinstance(node, dict) else rng.randrange(len(node))
        node[key], node[other] = node[other], node[key]
    elif way < 0.5 and isinstance(node, list):
        node.append(inner)
    elif way < 0.55 and isinstance(node, dict):
        node["more"] = rng.choice(ODD)
    else:
        node[key] = rng.choice(ODD)


def change_shapes(data, rng):
    """Other names, types, orders and shapes for the same bytes; or more or fewer bytes."""
    opened = Opened(data)
    listed = opened.header["arrays"]
    for _ in range(rng.choice([1, 1, 2, 3])):
        i, j = rng.randrange(len(listed)), rng.randrange(len(listed))
        entry, way = listed[i], rng.randrange(8)
        if way == 0:
            entry[0], listed[j][0] = listed[j][0], entry[0]
        elif way == 1:
            entry[1] = {"<f8": "<i8", "<i8": "<f8", "|u1": "|b1", "|b1": "|u1"}[entry[1]]
        elif way == 2:
            entry[2] = entry[2][::-1]
        elif way == 3:
            entry[3] = "F" if entry[3] == "C" else "C"
        elif way == 4:
            entry[2] = rng.choice([[1, *entry[2]], [*entry[2], 1], [len(opened.raw[i]) // SIZES[entry[1]]]])[:4]
        elif way == 5:
            del listed[i], opened.raw[i]
        elif way == 6 and entry[2]:
            _resize(entry, opened, i, rng)
        else:
            listed[i], listed[j] = listed[j], listed[i]
            opened.raw[i], opened.raw[j] = opened.raw[j], opened.raw[i]
    return opened.sealed()


def _resize(entry, opened, i, rng):
    axis = rng.randrange(len(entry[2]))
    entry[2][axis] = max(0, entry[2][axis] + rng.choice([-1, 1, -2, 8]))
    size = SIZES[entry[1]]
    for n in entry[2]:
        size *= n
    opened.raw[i] = (opened.raw[i] + bytes(max(0, size - len(opened.raw[i]))))[:size]


def change_numbers(data, rng):
    """Odd numbers in the arrays."""
    opened = Opened(data)
    full = [i for i, raw in enumerate(opened.raw) if len(raw)]
    for i in rng.sample(full, min(len(full), rng.choice([1, 1, 2, 5]))):
        dtype, raw = opened.header["arrays"][i][1], opened.raw[i]
        for _ in range(rng.choice([1, 1, 3])):
            at = rng.randrange(len(raw) // SIZES[dtype]) * SIZES[dtype]
            if dtype == "<f8":
                struct.pack_into("<d", raw, at, rng.choice(FLOATS))
            elif dtype == "<i8":
                near = struct.unpack_from("<q", raw, at)[0] + rng.choice([-1, 1])
                struct.pack_into("<q", raw, at, rng.choice([*INTS, max(-(2**63), min(near, 2**63 - 1))]))
            else:
                raw[at] = rng.randrange(256)
    return opened.sealed()


def mix(data, rng):
    """Several of these, one after the other."""
    for way in rng.sample((change_header, change_shapes, change_numbers), 2):
        data = way(data, rng)
    return data


WAYS = (
    flip,
    cut,
    swap,
    reseal_flip,
    change_header,
    change_header,
    change_shapes,
    change_numbers,
    change_numbers,
    mix,
)


def table(events):
    """The events as a data frame, whose columns have the names of the features, and their labels."""
    return pd.DataFrame([x for x, _ in events]), [y for _, y in events]


def use(model, events):
    """All that a model is asked for."""
    for x, y in events:
        model.predict_one(x)
        if model.classes:
            model.predict_proba_one(x)
        model.learn_one(x, y)
    if events:
        model.run(*table(events[-6:]), detail=True)
    assert isinstance(model.features, dict)
    model.regret()
    if not isinstance(model, EvolvingLearner):
        model.recovery()
        model.suggest_aliases()


def case(number, models):
    """What became of it: refused, the same, or loaded."""
    rng = random.Random(number)
    data, events = rng.choice(models)
    try:
        changed = rng.choice(WAYS)(data, rng)
    except (KeyError, TypeError, ValueError, OverflowError, struct.error):
        return "skipped"  # a second change that the first one made impossible
    try:
        model = loads(changed)
    except SavedModelError:
        return "refused"
    try:
        use(model, events)
    except FeslError:
        return "loaded, then refused an event"
    return "same" if changed == data else "loaded"


def main(count, first=0):
    faulthandler.enable()
    warnings.simplefilter("ignore")
    models = [(dumps(model), rest[:10] + rest[-4:]) for _, model, rest in gallery()]
    models[-1] = (models[-1][0], models[3][1])
    found, wrong = Counter(), []
    for number in range(first, first + count):
        print(number, file=sys.stderr, flush=True)
        try:
            found[case(number, models)] += 1
        except Exception:
            wrong.append([number, traceback.format_exc()[-1500:]])
    print(json.dumps({"found": found, "wrong": wrong}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
