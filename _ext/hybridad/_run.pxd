from numpy cimport ndarray

from hybridad._tape cimport Tape, Value

cdef class Run:
    cdef readonly Tape tape
    cdef public object journal      # of effects, or None
    cdef public object listener     # is told of blocks and reads, or None
    cdef readonly Run outer
    cdef public int suspended       # how many foreign calls we are below
    cdef readonly dict reasons      # why parts of it did not run in recording form
    cdef dict lifted                # id(array) -> (array, its wrapper)
    cdef dict read                  # id -> array that was read from outside
    cdef list outside               # (array, its wrapper) of those
    cdef bint strange               # one of them is not all that may show its memory
    cdef bint gave                  # plain values of numbers have been given to other code
    cdef dict written               # id(storage) -> (it, how many of `outside` it was compared with)
    cdef list originals             # of differentiated arrays: (as it was passed, its wrapper)
    cdef dict seen                  # id -> builtin container that was read from outside
    cdef dict local                 # id -> weak reference to an object that the run has made
    cdef dict texts                 # id -> text that shows a value of the run
    cdef dict iterators             # id -> iterator that came from outside

    cdef Value known(self, object array)
    cdef Value same_memory(self, ndarray x)
    cdef object memory_of(self, Value storage)
    cdef bint compare(self, Value storage, ndarray view) except -1
    cpdef object looked_up(self, object container, object key, object value)
    cdef bint made(self, object x)
    cdef bint saw(self, object x)
    cdef int check_text(self, object kind, str text) except -1
    cdef int _compare_with_written(self, ndarray x, Value owner) except -1
    cdef object lift_read(self, object x)
    cdef object lift(self, object x)
    cdef object lift_array(self, object x)
    cdef object lift_fresh(self, object x)

cdef int[1] LISTENING       # how many runs with a listener are in progress

cdef Run run_here()
