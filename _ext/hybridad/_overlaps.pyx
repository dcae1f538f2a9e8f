"""Which leaves of a call are the same object, and which arrays share memory.

Arrays are compared by the spans of memory that they reach into. Where two spans meet, their
distance is noted: together with shapes and strides it says which elements are the same.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport qsort

import numpy as np

from numpy cimport ndarray

from hybridad._walk cimport OVERLAP, SAME, Span, Walk, is_a, put

cdef enum:
    FEW = 16        # arrays that are compared each with each

cdef type _generic = np.generic


cdef struct Pair:
    int64_t which, distance


cdef int compare_spans(const void* a, const void* b) noexcept nogil:
    cdef Span* x = <Span*>a
    cdef Span* y = <Span*>b
    if x.low != y.low:
        return -1 if x.low < y.low else 1
    return -1 if x.leaf < y.leaf else 1


cdef int compare_pairs(const void* a, const void* b) noexcept nogil:
    return -1 if (<Pair*>a).which < (<Pair*>b).which else 1


cdef int put_shared(Walk* w) except -1:
    """Put which leaves of a call that was walked are the same object or share memory."""
    if w.nspans > 1:
        put_overlaps(w)
    if w.nobjects > 1:
        put_same_objects(w)
    return 0


cdef int put_overlaps(Walk* w) except -1:
    """Put the pairs of arrays whose spans meet, in an order that does not depend on addresses."""
    cdef Py_ssize_t first = w.nwords, i, j, n = w.nspans
    cdef Span* s = w.spans
    if n > FEW:
        qsort(s, n, sizeof(Span), compare_spans)
    for i in range(n):
        for j in range(i + 1, n):
            if s[j].low < s[i].high and s[i].low < s[j].high:
                put_pair(w, &s[i], &s[j])
            elif n > FEW and s[j].low >= s[i].high:
                break
    if n > FEW and w.nwords - first > 2:
        qsort(w.words + first, (w.nwords - first) // 2, sizeof(Pair), compare_pairs)
    return 0


cdef int put_pair(Walk* w, Span* a, Span* b) except -1:
    if a.leaf > b.leaf:
        a, b = b, a
    put(w, (SAME if w.leaves[a.leaf] == w.leaves[b.leaf] else OVERLAP) | a.leaf << 8 | b.leaf << 32)
    return put(w, b.low - a.low)


cdef int put_same_objects(Walk* w) except -1:
    cdef Py_ssize_t i, j
    for i in range(w.nleaves):
        if not is_object(<object>w.leaves[i]):
            continue
        for j in range(i + 1, w.nleaves):
            if w.leaves[i] == w.leaves[j]:
                put(w, SAME | <int64_t>i << 8 | <int64_t>j << 32)
    return 0


cdef inline bint is_object(object x) noexcept:
    """Whether a leaf is neither a number nor a plain array."""
    cdef type t = type(x)
    return t is not ndarray and t is not float and t is not int and t is not complex \
        and not is_a(x, _generic)
