"""What is known of a function's code: whether it has a recording form, and that form bound to it."""

from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from weakref import ref

cdef extern from "Python.h":
    object PyFunction_NewWithQualName(object code, object globals, object qualname)
    int PyFunction_SetClosure(object f, object closure) except -1
    int PyFunction_SetDefaults(object f, object defaults) except -1
    int PyFunction_SetKwDefaults(object f, object defaults) except -1

cdef object MAKE_FORM = None    # set once by `install`


def install(make_form):
    """Connect to the room that makes recording forms.

    Parameters
    ----------
    make_form : callable
        ``make_form(function, blocks)`` returns ``(code, order)`` of its recording form, or None and how to
        call it instead: "foreign", "plain" (with wrappers, as it is), or the reason why that.
    """
    global MAKE_FORM
    MAKE_FORM = make_form


cdef class Known:
    """What is known of a code object: how functions with it are called in a run."""


cdef dict KNOWN = {}        # id(code) -> Known
cdef dict WITH_BLOCKS = {}  # the same, of the forms that have hooks for blocks


cdef Known known(object f, bint blocks):
    """What is known of a function; `blocks`: in the form with hooks for blocks."""
    cdef object code = f.__code__
    cdef dict table = WITH_BLOCKS if blocks else KNOWN
    cdef Known k
    cdef PyObject* found = PyDict_GetItem(table, <size_t><PyObject*>code)
    if found != NULL:
        return <Known><object>found
    if blocks:
        found = PyDict_GetItem(KNOWN, <size_t><PyObject*>code)
        if found != NULL and (<Known><object>found).how != FORM:
            return <Known><object>found
    made, word = MAKE_FORM(f, blocks)
    if made is not None:
        return _remember(table, code, FORM, made, word)
    if word == "foreign":
        return _remember(KNOWN, code, FOREIGN, None, None)
    k = _remember(KNOWN, code, PLAIN, None, None)
    k.reason = None if word == "plain" else word
    return k


cdef Known _remember(dict table, object code, int how, object form, object order):
    cdef Known k = Known.__new__(Known)
    cdef object key = <size_t><PyObject*>code
    k.how, k.code, k.order = how, form, order
    k.key = ref(code, lambda _: table.pop(key, None))
    table[key] = k
    return k


def remember_form(code):
    """Note that a code object is (part of) a recording form already."""
    _remember(KNOWN, code, PLAIN, True, None)


cpdef bint is_form(object code):
    """Whether a code object is (part of) a recording form."""
    cdef PyObject* found = PyDict_GetItem(KNOWN, <size_t><PyObject*>code)
    return found != NULL and (<Known><object>found).how == PLAIN \
        and (<Known><object>found).key() is code and (<Known><object>found).code is True


def is_known(code):
    """Whether it is known already how functions with this code are called in a run."""
    return <size_t><PyObject*>code in KNOWN


cdef object bind(Known k, object f):
    """The recording form of a function: the same globals, defaults and cells."""
    cdef object closure = f.__closure__
    cdef object made = PyFunction_NewWithQualName(k.code, f.__globals__, f.__qualname__)
    if f.__defaults__ is not None:
        PyFunction_SetDefaults(made, f.__defaults__)
    if f.__kwdefaults__ is not None:
        PyFunction_SetKwDefaults(made, f.__kwdefaults__)
    if k.order is not None:
        closure = tuple([closure[i] for i in k.order])
    if closure is not None and len(k.code.co_freevars):
        PyFunction_SetClosure(made, closure)
    return made
