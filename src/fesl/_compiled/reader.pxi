# One event: from a dict to the ids and values of what was observed.

cdef class Reader:
    """Reads ordinary events, and says of the others that they need attention."""
    cdef dict index
    cdef list names
    cdef object kept_role
    cdef const unsigned char* role
    cdef Py_ssize_t watched     # the survivors that every event must hold
    # scratch
    cdef Py_ssize_t room
    cdef object room_idx, room_val, room_key
    cdef long long* idx
    cdef double* val
    # the pattern of the last event: keys usually come in the same order, and are the same objects
    cdef PyObject** key
    cdef Py_ssize_t same, same_base

    cdef bind(self, registry, bint sparse):
        cdef const unsigned char[::1] role = registry.role
        self.index, self.names = registry.index, registry.names
        self.kept_role, self.role = registry.role, &role[0]
        self.watched = 0 if sparse else int((registry.role == SURVIVOR).sum())
        self.same = 0
        if registry.capacity > self.room:
            self.room = registry.capacity
            self.room_idx, self.room_key = np.zeros(self.room, np.int64), np.zeros(self.room, np.int64)
            self.room_val = np.zeros(self.room)
            self.idx, self.key = integers(self.room_idx, []), <PyObject**> integers(self.room_key, [])
            self.val = doubles(self.room_val, [])

    cdef bint read(self, x, Event* event) except -1:
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
                return self.look_up(x, event)
            v = PyFloat_AS_DOUBLE(raw)
            if not (fabs(v) <= LIMIT):
                return self.look_up(x, event)
            self.val[n] = v
            n += 1
        if n == 0 or n < self.same or PyDict_Next(<PyObject*> x, &pos, &key, &raw):
            return self.look_up(x, event)
        event.n, event.idx, event.val, event.base = n, self.idx, self.val, self.same_base
        return True

    cdef bint look_up(self, x, Event* event) except -1:
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
