from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from hybridad._walk cimport Walk

cdef class Structure:
    cdef readonly int kind      # a Tag
    cdef readonly int64_t leaf  # number of the leaf; of a container, of its first one
    cdef readonly int64_t leaves    # how many it has
    cdef int tree               # of a TREE: which one of the call
    cdef readonly tuple children
    cdef readonly object value  # of VALUE; the keys of a DICT; the structure of a TREE
    cdef readonly object type   # of numbers: what a gradient has to be
    cdef readonly str text      # of leaves: what is known of them

cdef class Signature:
    cdef int64_t* words
    cdef Py_ssize_t nwords
    cdef Py_hash_t hashed
    cdef readonly tuple statics
    cdef readonly Py_ssize_t leaves     # how many
    cdef readonly tuple keys            # the differentiated arguments, in the order asked for
    cdef readonly tuple arguments       # a Structure for each argument
    cdef readonly tuple names           # of those passed by name, which come last
    cdef readonly tuple structures      # of the differentiated ones, in the order of `keys`
    cdef readonly tuple wanted          # the differentiated leaves, in that order

    cdef bint fits(self, Walk* w) except -1

cdef Signature probe(Walk* w)
cdef int complete(Signature made, tuple args, dict kwargs, tuple keys) except -1
cdef object build(Structure shape, PyObject** values, list trees, bint converts)
