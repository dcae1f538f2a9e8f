from hybridad._walk cimport Walk

cdef int put_shared(Walk* w) except -1
