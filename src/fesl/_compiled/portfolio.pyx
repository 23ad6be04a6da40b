# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The default learner's core, compiled: the same rounds as `fesl.portfolio.rounds`, which says what they mean.

One call an event. It works on the arrays of the same `State`, so everything out of the ordinary is left to the same
Python code.
"""

from libc.math cimport NAN, asinh, exp, fabs, floor, lgamma, log, log1p, log2, sqrt
from libc.string cimport memcmp, memcpy
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.object cimport PyObject

import numpy as np

from fesl.portfolio import constants

include "shared.pxi"

ctypedef double* Doubles
ctypedef long long* Longs

cdef enum:
    NOT_USED = 0
    TAUGHT = 1
    OWN = 2
    MOST = 16           # experts
    NBINS = 7
    KNOTS = 7
cdef double PI = 3.141592653589793, LN2 = 0.6931471805599453, LEAST = 1e-10
cdef double START = 0.3, DRIFT = 1.0 / 200.0, CALM = 0.04
cdef double BINS = constants.BINS, SPAN = constants.SPAN, FLOOR = constants.FLOOR, SHARE = constants.SHARE
cdef double ALARM = constants.ALARM, TEACH = constants.TEACH, CLIP = constants.CLIP
cdef Py_ssize_t ROWS = constants.ROWS, STEPS = constants.STEPS
cdef long long CHECK = constants.CHECK, STILL = constants.STILL
cdef Py_ssize_t NAGES = len(constants.AGES)
cdef long long AGES[32]
for _i in range(NAGES):
    AGES[_i] = constants.AGES[_i]

cdef double* room(Py_ssize_t n, list keep) except? NULL:
    return doubles(np.zeros(max(n, 8)), keep)


include "portfolio_math.pxi"
include "portfolio_round.pxi"
include "portfolio_rows.pxi"
include "portfolio_wide.pxi"


cdef class Compiled(Rows):
    """The doors: `Reference` documents what each of them does."""
    cdef readonly object codec
    cdef dict known, index

    def __init__(self, state, codec):
        Rows.__init__(self, state, constants.EXPERTS)
        self.codec = codec
        self.known = codec.targets if hasattr(codec, "targets") else {}

    @property
    def compiled(self):
        return True

    cpdef bind(self):
        Rows.bind(self)
        self.index = self.state.index

    # One event in a single call

    cdef bint read(self, x) except -1:
        """The event by position; False: it needs attention."""
        cdef Py_ssize_t pos = 0
        cdef PyObject* key
        cdef PyObject* raw
        cdef PyObject* found
        cdef PyObject* none = <PyObject*> None
        cdef double v
        if type(x) is not dict:
            return False
        self.clear()
        while PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            if PyFloat_CheckExact(raw):
                v = PyFloat_AS_DOUBLE(raw)
            elif raw == none:
                continue
            else:
                if PyUnicode_Check(raw) or PyBytes_Check(raw) or PyByteArray_Check(raw):
                    return False
                v = PyFloat_AsDouble(raw)
                if v == -1.0 and PyErr_Occurred():
                    PyErr_Clear()
                    return False
            if v != v:
                continue
            if fabs(v) > LIMIT:
                return False
            found = PyDict_GetItem(<PyObject*> self.index, key)
            if found == NULL:
                return False
            self.x[PyLong_AsSsize_t(found)] = v
        self.gather()
        return True

    def learn_event(self, x, y):
        cdef double v
        cdef tuple target
        if y is not None:
            if self.regression:
                if self.K != 1 or type(y) is not float or not self.codec.scalar:
                    return False
                v = y
                if not (fabs(v) <= LIMIT):
                    return False
                self.y_raw[0] = v
            else:
                if type(y) not in QUICK:
                    return False
                target = self.known.get(y)
                if target is None:
                    return False
                self.y_raw[0] = target[0]
        if not self.read(x) or self.due():
            return False
        self.learn_x(y is not None)
        return True

    def predict_event(self, x):
        cdef Py_ssize_t k
        if self.K == 0 or (self.regression and self.clock[1] == 0) or not self.read(x):
            return None
        self.predict_into(self.out)
        return [self.out[k] for k in range(self.K)]

    cdef _predicted(self):
        out = np.zeros(self.K)
        cdef double[::1] view = out
        if self.K and not (self.regression and self.clock[1] == 0):
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
        self.warm = False
        self.inputs(True, True)
        self.margins()
        out = np.zeros((self.M, self.K))
        cdef double[:, ::1] view = out
        if not self.regression:
            self.opine()
        for e in range(self.M):
            for k in range(self.K):
                view[e, k] = self.Q[e * self.K + k] if not self.regression else (
                    self.y_mean[k] + deviation(self.clock[1], self.y_mean[k], self.y_q[k]) * self.m[e * self.K + k])
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
