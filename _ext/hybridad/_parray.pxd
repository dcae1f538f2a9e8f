from libc.stdint cimport int64_t

from hybridad._tape cimport Tape, Value

cdef class PersistentArray(Value):
    pass

cdef PersistentArray new_value(Tape tape, object raw, int64_t node, Value base)
