cdef class Primitive:
    cdef readonly object func
    cdef readonly str name
    cdef readonly str kind
    cdef readonly tuple vjps
    cdef readonly tuple jvps
    cdef readonly object vjp
    cdef readonly object jvp
    cdef readonly tuple params
    cdef readonly bint sequence
    cdef readonly bint joint
    cdef readonly int out
    cdef readonly unsigned long long needs
    cdef public dict outs
    cdef readonly object check
    cdef readonly bint diagonal
    cdef readonly bint is_constant
