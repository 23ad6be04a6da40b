"""A line-by-line transcription of the paper's Algorithms 1 to 3, as naive as possible and independent of the
library: explicit M, plain weights, one loop. The tests compare the library with it round by round."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


def logistic(f, y):
    return np.logaddexp(0.0, -y * f) / np.log(2.0)


def logistic_gradient(f, y):
    return -y / (1.0 + np.exp(np.clip(y * f, -700, 700))) / np.log(2.0)


def squared(f, y):
    return float(np.sum((y - f) ** 2))


def squared_gradient(f, y):
    return 2.0 * (f - y)


def H(x):
    return -x * np.log(x) - (1 - x) * np.log(1 - x)


def ball(radius):
    def project(w):
        n = np.linalg.norm(w)
        return w if n <= radius else w * radius / n

    return project


@dataclass
class Rounds:
    f: list = field(default_factory=list)
    f1: list = field(default_factory=list)
    f2: list = field(default_factory=list)
    a: list = field(default_factory=list)
    expected: float = 0.0
    L1: float = 0.0
    L2: float = 0.0


def run(method, X1, X2, Y, T1, B, c, loss="logistic", project=lambda w: w, pick=None):
    """One cycle. Returns what was predicted in every round, and the experts' scores and weights after T1.

    `pick(t, p)` stands for the draw of FESL-s.
    """
    value, gradient = (logistic, logistic_gradient) if loss == "logistic" else (squared, squared_gradient)
    n, k = len(Y), 1 if np.ndim(Y) == 1 else np.shape(Y)[1]
    out = Rounds()
    # Algorithm 1
    w1 = np.zeros((X1.shape[1], k))
    M1 = np.zeros((X2.shape[1], X2.shape[1]))
    M2 = np.zeros((X2.shape[1], X1.shape[1]))
    for t in range(1, T1 + 1):
        x, y = X1[t - 1], Y[t - 1]
        f = w1.T @ x
        out.f.append(f)
        w1 = project(w1 - 1 / (c * np.sqrt(t)) * np.outer(x, gradient(f, y)))
        if t > T1 - B:
            M1 += np.outer(X2[t - 1], X2[t - 1])
            M2 += np.outer(X2[t - 1], x)
    M = np.linalg.pinv(M1, rcond=1e-12, hermitian=True) @ M2
    # Algorithms 2 and 3
    T2 = n - T1
    w2 = np.zeros((X2.shape[1], k))
    a = np.array([0.5, 0.5])
    if method == "fesl_s":
        delta = 1 / (T2 - 1)
        eta = np.sqrt(8 / T2 * (2 * np.log(2) + (T2 - 1) * H(delta)))
    else:
        eta = np.sqrt(8 * np.log(2) / T2)
    for t in range(T1 + 1, n + 1):
        x, y = X2[t - 1], Y[t - 1]
        psi = M.T @ x
        f1, f2 = w1.T @ psi, w2.T @ x
        p = a / a.sum()
        out.f1.append(f1)
        out.f2.append(f2)
        out.a.append(p)
        if method == "nogd":
            out.f.append(f2)
        elif method in ("rogd_u", "rogd_f"):
            out.f.append(f1)
        elif method == "fesl_c":
            out.f.append(p[0] * f1 + p[1] * f2)
        else:
            out.f.append((f1, f2)[pick(t, p)])
        losses = np.array([np.sum(value(f1, y)), np.sum(value(f2, y))])
        out.L1 += losses[0]
        out.L2 += losses[1]
        out.expected += p @ losses
        if method == "fesl_s":
            v = a * np.exp(-eta * losses)
            W = v.sum()
            a = delta * W / 2 + (1 - delta) * v
            a = a / a.sum()  # only the ratio matters; without this it underflows
        else:
            a = a * np.exp(-eta * losses)
            a = a / a.sum()
        tau = 1 / (c * np.sqrt(t - T1))
        if method != "rogd_f":
            w1 = project(w1 - tau * np.outer(psi, gradient(f1, y)))
        w2 = project(w2 - tau * np.outer(x, gradient(f2, y)))
    return out
