# One round as plain C, on the arrays of a State: what `fesl.evolving.reference` says in NumPy.

cdef class Kernel:
    """The parts and the state of a learner, as the rounds need them."""
    cdef object parts, state, rates
    # the parts
    cdef Value value
    cdef Gradient gradient
    cdef Omega omega
    cdef bint draws, clips, sparse
    cdef double clip, scale
    cdef unsigned long long seed
    # the state
    cdef list keep, kept_rates
    cdef Py_ssize_t n, k, targets
    cdef Expert experts[MOST]
    cdef double* log_a
    cdef double* sums
    cdef long long* rounds
    cdef long long* clock
    cdef long long* skipped
    cdef long long* count
    cdef long long* last
    # the rates of the window
    cdef const double* tau
    cdef const double* eta
    cdef const double* delta
    cdef long long first, window
    # scratch
    cdef Scratch memory
    cdef double* F              # (n x k): the experts' scores
    cdef double* clipped
    cdef double* g
    cdef double* p              # (k): the ensemble's
    cdef double* y
    cdef double a[MOST]         # the experts' weights
    cdef double losses[MOST]

    def __init__(self, parts, rates):
        self.parts, self.rates = parts, rates
        if len(parts.experts) > MOST:
            raise ValueError(f"{len(parts.experts)} experts: the compiled core runs up to {MOST}")
        self.omega = Omega(parts.omega.radius, parts.omega.low, parts.omega.high)
        self.draws, self.clips, self.sparse = parts.rule.draws, parts.clip is not None, parts.spaces.sparse
        self.clip = parts.clip if self.clips else INFINITY
        self.seed = <unsigned long long> (parts.seed & 0xFFFFFFFFFFFFFFFF)
        name = parts.loss.name
        if name == "logistic":
            self.value, self.gradient = logistic_value, logistic_gradient
        elif name == "softmax":
            self.value, self.gradient = softmax_value, softmax_gradient
        else:
            self.value, self.gradient = squared_value, squared_gradient

    cdef bind(self, state):
        cdef list keep = []
        cdef Py_ssize_t i, k = state.outputs, n = len(state.experts)
        r = state.registry
        self.state, self.keep = state, keep
        self.n, self.k = n, k
        self.count, self.last = integers(r.count, keep), integers(r.last, keep)
        self.log_a, self.clock = doubles(state.log_a, keep), integers(state.clock, keep)
        self.sums, self.rounds = doubles(state.ledger.sums, keep), integers(state.ledger.rounds, keep)
        self.skipped = integers(state.skipped, keep)
        self.scale = 1.0 / self.parts.loss.ceiling(self.clip, k) if self.clips else 1.0
        self.targets = k if self.parts.loss.task == "regression" else 1
        self.memory = Scratch(n * k * 2 + 3 * k)
        self.F = self.memory.at
        self.clipped = self.F + n * k
        self.g = self.clipped + n * k
        self.p = self.g + k
        self.y = self.p + k
        for i in range(n):
            self.a[i] = exp(self.log_a[i])
            self._bind_expert(i, state.experts[i], keep)
        self.window = 0

    cdef _bind_expert(self, Py_ssize_t i, model, list keep):
        cdef Expert* e = &self.experts[i]
        cdef Scratch scratch
        memset(e, 0, sizeof(Expert))
        e.W, e.num, e.learns = doubles(model.W, keep), doubles(model.num, keep), model.learns
        e.direct = True
        if not hasattr(model, "lens"):
            return
        lens, columns = model.lens, model.lens.columns
        e.direct = bool(model.passes.any())
        e.recovered, e.m, e.passes = True, len(model.C), doubles(model.passes, keep)
        if e.m == 0:
            return          # nothing has vanished, or nothing can be recovered
        e.B = columns.size
        e.padded, e.width = (e.m + 7) // 8 * 8, (e.B + 7) // 8 * 8
        e.C, e.q = doubles(model.C, keep), doubles(model.q, keep)
        if lens.H is not None:
            e.H = doubles(padded(lens.H, e.padded), keep)
        if lens.lift is not None:
            e.lift = doubles(padded(lens.lift.T, e.padded), keep)
        if columns.dense is not None:
            e.P = doubles(padded(columns.dense, e.width), keep)
        else:
            e.ptr = integers(columns.ptr, keep)
            e.rows, e.vals = integers(columns.rows, keep), doubles(columns.vals, keep)
        scratch = Scratch(e.width + 2 * e.padded)
        keep.append(scratch)
        e.z = scratch.at
        e.phi = e.z + e.width
        e.h = e.phi + e.padded

    cdef cover(self):
        """Have the rates of this round and the next at hand."""
        cdef list keep
        if self.window > 0 and 0 <= self.clock[0] - self.first < self.window - 1:
            return
        keep = []
        self.rates.cover(int(self.clock[0]), self.n)
        self.kept_rates = keep
        self.tau, self.eta = doubles(self.rates.tau, keep), doubles(self.rates.eta, keep)
        self.delta = doubles(self.rates.delta, keep)
        self.first, self.window = self.rates.first, len(self.rates.tau)

    cdef fold(self):
        """Fold a scale that has become tiny back into the weights."""
        for model in self.state.experts:
            model.fold()

    cdef void score(self, Event* x) noexcept nogil:
        cdef Py_ssize_t e
        for e in range(self.n):
            score_one(&self.experts[e], x, self.k, self.F + e * self.k)

    cdef void ensemble(self) noexcept nogil:
        """p, from F: the weighted mean, or one drawn expert's score."""
        cdef Py_ssize_t e, j, k = self.k
        cdef double* F = self.F
        if self.clips:
            for j in range(self.n * k):
                self.clipped[j] = min(max(F[j], -self.clip), self.clip)
            F = self.clipped
        if self.draws and self.n > 1:
            e = draw(self.a, self.n, uniform(self.seed, self.clock[1]))
            memcpy(self.p, F + e * k, k * sizeof(double))
            return
        for j in range(k):
            self.p[j] = 0.0
            for e in range(self.n):
                self.p[j] += self.a[e] * F[e * k + j]

    cdef bint step(self, Event* x, const double* y) noexcept nogil:
        """Losses, ledger, weights, and a step of every expert. True: a scale must be folded."""
        cdef Py_ssize_t e, j, k = self.k, at = self.clock[0] - self.first
        cdef double* F = self.clipped if self.clips else self.F
        cdef double realised, expected = 0.0, top = -1.0, size
        cdef bint fold = False
        for e in range(self.n):
            self.losses[e] = min(self.value(F + e * k, y, k), LIMIT) * self.scale
            expected += self.a[e] * self.losses[e]
        realised = self.losses[0] if self.n == 1 else min(self.value(self.p, y, k), LIMIT) * self.scale
        enter(self.sums, self.n, self.losses, realised, expected if self.draws else realised)
        self.rounds[0] += 1
        if self.n > 1:
            reweigh(self.log_a, self.losses, self.n, self.eta[at], self.eta[at + 1], self.delta[at])
            for e in range(self.n):
                self.a[e] = exp(self.log_a[e])
        for e in range(self.n):
            if not self.experts[e].learns:
                continue
            self.gradient(self.F + e * k, y, self.g, k)
            size = 0.0
            for j in range(k):
                self.g[j] *= self.tau[at]
                size = max(size, fabs(self.g[j]))
            if size > 1.0 and top < 0.0:        # no value exceeds LIMIT, so a smaller step cannot either
                top = fesl_top(x.val, x.n)
            if size <= 1.0 or size * top <= LIMIT:
                fold |= descend(&self.experts[e], x, k, self.F + e * k, self.g, &self.omega)
            else:
                self.skipped[0] += 1
        self.clock[0] += 1
        return fold

    cdef void see(self, Event* x) noexcept nogil:
        cdef Py_ssize_t i
        if x.base >= 0:
            fesl_see(self.count + x.base, self.last + x.base, x.n, 1, self.clock[1])
            return
        for i in range(x.n):
            self.count[x.idx[i]] += 1
            self.last[x.idx[i]] = self.clock[1]
