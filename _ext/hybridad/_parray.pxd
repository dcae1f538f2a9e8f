from hybridad._tape cimport Value

cdef class _Wrapper(Value):
    pass

cdef class PersistentArray(_Wrapper):
    pass

cdef class PersistentScalar(_Wrapper):
    pass
