cdef enum How:
    FORM        # there is a recording form
    PLAIN       # called as it is, also with wrappers: a recording form, hybridad's own, no source
    FOREIGN     # the room above decides

cdef class Known:
    cdef int how
    cdef object code        # of the recording form
    cdef tuple order        # places of its free variables among those of the original; None: same
    cdef object reason      # why it has none, if it should have one
    cdef object key         # weak reference to the original code object

cdef Known known(object f, bint blocks)
cdef object bind(Known k, object f)
cpdef bint is_form(object code)
