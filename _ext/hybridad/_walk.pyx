"""Walking a call: its leaves, and a description in words of all else.

No Python objects are made (but for pytrees that only `tree.flatten` knows). Leaves, which vary from
call to call, come in the order of the arguments, within one in the order of `tree.flatten`. The
description are words; the few objects that are known by value or identity are its *statics*.
"""

from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from enum import EnumMeta

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import tree as pytrees
from hybridad._tape cimport is_wrapped

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object d, object key) except? NULL
    int PyUnicode_Compare(object a, object b) except? -1

cnp.import_array()

cdef enum:
    KEPT_FLAGS = cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS \
        | cnp.NPY_ARRAY_ALIGNED | cnp.NPY_ARRAY_WRITEABLE
    DEEPEST = 40            # nesting that is followed in C
    MOST_KEYS = 64          # of a dictionary that is sorted in C
    HALF = 23               # NPY_HALF

cdef type _float64 = np.float64
cdef type _float32 = np.float32
cdef type _int64 = np.int64
cdef type _generic = np.generic
cdef type _enum = EnumMeta
SCALARS = (np.float64, np.float32, np.int64, np.complex128, np.complex64, np.bool_) \
    + tuple(np.dtype(c).type for c in "ebBhHiIlLqQgG")
cdef dict _SCALAR_NUMBERS = {t: number for number, t in reversed(list(enumerate(SCALARS)))}


# Walking ------------------------------------------------------------------------------------------

cdef void begin_walk(Walk* w) noexcept:
    w.words, w.words_room = w.few_words, 160
    w.leaves, w.leaves_room = w.few_leaves, 48
    w.statics, w.statics_room = w.few_statics, 48
    w.spans, w.spans_room = w.few_spans, 32
    w.nwords = w.nleaves = w.nstatics = w.nspans = w.nobjects = 0
    w.trees = NULL


cdef void end_walk(Walk* w) noexcept:
    cdef Py_ssize_t k
    for k in range(w.nleaves):
        Py_DECREF(<object>w.leaves[k])
    for k in range(w.nstatics):
        Py_DECREF(<object>w.statics[k])
    Py_XDECREF(w.trees)
    if w.words != w.few_words:
        free(w.words)
    if w.leaves != w.few_leaves:
        free(w.leaves)
    if w.statics != w.few_statics:
        free(w.statics)
    if w.spans != w.few_spans:
        free(w.spans)


cdef void* grown(void* old, void* few, Py_ssize_t n, Py_ssize_t size) except NULL:
    """Twice the room for `n` items; `few` is the room inside the walk, which is not freed."""
    cdef void* new = malloc(2 * n * size) if old == few else realloc(old, 2 * n * size)
    if new == NULL:
        raise MemoryError
    if old == few:
        memcpy(new, old, n * size)
    return new


cdef int put(Walk* w, int64_t word) except -1:
    if w.nwords == w.words_room:
        w.words = <int64_t*>grown(w.words, w.few_words, w.nwords, sizeof(int64_t))
        w.words_room *= 2
    w.words[w.nwords] = word
    w.nwords += 1
    return 0


cdef int put_leaf(Walk* w, object x) except -1:
    if w.nleaves == w.leaves_room:
        w.leaves = <PyObject**>grown(w.leaves, w.few_leaves, w.nleaves, sizeof(PyObject*))
        w.leaves_room *= 2
    Py_INCREF(x)
    w.leaves[w.nleaves] = <PyObject*>x
    w.nleaves += 1
    return 0


cdef int put_static(Walk* w, object x) except -1:
    if w.nstatics == w.statics_room:
        w.statics = <PyObject**>grown(w.statics, w.few_statics, w.nstatics, sizeof(PyObject*))
        w.statics_room *= 2
    Py_INCREF(x)
    w.statics[w.nstatics] = <PyObject*>x
    w.nstatics += 1
    return 0


cdef void go_back(Walk* w, Py_ssize_t nwords, Py_ssize_t nleaves, Py_ssize_t nstatics,
                  Py_ssize_t nspans) noexcept:
    """Forget what was put since."""
    while w.nleaves > nleaves:
        w.nleaves -= 1
        Py_DECREF(<object>w.leaves[w.nleaves])
    while w.nstatics > nstatics:
        w.nstatics -= 1
        Py_DECREF(<object>w.statics[w.nstatics])
    w.nwords, w.nspans = nwords, nspans


