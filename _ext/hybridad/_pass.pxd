from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from numpy cimport ndarray

from hybridad._tape cimport Tape, Value

cdef bint is_complex(PyObject* raw)
cdef object number(object c)

cdef class Pass:
    cdef readonly Tape tape
    cdef Tape recording     # where the steps of this pass are recorded, or None
    cdef int64_t start, end
    cdef bint wraps         # operands are given to the rules as wrappers of `tape`
    cdef bint keeps         # the memory must be as it was when the pass is over
    cdef PyObject** slots
    cdef char* owned        # the slot belongs to this pass alone: it may be written to
    cdef char* reach        # 1: depends on a target, 2: is one; NULL: every active node counts
    cdef dict outer         # slots of older storages that this part of the tape wrote to
    cdef list redo

    cdef int _find_reach(self, list targets) except -1
    cdef bint is_reached(self, int64_t code)
    cdef bint node_is_reached(self, int64_t node)
    cdef object slot(self, int64_t node)
    cdef bint is_owned(self, int64_t node)
    cdef int set_slot(self, int64_t node, object value, bint owned) except -1
    cdef object zeros(self, ndarray base)
    cdef object own(self, int64_t node)
    cdef object window(self, int64_t node, ndarray view)
    cdef object element_window(self, int64_t node, Py_ssize_t offset)
    cdef object value(self, int64_t node)
    cdef object fetch(self, int64_t code)
    cdef Value _owner(self, int64_t node)
    cdef PyObject* like(self, int64_t code) noexcept
    cdef tuple fetch_all(self, int64_t i, object g, object ans)
    cdef object answer(self, int64_t i)
    cdef int undo(self, int64_t i) except -1
    cdef object _region(self, int64_t i)
    cdef object _written(self, int64_t i)
    cdef int _put(self, int64_t i, object content) except -1
    cdef int redo_last(self, int64_t i) except -1
    cdef object without_nan(self, object c, object g)
    cdef object as_array(self, object value, object like)
