# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The default learner's core, compiled: the same rounds as `fesl.portfolio.rounds`, which says what they mean.

One call an event, one call a block of a table, the latter without the GIL. It works on the arrays of the same `State`, so everything out of the ordinary is left to the same
Python code.
"""

from libc.math cimport INFINITY, NAN, asinh, copysign, exp, fabs, floor, lgamma, log, log1p, log2, sqrt
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memset
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.object cimport PyObject

import numpy as np

from fesl.portfolio import constants
from fesl.portfolio.changes import recalibration
from fesl.portfolio.experts import council, neighbours, stacker, student
from fesl.portfolio.inputs import scaling
from fesl.portfolio.wide import seats

include "shared.pxi"

ctypedef double* Doubles
ctypedef long long* Longs

cdef enum:
    NOT_USED = 0
    TAUGHT = 1
    OWN = 2
    ROUND = 0           # the places of the clock
    LABELLED = 1
    SINCE = 2
    KEPT = 3
    PAIR_AT = 5
    MOST = 16           # experts
    NBINS = 7
    KNOTS = 7
    MESH = KNOTS * KNOTS
    VALUES = 64         # a multiple of eight
    SIGHTINGS = 0       # what is known of a value
    VARIANCE = 1
    WEIGHTS = 2
    CACHED = 64         # features whose covariances lie near: four rows at a time are quicker then
cdef double PI = 3.141592653589793, LN2 = 0.6931471805599453
cdef double FADE = student.FADE, LEAST = student.LEAST, SURPRISE = student.SURPRISE, LEAP = student.LEAP, FURTHEST = student.FURTHEST
cdef double MEMORY = council.MEMORY, RUE = council.RUE
cdef double START = stacker.START, DRIFT = stacker.DRIFT, CALM = stacker.CALM, FAR = stacker.FAR
cdef double BINS = constants.BINS, SPAN = constants.SPAN, FLOOR = constants.FLOOR, SHARE = constants.SHARE
cdef double ALARM = constants.ALARM, ALIKE = constants.ALIKE, FEW = constants.FEW, CLIP = constants.CLIP, FURTHER = constants.FURTHER
cdef double RIDGE = constants.RIDGE, TEACH = constants.TEACH, HEED = constants.HEED, DOUBT = constants.DOUBT, SQUASH = constants.SQUASH
cdef Py_ssize_t PASSES = constants.PASSES, ROWS = constants.ROWS, WATCH = constants.WATCH, MEASURE = constants.MEASURE, STEPS = constants.STEPS, PAIRED = constants.PAIRED, NEAR = constants.NEAR
cdef double OUTLYING = constants.OUTLYING, OFF = constants.OFF, MISFIT = constants.MISFIT, ROUNDING = scaling.ROUNDING
cdef double STEP = recalibration.STEP, FAR_OFF = recalibration.FAR
cdef Py_ssize_t TELL = recalibration.TELL, MOVES = recalibration.MOVES
cdef double APART = constants.APART, EACH = constants.EACH, SHARED = constants.SHARED, NARROW = constants.NARROW
cdef double ALONE = constants.ALONE, VARIES = neighbours.VARIES, VALUED = constants.VALUED, CURVE = constants.CURVE, FADED = constants.FADED
cdef long long WARY = student.WARY, CHECK = constants.CHECK, STILL = constants.STILL, NEVER = 1 << 40
cdef Py_ssize_t NAGES = len(constants.AGES)
cdef long long AGES[32]
cdef Py_ssize_t NRENEWED = len(constants.RENEWED)
cdef long long RENEWED[32]
_places = constants.ROUND, constants.LABELLED, constants.SINCE, constants.KEPT, constants.PAIR_AT
if (constants.BINS, constants.KNOTS, constants.VALUES) != (NBINS, KNOTS, VALUES) or max(NAGES, NRENEWED) > 32:
    raise ImportError("fesl was compiled for another number of bins, knots, values or ages: build it again")
if _places != (ROUND, LABELLED, SINCE, KEPT, PAIR_AT):
    raise ImportError("fesl was compiled for another clock: build it again")
for _i in range(NAGES):
    AGES[_i] = constants.AGES[_i]
for _i in range(NRENEWED):
    RENEWED[_i] = constants.RENEWED[_i]

cdef double* room(Py_ssize_t n, list keep) except? NULL:
    return doubles(np.zeros(max(n, 8)), keep)


cdef long long* places(Py_ssize_t n, list keep) except? NULL:
    return integers(np.zeros(n, np.int64), keep)


cdef enum:
    NOTHING = 0
    NUMBER = 1
    ODD = 2


cdef int number_of(PyObject* raw, double* v) except -1:
    """What a value of an event is: nothing observed, a number, or something that needs attention."""
    if PyFloat_CheckExact(raw):
        v[0] = PyFloat_AS_DOUBLE(raw)
    elif raw == <PyObject*> None:
        return NOTHING
    elif strange(raw):
        return ODD
    else:
        v[0] = PyFloat_AsDouble(raw)
        if v[0] == -1.0 and PyErr_Occurred():
            PyErr_Clear()
            return ODD
    if v[0] != v[0]:
        return NOTHING
    return NUMBER if fabs(v[0]) <= LIMIT else ODD


include "portfolio_math.pxi"
include "portfolio_arrays.pxi"
include "portfolio_inputs.pxi"
include "portfolio_linear.pxi"
include "portfolio_local.pxi"
include "portfolio_neighbours.pxi"
include "portfolio_targets.pxi"
include "portfolio_stacker.pxi"
include "portfolio_council.pxi"
include "portfolio_mixture.pxi"
include "portfolio_rounds.pxi"
include "portfolio_rows.pxi"
include "portfolio_measures.pxi"
include "portfolio_renewal.pxi"
include "portfolio_block.pxi"
include "portfolio_wide.pxi"
include "portfolio_wide_doors.pxi"


cdef class Compiled(Block):
    """The doors: `Reference` documents what each of them does."""

    def __init__(self, state, codec):
        Block.__init__(self, state, constants.EXPERTS, codec)

    @property
    def compiled(self):
        return True

    # One event in a single call

    cdef bint read(self, x) except -1:
        """The event by position; False: it needs attention. The dict that was read last is not read once more."""
        cdef Py_ssize_t pos = 0
        cdef PyObject* key
        cdef PyObject* raw
        cdef PyObject* found
        cdef double v
        cdef int kind
        cdef unsigned long long content
        if type(x) is not dict:
            return False
        content = FESL_CONTENT(<PyObject*> x)
        if content != 0 and content == self.content:
            return True
        self.clear()
        while PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            kind = number_of(raw, &v)
            if kind == NOTHING:
                continue
            if kind == ODD or not quiet(key):
                return False
            found = PyDict_GetItemWithError(<PyObject*> self.index, key)
            if found == NULL:
                return False
            self.x[PyLong_AsSsize_t(found)] = v
        self.gather()
        self.content = content
        return True

    def learn_event(self, x, y):
        if self.busy or self.news or (y is not None and not self.read_label(y)):
            return False
        if not self.read(x) or self.due():
            return False
        self.learn_x(y is not None)
        return True

    def predict_event(self, x):
        cdef Py_ssize_t k
        if self.busy or self.mute() or not self.read(x):
            return None
        self.predict_into(self.out)
        return [self.out[k] for k in range(self.K)]

    cdef _predicted(self):
        out = np.zeros(self.K)
        cdef double[::1] view = out
        if not self.mute():
            self.predict_into(&view[0])
        return out

    # Points

    cdef take(self, x):
        cdef const long long[::1] idx = x.idx
        cdef const double[::1] val = x.val
        cdef Py_ssize_t i
        self.clear()
        for i in range(idx.shape[0]):
            self.x[idx[i]] = val[i]
        self.gather()

    def predict(self, x):
        self.take(x)
        return self._predicted()

    def opinions(self, x):
        cdef Py_ssize_t e, k
        self.take(x)
        self.warm = self.reuse = False
        self.inputs(True, True)
        self.find()
        self.margins()
        out = np.zeros((self.M, self.K))
        cdef double[:, ::1] view = out
        if not self.regression:
            self.opine()
        for e in range(self.M):
            for k in range(self.K):
                view[e, k] = self.Q[e * self.K + k] if not self.regression else (
                    self.y_mean[k] + deviation(self.clock[LABELLED], self.y_mean[k], self.y_q[k]) * self.m[e * self.K + k])
        return out

    cdef label(self, y):
        cdef Py_ssize_t k
        if y is not None:
            for k in range(self.K if self.regression else 1):
                self.y_raw[k] = y[k]

    def learn(self, x, y):
        self.label(y)
        self.take(x)
        self.learn_x(y is not None)

    def learn_ordinary(self, x, y):
        self.label(y)
        self.take(x)
        if self.due():
            return False
        self.learn_x(y is not None)
        return True
