# The doors of a wide learner: `fesl.portfolio.wide.core` documents what each of them does.

cdef class WideDoors(WideRound):

    def __init__(self, state, codec, keeps):
        """`keeps` is what kept rows are."""
        self.keeps = keeps
        WideRound.__init__(self, state, constants.WIDE_EXPERTS, codec)

    cdef object keeps, places
    cdef Block inner        # the core of the narrow learner inside, if there is one
    cdef Longs inner_at     # of a place what `seats.standing` says

    def take_in(self, inner):
        """The core of the narrow learner inside."""
        self.inner = inner
        self.follow()

    def follow(self):
        """Find out where the readings stand inside."""
        if self.inner is not None:
            self.places = seats.standing(self.state)
            self.inner_at = integers(self.places, [])

    cpdef bind(self):
        WideRound.bind(self)
        self.follow()

    cdef bint enter(self) noexcept nogil:
        """The readings of the event go inside; False: one is a stranger there."""
        cdef Py_ssize_t i
        cdef long long p
        self.inner.clear()
        for i in range(1, self.n):
            p = self.inner_at[self.event[i].place]
            if p == 0:
                return False
            if p > 0:
                self.inner.x[p] = self.event[i].value
        self.inner.gather()
        return True

    cdef bint ask_inside(self):
        """What the narrow learner inside says of the event, if there is one; False: it needs attention."""
        if self.inner is not None:
            if self.inner.mute() or not self.enter():
                return False
            self.inner.predict_into(self.told)
        return True

    cdef bint may_learn(self, bint labelled):
        """Whether the event is an ordinary one to learn, inside, too; it is counted then, and what is said inside
        is heard."""
        if self.inner is not None:
            if self.inner.news or (labelled and self.inner.mute()) or not self.enter() or self.inner.due():
                return False
        if not self.ordinary():
            return False
        if self.inner is not None and labelled:
            self.inner.predict_into(self.told)
        return True

    cdef bint read(self, x) except -1:
        """The event by place; False: it needs attention. From here on no other thread runs, until the round is over."""
        cdef Py_ssize_t pos = 0, n = 1
        cdef PyObject* key
        cdef PyObject* raw
        cdef PyObject* found
        cdef double v
        cdef int kind
        if type(x) is not dict:
            return False
        self.fit(len(x) + 1)
        if self.busy or len(x) >= self.room:  # while there was none, another thread has begun something, or changed it
            return False
        while PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            kind = number_of(raw, &v)
            if kind == NOTHING:
                continue
            if kind == ODD or not quiet(key):
                return False
            found = PyDict_GetItemWithError(<PyObject*> self.index, key)
            if found == NULL:
                return False
            self.event[n].place, self.event[n].value = PyLong_AsSsize_t(found), v
            n += 1
        self.n = n
        self.order()
        return True

    def predict_event(self, x):
        cdef Py_ssize_t k
        if self.busy or self.mute() or not self.read(x) or not self.ask_inside():
            return None
        self.guess()
        self.mix_into(self.out)
        return [self.out[k] for k in range(self.K)]

    def learn_event(self, x, y):
        if self.busy or not self.read(x):
            return False
        if (y is not None and not self.read_label(y)) or not self.may_learn(y is not None):
            return False
        self.keep_and_learn(y is not None, True)
        return True

    cdef keep_and_learn(self, bint labelled, bint inside):
        """A round, here and, if so, inside: one step."""
        row = self.kept_row(labelled)
        inside = inside and self.inner is not None
        if inside:
            memcpy(self.inner.y_raw, self.y_raw, (self.K + 1) * sizeof(double))
        self.learn_event_(labelled)
        if inside:
            self.inner.learn_x(labelled)
        self.state.rows.append(row)

    cdef kept_row(self, bint labelled):
        """The row to keep of the event. A copy of NumPy's, or a constructor in Python, would let other threads run."""
        cdef Py_ssize_t i, k, n = self.n - 1
        idx, val, row = np.empty(n, np.int64), np.empty(n), self.keeps.__new__(self.keeps)
        cdef long long[::1] place = idx
        cdef double[::1] value = val
        for i in range(n):
            place[i], value[i] = self.event[i + 1].place, self.event[i + 1].value
        row.idx, row.val, row.F, row.S = idx, val, None, 0.0
        row.y = tuple([self.y_raw[k] for k in range(self.K if self.regression else 1)]) if labelled else None
        return row

    cdef hear_inside(self, told):
        """What the narrow learner inside says of the event; None: there is none. It may be other than what was
        predicted with, if one came or went."""
        cdef const double[::1] view
        if told is not None:
            view = told
            self.warm = self.warm and memcmp(self.told, &view[0], self.K * sizeof(double)) == 0
            memcpy(self.told, &view[0], self.K * sizeof(double))

    def learn(self, x, y, told):
        """A point, after whatever attention it needed; the narrow learner inside learns it by itself."""
        cdef Py_ssize_t k
        self.hear_inside(told)
        if y is not None:
            for k in range(self.K if self.regression else 1):
                self.y_raw[k] = y[k]
        self.take(x.idx, x.val)
        self.keep_and_learn(y is not None, False)

    def predict(self, x, told):
        """What all say together, in the very numbers of an ordinary event."""
        self.hear_inside(told)
        self.take(x.idx, x.val)
        self.guess()
        out = np.zeros(self.K)
        cdef double[::1] view = out
        self.mix_into(&view[0])
        return out

    def opinions(self, x, told):
        cdef Py_ssize_t e, k
        self.hear_inside(told)
        self.take(x.idx, x.val)
        self.guess()
        out = np.zeros((self.M, self.K))
        cdef double[:, ::1] view = out
        for e in range(self.M):
            for k in range(self.K):
                view[e, k] = self.opinion(e, k)
        return out

    cdef double opinion(self, Py_ssize_t e, Py_ssize_t k) noexcept nogil:
        if self.regression:
            return self.y_mean[k] + deviation(self.clock[LABELLED], self.y_mean[k], self.y_q[k]) * self.m[e * self.K + k]
        return self.Q[e * self.K + k]

    def run_rows(self, const long long[::1] ptr, const long long[::1] cols, const double[::1] vals, const long long[::1] places, Y,
                 double[:, ::1] scores, double[:, :, ::1] experts, double[:, ::1] weights, Py_ssize_t start,
                 Py_ssize_t stop):
        """Compressed rows: predict into `scores` (and what everyone says into `experts`, `weights`) where they have
        rows, then learn where there are labels. Returns the row that needs attention; the one before may have
        brought news inside."""
        cdef const double[:, ::1] labels
        cdef Py_ssize_t i = start, j, k, e, K = self.K
        cdef bint learns = Y is not None, labelled
        if learns:
            labels = Y
        if self.mute():
            return start
        while i < stop:
            self.fit(ptr[i + 1] - ptr[i] + 1)
            self.n = 1
            for j in range(ptr[i], ptr[i + 1]):
                if places[cols[j]] == 0:
                    return i
                self.event[self.n].place, self.event[self.n].value = places[cols[j]], vals[j]
                self.n += 1
            self.order()
            if scores.shape[0]:
                if not self.ask_inside():
                    return i
                self.guess()
                self.mix_into(&scores[i, 0])
                if not self.regression:
                    for k in range(K):
                        scores[i, k] = log(scores[i, k])
                if experts.shape[0]:
                    for e in range(self.M):
                        weights[i, e] = 0.0
                        for j in range(self.G):
                            weights[i, e] += self.a[j * self.M + e] / self.G
                        for k in range(K):
                            experts[i, e, k] = self.opinion(e, k) if self.regression else log(self.opinion(e, k))
            if learns:
                labelled = labels[i, 0] == labels[i, 0]
                if not self.may_learn(labelled):
                    return i
                if labelled:
                    for k in range(K if self.regression else 1):
                        self.y_raw[k] = labels[i, k]
                self.keep_and_learn(labelled, True)
                if self.inner is not None and self.inner.news:
                    return i + 1
            i += 1
        return i
