from numpy cimport ndarray

from hybridad._primitive cimport Primitive
from hybridad._tape cimport Tape, Value

cdef object get_item(Value x, object index)
cdef int set_item(Value x, object index, object value) except -1
cdef int write(Tape tape, Value x, ndarray view, object index, Primitive prim, tuple operands,
               object kwargs, int kind, object perform) except -1
