from cpython.object cimport PyObject
from numpy cimport ndarray

from hybridad._operators cimport binary_function
from hybridad._primitive cimport Primitive
from hybridad._run cimport Run
from hybridad._tape cimport Value, is_wrapped

cdef extern from "Python.h":
    unsigned long Py_TPFLAGS_HEAPTYPE
    unsigned long PyType_GetFlags(type t)
    PyObject* _PyType_Lookup(type t, object name)

cdef class Operations:
    cdef object dispatch(self, Run run, object f, tuple args, dict kwargs)
    cdef object _binary(self, binary_function plainly, binary_function fast, Primitive prim,
                        str name, object a, object b)
    cdef object _inplace(self, binary_function plainly, str name, object a, object b)
    cdef object _compare(self, object a, object b, int op, str name)

cdef type GENERIC       # np.generic
cdef type FUNCTION      # of functions written in Python


cdef inline object function_of(type t, str name):
    """The special method of a type if it is a function written in Python, else None."""
    cdef PyObject* found = _PyType_Lookup(t, name)
    return <object>found if found != NULL and type(<object>found) is FUNCTION else None


cdef inline bint is_number(type t) noexcept:
    return t is float or t is int or t is str or t is bool or t is complex


cdef inline bint is_users(type t):
    """Whether a type was defined in Python, so that its operators may be functions."""
    return (PyType_GetFlags(t) & Py_TPFLAGS_HEAPTYPE) != 0 and not issubclass(t, GENERIC)


cdef inline void at(Operations site, object x) noexcept:
    """`site` is where what happens to `x` happens."""
    if is_wrapped(x) and (<Value>x).tape.is_open:
        (<Value>x).tape.site = site


cdef inline object lifted(Run run, object x):
    """A plain array that some plain code had made, as the run knows it."""
    return run.lift(x) if type(x) is ndarray else x
