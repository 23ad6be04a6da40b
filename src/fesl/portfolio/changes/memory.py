"""The switch: what the old features knew is taught to those that stay, on the rows that show both.

Some of the last ROWS rows hold what has vanished. The experts, as they are, score them: F, with variance S. Then
what vanished is dropped, and each recovering expert takes one Kalman step a row towards F with the inputs that
remain, at the noise

    TEACH + sum over live j missing in the row of P_jj + HEED S    for the weights,
    TEACH + sum over live j missing in the row of P_jj + DOUBT S   for the covariance,

after young survivors were set back to AFRESH times their prior, old ones widened by what was lost, and the
intercept by LEVEL times its prior. F is an expectation, so it is shrunk already: the weights follow it nearly as it
is. It errs alike in all rows, so their number makes it no surer: the covariance heeds S more. That serves all at
once, one by one, some survive, no overlap (then no row teaches, and it *is* a fresh start), any number of outputs;
labels are not needed. The paper's map M is never formed.

Experts that are not taught start anew on what is new: the share step goes to those that inherit, and so do the
powers of the stacker. Curves and surfaces learn the rows once more, by their labels (`renewal`), and keep the more
of theirs the more rows there are. The neighbours' rows are told in the features that stay (`translation`).

At the AGES after a start or switch the rows are learned anew from the same beginning with the statistics known by
then.
"""

from __future__ import annotations

import numpy as np

from fesl._typing import Floats, Ints
from fesl.portfolio.changes import snapshots
from fesl.portfolio.changes.priors import whiten
from fesl.portfolio.changes.suggestions import leave_suggestions
from fesl.portfolio.changes.translation import translate
from fesl.portfolio.constants import (
    AFRESH,
    COUNCIL,
    EXPERTS,
    FREQUENCIES,
    GAMMA,
    LATE,
    LEVEL,
    LOCAL,
    MEASURED,
    ROUND,
    SINCE,
    TOLD,
    YOUNG,
)
from fesl.portfolio.experts import stacker
from fesl.portfolio.mixture import share, trusted
from fesl.portfolio.reference import Reference
from fesl.portfolio.state import State


def switch(core: Reference, gone: Ints) -> None:
    """These features have vanished."""
    st = core.state
    lost = len(gone) / (st.n - 1)
    before = snapshots.interrupted(st, gone)
    core.teach(gone)
    snapshots.remember(st, gone)
    leave_suggestions(st, gone)
    errors, rows = recovered(core, gone)
    told = translate(core, gone)
    _loosen(st, gone)
    st.bury(gone, errors, rows)
    if before is not None:  # they were back for a moment only: the others know what they knew
        snapshots.restore(core, before)
        st.clock[LATE] = 0  # the next sample of theirs is once more a late one
        return
    st.w0, st.P0 = st.w.copy(), st.P.copy()
    st.clock[SINCE] = st.clock[ROUND]
    _pass_on(st, min(1.0, 2.0 * lost), told)
    core.bind()
    whiten(core)
    core.relearn(own=False)


def forget(core: Reference, gone: Ints) -> None:
    """These features were hardly ever seen: there is nothing to teach, and nobody need be widened."""
    core.state.bury(gone, np.full(len(gone), np.nan), np.zeros(len(gone), np.int64))
    core.bind()


def _pass_on(st: State, part: float, told: bool) -> None:
    """Trust goes to those that inherit what the old features knew, from those that start anew with new features;
    the neighbours do not where their rows were `told`."""
    heirs = np.array([e for e, expert in enumerate(EXPERTS) if expert.inherits], np.int64)
    to = np.where(np.isin(st.experts, (COUNCIL, FREQUENCIES)), st.voices, 0.0)  # they know what they knew
    to[heirs] = (1.0 - to.sum()) / max(1, len(heirs))
    share(st.a, GAMMA * part, st.account, to if len(heirs) else st.voices)
    if len(heirs):
        anew = _anew(st, told)
        for b, V in zip(st.stack_b, st.stack_V, strict=True):
            stacker.inherit(b, V, part, heirs, anew)


def _anew(st: State, told: bool) -> Floats:
    """How far each expert under the stacker starts anew: not those that recover; curves, surfaces and neighbours
    the less, the more rows that remain can tell them."""
    labelled = (~np.isnan(st.row_x[:, 1 : st.n])).any(axis=1) & ~np.isnan(st.row_y[:, 0])
    curved = 1.0 - min(1.0, float(labelled.sum()) / TOLD)
    local = [0.0 if told and name == "neighbours" else curved for name in LOCAL]
    linear = [float(not expert.recovers) for expert in EXPERTS]
    return np.array([*linear, *([] if st.regression else [1.0]), *local])


def _loosen(st: State, gone: Ints) -> None:
    """Survivors of the recovering experts: young ones back to their prior, old ones wider."""
    trust = trusted(st.a, len(EXPERTS))
    lost = float(trust @ (st.w[:, :, gone] ** 2).sum(axis=2).mean(axis=1)) if st.outputs else 0.0
    stays = np.ones(st.n, bool)
    stays[0] = False
    stays[gone] = False
    young = np.flatnonzero(stays & (st.count[: st.n] < YOUNG))
    old = np.flatnonzero(stays & (st.count[: st.n] >= YOUNG))
    for e, expert in enumerate(EXPERTS):
        if expert.recovers:
            st.reset(e, young, AFRESH)
            st.P[e, old, old] += lost / max(1, len(young) + len(old))
            st.P[e, 0, 0] += LEVEL * st.prior[e]
    st.fresh[young], st.fresh[old] = AFRESH, 0.0


def recovered(core: Reference, gone: Ints) -> tuple[Floats, Ints]:
    """How well what remains tells each vanished feature on the kept rows that show both: the root mean square error
    as a share of what its mean would make, NaN where no row does, and the number of rows (the last MEASURED at
    most)."""
    st = core.state
    x = st.row_x[:, : st.n]
    stays = np.setdiff1d(np.arange(1, st.n), gone)
    apart = np.asarray(np.isnan(x[:, stays]).all(axis=1) | np.isnan(x[:, gone]).all(axis=1))
    rows = st.rows()
    square, count = core.misses(gone, rows[~apart[rows]][-MEASURED:])
    power = st.S[gone, gone] / np.maximum(st.C[gone, gone], 1.0)
    told = (count > 0) & (power > 0.0)
    return np.where(told, np.sqrt(square / np.maximum(count, 1) / np.where(told, power, 1.0)), np.nan), count
