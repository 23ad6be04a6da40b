# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The core, compiled: the same rounds as `fesl.evolving.reference`, which says what they mean.

One call an event (dict in, prediction out), one call a block, the latter without the GIL. It works on the
arrays of the same `State`, so everything out of the ordinary is left to the same Python code.
"""

cimport cython
from libc.math cimport INFINITY, exp, fabs, log, log1p, sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.object cimport PyObject

import numpy as np

from fesl.models import Point

include "shared.pxi"
include "loss.pxi"
include "rule.pxi"
include "model.pxi"
include "pattern.pxi"

cdef enum:
    CURRENT = 1
    SURVIVOR = 2
    NEWCOMER = 3
    MOST = 64           # experts


include "arrays.pxi"
include "kernel.pxi"
include "overlap.pxi"
include "reader.pxi"


cdef class CompiledCore:
    """The doors: `ReferenceCore` documents what each of them does."""
    cdef readonly object parts, state, codec, rates
    cdef readonly bint compiled
    cdef public bint busy           # events are declined: they would come between the steps of something longer
    cdef Kernel kernel
    cdef Reader reader
    cdef Shelf shelf
    cdef bint binary, warm          # warm: the kernel holds the scores of the event that was predicted last
    cdef unsigned long long version
    cdef long long round
    cdef dict known
    cdef list labels

    def __init__(self, parts, state, codec, rates):
        self.parts, self.codec, self.rates, self.compiled = parts, codec, rates, True
        self.kernel, self.reader, self.shelf = Kernel(parts, rates), Reader(), Shelf()
        self.binary = parts.loss.task == "binary"
        self.known = codec.targets if hasattr(codec, "targets") else {}
        self.labels = codec.labels if hasattr(codec, "labels") else []
        self.bind(state)

    def bind(self, state):
        """Work on this state from now on."""
        self.state = state
        self.kernel.bind(state)
        self.reader.bind(state.registry, self.kernel.sparse, self.kernel.clock)
        self.warm = False

    def side_by_side(self, quiet):
        """Take the events of the open overlap, too, as far as this says."""
        self.reader.quiet.end()
        self.reader.forget()
        if quiet is not None:
            self.reader.quiet.begin(quiet, self.state.registry, self.kernel.clock[1])

    # One event

    def score_event(self, x):
        """The ensemble's scores; None: the event needs attention."""
        cdef Event event
        if self.busy or not self.reader.read(x, &event):
            return None
        self._predict(&event)
        return self._told()

    def proba_event(self, x):
        """Class probabilities by label; None: the event needs attention."""
        cdef Event event
        cdef double e, f
        if self.busy or not self.reader.read(x, &event):
            return None
        self._predict(&event)
        if not self.binary or len(self.labels) < 2:
            return self.codec.probabilities(self._told())
        f = self.kernel.p[0]
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
        if self.busy or not self.reader.read(x, &event):
            return False
        if self.reader.beside:
            self._keep()
        elif not self.kernel.sparse:
            self.kernel.see(&event)
        self._learn(&event, target, self._is_warm())
        return True

    cdef void _predict(self, Event* event) noexcept nogil:
        """The scores of the event that was just read, kept in case that it is learned from next."""
        self.kernel.score(event)
        self.kernel.ensemble()
        self.warm, self.version, self.round = True, self.reader.version, self.kernel.clock[1]

    cdef bint _is_warm(self) noexcept nogil:
        """Whether the kernel holds the scores of the event that was just read, and nothing has changed."""
        return self.warm and self.version == self.reader.version and self.round == self.kernel.clock[1]

    cdef _keep(self):
        """The event that was just read is a row of the overlap."""
        cdef Event whole
        if not self.kernel.sparse:
            whole.n, whole.idx, whole.base = self.reader.n, self.reader.idx, -1
            self.kernel.see(&whole)
        self.state.overlap.take(self.shelf.point(self.reader))

    # A point, given by the slow path

    def score(self, x):
        cdef Event event
        keep = self._point(x, &event)
        self.warm = False
        self.kernel.score(&event)
        self.kernel.ensemble()
        return np.array(self._told())

    def learn(self, x, y):
        cdef Event event
        keep = self._point(x, &event)
        self._learn(&event, y, False)

    cdef _point(self, x, Event* event):
        cdef list keep = []
        event.idx = integers(np.ascontiguousarray(x.idx), keep)
        event.val = doubles(np.ascontiguousarray(x.val), keep)
        event.n = len(x.idx)
        event.base = run_of(event.idx, event.n)
        return keep

    cdef _told(self):
        """The ensemble's scores."""
        cdef Py_ssize_t j
        if self.kernel.k == 1:
            return (self.kernel.p[0],)
        return tuple([self.kernel.p[j] for j in range(self.kernel.k)])

    cdef _learn(self, Event* event, y, bint scored):
        cdef Py_ssize_t j
        self.warm = False
        if y is not None:
            if type(y) is tuple:
                for j in range(self.kernel.targets):
                    self.kernel.y[j] = <double> (<tuple> y)[j]
            else:
                for j in range(self.kernel.targets):
                    self.kernel.y[j] = y[j]
            self.kernel.cover()
            if not scored:
                self.kernel.score(event)
                self.kernel.ensemble()
            if self.kernel.step(event, self.kernel.y):
                self.kernel.fold()
        self.kernel.clock[1] += 1

    # Blocks

    def run_dense(self, X, ids, Y, trace, Py_ssize_t start):
        """Rows of X from `start` on; returns the number of rows done, the next one needs attention."""
        cdef const double[:, ::1] rows = X
        cdef const long long[::1] columns = ids
        cdef Py_ssize_t n = rows.shape[0], d = rows.shape[1], i = start
        cdef Block block = Block(Y, trace, self.kernel.k)
        cdef Pattern pattern = Pattern(d)
        cdef int verdict = 0
        self.warm = False
        if n == 0 or d == 0:
            return start
        while i < n:
            self.kernel.cover()
            with nogil:
                while i < n:
                    verdict = self._dense_row(&rows[i, 0], &columns[0], d, pattern, block, i)
                    if verdict != 0:
                        break
                    i += 1
            if verdict == 1 and self.reader.quiet.told:
                verdict = self._beside_row(&rows[i, 0], &columns[0], d, block, i)
                i += verdict == 0
            if verdict == 2:        # done, but a scale must be folded
                self.kernel.fold()
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
        cdef Block block = Block(Y, trace, self.kernel.k)
        cdef int verdict = 0
        self.warm = False
        self.reader.forget()           # its scratch space is used here
        if n <= 0 or values.shape[0] == 0:
            return start
        if cols.dtype.itemsize == 4:
            narrow = cols
            cols32 = &narrow[0]
        else:
            wide = cols
            cols64 = &wide[0]
        while i < n:
            self.kernel.cover()
            with nogil:
                while i < n:
                    verdict = self._sparse_row(
                        cols32, cols64, &values[0], begin[i], begin[i + 1], &known[0], block, i)
                    if verdict != 0:
                        break
                    i += 1
            if verdict == 2:
                self.kernel.fold()
                i += 1
            elif verdict == 1:
                break
        return i

    cdef int _dense_row(self, const double* row, const long long* ids, Py_ssize_t d, Pattern pattern, Block block,
                        Py_ssize_t i) noexcept nogil:
        """0: done; 1: needs attention; 2: done, fold; 3: needs the next window of rates."""
        cdef Event x
        cdef Py_ssize_t j, n = 0, seen = 0
        if block.learns and self.kernel.clock[0] - self.kernel.first >= self.kernel.window - 1:
            return 3
        if pattern.n == 0 or not pattern.fits(row):
            self._flush(pattern)
            pattern.n = 0
            for j in range(d):
                if row[j] != row[j]:
                    continue
                if ids[j] < 0 or (self.reader.role[ids[j]] != CURRENT and self.reader.role[ids[j]] != SURVIVOR):
                    return 1
                seen += self.reader.role[ids[j]] == SURVIVOR
                pattern.cols[n] = j
                pattern.idx[n] = ids[j]
                n += 1
            if n == 0 or seen < self.reader.watched:
                return 1
            pattern.settle(n)
        x.n, x.idx, x.base = pattern.n, pattern.idx, pattern.base
        x.val = pattern.gather(row)
        pattern.pending += 1 if block.learns and not self.kernel.sparse else 0
        return self._round(&x, block, i)

    cdef int _beside_row(self, const double* row, const long long* ids, Py_ssize_t d, Block block, Py_ssize_t i):
        """The same for a row of the open overlap; 1: it is none, or needs attention."""
        cdef Event x
        if not self.reader.read_row(row, ids, d, &x) or not self.reader.beside:
            return 1
        if block.learns:
            self._keep()
        return self._round(&x, block, i)

    cdef int _sparse_row(self, const int* cols32, const long long* cols64, const double* vals, Py_ssize_t start,
                         Py_ssize_t stop, const long long* ids, Block block, Py_ssize_t i) noexcept nogil:
        """The same for entries start to stop of the columns, of 32 or 64 bits, and values."""
        cdef Event x
        cdef Py_ssize_t j, m = 0, seen = 0
        cdef long long at
        cdef unsigned char role
        cdef const unsigned char* roles = self.reader.role
        cdef long long* idx = self.reader.idx
        cdef double* val = self.reader.val
        cdef double v
        if block.learns and self.kernel.clock[0] - self.kernel.first >= self.kernel.window - 1:
            return 3
        for j in range(start, stop):
            v = vals[j]
            if v != v:
                continue
            at = ids[cols32[j] if cols32 != NULL else cols64[j]]
            if at < 0:
                return 1
            role = roles[at]
            if role != CURRENT:
                if role != SURVIVOR:
                    return 1
                seen += 1
            idx[m] = at
            val[m] = v
            m += 1
        if m == 0 or seen < self.reader.watched:
            return 1
        x.n, x.idx, x.val, x.base = m, self.reader.idx, self.reader.val, -1
        if block.learns and not self.kernel.sparse:
            self.kernel.see(&x)
        return self._round(&x, block, i)

    cdef int _round(self, Event* x, Block block, Py_ssize_t i) noexcept nogil:
        """Predict row i into the trace, then learn from it where there are labels."""
        cdef const double* y = block.Y + i * block.width if block.learns else NULL
        cdef bint labelled = block.learns and y[0] == y[0], fold = False
        cdef long long* clock = self.kernel.clock
        if labelled or block.traces:
            self.kernel.score(x)
            self.kernel.ensemble()
        if block.traces:
            block.put(i, self.kernel.p, self.kernel.F, self.kernel.a, self.kernel.n, self.kernel.k)
        if labelled:
            fold = self.kernel.step(x, y)
        if block.learns:
            clock[1] += 1
        return 2 if fold else 0

    cdef void _flush(self, Pattern pattern) noexcept nogil:
        """Count the sightings of the rows that had the same pattern."""
        cdef Py_ssize_t j
        cdef long long* count = self.kernel.count
        cdef long long* last = self.kernel.last
        if pattern.pending:
            for j in range(pattern.n):
                count[pattern.idx[j]] += pattern.pending
                last[pattern.idx[j]] = self.kernel.clock[1] - 1
            pattern.pending = 0
