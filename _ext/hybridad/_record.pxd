from libc.stdint cimport int64_t
from numpy cimport ndarray

from hybridad._primitive cimport Primitive
from hybridad._tape cimport Tape, Value

cdef bint is_inexact_array(ndarray a) noexcept
cdef bint is_operand(object x) except -1
cdef Tape open_tape(object x)
cdef object inactive_value(Tape tape, object ans)
cdef Value new_view(Value x, ndarray raw)
cdef int refresh(object x) except -1
cdef object see(Value x, ndarray raw, object again)
cdef bint is_differentiable(object ans)
cpdef object record(Primitive prim, object ans, tuple args, object kwargs)
cdef object record_two(Tape tape, Primitive prim, object ans, object a, object b)
