"""The profile hook of a thread, in C: Python's own costs a call for every builtin that is called."""

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

cdef extern from "Python.h":
    ctypedef struct PyFrameObject:
        pass
    ctypedef int (*Py_tracefunc)(PyObject*, PyFrameObject*, int, PyObject*) except -1
    void PyEval_SetProfile(Py_tracefunc function, PyObject* x)
    ctypedef struct PyCodeObject:
        pass
    PyCodeObject* PyFrame_GetCode(PyFrameObject* frame)
    int PyTrace_CALL


cdef class ProfileHook:
    """Tells of each code object whose frame starts or goes on in this thread, until `stop`.

    Parameters
    ----------
    started : callable
        ``started(code)`` is called for each; a code object for which it returned false is not
        asked for again.
    """

    cdef object started
    cdef dict known         # id of code -> the code, of those that need not be told of

    def __init__(self, started):
        self.started = started
        self.known = {}

    def start(self):
        """Take the hook of this thread, which must be free."""
        PyEval_SetProfile(_hook, <PyObject*>self)

    def stop(self):
        """Give it back."""
        PyEval_SetProfile(NULL, NULL)


cdef int _hook(PyObject* x, PyFrameObject* frame, int what, PyObject* arg) except -1:
    cdef ProfileHook hook
    cdef PyCodeObject* found
    if what != PyTrace_CALL:
        return 0
    hook = <ProfileHook>x
    found = PyFrame_GetCode(frame)      # a new reference
    code = <object>found
    Py_DECREF(code)
    if id(code) not in hook.known and not hook.started(code):
        hook.known[id(code)] = code
    return 0
