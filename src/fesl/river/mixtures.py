"""How a wrapper mixes what its models say: the Bayes and share steps of `fesl.portfolio.mixture`, with its bound in
bits.

Classes: chances are held away from zero, p <- (1 - FLOOR) p + FLOOR / K, since a tree is sure too soon. Numbers: a
model's forecast m stands for Student's t around it, with the scale of its own past errors, which fade. Either way a
stacker over the models is one more expert, and of classes a council, with half of the voices.

As long as one model speaks for all, all pay what it pays. What the others would have said is followed meanwhile: it
teaches the stacker, and when they are heard for the first time a share step, GAMMA, goes to those that would have
been the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fesl._typing import Floats
from fesl.portfolio import mixture
from fesl.portfolio.constants import COUNCIL, GAMMA, shares
from fesl.portfolio.experts import council, stacker, student
from fesl.portfolio.inputs.scaling import counted
from fesl.portfolio.mixture import Account, Bits

#: The share of every chance that is spread evenly over the classes.
FLOOR = 0.02
#: The least deviation: forecasts in units of it, and the inverse of its square, stay in the range of floats.
LEAST = 1e-100


class Weights:
    """The weights of M experts, and their account.

    >>> weights = Weights(("one", "two"))
    >>> weights.learn(np.log([0.5, 0.9]), alone=True); weights.a, weights.now.round(2)
    (array([[0.5, 0.5]]), array([0.47, 0.53]))
    >>> weights.learn(np.log([0.5, 0.9])); weights.bits().within
    True
    """

    def __init__(self, experts: tuple[str, ...]) -> None:
        self.experts = experts
        self.voices: Floats = np.array(shares(experts, [1] * len(experts)))
        self.a: Floats = self.voices[np.newaxis].copy()
        self.account = Account(1, self.voices)
        self.rounds = 0
        # as if all had been heard, as long as only one was
        self.ahead: Floats | None = self.a.copy()

    @property
    def now(self) -> Floats:
        """The weights of the next round, if all are heard."""
        a: Floats = self.a[0]
        return a if self.ahead is None else (1.0 - GAMMA) * a + GAMMA * self.ahead[0]

    def learn(self, log_p: Floats, *, alone: bool = False) -> None:
        """What each expert gave to the label; or would have given, in a round in which the first spoke `alone`."""
        d = mixture.rate(self.rounds)
        if alone:
            mixture.weigh(self.a, np.full_like(self.a, log_p[0]), self.account)
            if self.ahead is not None:
                apart = Account(1, self.voices)  # it costs nobody anything
                mixture.weigh(self.ahead, log_p[np.newaxis], apart)
                mixture.share(self.ahead, d, apart, self.voices)
        else:
            if self.ahead is not None:
                mixture.share(self.a, GAMMA, self.account, self.ahead[0])
                self.ahead = None
            mixture.weigh(self.a, log_p[np.newaxis], self.account)
            mixture.share(self.a, d, self.account, self.voices)
        self.rounds += 1

    def share(self) -> None:
        """The step at a switch."""
        mixture.share(self.a, GAMMA, self.account, self.voices)

    def bits(self) -> Bits:
        return self.account.bits(self.experts, self.rounds)


class ClassMixture:
    """A mixture of class probabilities.

    >>> mix = ClassMixture(("one", "two"))
    >>> for _ in range(20):
    ...     mix.learn([{"y": 0.9, "n": 0.1}, {"y": 0.2, "n": 0.8}], "y")
    >>> round(mix.predict([{"y": 0.9, "n": 0.1}, {"y": 0.2, "n": 0.8}])["y"], 1), mix.weights.bits().within
    (0.9, True)
    """

    def __init__(self, models: tuple[str, ...]) -> None:
        self.weights = Weights((*models, "stacker", COUNCIL))
        self.wrong: Floats = np.zeros(len(models) + 1)
        self.labels: list[Any] = []
        self.seen: dict[Any, int] = {}
        self.b, self.V = stacker.start(len(models), frequencies=True)

    def predict(self, said: Sequence[dict[Any, float]]) -> dict[Any, float]:
        """Of what the models say, one dict each."""
        labels = self._labels(said)
        if not labels:
            return {}
        p = self._chances(said, labels)
        q = self.weights.now @ self._stacked(p, self._heard(p, labels))
        return dict(zip(labels, (q / q.sum()).tolist(), strict=True))

    def learn(self, said: Sequence[dict[Any, float]], y: Any, *, alone: bool = False) -> None:
        """The label of a round in which all were heard, or the first one `alone`."""
        self.labels = self._labels([*said, {y: 1.0}])
        p = self._chances(said, self.labels)
        at = self.labels.index(y)
        z = self._heard(p, self.labels)
        p = self._stacked(p, z)
        self.weights.learn(np.log(p[:, at]), alone=alone)
        stacker.learn(self.b, self.V, z, at)
        council.learn(self.wrong, p[:-1], at)
        self.seen[y] = self.seen.get(y, 0) + 1

    def _labels(self, said: Sequence[dict[Any, float]]) -> list[Any]:
        return list(dict.fromkeys([*self.labels, *(label for p in said for label in p)]))

    def _chances(self, said: Sequence[dict[Any, float]], labels: list[Any]) -> Floats:
        """One row a model; a model that says nothing says that all are alike."""
        p = np.array([[each.get(label, 0.0) for label in labels] for each in said])
        p = np.maximum(np.nan_to_num(p, posinf=0.0), 0.0)
        total = p.sum(axis=1, keepdims=True)
        p = np.where(total > 0.0, p / np.where(total > 0.0, total, 1.0), 1.0 / len(labels))
        return np.asarray((1.0 - FLOOR) * p + FLOOR / len(labels))

    def _heard(self, p: Floats, labels: list[Any]) -> Floats:
        return stacker.heard(np.log(p), np.array([self.seen.get(label, 0) for label in labels]))

    def _stacked(self, p: Floats, z: Floats) -> Floats:
        p = np.vstack([p, stacker.predict(self.b, self.V, z)])
        return np.vstack([p, council.predict(self.weights.now[:-1], self.wrong, p)])


class NumberMixture:
    """A mixture of forecasts.

    >>> mix = NumberMixture(("one", "two"))
    >>> for i in range(20):
    ...     mix.learn([i + 0.1, 0.0], float(i))
    >>> round(mix.predict([20.1, 0.0]), 1), mix.weights.bits().within
    (19.7, True)
    """

    def __init__(self, models: tuple[str, ...]) -> None:
        self.weights = Weights((*models, "stacker"))
        self.n, self.mean, self.q = np.zeros(1), np.zeros(1), np.zeros(1)
        self.errors: Floats = np.zeros(len(models) + 1)
        self.mass, self.reach = 0.0, np.zeros(1)  # the furthest number from the mean so far
        b, V = stacker.start(len(models), frequencies=False)
        self.b, self.V = b[np.newaxis], V[np.newaxis]

    def predict(self, said: Sequence[float]) -> float:
        """Of the models' forecasts."""
        return float(self.mean[0] + self._spread() * (self.weights.now @ self._stacked(said)))

    def learn(self, said: Sequence[float], y: float, *, alone: bool = False) -> None:
        """The label of a round in which all were heard, or the first one `alone`."""
        y = float(y)
        z = self._stacked(said)
        spread = self._spread()
        target = np.array([y - self.mean[0]]) / spread
        shape = 1.0 + 0.5 * self.mass
        gap = spread * (target - z)
        noise = spread**2 + 0.5 * self.errors
        self.weights.learn(student.log_density(gap, np.zeros(1), 0.0, shape, noise), alone=alone)
        stacker.fit(self.b, self.V, z[:-1, np.newaxis], target)
        self.errors = student.FADE * self.errors + gap**2
        self.mass = student.FADE * self.mass + 1.0
        self.n, self.mean, self.q = counted(np.array([y]), self.n, self.mean, self.q)
        self.reach = np.maximum(self.reach, np.abs(y - self.mean))

    def _spread(self) -> float:
        return max(float(student.deviation(float(self.n[0]), self.mean, self.q)[0]), LEAST)

    def _stacked(self, said: Sequence[float]) -> Floats:
        """The forecasts and the stacker's, in deviations from the mean, none further out than numbers may be. One
        that ran away altogether is the mean."""
        m = np.array(said, np.float64)
        m = np.where(np.abs(m) < 1e150, m, self.mean)
        spread = self._spread()
        most = student.most(float(self.n[0]), self.reach, np.array([spread]))
        z = np.clip((m - self.mean[0]) / spread, -most, most)
        return np.clip(stacker.joined(self.b, self.V, z[:, np.newaxis], np.zeros(len(m)))[0][:, 0], -most, most)
