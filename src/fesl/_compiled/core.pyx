# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The core, compiled: the same rounds as `fesl.evolving.reference`, which says what they mean.

One call an event (dict in, prediction out), one call a block, the latter without the GIL. It works on the
arrays of the same `State`, so everything out of the ordinary is left to the same Python code.
"""

from libc.math cimport INFINITY, exp, fabs, log, log1p, sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.object cimport PyObject

import numpy as np

cdef extern from "Python.h":        # by borrowed reference: the loop over a dict counts none
    PyObject* PyList_GET_ITEM(PyObject* list, Py_ssize_t i)
    Py_ssize_t PyList_GET_SIZE(PyObject* list)
    int PyDict_Next(PyObject* d, Py_ssize_t* pos, PyObject** key, PyObject** value)
    PyObject* PyDict_GetItem(PyObject* d, PyObject* key)
    int PyFloat_CheckExact(PyObject* v)
    int PyUnicode_Check(PyObject* v)
    int PyBytes_Check(PyObject* v)
    int PyByteArray_Check(PyObject* v)
    double PyFloat_AS_DOUBLE(PyObject* v)
    double PyFloat_AsDouble(PyObject* v)
    Py_ssize_t PyLong_AsSsize_t(PyObject* v)

cdef extern from "vector.h" nogil:
    double fesl_dot(const double*, const double*, Py_ssize_t)
    void fesl_axpy(double*, double, const double*, Py_ssize_t)
    void fesl_gemv(double*, const double*, Py_ssize_t, Py_ssize_t, const double*, Py_ssize_t)
    double fesl_nans(const double*, Py_ssize_t)
    double fesl_top(const double*, Py_ssize_t)
    void fesl_see(long long*, long long*, Py_ssize_t, long long, long long)

cdef double LIMIT = 1e100

include "loss.pxi"
include "rule.pxi"
include "model.pxi"
include "pattern.pxi"

cdef tuple QUICK = (bool, int, str)       # labels whose target is looked up without further ado
cdef enum:
    CURRENT = 1
    SURVIVOR = 2
    MOST = 64           # experts

cdef double* doubles(array, list keep) except? NULL:
    """The memory of a contiguous float array, kept alive in `keep`."""
    cdef double[::1] view = array.reshape(-1)
    keep.append(array)
    return &view[0] if view.shape[0] else NULL

cdef long long* integers(array, list keep) except? NULL:
    cdef long long[::1] view = array.reshape(-1)
    keep.append(array)
    return &view[0] if view.shape[0] else NULL


def top(const double[::1] values):
    """The largest absolute value; NaN does not count."""
    return fesl_top(&values[0], values.shape[0]) if values.shape[0] else 0.0


cdef class Scratch:
    """Zeroed numbers, freed with the object."""
    cdef double* at

    def __cinit__(self, Py_ssize_t n):
        self.at = <double*> calloc(max(n, 1), sizeof(double))
        if self.at == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.at)


cdef class CompiledCore:
    cdef readonly object parts, state, codec, rates
    cdef readonly bint compiled
    # the labels
    cdef bint binary, sparse
    cdef dict known
    cdef list labels
    # the parts
    cdef Value value
    cdef Gradient gradient
    cdef Omega omega
    cdef bint draws, clips
    cdef double clip, scale
    cdef unsigned long long seed
    # the state
    cdef list keep, kept_rates
    cdef dict index
    cdef list names
    cdef Py_ssize_t n, k, capacity, watched, targets
    cdef Expert experts[MOST]
    cdef double* log_a
    cdef double* sums
    cdef long long* rounds
    cdef long long* clock
    cdef long long* skipped
    cdef long long* count
    cdef long long* last
    cdef const unsigned char* role
    # the rates of the window
    cdef const double* tau
    cdef const double* eta
    cdef const double* delta
    cdef long long first, window
    # scratch
    cdef Scratch memory
    cdef double* F
    cdef double* g
    cdef double* clipped
    cdef double* p
    cdef double* y
    cdef double a[MOST]
    cdef double losses[MOST]
    cdef Py_ssize_t room
    cdef object room_idx, room_val, room_key
    cdef long long* idx
    cdef double* val
    # the pattern of the last event: keys usually come in the same order, and are the same objects
    cdef PyObject** key
    cdef Py_ssize_t same, same_base

    def __init__(self, parts, state, codec, rates):
        self.parts, self.codec, self.rates, self.compiled = parts, codec, rates, True
        self.binary, self.sparse = parts.loss.task == "binary", parts.spaces.sparse
        self.known = codec.targets if hasattr(codec, "targets") else {}
        self.labels = codec.labels if hasattr(codec, "labels") else []
        if len(parts.experts) > MOST:
            raise ValueError(f"{len(parts.experts)} experts: the compiled core runs up to {MOST}")
        self.omega = Omega(parts.omega.radius, parts.omega.low, parts.omega.high)
        self.draws, self.clips = parts.rule.draws, parts.clip is not None
        self.clip = parts.clip if self.clips else INFINITY
        self.seed = <unsigned long long> (parts.seed & 0xFFFFFFFFFFFFFFFF)
        name = parts.loss.name
        if name == "logistic":
            self.value, self.gradient = logistic_value, logistic_gradient
        elif name == "softmax":
            self.value, self.gradient = softmax_value, softmax_gradient
        else:
            self.value, self.gradient = squared_value, squared_gradient
        self.room = 0
        self.bind(state)

    def bind(self, state):
        """Work on this state from now on."""
        cdef list keep = []
        cdef const unsigned char[::1] role = state.registry.role
        cdef Py_ssize_t i
        r = state.registry
        self.state, self.keep = state, keep
        self.index, self.names = r.index, r.names
        self.n, self.k, self.capacity = len(state.experts), state.outputs, r.capacity
        self.role = &role[0]
        keep.append(r.role)
        self.count, self.last = integers(r.count, keep), integers(r.last, keep)
        self.log_a, self.clock = doubles(state.log_a, keep), integers(state.clock, keep)
        self.sums, self.rounds = doubles(state.ledger.sums, keep), integers(state.ledger.rounds, keep)
        self.skipped = integers(state.skipped, keep)
        self.watched = 0 if self.parts.spaces.sparse else int((r.role == SURVIVOR).sum())
        self.scale = 1.0 / self.parts.loss.ceiling(self.clip, self.k) if self.clips else 1.0
        self.targets = self.k if self.parts.loss.task == "regression" else 1
        self._make_room()
        for i in range(self.n):
            self.a[i] = exp(self.log_a[i])
            self._bind_expert(i, state.experts[i], keep)
        self.window = 0

    cdef _make_room(self):
        cdef Py_ssize_t k = self.k, n = self.n
        self.memory = Scratch(n * k * 2 + 4 * k)
        self.F = self.memory.at
        self.clipped = self.F + n * k
        self.g = self.clipped + n * k
        self.p = self.g + k
        self.y = self.p + k
        if self.capacity > self.room:
            self.room = self.capacity
            self.room_idx, self.room_key = np.zeros(self.room, np.int64), np.zeros(self.room, np.int64)
            self.room_val = np.zeros(self.room)
            self.idx, self.key = integers(self.room_idx, []), <PyObject**> integers(self.room_key, [])
            self.val = doubles(self.room_val, [])
        self.same = 0

    cdef _bind_expert(self, Py_ssize_t i, model, list keep):
        cdef Expert* e = &self.experts[i]
        cdef Scratch scratch
        memset(e, 0, sizeof(Expert))
        e.W, e.num, e.learns = doubles(model.W, keep), doubles(model.num, keep), model.learns
        e.direct, e.capacity = True, self.capacity
        if not hasattr(model, "lens"):
            return
        lens, columns = model.lens, model.lens.columns
        e.direct = bool(model.passes.any())
        e.m, e.B = len(model.C), columns.size
        e.C, e.q, e.passes = doubles(model.C, keep), doubles(model.q, keep), doubles(model.passes, keep)
        if lens.H is not None:
            e.H = doubles(np.ascontiguousarray(lens.H), keep)
        if lens.lift is not None:
            e.lift = doubles(np.ascontiguousarray(lens.lift), keep)
        if columns.dense is not None:
            e.P = doubles(columns.dense, keep)
            e.PT = doubles(np.ascontiguousarray(columns.dense.T), keep)
        else:
            e.ptr = integers(columns.ptr, keep)
            e.rows, e.vals = integers(columns.rows, keep), doubles(columns.vals, keep)
        scratch = Scratch(e.B + 2 * e.m)
        keep.append(scratch)
        e.z = scratch.at
        e.phi = e.z + e.B
        e.h = e.phi + e.m

    # One event

    def score_event(self, x):
        """The ensemble's scores; None: the event needs attention."""
        cdef Event event
        if not self._read(x, &event):
            return None
        return self._scored(&event)

    def proba_event(self, x):
        """Class probabilities by label; None: the event needs attention."""
        cdef Event event
        cdef double e, f
        if not self._read(x, &event):
            return None
        if not self.binary or len(self.labels) < 2:
            return self.codec.probabilities(self._scored(&event))
        self._score(&event)
        self._ensemble()
        f = self.p[0]
        e = exp(-fabs(f))
        if f >= 0.0:
            return {self.labels[0]: e / (1.0 + e), self.labels[1]: 1.0 / (1.0 + e)}
        return {self.labels[0]: 1.0 / (1.0 + e), self.labels[1]: e / (1.0 + e)}

    def learn_event(self, x, y):
        """Learn; False: the event or its label needs attention, and nothing was changed."""
        cdef Event event
        target = None
        if y is not None:
            target = self.known.get(y) if type(y) in QUICK else None
            if target is None:
                target = self.codec.encode(y)
                if target is None:
                    return False
        if not self._read(x, &event):
            return False
        if not self.sparse:
            self._see(&event)
        self._learn(&event, target)
        return True

    cdef bint _read(self, x, Event* event) except -1:
        """The observed features of an ordinary event; False for any other, and for anything that is not a number.

        An event with the keys of the last one, in its order, is read without looking anything up."""
        cdef Py_ssize_t pos = 0, n = 0
        cdef PyObject* key
        cdef PyObject* raw
        cdef double v
        if type(x) is not dict:
            return False
        while n < self.same and PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            if key != self.key[n] or not PyFloat_CheckExact(raw):
                return self._look_up(x, event)
            v = PyFloat_AS_DOUBLE(raw)
            if not (fabs(v) <= LIMIT):
                return self._look_up(x, event)
            self.val[n] = v
            n += 1
        if n == 0 or n < self.same or PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            return self._look_up(x, event)
        event.n, event.idx, event.val, event.base = n, self.idx, self.val, self.same_base
        return True

    cdef bint _look_up(self, x, Event* event) except -1:
        """The same for an event of any form."""
        cdef Py_ssize_t pos = 0, n = 0, seen = 0
        cdef PyObject* names = <PyObject*> self.names
        cdef PyObject* none = <PyObject*> None
        cdef PyObject* key
        cdef PyObject* raw
        cdef PyObject* found
        cdef double v
        cdef long long i
        cdef bint run = True, alike = True
        self.same = 0
        while PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            if PyFloat_CheckExact(raw):
                v = PyFloat_AS_DOUBLE(raw)
            elif raw == none:
                alike = False
                continue
            else:
                if PyUnicode_Check(raw) or PyBytes_Check(raw) or PyByteArray_Check(raw):
                    return False
                v = PyFloat_AsDouble(raw)
                if v == -1.0 and PyErr_Occurred():
                    PyErr_Clear()
                    return False
            if v != v:
                alike = False
                continue
            if fabs(v) > LIMIT:
                return False
            found = PyDict_GetItem(<PyObject*> self.index, key)
            if found == NULL:
                return False
            i = PyLong_AsSsize_t(found)
            if self.role[i] == SURVIVOR:
                seen += 1
            elif self.role[i] != CURRENT:
                return False
            # only the registry's own names are sure to live on: another object may take a dead one's place
            self.key[n] = PyList_GET_ITEM(names, i)
            alike = alike and self.key[n] == key
            self.idx[n] = i
            self.val[n] = v
            run = run and i == self.idx[0] + n
            n += 1
        if n == 0 or seen < self.watched:
            return False
        event.n, event.idx, event.val = n, self.idx, self.val
        event.base = self.same_base = self.idx[0] if run else -1
        self.same = n if alike else 0
        return True

    # A point, given by the slow path

    def score(self, x):
        cdef Event event
        keep = self._point(x, &event)
        return np.array(self._scored(&event))

    def learn(self, x, y):
        cdef Event event
        keep = self._point(x, &event)
        self._learn(&event, y)

    cdef _point(self, x, Event* event):
        cdef list keep = []
        event.idx = integers(np.ascontiguousarray(x.idx), keep)
        event.val = doubles(np.ascontiguousarray(x.val), keep)
        event.n, event.base = len(x.idx), -1
        return keep

    cdef _scored(self, Event* event):
        cdef Py_ssize_t j
        self._score(event)
        self._ensemble()
        if self.k == 1:
            return (self.p[0],)
        return tuple([self.p[j] for j in range(self.k)])

    cdef _learn(self, Event* event, y):
        cdef Py_ssize_t j
        if y is not None:
            if type(y) is tuple:
                for j in range(self.targets):
                    self.y[j] = <double> (<tuple> y)[j]
            else:
                for j in range(self.targets):
                    self.y[j] = y[j]
            self._cover()
            self._score(event)
            self._ensemble()
            if self._step(event, self.y):
                self._fold()
        self.clock[1] += 1

    cdef _cover(self):
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

    cdef _fold(self):
        """Fold a scale that has become tiny back into the weights."""
        for model in self.state.experts:
            model.fold()

    # The mathematics

    cdef void _score(self, Event* x) noexcept nogil:
        cdef Py_ssize_t e
        for e in range(self.n):
            score(&self.experts[e], x, self.k, self.F + e * self.k)

    cdef void _ensemble(self) noexcept nogil:
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

    cdef bint _step(self, Event* x, const double* y) noexcept nogil:
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

    cdef void _see(self, Event* x) noexcept nogil:
        cdef Py_ssize_t i
        if x.base >= 0:
            fesl_see(self.count + x.base, self.last + x.base, x.n, 1, self.clock[1])
            return
        for i in range(x.n):
            self.count[x.idx[i]] += 1
            self.last[x.idx[i]] = self.clock[1]

    # Blocks

    def run_dense(self, X, ids, Y, trace, Py_ssize_t start):
        """Rows of X from `start` on; returns the number of rows done, the next one needs attention."""
        cdef const double[:, ::1] rows = X
        cdef const long long[::1] columns = ids
        cdef Py_ssize_t n = rows.shape[0], d = rows.shape[1], i = start
        cdef Block block = Block(Y, trace, self.k)
        cdef Pattern pattern = Pattern(d)
        cdef int verdict = 0
        if n == 0 or d == 0:
            return start
        while i < n:
            self._cover()
            with nogil:
                while i < n:
                    verdict = self._dense_row(&rows[i, 0], &columns[0], d, pattern, block, i)
                    if verdict != 0:
                        break
                    i += 1
            if verdict == 2:        # done, but a scale must be folded
                self._fold()
                i += 1
            elif verdict == 1:
                break
        self._flush(pattern)
        return i

    def run_sparse(self, ptr, cols, vals, ids, Y, trace, Py_ssize_t start):
        """The same for compressed rows."""
        cdef const long long[::1] begin = ptr, known = ids
        cdef const double[::1] values = vals
        cdef const long long[::1] wide
        cdef const int[::1] narrow
        cdef const long long* cols64 = NULL
        cdef const int* cols32 = NULL
        cdef Py_ssize_t n = begin.shape[0] - 1, i = start
        cdef Block block = Block(Y, trace, self.k)
        cdef int verdict = 0
        self.same = 0           # its scratch space is used here
        if n <= 0 or values.shape[0] == 0:
            return start
        if cols.dtype.itemsize == 4:
            narrow = cols
            cols32 = &narrow[0]
        else:
            wide = cols
            cols64 = &wide[0]
        while i < n:
            self._cover()
            with nogil:
                while i < n:
                    verdict = self._sparse_row(
                        cols32, cols64, &values[0], begin[i], begin[i + 1], &known[0], block, i)
                    if verdict != 0:
                        break
                    i += 1
            if verdict == 2:
                self._fold()
                i += 1
            elif verdict == 1:
                break
        return i

    cdef int _dense_row(self, const double* row, const long long* ids, Py_ssize_t d, Pattern pattern, Block block,
                        Py_ssize_t i) noexcept nogil:
        """0: done; 1: needs attention; 2: done, fold; 3: needs the next window of rates."""
        cdef Event x
        cdef Py_ssize_t j, n = 0, seen = 0
        if block.learns and self.clock[0] - self.first >= self.window - 1:
            return 3
        if pattern.n == 0 or not pattern.fits(row):
            self._flush(pattern)
            pattern.n = 0
            for j in range(d):
                if row[j] != row[j]:
                    continue
                if ids[j] < 0 or (self.role[ids[j]] != CURRENT and self.role[ids[j]] != SURVIVOR):
                    return 1
                seen += self.role[ids[j]] == SURVIVOR
                pattern.cols[n] = j
                pattern.idx[n] = ids[j]
                n += 1
            if n == 0 or seen < self.watched:
                return 1
            pattern.settle(n)
        x.n, x.idx, x.base = pattern.n, pattern.idx, pattern.base
        x.val = pattern.gather(row)
        pattern.pending += 1 if block.learns and not self.sparse else 0
        return self._round(&x, block, i)

    cdef int _sparse_row(self, const int* cols32, const long long* cols64, const double* vals, Py_ssize_t start,
                         Py_ssize_t stop, const long long* ids, Block block, Py_ssize_t i) noexcept nogil:
        """The same for entries start to stop of the columns, of 32 or 64 bits, and values."""
        cdef Event x
        cdef Py_ssize_t j, m = 0, seen = 0
        cdef long long at
        cdef unsigned char role
        if block.learns and self.clock[0] - self.first >= self.window - 1:
            return 3
        for j in range(start, stop):
            if vals[j] != vals[j]:
                continue
            at = ids[cols32[j] if cols32 != NULL else cols64[j]]
            if at < 0:
                return 1
            role = self.role[at]
            if role != CURRENT:
                if role != SURVIVOR:
                    return 1
                seen += 1
            self.idx[m] = at
            self.val[m] = vals[j]
            m += 1
        if m == 0 or seen < self.watched:
            return 1
        x.n, x.idx, x.val, x.base = m, self.idx, self.val, -1
        if block.learns and not self.sparse:
            self._see(&x)
        return self._round(&x, block, i)

    cdef int _round(self, Event* x, Block block, Py_ssize_t i) noexcept nogil:
        """Predict row i into the trace, then learn from it where there are labels."""
        cdef const double* y = block.Y + i * block.width if block.learns else NULL
        cdef bint labelled = block.learns and y[0] == y[0], fold = False
        if labelled or block.traces:
            self._score(x)
            self._ensemble()
        if block.traces:
            block.put(i, self.p, self.F, self.a, self.n, self.k)
        if labelled:
            fold = self._step(x, y)
        if block.learns:
            self.clock[1] += 1
        return 2 if fold else 0

    cdef void _flush(self, Pattern pattern) noexcept nogil:
        """Count the sightings of the rows that had the same pattern."""
        cdef Py_ssize_t j
        if pattern.pending:
            for j in range(pattern.n):
                self.count[pattern.idx[j]] += pattern.pending
                self.last[pattern.idx[j]] = self.clock[1] - 1
            pattern.pending = 0
