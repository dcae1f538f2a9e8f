"""From a call to its specialized code: the way that every call takes, in C.

A `Dispatcher` walks the arguments, finds the entry of their signature in a `Table`, calls its
function on the leaves and gives the result the shape that users get. Whatever else there is to do
is that of its callback `slow`, which is handed the `Call`.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

import warnings
from types import FunctionType, MethodType

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad._overlaps cimport put_shared
from hybridad._run import innermost_run
from hybridad._signature cimport Signature, Structure, build, complete, probe
from hybridad._walk cimport (
    ARRAY, PLAIN, Walk, begin_walk, end_walk, leaves_of, put_leaf, put_static, walk_call)

cdef extern from "Python.h":
    ctypedef struct PyTupleObject:
        PyObject* ob_item[1]
    object PyObject_Vectorcall(object callable, PyObject** args, size_t n, PyObject* names)

cnp.import_array()

cdef type _inexact = np.inexact
cdef type _function = FunctionType
cdef type _method = MethodType


cdef class Entry:
    """What is cached of one signature.

    Attributes
    ----------
    signature : Signature
    function : callable or None
        Takes the leaves, and last what `begin` gives if that is not None. Returns a tuple of the
        value, the auxiliary result (with `has_aux`) and the gradients of the leaves
        ``signature.wanted``; anything else, or an exception, is an exit. Numbers among the
        gradients may be of any type. None: the tape answers.
    begin : callable or None
        Called with the differentiated function.
    trace : object
    looks_for_nan : bool
        NaN in what the function gives is an exit, too, whose outcome is `NAN`: it may come from a
        derivative that is infinite where the cotangent is zero.
    reason : str or None
        Why it stays on the tape.
    paths : int
    hits, exits : int
    used : int
        Larger than that of any entry that has not been found since.
    """

    def __init__(self, Signature signature not None):
        self.signature = signature
        self.paths = 1


cdef class Table:
    """Entries by signature.

    Attributes
    ----------
    entries : dict of Signature to Entry
    hits, exits : int
    """

    def __init__(self):
        self.entries = {}

    cdef Entry found(self, Entry entry):
        if entry is not self.last:
            self.before, self.last = self.last, entry
        self.clock += 1
        entry.used = self.clock
        return entry

    cdef Entry find_recent(self, Walk* w):
        if self.last is not None and self.last.signature.fits(w):
            return self.found(self.last)
        if self.before is not None and self.before.signature.fits(w):
            return self.found(self.before)
        return None

    def find(self, Signature signature not None):
        """The entry of a signature, or None."""
        cdef Entry entry = self.entries.get(signature)
        return None if entry is None else self.found(entry)

    def add(self, Entry entry not None):
        """Put an entry in place of that of its signature."""
        self.entries[entry.signature] = entry
        self.last = self.before = None
        self.found(entry)

    def remove(self, Entry entry not None):
        """Forget an entry."""
        self.last = self.before = None
        self.entries.pop(entry.signature, None)

    def remove_all(self):
        """Forget all entries."""
        self.last = self.before = None
        self.entries = {}


cdef class Call:
    """A call that the specialized code has not answered.

    Attributes
    ----------
    args : tuple
    kwargs : dict
    keys : tuple of (int or str)
        Where the differentiated arguments are.
    signature : Signature or None
        None: the call is part of a run.
    leaves : list
    entry : Entry or None
    function : callable or None
        What the entry had for it: None, or what has made an exit.
    run : object
        What ``entry.begin`` gave to the function.
    outcome : object
        What the function returned, or the exception that it raised.
    """


cdef class Dispatcher:
    """Answers calls with specialized code, or has them answered.

    Parameters
    ----------
    function : callable
        What is differentiated.
    table : Table
    argnums : tuple of (int or str)
    prepare : callable
        ``prepare(args, kwargs)`` returns these with defaults filled in, and the keys; it raises
        where `argnums` names no argument, or one twice.
    slow : callable
        ``slow(call)`` answers what specialized code has not, and may put an entry into the table.
    single : bool
        `argnums` was not a tuple.
    has_aux : bool
    returns_value : bool
    verify : callable, optional
        ``verify(call, result)`` returns the result of a call that has been answered.
    """

    def __init__(self, function, Table table not None, tuple argnums not None, prepare, slow, *,
                 single=True, has_aux=False, returns_value=True, verify=None):
        self.function, self.table, self.argnums = function, table, argnums
        self.prepare, self.slow, self.verify = prepare, slow, verify
        self.single, self.has_aux, self.returns_value = single, has_aux, returns_value
        plain = all([type(a) is int and a >= 0 for a in argnums])
        self.least = max(argnums, default=-1) + 1 \
            if plain and len(set(argnums)) == len(argnums) else -1

    def __call__(self, *args, **kwargs):
        return self.dispatch(args, kwargs)

    def dispatch(self, tuple args not None, dict kwargs not None):
        """Answer the call ``function(*args, **kwargs)``."""
        cdef Walk w
        cdef tuple keys
        cdef Entry entry
        cdef bint nested = innermost_run() is not None
        if 0 <= self.least <= len(args):
            keys = self.argnums
        else:
            keys = self.keys_of(args, kwargs)
            if keys is None:
                args, kwargs, found = self.prepare(args, kwargs)
                keys = tuple(found)
        begin_walk(&w)
        try:
            if not nested:
                try:
                    nested = walk_call(&w, args, kwargs, keys) != PLAIN
                except Exception:   # in taking apart a pytree; who answers will refuse it, too
                    nested = True
            if nested:
                call = self.call_of(NULL, args, kwargs, keys)
            else:
                put_shared(&w)
                put_static(&w, code_of(self.function))
                entry = self.table.find_recent(&w)
                if entry is not None and entry.function is not None:
                    return self.answer(&w, entry, args, kwargs, keys)
                call = self.call_of(&w, args, kwargs, keys)
                if entry is None:
                    signature = probe(&w)
                    entry = self.table.find(signature)
                    if entry is not None and entry.function is not None:
                        return self.answer(&w, entry, args, kwargs, keys)
                    if entry is None:
                        complete(signature, args, kwargs, keys)
                        (<Call>call).signature = signature
                if entry is not None:
                    (<Call>call).signature, (<Call>call).entry = entry.signature, entry
        finally:
            end_walk(&w)
        return self.slow(call)

    def look_up(self, tuple args not None, dict kwargs not None):
        """The entry for a call, which is not made; None if there is none."""
        cdef Walk w
        cdef tuple keys = self.keys_of(args, kwargs)
        if keys is None:
            args, kwargs, found = self.prepare(args, kwargs)
            keys = tuple(found)
        begin_walk(&w)
        try:
            if walk_call(&w, args, kwargs, keys) != PLAIN:
                return None
            put_shared(&w)
            put_static(&w, code_of(self.function))
            return self.table.find(probe(&w))
        finally:
            end_walk(&w)

    cdef tuple keys_of(self, tuple args, dict kwargs):
        """The keys of a call, or None if `prepare` has to find them."""
        cdef list keys = []
        cdef object a, key, code, f = self.function
        cdef Py_ssize_t offset = 0
        for a in self.argnums:
            if type(a) is int:
                if not -len(args) <= a < len(args):
                    return None
                key = a % len(args)
            elif a in kwargs:
                key = a
            else:
                if type(f) is _method:
                    f, offset = f.__func__, 1
                if type(f) is not _function or f.__dict__:  # it may say that it is another one
                    return None
                code = f.__code__
                names = code.co_varnames[:code.co_argcount]
                if a not in names:
                    return None
                key = names.index(a) - offset
                if not 0 <= key < len(args):
                    return None
            if key in keys:
                return None
            keys.append(key)
        return tuple(keys)

    cdef object answer(self, Walk* w, Entry entry, tuple args, dict kwargs, tuple keys):
        """Call the function of an entry, and `slow` if it exits."""
        cdef object result, packed, run = None, function = entry.function
        cdef Call call
        cdef bint answered = False
        if entry.begin is not None:
            run = entry.begin(self.function)
            put_leaf(w, run)
        see_warnings_raised()
        try:
            result = PyObject_Vectorcall(function, w.leaves, w.nleaves, NULL)
            if type(result) is tuple and entry.looks_for_nan \
                    and holds_nan(<tuple>result, 2 if self.has_aux else 1):
                result = NAN
            if type(result) is tuple:
                packed = self.pack(entry.signature, <tuple>result,
                                   None if w.trees == NULL else <list>w.trees)
                answered = True
        except Exception as error:
            result = error
        if answered:
            entry.hits += 1
            self.table.hits += 1
            if self.verify is None:
                return packed
        else:
            entry.exits += 1
            self.table.exits += 1
        call = self.call_of(w, args, kwargs, keys)
        call.signature, call.entry, call.function = entry.signature, entry, function
        call.run, call.outcome = run, result
        if entry.begin is not None:
            call.leaves.pop()
        return self.verify(call, packed) if answered else self.slow(call)

    cdef Call call_of(self, Walk* w, tuple args, dict kwargs, tuple keys):
        cdef Call call = Call.__new__(Call)
        call.args, call.kwargs, call.keys = args, kwargs, keys
        call.leaves = [] if w == NULL else leaves_of(w)
        return call

    cdef object pack(self, Signature known, tuple result, list trees):
        """What the user gets for the result of specialized code."""
        cdef Structure shape
        cdef Py_ssize_t place = 2 if self.has_aux else 1
        cdef PyObject** items = (<PyTupleObject*>result).ob_item
        cdef list gradients
        if len(result) != place + len(known.wanted):
            raise RuntimeError(f"specialized code returned {len(result)} values, not "
                               f"{place + len(known.wanted)}")
        if self.single:
            shape = known.structures[0]
            if shape.kind == ARRAY and place == 1 and self.returns_value:
                return result
            gradient = build(shape, items + place - shape.leaf, trees, True)
        else:
            gradients = []
            for shape in known.structures:
                gradients.append(build(shape, items + place - shape.leaf, trees, True))
                place += shape.leaves
            gradient = tuple(gradients)
        return self.shape(result[0], result[1] if self.has_aux else None, gradient)

    def shape(self, value, aux, gradient):
        """The result of a call.

        Parameters
        ----------
        value : number
        aux : pytree
            Taken with `has_aux`.
        gradient : pytree
            Of the argument; with several `argnums` a tuple.
        """
        if self.has_aux:
            return ((value, aux), gradient) if self.returns_value else (gradient, aux)
        return (value, gradient) if self.returns_value else gradient


NAN = "NaN"
cdef object _FIRST = None   # the filter by which warnings of specialized code are raised


cpdef see_warnings_raised():
    """See that a warning in specialized code, which has other lines than the user's, is raised.

    The call is then given up, and answered by the tape, which warns at the user's line.
    """
    global _FIRST
    cdef list filters = warnings.filters
    if _FIRST is None or not filters or filters[0] is not _FIRST:
        warnings.filterwarnings("error", module=r"hybridad\.specialized$")
        _FIRST = warnings.filters[0]


cdef bint holds_nan(tuple result, Py_ssize_t place):
    """Whether there is NaN in the gradients of a result, which begin at `place`."""
    cdef object x
    cdef double* data
    cdef Py_ssize_t k, n
    cdef double total
    for x in result[place:]:
        if type(x) is ndarray:
            if cnp.PyArray_TYPE(<ndarray>x) == cnp.NPY_FLOAT64 \
                    and cnp.PyArray_ISONESEGMENT(<ndarray>x):
                data = <double*>cnp.PyArray_DATA(<ndarray>x)
                n = cnp.PyArray_SIZE(x)
                total = 0.0
                for k in range(n):      # 0 * inf is NaN, too
                    total += data[k] * 0.0
                if total != total and np.isnan(x).any():
                    return True
            elif cnp.PyArray_ISFLOAT(<ndarray>x) or cnp.PyArray_ISCOMPLEX(<ndarray>x):
                if np.isnan(x).any():
                    return True
        elif isinstance(x, float) or isinstance(x, complex) or isinstance(x, _inexact):
            if x != x:
                return True
    return False


cdef object code_of(object f):
    """The code that a function has now: what was specialized from other code is of no use."""
    if type(f) is _method:
        f = f.__func__
    return f.__code__ if type(f) is _function else None
