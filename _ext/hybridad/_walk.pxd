from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

cdef enum Tag:
    DIFFERENTIATED      # what follows is a differentiated argument
    FLOAT               # leaves: Python's numbers
    COMPLEX
    INT
    SCALAR              # NumPy's (a number of its type)
    ARRAY               # (dimensions, type, flags), then shape, then strides if not contiguous
    OBJECT              # anything else; static: its type
    TRUE                # known by value: no leaves
    FALSE
    NONE
    ELLIPSIS
    VALUE               # static: the str, bytes or Enum member
    TUPLE               # containers: (how many items)
    LIST
    DICT                # statics: the keys as inserted; the items follow by sorted keys
    TREE                # any other pytree: (how many leaves); static: its structure
    SAME                # two leaves are one object
    OVERLAP             # two arrays reach into the same span of memory; then the distance

cdef enum:
    SWAPPED = 1 << 20   # in the word of an array, beside NumPy's own flags
    HAS_STRIDES = 1 << 21
    HAS_DTYPE = 1 << 22

cdef struct Span:       # of memory that an array reaches into
    char* low
    char* high
    int64_t leaf

cdef struct Walk:       # what is found of one call, before it is known to be worth an object
    int64_t* words
    PyObject** leaves   # all owned
    PyObject** statics
    Span* spans
    Py_ssize_t nwords, nleaves, nstatics, nspans, nobjects
    Py_ssize_t words_room, leaves_room, statics_room, spans_room
    int64_t few_words[160]
    PyObject* few_leaves[48]
    PyObject* few_statics[48]
    Span few_spans[32]
    PyObject* trees     # list of the structures of TREEs, or NULL

cdef enum Found:
    PLAIN = 0
    WRAPPED = 1         # a wrapper is among the leaves
    STRANGE = 2         # a differentiated argument that only `tree.flatten` can tell

cdef void begin_walk(Walk* w) noexcept
cdef void end_walk(Walk* w) noexcept
cdef int put(Walk* w, int64_t word) except -1
cdef int put_leaf(Walk* w, object x) except -1
cdef int put_static(Walk* w, object x) except -1
cdef int walk_call(Walk* w, tuple args, dict kwargs, tuple keys) except -1
cdef list leaves_of(Walk* w)

cdef extern from "Python.h":
    bint _type_check "PyObject_TypeCheck"(object x, PyTypeObject* t) noexcept

cdef inline bint is_a(object x, type t) noexcept:
    """`isinstance` that asks nobody."""
    return _type_check(x, <PyTypeObject*>t)

cdef tuple SCALARS      # NumPy's types of numbers
