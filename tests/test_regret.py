"""The ledger: L1, L2, L12, min over s of L^s, and the theorem's bound, measured while a learner runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fesl.errors import ConfigError
from fesl.losses import Logistic, Softmax, Squared
from fesl.regret import Ledger
from fesl.rules import ExponentialWeights, FixedShare, bound
from generic import METHODS, hidden_stream, three_cycles

CLIP = 3.0
T1, B, T2 = 60, 10, 150
LIVES = {
    "a": [(0, T1)],
    "b": [(0, T1)],
    "c": [(T1 - B, T1 + T2)],
    "d": [(T1 - B, T1 + T2)],
    "e": [(T1 - B, T1 + T2)],
}


def entered(losses, realised=0.0, expected=0.0):
    ledger = Ledger(losses.shape[1])
    for l in losses:
        ledger.add(l, realised, expected)
    return ledger


@given(losses=arrays(np.float64, (25, 2), elements=st.floats(0, 1)))
def test_best_switch_is_the_minimum_over_all_switches(losses):
    by_force = min(losses[:s, 0].sum() + losses[s:, 1].sum() for s in range(26))
    assert entered(losses).best_switch == pytest.approx(by_force, abs=1e-12)


@given(losses=arrays(np.float64, (12, 4), elements=st.floats(-2, 5)))
def test_best_switch_among_many_experts(losses):
    by_force = min(
        losses[:s, i].sum() + losses[s:, j].sum() for s in range(13) for i in range(4) for j in range(i, 4)
    )
    assert entered(losses).best_switch == pytest.approx(by_force, abs=1e-9)


@given(losses=arrays(np.float64, (15, 3), elements=st.floats(0, 1)))
def test_the_ledger_adds_up(losses):
    regret = entered(losses, realised=0.5, expected=0.25).regret(ExponentialWeights())
    np.testing.assert_allclose(regret.experts, losses.sum(axis=0))
    assert (regret.rounds, regret.ensemble, regret.expected) == (15, 7.5, 3.75)
    assert regret.best_expert == pytest.approx(losses.sum(axis=0).min())
    assert regret.best_switch <= regret.best_expert + 1e-12
    assert regret.assumption_held


@pytest.mark.parametrize("outlier", [-0.01, 1.01, 1e100])
def test_one_loss_outside_breaks_the_assumption(outlier):
    losses = np.full((20, 2), 0.5)
    assert entered(losses).regret(ExponentialWeights()).assumption_held
    losses[7, 1] = outlier
    assert not entered(losses).regret(ExponentialWeights()).assumption_held


def test_each_rule_is_compared_with_what_its_theorem_says():
    losses = np.array([[0.0, 1.0]] * 10 + [[1.0, 0.0]] * 20)
    combined = entered(losses, expected=0.4).regret(ExponentialWeights(30))
    drawn = entered(losses, expected=0.4).regret(FixedShare(30))
    assert (combined.comparator, drawn.comparator) == (10.0, 0.0)
    assert combined.value == pytest.approx(2.0)
    assert drawn.value == pytest.approx(12.0)
    assert combined.allowed == bound(ExponentialWeights(30), 30, 2)
    assert combined.within
    assert not drawn.within


def test_nothing_has_happened_yet(core):
    regret = METHODS["fesl_c"]().regret()
    assert (regret.rounds, regret.ensemble, regret.best_switch) == (0, 0.0, 0.0)
    assert regret.assumption_held
    assert regret.within


# Adversaries who see the prediction before they choose the label


def stubborn(model, x, rng):
    return not model.predict_one(x)


def flipped(model, x, rng):
    """The truth until the middle of the second space, then its opposite."""
    truth = sum(x.values()) > 0
    return truth if model.regret().rounds < T2 // 2 else not truth


def random_label(model, x, rng):
    return bool(rng.integers(2))


def far_off(model, x, rng):
    return -CLIP if model.predict_one(x) > 0 else CLIP


def jumping(model, x, rng):
    return float(rng.choice([-CLIP, CLIP]))


def pair(model, x, rng):
    return [CLIP if f < 0 else -CLIP for f in np.resize(model.score_one(x), 2)]


def third_class(model, x, rng):
    return int(model.score_one(x).argmin())


CASES = [
    (Logistic(), stubborn),
    (Logistic(), flipped),
    (Logistic(), random_label),
    (Squared(), far_off),
    (Squared(), jumping),
    (Squared(), pair),
    (Softmax(), third_class),
]


@pytest.mark.parametrize("method", ["fesl_c", "fesl_s"])
@pytest.mark.parametrize("horizon", [None, T2])
@pytest.mark.parametrize(("loss", "adversary"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_the_guarantee_holds_on_adversarial_streams(core, method, horizon, loss, adversary):
    classes = (
        {} if loss.task == "regression" else {"classes": [False, True] if loss.task == "binary" else [0, 1, 2]}
    )
    model = METHODS[method](loss=loss, clip=CLIP, horizon=horizon, **classes)
    stream, rng = hidden_stream(1, LIVES, T1 + T2), np.random.default_rng(2)
    for i in range(T1 + T2):
        x = stream.event(i)
        model.learn_one(x, adversary(model, x, rng))
        regret = model.regret()
        assert regret.assumption_held
        assert regret.within
    assert (model.cycle, regret.rounds) == (1, T2)
    assert regret.allowed == bound(model.parts.rule, T2, 2)
    assert regret.expected > 0.1 * T2  # it was hard


def test_without_clipping_the_assumption_is_measured(core):
    """A logistic loss above one bit is seen, and the theorem says nothing then."""
    model = METHODS["fesl_c"]()
    for x, y in hidden_stream(1, LIVES, T1 + T2).events():
        model.learn_one(x, y)
    assert not model.regret().assumption_held


def test_clipped_losses_are_divided_by_their_ceiling(core):
    model = METHODS["fesl_c"](loss=Squared(), clip=2.0)
    model.learn_one({"a": 1.0}, 2.0)
    assert model.regret().ensemble == pytest.approx(4.0 / 16.0)


@pytest.mark.parametrize("method", METHODS)
def test_the_ledger_equals_the_losses_of_the_predictions(core, method):
    """L12 is what the predictions cost, L_i what the experts' own would have."""
    stream, model = three_cycles(3, survivors=False), METHODS[method](classes=[False, True])
    run = model.run(stream.X, stream.y, features=stream.names, detail=True)
    sign, experts = 2.0 * np.array(stream.y)[:, np.newaxis] - 1.0, np.nan_to_num(run.experts)
    for cycle in range(4):
        at, regret = slice(40 * cycle, 40 * cycle + 40), model.regret(cycle)
        assert (regret.cycle, regret.rounds) == (cycle, 40)
        assert regret.ensemble == pytest.approx(Logistic().value(run.scores[at], sign[at]).sum())
        for i, L in enumerate(regret.experts):
            assert pytest.approx(Logistic().value(experts[at, i], sign[at]).sum()) == L
    if method == "fesl_s":
        mean = np.nansum(run.weights[120:] * Logistic().value(experts[120:], sign[120:, np.newaxis]))
        assert model.regret().expected == pytest.approx(mean)


def test_past_cycles_are_remembered_and_others_named(core):
    model = METHODS["fesl_c"]()
    for x, y in three_cycles(0).events():
        model.learn_one(x, y)
    assert [model.regret(k).cycle for k in range(4)] == [0, 1, 2, 3]
    assert model.regret(3) == model.regret()
    with pytest.raises(ConfigError, match="cycle 9"):
        model.regret(9)
