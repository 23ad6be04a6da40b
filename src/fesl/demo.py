"""`python -m fesl.demo`: a sensor network whose sensors are replaced twice.

Prints what happened, and saves one picture.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fesl import paper
from fesl._typing import Floats
from fesl.errors import MissingExtraError
from fesl.evolving import EvolvingLearner, Run

ROUNDS, OVERLAP, SENSORS = 1200, 30, 12
AFTER = 200


def stream(seed: int = 0) -> tuple[Floats, npt.NDArray[np.bool_], list[str]]:
    """Three generations of sensors, each seeing the same four hidden causes through its own noisy optics; the
    next generation is switched on 30 rounds before the last one is switched off. NaN: not observed.

    >>> X, alarm, names = stream()
    >>> X.shape, names[0], names[-1]
    ((3600, 36), 'gen1/sensor01', 'gen3/sensor12')
    """
    rng = np.random.default_rng(seed)
    n = 3 * ROUNDS
    causes = rng.normal(size=(n, 4))
    alarm = causes @ np.array([2.0, -1.5, 1.0, 0.5]) + 0.5 * rng.normal(size=n) > 0
    X = np.full((n, 3 * SENSORS), np.nan)
    for g in range(3):
        born, dies = max(0, g * ROUNDS - OVERLAP), (g + 1) * ROUNDS
        optics = rng.normal(size=(4, SENSORS))
        seen = causes[born:dies] @ optics + 0.3 * rng.normal(size=(dies - born, SENSORS))
        X[born:dies, g * SENSORS : (g + 1) * SENSORS] = seen
    return X, alarm, [f"gen{g + 1}/sensor{j + 1:02}" for g in range(3) for j in range(SENSORS)]


def accuracy(run: Run, alarm: npt.NDArray[np.bool_], start: int, stop: int) -> float:
    """The part of the rounds predicted right."""
    return float(np.mean(run.predictions[start:stop] == alarm[start:stop]))


def tell(model: EvolvingLearner, ours: Run, scratch: Run, alarm: npt.NDArray[np.bool_]) -> None:
    """What happened, in words."""
    n = len(alarm)
    print(f"{n} rounds, {SENSORS} sensors at a time, replaced twice with {OVERLAP} rounds of overlap.\n")
    for switch in (ROUNDS, 2 * ROUNDS):
        generation = switch // ROUNDS
        print(f"round {switch - OVERLAP:5}: generation {generation + 1} appears beside generation {generation}")
        print(f"round {switch:5}: generation {generation} is gone; its readings are recovered from the new ones")
        a = ours.weights[switch], ours.weights[switch + AFTER]
        print(f"             trust in the old model {a[0][0]:.0%} at first, {a[1][0]:.0%} after {AFTER} rounds")
    print(f"\n{'accuracy':34}{'carried over':>14}{'from scratch':>14}")
    print(f"{'all rounds':34}{accuracy(ours, alarm, 0, n):14.3f}{accuracy(scratch, alarm, 0, n):14.3f}")
    for switch in (ROUNDS, 2 * ROUNDS):
        for length in (20, AFTER):
            row = f"the {length} rounds after round {switch}"
            mine, theirs = (accuracy(run, alarm, switch, switch + length) for run in (ours, scratch))
            print(f"{row:34}{mine:14.3f}{theirs:14.3f}")
    r = model.regret()
    verdict = "held" if r.within else "did not hold"
    print(f"\nlast cycle, {r.rounds} rounds: loss {r.ensemble:.1f}, best expert {r.best_expert:.1f}, ", end="")
    print(f"allowed above it {r.allowed:.1f}: the bound {verdict}")


def draw(ours: Run, scratch: Run, X: Floats, alarm: npt.NDArray[np.bool_], path: Path) -> None:
    """The same as a picture: lives of the sensors, accuracy, trust."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (lives, right, trust) = plt.subplots(
        3, 1, figsize=(9, 7.5), sharex=True, height_ratios=(1.2, 2, 1.1), layout="constrained"
    )
    for j in range(X.shape[1]):
        there = np.flatnonzero(~np.isnan(X[:, j]))
        lives.plot([there[0], there[-1]], [j, j], color=f"C{j // SENSORS}", linewidth=1.6)
    lives.set(ylabel="sensor", title="Three generations of sensors", ylim=(-1, X.shape[1]))
    window = 100
    for run, label, colour in ((scratch, "from scratch at each switch", "0.55"), (ours, "carried over", "C3")):
        hits = np.concatenate([np.zeros(window), np.cumsum(run.predictions == alarm)])
        rounds = np.minimum(np.arange(1, len(alarm) + 1), window)
        right.plot((hits[window:] - hits[:-window]) / rounds, colour, label=label)
    right.set(ylabel=f"accuracy, last {window} rounds", ylim=(0.45, 1.0))
    right.legend(loc="lower right", frameon=False)
    trust.plot(ours.weights[:, 0], "C3")
    trust.set(ylabel="trust in the\nold model", xlabel="round", ylim=(-0.05, 1.05))
    for axis in (lives, right, trust):
        axis.spines[["top", "right"]].set_visible(False)
        for switch in (ROUNDS, 2 * ROUNDS):
            axis.axvspan(switch - OVERLAP, switch, color="0.85", linewidth=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="A sensor network whose sensors are replaced twice.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/demo.png"), help="where the picture goes")
    args = parser.parse_args()
    X, alarm, names = stream(args.seed)
    model = paper.fesl_c(c=10.0)
    ours = model.run(X, alarm, features=names, detail=True)
    scratch = paper.nogd(c=10.0).run(X, alarm, features=names)
    tell(model, ours, scratch, alarm)
    draw(ours, scratch, X, alarm, args.out)
    print(f"\npicture: {args.out}")


if __name__ == "__main__":
    main()
