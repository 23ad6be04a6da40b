# Curves, values, surfaces and counts, learned anew from the kept rows: `fesl.portfolio.changes.renewal`.

cdef class Lessons        # at the end


cdef struct Rest:
    # What does not begin anew, and the variances that it had.
    const unsigned char* whole
    const unsigned char* tables
    double* V
    double* U
    double* G


cdef class Renewal(Measures):

    def lessons(self):
        """The labelled kept rows, and of each what the experts see of it now."""
        cdef Py_ssize_t i, wide = max(1, self.K if self.regression else 1)
        return Lessons([i for i in self.rows() if self.row_y[i * wide] == self.row_y[i * wide]], self)

    cdef recurring(self):
        """Of each feature, whether a value of it came again: the others are none that `practise` would look up."""
        cdef Py_ssize_t i, j
        out = np.zeros(self.n, np.uint8)
        cdef unsigned char[::1] again = out
        for j in range(1, self.n):
            for i in range(1, 1 + VALUES):
                if self.entry(j, i)[SIGHTINGS] >= 2.0:
                    again[j] = True
                    break
        return out

    cdef void find_again(self, const unsigned char* again) noexcept nogil:
        """Where the values stand that may be looked up."""
        cdef Py_ssize_t i
        for i in range(self.present):
            self.code_at[i] = 0
            if again[self.here[i]]:
                fesl_find(self.code_at + i, self.codes, self.x, self.here + i, 1, VALUES)

    cdef void recall(self, Lessons told, Py_ssize_t k) noexcept nogil:
        """Lesson k, as it was loaded."""
        memcpy(self.x, self.row_x + told.rows[k] * self.cap, self.n * sizeof(double))
        self.gather()
        memcpy(self.u, told.u + k * told.n, self.n * sizeof(double))
        memcpy(self.variance, told.variance + k * told.n, self.present * sizeof(double))
        memcpy(self.code_at, told.code_at + k * told.n, self.present * sizeof(long long))

    def recount(self, Lessons told not None, whole):
        """The counts of naive Bayes, of these rows alone, for the features (0: the classes) that are whole."""
        cdef const unsigned char[::1] those = whole.view(np.uint8)
        cdef Py_ssize_t i, k, y, j, K = self.K
        for k in range(K if those[0] else 0):
            self.c[k] = 0.0
        for j in range(1, self.n):
            if those[j]:
                memset(self.H + j * K * NBINS, 0, K * NBINS * sizeof(double))
        for k in range(told.number):
            self.recall(told, k)
            y = <Py_ssize_t> self.row_y[told.rows[k]]
            self.c[y] += those[0]
            for i in range(self.present):
                j = self.here[i]
                if those[j]:
                    self.H[(j * K + y) * NBINS + bin_of(self.u[j])] += 1.0

    def practise(self, Lessons told not None, whole, tables):
        """These rows PASSES times, through curves, values that came again, and surfaces that start anew."""
        cdef const unsigned char[::1] those = whole.view(np.uint8), sheets = tables.view(np.uint8)
        cdef Py_ssize_t i, k
        cdef bint curved = whole.any(), paired = tables.any()
        cdef list keep = []
        cdef Rest rest
        rest.whole, rest.tables = &those[0], &sheets[0]
        rest.V, rest.U = room(self.n * KNOTS, keep), room(self.n * (1 + VALUES), keep)
        rest.G = room(self.tables, keep)
        self.lay(&rest)
        for i in range(PASSES):
            self.begin(&rest)
            for k in range(told.number):
                self.recall(told, k)
                self.label_of(told.rows[k], max(1, self.K if self.regression else 1))
                if curved:
                    self.bend_once()
                if paired:
                    self.form_once()
        self.wake(&rest)

    cdef void bend_once(self) noexcept nogil:
        """Curves and values learn the row that was recalled."""
        self.curves()
        self.look_up(2.0)
        if self.regression:
            self.bend_numbers()
        else:
            self.bend_class(<Py_ssize_t> self.y[0])

    cdef void form_once(self) noexcept nogil:
        """Surfaces do."""
        self.surfaces()
        if self.regression:
            self.form_numbers()
        else:
            self.balance()
            self.form_class(<Py_ssize_t> self.y[0])

    cdef void lay(self, Rest* rest) noexcept nogil:
        """A variance of zero never moves: those that rest are put aside. Those that do not have no weights."""
        cdef Py_ssize_t j, i, k
        cdef double* V
        for j in range(self.n):
            if rest.whole[j]:
                memset(self.A + j * self.K * KNOTS, 0, self.K * KNOTS * sizeof(double))
                for i in range(1 + VALUES):
                    V = self.entry(j, i) + WEIGHTS
                    for k in range(self.K):
                        V[k] = 0.0
                continue
            V = self.V + j * KNOTS
            memcpy(rest.V + j * KNOTS, V, KNOTS * sizeof(double))
            memset(V, 0, KNOTS * sizeof(double))
            for i in range(1 + VALUES):
                V = self.entry(j, i) + VARIANCE
                rest.U[j * (1 + VALUES) + i], V[0] = V[0], 0.0
        for i in range(self.tables):
            V = self.surface + i * self.sheet
            if rest.tables[i // MESH]:
                memset(V + 1, 0, (self.sheet - 1) * sizeof(double))
            else:
                rest.G[i], V[0] = V[0], 0.0

    cdef void begin(self, Rest* rest) noexcept nogil:
        """The variances at the start of a pass, of those that do not rest."""
        cdef Py_ssize_t j, i
        for j in range(self.n):
            if rest.whole[j]:
                for i in range(KNOTS):
                    self.V[j * KNOTS + i] = CURVE if j else i == 0
                for i in range(1 + VALUES):
                    self.entry(j, i)[VARIANCE] = VALUED if j else i == 0
        for i in range(self.tables):
            if rest.tables[i // MESH]:
                self.surface[i * self.sheet] = CURVE
        if rest.whole[0]:
            self.surface[0] = 1.0

    cdef void wake(self, Rest* rest) noexcept nogil:
        """The variances of those that rested, as they were."""
        cdef Py_ssize_t j, i
        for j in range(self.n):
            if not rest.whole[j]:
                memcpy(self.V + j * KNOTS, rest.V + j * KNOTS, KNOTS * sizeof(double))
                for i in range(1 + VALUES):
                    self.entry(j, i)[VARIANCE] = rest.U[j * (1 + VALUES) + i]
        for i in range(self.tables):
            if not rest.tables[i // MESH]:
                self.surface[i * self.sheet] = rest.G[i]


cdef class Lessons:
    """Kept rows with what the experts see of each, as long as no feature comes or goes."""
    cdef Longs rows, code_at
    cdef Doubles u, variance
    cdef Py_ssize_t number, n
    cdef list keep

    def __init__(self, list rows, Renewal core not None):
        cdef Py_ssize_t k, i, n = core.n
        cdef const unsigned char[::1] again = core.recurring()
        self.keep, self.number, self.n = [], len(rows), n
        self.rows = integers(np.array(rows, np.int64), self.keep)
        self.u, self.variance = room(self.number * n, self.keep), room(self.number * n, self.keep)
        self.code_at = places(self.number * n, self.keep)
        for k, i in enumerate(rows):
            core.load(i, False)
            core.find_again(&again[0])
            memcpy(self.u + k * n, core.u, n * sizeof(double))
            memcpy(self.variance + k * n, core.variance, core.present * sizeof(double))
            memcpy(self.code_at + k * n, core.code_at, core.present * sizeof(long long))