cdef int put_array(Walk* w, ndarray a) except -1:
    cdef int flags = cnp.PyArray_FLAGS(a) & KEPT_FLAGS, kind = cnp.PyArray_TYPE(a)
    cdef int ndim = cnp.PyArray_NDIM(a), k
    cdef cnp.npy_intp* shape = cnp.PyArray_DIMS(a)
    cdef cnp.npy_intp* strides = cnp.PyArray_STRIDES(a)
    cdef Py_ssize_t below = 0, above = cnp.PyArray_ITEMSIZE(a), size = 1
    cdef bint contiguous = (flags & (cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS)) != 0
    if not cnp.PyArray_ISNOTSWAPPED(a):
        flags |= SWAPPED
    if not contiguous:
        flags |= HAS_STRIDES
    if kind > cnp.NPY_CLONGDOUBLE and kind != HALF:     # its number does not tell all of it
        flags |= HAS_DTYPE
        put_static(w, a.dtype)
    put(w, ARRAY | <int64_t>ndim << 8 | <int64_t>kind << 16 | <int64_t>flags << 32)
    for k in range(ndim):
        put(w, shape[k])
        size *= shape[k]
        if not contiguous:
            if strides[k] < 0:
                below += strides[k] * (shape[k] - 1)
            else:
                above += strides[k] * (shape[k] - 1)
    if not contiguous:
        for k in range(ndim):
            put(w, strides[k])
    else:
        above *= size
    if size == 0 or above == below:
        return put_leaf(w, a)
    if w.nspans == w.spans_room:
        w.spans = <Span*>grown(w.spans, w.few_spans, w.nspans, sizeof(Span))
        w.spans_room *= 2
    w.spans[w.nspans].low = cnp.PyArray_BYTES(a) + below
    w.spans[w.nspans].high = cnp.PyArray_BYTES(a) + above
    w.spans[w.nspans].leaf = w.nleaves
    w.nspans += 1
    return put_leaf(w, a)


cdef int put_known(Walk* w, object x, type t) except -1:
    """Put what is told by its type alone: arrays, numbers, texts ...; 1 if it is none of them."""
    if t is ndarray:
        return put_array(w, <ndarray>x)
    if t is float:
        put(w, FLOAT)
        return put_leaf(w, x)
    if t is int:
        put(w, INT)
        return put_leaf(w, x)
    if x is None:
        return put(w, NONE)
    if x is True:
        return put(w, TRUE)
    if x is False:
        return put(w, FALSE)
    if t is str or t is bytes:
        put(w, VALUE)
        return put_static(w, x)
    if t is complex:
        put(w, COMPLEX)
        return put_leaf(w, x)
    if is_a(x, _generic):
        return put_scalar(w, x, t)
    if x is Ellipsis:
        return put(w, ELLIPSIS)
    if is_a(t, _enum):
        put(w, VALUE)
        return put_static(w, x)
    return 1


cdef int put_scalar(Walk* w, object x, type t) except -1:
    cdef PyObject* number
    if t is _float64:
        put(w, SCALAR)
    elif t is _float32:
        put(w, SCALAR | 1 << 8)
    elif t is _int64:
        put(w, SCALAR | 2 << 8)
    else:
        number = PyDict_GetItemWithError(_SCALAR_NUMBERS, t)
        if number == NULL:      # texts, records, dates, and classes that derive from NumPy's
            return 1
        put(w, SCALAR | <int64_t><object>number << 8)
    return put_leaf(w, x)


cdef int put_object(Walk* w, object x, type t) except -1:
    put(w, OBJECT)
    put_static(w, t)
    w.nobjects += 1
    return put_leaf(w, x)


cdef int put_argument(Walk* w, object x) except -1:
    """Put an argument that is not differentiated."""
    cdef type t = type(x)
    cdef Py_ssize_t nwords = w.nwords, nstatics = w.nstatics
    if not put_known(w, x, t):
        return PLAIN
    if t is tuple:
        if put_static_tuple(w, <tuple>x, 0):
            return PLAIN
        go_back(w, nwords, w.nleaves, nstatics, w.nspans)
    elif is_wrapped(x):
        return WRAPPED
    put_object(w, x, t)
    return PLAIN


cdef bint put_static_tuple(Walk* w, tuple items, int depth) except -1:
    """Whether all of a tuple is known by value; if not, part of it may have been put."""
    cdef object x
    cdef type t
    if depth > DEEPEST:
        return False
    put(w, TUPLE | <int64_t>len(items) << 8)
    for x in items:
        t = type(x)
        if t is tuple:
            if not put_static_tuple(w, <tuple>x, depth + 1):
                return False
        elif not (x is None or x is True or x is False or t is str or t is bytes or x is Ellipsis
                  or is_a(t, _enum)):
            return False
        else:
            put_known(w, x, t)
    return True


