"""Models for the tests of saving: one of every kind, each with the stream it is in the middle of."""

from __future__ import annotations

import numpy as np
from portfolio_streams import events, stream
from scipy import sparse

from fesl import Classifier, EvolvingLearner, Fresh, Recovered, Regressor, paper
from fesl.descent import OGD
from fesl.projections import Ball, Box
from fesl.recovery import LeastSquares
from fesl.rules import FixedShare
from fesl.spaces import Auto, Declared, Periods
from fesl.steps import Constant
from generic import TASKS, frozen, three_cycles

#: Ways to put an evolving learner together, beside the paper's five.
EVOLVING = {
    "default": lambda loss: EvolvingLearner(loss),
    "fesl_c": lambda loss: paper.fesl_c(10.0, horizon=50, loss=loss),
    "fesl_s": lambda loss: paper.fesl_s(Ball(3.0).radius, Ball(0.7), loss=loss, seed=2**70),
    "rogd_u": lambda loss: paper.rogd_u(projection=Box(-0.4, 0.6), loss=loss),
    "rogd_f": lambda loss: paper.rogd_f(loss=loss, clip=3.0),
    "nogd": lambda loss: paper.nogd(loss=loss, seed=-1),
    "three": lambda loss: EvolvingLearner(
        loss,
        descent=OGD(Constant(0.1), Ball(2)),
        rule=FixedShare(horizon=60),
        experts=(Recovered(), Fresh(), Recovered(learns=False)),
        recovery=LeastSquares(ridge=0.1, rows=5),
    ),
    "adopting": lambda loss: EvolvingLearner(loss, spaces=Auto(doubt=0.01, adopt_after=4)),
    "periods": lambda loss: paper.fesl_c(loss=loss, spaces=Periods([(32, 40), (72, 80), (112, 120)])),
    "declared": lambda loss: paper.fesl_s(
        loss=loss, spaces=Declared({name: name[:2] for name in three_cycles().names if not name.endswith("0")})
    ),
}


def evolving_stream(task, seed=1):
    return three_cycles(seed, task).events()


def evolving(kind, task):
    return EVOLVING[kind](TASKS[task])


def default_stream(pattern, task, **options):
    return events(*stream(pattern, task, **options))


def wide_stream(task, rows=120, seed=0):
    """Documents of few words out of many, in two languages, one after the other."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(rows):
        word = "en" if i < rows // 2 else "fr"
        x = {f"{word}{j}": float(rng.integers(1, 4)) for j in rng.choice(300, 12, replace=False)}
        if rows // 2 - 15 <= i < rows // 2:
            x |= {f"fr{j}": 1.0 for j in rng.choice(300, 12, replace=False)}
        score = sum(v for name, v in x.items() if int(name[2:]) % 2)
        y = {"multiclass": f"c{int(score) % 3}", "regression": score, "two targets": [score, -score]}.get(
            task, score > 9
        )
        found.append((x, y))
    return found


def sparse_overlap():
    """A learner whose overlap rows are wide and sparse, right after the switch."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((90, 400), density=0.05, rng=rng, format="csr")
    names = [f"{'a' if j < 200 else 'b'}{j}" for j in range(400)]
    dense = X.toarray()
    dense[:50, 200:] = 0.0
    dense[60:, :200] = 0.0
    model = paper.fesl_c(spaces=Declared({name: name[0] for name in names}), projection=Box(-1.0, 1.0))
    y = dense.sum(axis=1) > 4.0
    model.learn_many(sparse.csr_array(dense[:70]), y[:70], features=names)
    rest = [{name: v for name, v in zip(names, row, strict=True) if v} for row in dense[70:].tolist()]
    return model, list(zip(rest, y[70:].tolist(), strict=True))


def train(model, pairs):
    for x, y in pairs:
        model.learn_one(x, y)
    return model


def go_on(model, pairs):
    """What is predicted of each event before it is learned, exactly."""
    told = []
    for x, y in pairs:
        told.append(model.score_one(x).tolist() if isinstance(model, EvolvingLearner) else _told(model, x))
        model.learn_one(x, y)
    return told


def _told(model, x):
    return model.predict_proba_one(x) if isinstance(model, Classifier) else model.predict_one(x)


def knows(model):
    """All that a model remembers, to the last bit."""
    if isinstance(model, EvolvingLearner):
        return repr(frozen((model.parts, model.codec, model.state)))
    state = dict(sorted(vars(model.state).items()))
    return repr(frozen((model.codec, model.aliases, list(model.log.events), state)))


def gallery():
    """A small model of every kind, with events to go on with."""
    three = evolving_stream("multiclass")
    yield "evolving", train(evolving("three", "multiclass"), three[:36]), three[36:60]
    two = evolving_stream("two targets")
    yield "switched", train(evolving("rogd_u", "two targets"), two[:52]), two[52:90]
    yield "sparse", *sparse_overlap()
    binary = default_stream("back", "multiclass", rows=150, width=6)
    yield "classifier", train(Classifier(aliases={"other": "x0"}), binary[:90]), binary[90:]
    numbers = default_stream("switch", "two targets", rows=120, width=6)
    yield "regressor", train(Regressor(), numbers[:80]), numbers[80:]
    words = wide_stream("multiclass")
    yield "wide", train(Classifier(), words[:80]), words[80:]
    words = wide_stream("regression")
    yield "wide regressor", train(Regressor(), words[:80]), words[80:]
    yield "empty", Classifier(["a", "b"]), binary[:0]
