# What both compiled cores stand on: Python's and our own C, and the memory of arrays.

cdef extern from "Python.h":        # by borrowed reference: the loop over a dict counts none
    PyObject* PyList_GET_ITEM(PyObject* list, Py_ssize_t i)
    int PyDict_Next(PyObject* d, Py_ssize_t* pos, PyObject** key, PyObject** value)
    PyObject* PyDict_GetItemWithError(PyObject* d, PyObject* key) except? NULL
    int PyUnicode_CheckExact(PyObject* v)
    int PyBytes_CheckExact(PyObject* v)
    int PyTuple_CheckExact(PyObject* v)
    int PyLong_CheckExact(PyObject* v)
    int PyFloat_CheckExact(PyObject* v)
    int PyFloat_Check(PyObject* v)
    int PyLong_Check(PyObject* v)
    double PyFloat_AS_DOUBLE(PyObject* v)
    double PyFloat_AsDouble(PyObject* v)
    Py_ssize_t PyLong_AsSsize_t(PyObject* v)

cdef extern from *:
    """
    /* Whether the type of an object was made by a class statement: its methods may run anything. */
    #define FESL_MADE(o) (PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE))
    """
    bint FESL_MADE(PyObject* o)

cdef extern from *:
    """
    /* A number that no other content of any dict has or had, while Python keeps one; else zero. */
    #if PY_VERSION_HEX < 0x030C0000 && !defined(PYPY_VERSION)
    #define FESL_CONTENT(d) ((unsigned long long) ((PyDictObject *) (d))->ma_version_tag)
    #else
    #define FESL_CONTENT(d) 0ULL
    #endif
    """
    unsigned long long FESL_CONTENT(PyObject* d)

cdef extern from "vector.h" nogil:
    double fesl_dot(const double*, const double*, Py_ssize_t)
    void fesl_axpy(double*, double, const double*, Py_ssize_t)
    void fesl_gemv(double*, const double*, Py_ssize_t, Py_ssize_t, const double*, Py_ssize_t)
    void fesl_mix(double*, const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, const double*)
    double fesl_nans(const double*, Py_ssize_t)
    double fesl_odd(const double*, Py_ssize_t, double)
    void fesl_downdate(double*, const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    void fesl_logs(double*, const double*, Py_ssize_t)
    void fesl_asinhs(double*, const double*, double, Py_ssize_t)
    void fesl_apart(double*, const double*, Py_ssize_t, const long long*, const double*, const double*, const double*,
                    Py_ssize_t, Py_ssize_t)
    void fesl_lack(double*, const double*, double, Py_ssize_t)
    double fesl_least(double*, double, Py_ssize_t)
    double fesl_near(double*, double, double, Py_ssize_t)
    double fesl_about(const double*, const double*, double, Py_ssize_t)
    void fesl_relate(double*, double*, const double*, Py_ssize_t, Py_ssize_t)
    double fesl_top(const double*, Py_ssize_t)
    void fesl_see(long long*, long long*, Py_ssize_t, long long, long long)

cdef double LIMIT = 1e100
cdef tuple NUMBERS = (np.floating, np.integer, np.bool_)
cdef tuple WORDS = (*NUMBERS, np.str_, np.bytes_, np.datetime64, np.timedelta64)

cdef tuple QUICK = (bool, int, str)       # labels whose target is looked up without further ado


cdef bint strange(PyObject* raw) except -1:
    """Whether a value needs a look before it is taken for a number; asking runs nobody's code."""
    if FESL_MADE(raw):
        return True
    return not (PyFloat_Check(raw) or PyLong_Check(raw) or isinstance(<object> raw, NUMBERS))


cdef bint quiet(PyObject* key) except -1:
    """Whether looking a name up runs nobody's code: then no other thread runs meanwhile. A tuple asks its parts."""
    if PyUnicode_CheckExact(key) or PyLong_CheckExact(key) or PyFloat_CheckExact(key) or PyBytes_CheckExact(key):
        return True
    if PyTuple_CheckExact(key):
        for part in <tuple> key:
            if not quiet(<PyObject*> part):
                return False
        return True
    return key == <PyObject*> None or not FESL_MADE(key) and isinstance(<object> key, (bool, *WORDS))


cdef double* doubles(array, list keep) except? NULL:
    """The memory of a contiguous float array, kept alive in `keep`."""
    if not array.flags.c_contiguous:
        raise ValueError("an array of the state is not contiguous")
    cdef double[::1] view = array.reshape(-1)
    keep.append(view)
    return &view[0] if view.shape[0] else NULL


cdef long long* integers(array, list keep) except? NULL:
    """The same for whole numbers."""
    if not array.flags.c_contiguous:
        raise ValueError("an array of the state is not contiguous")
    cdef long long[::1] view = array.reshape(-1)
    keep.append(view)
    return &view[0] if view.shape[0] else NULL