cdef int put_tree(Walk* w, object x, int depth) except -1:
    """Put a differentiated argument or a part of one; says what was found."""
    cdef type t = type(x)
    cdef object item
    cdef int found = PLAIN
    if not put_known(w, x, t):
        return PLAIN
    if depth > DEEPEST:
        return STRANGE
    if t is dict:
        return put_dict(w, <dict>x, depth)
    if t is tuple:
        put(w, TUPLE | <int64_t>len(<tuple>x) << 8)
        for item in <tuple>x:
            found = put_tree(w, item, depth + 1)
            if found:
                break
        return found
    if t is list:
        put(w, LIST | <int64_t>len(<list>x) << 8)
        for item in <list>x:
            found = put_tree(w, item, depth + 1)
            if found:
                break
        return found
    return WRAPPED if is_wrapped(x) else STRANGE


cdef int put_dict(Walk* w, dict x, int depth) except -1:
    cdef Py_ssize_t n = len(x), first = w.nstatics, k, j
    cdef PyObject* values[MOST_KEYS]
    cdef PyObject* keys[MOST_KEYS]
    cdef PyObject* value
    cdef object key, item
    cdef int found = PLAIN
    if n > MOST_KEYS:
        return STRANGE
    put(w, DICT | <int64_t>n << 8)
    for key, item in x.items():
        if type(key) is not str:
            return STRANGE
        put_static(w, key)
    if w.nstatics - first != n:
        return STRANGE
    for k in range(n):      # by insertion: mostly they are in order
        key = <object>w.statics[first + k]
        value = PyDict_GetItemWithError(x, key)
        j = k
        while j and PyUnicode_Compare(<object>keys[j - 1], key) > 0:
            keys[j], values[j] = keys[j - 1], values[j - 1]
            j -= 1
        keys[j], values[j] = <PyObject*>key, value
    for k in range(n):
        found = put_tree(w, <object>values[k], depth + 1)
        if found:
            break
    return found


cdef int put_strange(Walk* w, object x) except -1:
    """Put a differentiated argument as `tree.flatten` takes it apart."""
    cdef object item, treedef
    cdef list leaves
    leaves, treedef = pytrees.flatten(x)
    if w.trees == NULL:
        trees = []
        Py_INCREF(trees)
        w.trees = <PyObject*>trees
    (<list>w.trees).append(treedef)
    put(w, TREE | <int64_t>len(leaves) << 8)
    put_static(w, treedef)
    for item in leaves:
        if is_wrapped(item):
            return WRAPPED
        if put_known(w, item, type(item)):
            put_object(w, item, type(item))
    return PLAIN


cdef int put_differentiated(Walk* w, object x) except -1:
    cdef Py_ssize_t nwords, nleaves = w.nleaves, nstatics = w.nstatics, nspans = w.nspans
    cdef int found
    put(w, DIFFERENTIATED)
    nwords = w.nwords
    found = put_tree(w, x, 0)
    if found == STRANGE:
        go_back(w, nwords, nleaves, nstatics, nspans)
        found = put_strange(w, x)
    return found


cdef int walk_call(Walk* w, tuple args, dict kwargs, tuple keys) except -1:
    """Put a whole call; `keys` are positions and names. Says what was found: PLAIN or WRAPPED."""
    cdef Py_ssize_t k
    cdef object x, key
    cdef bint named = kwargs is not None and len(kwargs) > 0
    cdef int found
    put(w, <int64_t>len(args) << 32 | (<int64_t>len(kwargs) if named else 0))
    for k in range(len(args)):
        x = args[k]
        found = put_differentiated(w, x) if has_position(keys, k) else put_argument(w, x)
        if found:
            return found
    if named:
        for key, x in kwargs.items():
            put_static(w, key)
            found = put_differentiated(w, x) if key in keys else put_argument(w, x)
            if found:
                return found
    if len(keys) > 1:       # in which order the gradients come
        for key in keys:
            if type(key) is int:
                put(w, key)
            else:
                put(w, -1)
                put_static(w, key)
    return PLAIN


cdef inline bint has_position(tuple keys, Py_ssize_t position) except -1:
    cdef object key
    for key in keys:
        if type(key) is int and <Py_ssize_t>key == position:
            return True
    return False


cdef list leaves_of(Walk* w):
    cdef Py_ssize_t k
    return [<object>w.leaves[k] for k in range(w.nleaves)]
