"""The half of a round of a classification that is about what the experts say, the same in a narrow and in a wide
learner: stacker, council and frequencies join in, and all are weighed."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio import mixture
from fesl.portfolio.constants import LABELLED
from fesl.portfolio.experts import council, naive_bayes, stacker


class Told(Protocol):
    """What of a state is about classes."""

    clock: Ints
    a: Floats
    account: mixture.Account
    stack_b: Floats
    stack_V: Floats  # noqa: N815
    wrong: Floats
    c: Floats

    @property
    def voices(self) -> Floats: ...


def joined(st: Told, p: Floats) -> Floats:
    """The chances of the classes by everybody, M x K, of those by the experts under the stacker."""
    p = np.vstack([p, stacker.predict(st.stack_b[0], st.stack_V[0], stacker.heard(np.log(p), st.c))])
    return np.vstack([p, council.predict(st.a[0, : len(p)], st.wrong, p), naive_bayes.frequencies(st.c)])


def weigh(st: Told, p: Floats, y: int) -> None:
    """Weigh everybody by what they gave to the class; stacker and council learn it."""
    log_p = np.log(p)
    mixture.weigh(st.a, log_p[None, :, y], st.account)
    mixture.share(st.a, mixture.rate(int(st.clock[LABELLED])), st.account, st.voices)
    stacker.learn(st.stack_b[0], st.stack_V[0], stacker.heard(log_p[:-3], st.c), y)
    council.learn(st.wrong, p[:-2], y)
