from hybridad._operations cimport Operations
from hybridad._run cimport Run

cdef class Containers(Operations):
    cdef object _item(self, Run run, object o, object index)
    cdef object _contains(self, object a, object b)
    cdef object _display(self, type kind, list items)
