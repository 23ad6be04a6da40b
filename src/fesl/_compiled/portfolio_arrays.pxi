# The arrays of a `fesl.portfolio.state.State`, by pointer.

cdef class Arrays:
    """The arrays, by pointer, and scratch."""
    cdef readonly object state, codec
    cdef dict known, index
    cdef list kept
    cdef bint regression
    cdef bint recovers[MOST]
    cdef bint plain[MOST]
    cdef bint diagonal[MOST]
    cdef Py_ssize_t sort[MOST]      # of a wide learner: 1 is central, 2 is plain
    cdef Py_ssize_t n, cap, K, E, B, M, G, present, absent
    cdef Py_ssize_t padded    # n rounded up: rows hold zeros from n on, and are taken whole
    cdef double keep[MOST]
    cdef Doubles mean, q, count, reach, value, repeats, spells, error, checks, level, moves
    cdef Longs born, last, still, gone_at, freeze_at, clock, row_kind
    cdef Doubles w, w0, P, P0, S, C, H, c, A, V, bent, row_x, row_y, row_F, row_S, tau
    cdef Doubles voices, a, wrong, bits, mixed, slack, stack_b, stack_V, shape, noise, y_mean, y_q, y_reach, surprised
    cdef Doubles x, x_warm, u, full, z, z_full, m, s, Pu, Q, L, Z, v, R, b1, b2, b3, b4, b5, k1, k2, k3, k4, y, y_raw
    cdef Doubles out
    cdef Doubles stack_s, ratio, shift    # a target: the variance of the stacker's forecast; m now is ratio m then + shift
    cdef Doubles above                # of each present feature, by its order: the share of the knot above
    cdef Longs here, away, bin, knot  # ... its bin, the knot below
    cdef Doubles codes, coded, valued                 # values, what is known of each, and what they say together
    cdef Longs code_at, coded_at                      # ... where in both each present feature stands; 0: nowhere, its line
    cdef Doubles surface, rough, pair_above, pair_height, unit
    cdef Longs paired, slot, pair_knot, pair_at       # of the paired features that are present, and of their pairs
    cdef Py_ssize_t pairing, sheet, tables            # ... which are so many; numbers a knot; knots in all
    cdef Doubles near_x, near_y, near_w, near_lack    # the rows that events are compared with: weight, what each lacks
    cdef Doubles worth, variance                      # of a feature, and of each present one by its order
    cdef Doubles column                               # of a feature, in the kept rows
    cdef Doubles near_v, near_top, near_part          # of the present features that vary, by their order
    cdef Longs near_at, near_gaps                     # ... their positions; how many rows lack a feature
    cdef double near_sum      # the weights of all rows
    cdef bint moved           # the target of the round is counted in its statistics, but not in the clock
    cdef public bint busy     # events are declined: they would come between the steps of something longer
    cdef public bint news     # a round ended with something for Python to do: a frozen feature, or an age
    cdef double bent_s, valued_s, rough_s
    cdef double least         # the share of one voice
    cdef bint inside          # of a wide learner: there is a narrow one inside, which told this of the event
    cdef Doubles told
    cdef long long youngest   # the round in which the youngest feature was born
    cdef unsigned long long content   # of the dict that x holds, where that says all; else zero
    cdef bint warm, reuse     # what was computed for the last prediction serves to learn the same event

    def __init__(self, state, experts, codec):
        cdef Py_ssize_t e
        self.state, self.codec, self.E = state, codec, len(experts)
        self.known = codec.targets if hasattr(codec, "targets") else {}
        if self.E > MOST:
            raise ValueError("too many experts")
        for e in range(self.E):
            self.keep[e], self.recovers[e] = experts[e].keep, experts[e].recovers
            self.plain[e], self.diagonal[e] = experts[e].plain, experts[e].diagonal
            self.sort[e] = 1 if experts[e].central else 2 * experts[e].plain
        self.bind()

    cpdef bind(self):
        """The arrays of the state were replaced."""
        st, keep = self.state, []
        self.n, self.cap, self.K = st.n, st.capacity, st.outputs
        self.padded = min((self.n + 7) // 8 * 8, self.cap)
        self.youngest = st.born[1 : st.n].max(initial=0)
        self.mean, self.q, self.count = doubles(st.mean, keep), doubles(st.q, keep), doubles(st.count, keep)
        self.value, self.repeats, self.reach = doubles(st.value, keep), doubles(st.repeats, keep), doubles(st.reach, keep)
        self.spells, self.level, self.moves = doubles(st.spells, keep), doubles(st.level, keep), doubles(st.moves, keep)
        self.error, self.checks = doubles(st.error, keep), doubles(st.checks, keep)
        self.born, self.last, self.still = integers(st.born, keep), integers(st.last, keep), integers(st.still, keep)
        self.gone_at, self.freeze_at = integers(st.gone_at, keep), integers(st.freeze_at, keep)
        self.row_kind = integers(st.row_kind, keep)
        self.w, self.w0, self.P, self.P0 = (doubles(st.w, keep), doubles(st.w0, keep), doubles(st.P, keep),
                                            doubles(st.P0, keep))
        self.S, self.C, self.H = doubles(st.S, keep), doubles(st.C, keep), doubles(st.H, keep)
        self.A, self.V, self.bent = doubles(st.A, keep), doubles(st.V, keep), room(self.K, keep)
        self.codes, self.coded, self.valued = doubles(st.codes, keep), doubles(st.coded, keep), room(self.K, keep)
        self.code_at, self.coded_at = places(self.cap, keep), places(self.cap, keep)
        self.paired, self.rough = integers(st.paired, keep), room(self.K + 1, keep)
        self.surface = doubles(st.surface, keep)
        self.sheet, self.tables = st.surface.shape[2], st.surface.shape[0] * st.surface.shape[1]
        self.slot, self.pair_knot, self.pair_above = places(PAIRED, keep), places(PAIRED, keep), room(PAIRED, keep)
        self.pair_at, self.pair_height = places(PAIRED * PAIRED // 2, keep), room(2 * PAIRED * PAIRED, keep)
        self.row_x, self.row_y = doubles(st.row_x, keep), doubles(st.row_y, keep)
        self.row_F, self.row_S = doubles(st.row_F, keep), doubles(st.row_S, keep)
        self.bind_mixture(keep)
        self.bind_neighbours(keep)
        self.x, self.u, self.full = room(self.cap, keep), room(self.cap, keep), room(self.cap, keep)
        self.x_warm, self.warm, self.content = room(self.cap, keep), False, 0
        self.z, self.z_full = room(self.cap, keep), room(self.cap, keep)
        self.Pu = room(self.E * self.cap, keep)
        self.v, self.R = room(self.cap, keep), room(self.cap * self.cap, keep)
        most = max(self.cap, self.M)
        self.b1, self.b2, self.b3 = room(most, keep), room(most, keep), room(most, keep)
        self.b4, self.b5, self.above = room(self.cap, keep), room(self.cap, keep), room(self.cap, keep)
        self.here, self.away = places(self.cap, keep), places(self.cap, keep)
        self.bin, self.knot = places(self.cap, keep), places(self.cap, keep)
        self.kept = keep

    cdef bind_neighbours(self, list keep):
        """The rows that events are compared with."""
        st, rows = self.state, min(self.clock[LABELLED], NEAR)
        self.near_x, self.near_y, self.worth = doubles(st.near_x, keep), doubles(st.near_y, keep), doubles(st.worth, keep)
        self.near_w, self.near_lack = room(NEAR, keep), room(NEAR, keep)
        self.near_at, self.near_v = places(self.cap, keep), room(self.cap, keep)
        self.variance, self.column = room(self.cap, keep), room(ROWS, keep)
        self.near_top, self.near_part = room(self.cap, keep), room(self.cap, keep)
        gaps = np.isinf(st.near_x[:, :rows]).sum(axis=1).astype(np.int64)
        self.near_gaps = integers(gaps, keep)

    cdef bind_mixture(self, list keep):
        """What does not run over features."""
        st = self.state
        self.regression, self.K, self.index = st.regression, st.outputs, st.index
        self.M, self.G = st.a.shape[1], st.a.shape[0]
        self.B = self.M - (1 if st.regression else 3)       # the experts under the stacker
        self.clock, self.c, self.wrong = integers(st.clock, keep), doubles(st.c, keep), doubles(st.wrong, keep)
        self.tau, self.a = doubles(st.tau, keep), doubles(st.a, keep)
        self.bits, self.mixed = doubles(st.account.experts, keep), doubles(st.account.mixture, keep)
        self.slack, self.voices = doubles(st.account.slack, keep), doubles(st.voices, keep)
        self.least = st.voices.min()
        self.stack_b, self.stack_V = doubles(st.stack_b, keep), doubles(st.stack_V, keep)
        self.shape, self.noise = doubles(st.shape, keep), doubles(st.noise, keep)
        self.y_mean, self.y_q = doubles(st.y_mean, keep), doubles(st.y_q, keep)
        self.y_reach, self.unit, self.surprised = doubles(st.y_reach, keep), doubles(st.unit, keep), doubles(st.surprised, keep)
        self.m, self.s = room(self.M * self.K, keep), room(self.M, keep)
        self.stack_s, self.ratio, self.shift = room(self.K, keep), room(self.K, keep), room(self.K, keep)
        self.settle()
        self.Q, self.L, self.Z = room(self.M * self.K, keep), room(self.M * self.K, keep), room(self.M * self.K, keep)
        self.k1, self.k2 = room(self.K + self.M, keep), room(self.K + self.M, keep)
        self.k3, self.k4 = room(self.K + self.M, keep), room(self.K + self.M, keep)
        self.y, self.y_raw, self.out = room(self.K + 1, keep), room(self.K + 1, keep), room(self.K + 1, keep)

    cdef void settle(self) noexcept nogil:
        """Forecasts are in the deviations of now."""
        cdef Py_ssize_t k
        self.moved = False
        for k in range(self.K):
            self.ratio[k], self.shift[k] = 1.0, 0.0

    cdef bint read_label(self, y) except -1:
        """An ordinary label, into y_raw; False: it needs attention."""
        cdef tuple target
        if self.regression:
            if self.K != 1 or type(y) is not float or not self.codec.scalar or not (fabs(<double> y) <= LIMIT):
                return False
            self.y_raw[0] = y
            return True
        target = self.known.get(y) if type(y) in QUICK else None
        if target is None:
            return False
        self.y_raw[0] = target[0]
        return True

    cdef bint mute(self):
        """Whether nothing can be predicted yet."""
        return self.K == 0 or (self.regression and self.clock[LABELLED] == 0)
