from libc.stdint cimport int64_t

from hybridad._signature cimport Signature
from hybridad._walk cimport Walk

cdef class Entry:
    cdef readonly Signature signature
    cdef public object function     # specialized code; None: the tape answers
    cdef public object begin        # makes the last argument of `function`; None: it has none
    cdef public object trace
    cdef public object reason       # why it stays on the tape, or None
    cdef public bint looks_for_nan
    cdef public int paths
    cdef public int64_t hits, exits
    cdef readonly int64_t used      # when it was found last
    cdef object __weakref__

cdef class Table:
    cdef readonly dict entries      # Signature -> Entry
    cdef Entry last, before         # the two that were found last
    cdef int64_t clock
    cdef public int64_t hits, exits

    cdef Entry found(self, Entry entry)
    cdef Entry find_recent(self, Walk* w)

cdef class Call:
    cdef readonly tuple args
    cdef readonly dict kwargs
    cdef readonly tuple keys
    cdef readonly list leaves
    cdef readonly Signature signature
    cdef readonly Entry entry
    cdef readonly object function
    cdef readonly object run
    cdef readonly object outcome

cdef class Dispatcher:
    cdef readonly object function
    cdef readonly Table table
    cdef readonly tuple argnums
    cdef readonly bint single, has_aux, returns_value
    cdef public object prepare, slow, verify
    cdef Py_ssize_t least       # positional arguments with which `argnums` are the keys; -1: never

    cdef tuple keys_of(self, tuple args, dict kwargs)
    cdef object answer(self, Walk* w, Entry entry, tuple args, dict kwargs, tuple keys)
    cdef Call call_of(self, Walk* w, tuple args, dict kwargs, tuple keys)
    cdef object pack(self, Signature known, tuple result, list trees)
