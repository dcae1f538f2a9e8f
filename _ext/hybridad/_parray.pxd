from hybridad._tape cimport Value

cdef class PersistentArray(Value):
    pass
