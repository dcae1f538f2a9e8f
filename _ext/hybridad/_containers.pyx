"""Containers at a site: indexing, iteration, unpacking, displays, membership, identity.

What comes out of containers from outside is lifted; the journal is told before they are changed;
numbers of the run may be hashed while a builtin container is asked.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject, PyObject_GetItem

from collections import defaultdict
from types import GeneratorType

from numpy cimport ndarray

from hybridad import errors
from hybridad._access cimport get_item, set_item
from hybridad._operations cimport Operations, function_of, is_users
from hybridad._operators cimport binary_function
from hybridad._run cimport Run, run_here
from hybridad._tape cimport Value, is_wrapped, plain_of

cdef extern from "Python.h":
    object PyObject_GetIter(object x)

cdef type _generator = GeneratorType
cdef type _defaultdict = defaultdict

# Set once by `install`.
cdef dict INDEXED = {}
cdef object OBJECTS = None


def install(dict indexed, objects):
    """Connect to the rooms above.

    Parameters
    ----------
    indexed : dict
        Class -> ``handler(site, object, index)`` for objects that are indexed.
    objects : object
        Has `iter`, `contains`, `is_among`, `missing` and `write`.
    """
    global INDEXED, OBJECTS
    INDEXED, OBJECTS = indexed, objects


cdef bint _is_compared_by_user(object a, object b):
    """Whether finding `a` in a list or tuple calls an ``__eq__`` of the user's."""
    if is_users(type(a)) and function_of(type(a), "__eq__") is not None:
        return True
    for x in b:
        if is_users(type(x)) and function_of(type(x), "__eq__") is not None:
            return True
    return False


cdef bint _has_key(Run run, object o, object key) except -1:
    run.tape.hashing += 1
    try:
        return dict.__contains__(o, key)
    finally:
        run.tape.hashing -= 1


cdef class Containers(Operations):
    """What sites do for containers."""

    # -- items -----------------------------------------------------------------------------------

    def item(self, o, index):
        """``o[index]``"""
        cdef Run run
        if is_wrapped(o):
            if (<Value>o).tape.is_open:
                (<Value>o).tape.site = self
            return get_item(<Value>o, _plain_index(index))
        run = run_here()
        if run is None:
            return PyObject_GetItem(o, index)
        x = self._item(run, o, index)
        if run.listener is not None:
            run.listener.item(self, o, index, x)
        return x

    cdef object _item(self, Run run, object o, object index):
        cdef type t = type(o)
        cdef PyObject* found
        if t is list or t is tuple:
            return run.lift(PyObject_GetItem(o, plain_of(index)))
        run.tape.site = self
        if t is ndarray:
            if run.known(o) is not None:
                return get_item(run.known(o), _plain_index(index))
            return run.lift_fresh(PyObject_GetItem(o, _plain_index(index)))
        if t is _defaultdict:
            return run.lift(OBJECTS.missing(self, run, o, index))
        if t is dict:
            return run.lift(run.looked_up(o, index, _hashed(run, PyObject_GetItem, o, index)))
        if is_users(t):
            found = PyDict_GetItem(INDEXED, t)
            if found != NULL:
                return (<object>found)(self, o, index)
            method = function_of(t, "__getitem__")
            if method is not None:
                return run.lift(self.dispatch(run, method, (o, index), {}))
            if issubclass(t, dict):
                method = function_of(t, "__missing__")
                if method is not None and not _has_key(run, o, index):
                    return run.lift(self.dispatch(run, method, (o, index), {}))
        return run.lift(_hashed(run, PyObject_GetItem, o, index))

    def slice(self, a, b, c):
        """``a:b:c`` in an index"""
        return slice(plain_of(a), plain_of(b), plain_of(c))

    def set_item(self, value, o, index):
        """``o[index] = value``"""
        cdef Run run
        cdef type t
        if is_wrapped(o):
            if (<Value>o).tape.is_open:
                (<Value>o).tape.site = self
            set_item(<Value>o, _plain_index(index), value)
            return
        run = run_here()
        if run is None:
            o[index] = value
            return
        t = type(o)
        run.tape.site = self
        if t is ndarray:
            OBJECTS.write(self, run, o, _plain_index(index), value)
            return
        if is_users(t):
            method = function_of(t, "__setitem__")
            if method is not None:
                self.dispatch(run, method, (o, index, value), {})
                return
        if run.journal.keeps or run.saw(o):
            run.journal.touch(o)
        run.tape.hashing += 1
        try:
            o[plain_of(index) if t is list else index] = value
        finally:
            run.tape.hashing -= 1

    def del_item(self, o, index):
        """``del o[index]``"""
        cdef Run run = run_here()
        if run is None or is_wrapped(o):
            del o[index]
            return
        run.tape.site = self
        if is_users(type(o)):
            method = function_of(type(o), "__delitem__")
            if method is not None:
                self.dispatch(run, method, (o, index), {})
                return
        if run.journal.keeps or run.saw(o):
            run.journal.touch(o)
        run.tape.hashing += 1
        try:
            del o[index]
        finally:
            run.tape.hashing -= 1

    def hashing(self):
        """A context in which differentiated numbers may be hashed."""
        return Hashing(run_here())

    # -- containers and iteration ----------------------------------------------------------------

    def iter(self, x):
        """What ``for v in x`` goes through."""
        cdef type t = type(x)
        cdef Run run
        if is_wrapped(x):
            return _many(x)
        if t is range or t is str or t is bytes:
            return x
        run = run_here()
        if run is None:
            return x
        if t is _generator and not run.is_outside_iterator(x):
            return x
        if is_users(t):
            return OBJECTS.iter(self, run, x)
        if run.is_outside_iterator(x):
            return Iteration.make(self, run, x, run.journal)
        return Iteration.make(self, run, PyObject_GetIter(x), None)

    def star(self, x):
        """``*x`` in a call or a display"""
        cdef type t = type(x)
        cdef Run run
        if is_wrapped(x):
            return _many(x)
        run = run_here()
        if run is None:
            return x
        if t is list or t is tuple:
            for item in x:
                if type(item) is ndarray:
                    return t([run.lift(item) for item in x])
            return x
        return self.iter(x)

    def unpack(self, x):
        """The right side of ``a, b = x``"""
        return self.star(x)

    def mapping(self, x):
        """``**x`` in a call or a display"""
        cdef Run run = run_here()
        if is_wrapped(x):
            return _many(x)
        if run is None:
            return x
        if type(x) is not dict:
            x = dict(x)
        for item in (<dict>x).values():
            if type(item) is ndarray:
                return {key: run.lift(value) for key, value in (<dict>x).items()}
        return x

    def set_of(self, list items):
        """``{a, b}``"""
        return self._display(set, items)

    def dict_of(self, list items):
        """``{k: v}``"""
        return self._display(dict, items)

    cdef object _display(self, type kind, list items):
        cdef Run run = run_here()
        if run is None:
            return kind(items)
        run.tape.site = self
        try:
            with Hashing(run):
                return kind(items)
        except errors.HybridadError:
            raise
        except TypeError as error:
            failed = error
        # Raises with the text of plain code.
        kind([plain_of(item) if kind is set else (plain_of(item[0]), None) for item in items])
        raise failed

    def isin(self, a, b):
        """``a in b``"""
        return self._contains(a, b)

    def notin(self, a, b):
        """``a not in b``"""
        return not self._contains(a, b)

    cdef object _contains(self, object a, object b):
        cdef Run run = run_here()
        if run is None:
            return a in b
        run.tape.site = self
        if is_wrapped(b):
            b = _many(b)
        elif is_users(type(b)):
            return OBJECTS.contains(self, run, a, b)
        elif (type(b) is list or type(b) is tuple) and _is_compared_by_user(a, b):
            return OBJECTS.is_among(self, a, b)
        run.tape.hashing += 1
        try:
            return a in b
        finally:
            run.tape.hashing -= 1

    def is_(self, a, b):
        """``a is b``"""
        return _identity(a) is _identity(b)

    def isnot(self, a, b):
        """``a is not b``"""
        return _identity(a) is not _identity(b)


cdef object _many(object x):
    """A wrapper that is taken for several values: a number fails as plain numbers do."""
    return x if type((<Value>x).raw) is ndarray else (<Value>x).raw


cdef object _plain_index(object index):
    """An index may hold wrappers that were made of integers."""
    if type(index) is int or type(index) is slice:
        return index
    if type(index) is tuple:
        for item in <tuple>index:
            if is_wrapped(item):
                return tuple([plain_of(item) for item in <tuple>index])
        return index
    return index


cdef object _identity(object x):
    """What tells whether two names are of the same object: of an array the plain one."""
    return (<Value>x).raw if is_wrapped(x) and type((<Value>x).raw) is ndarray else x


cdef object _hashed(Run run, binary_function function, object a, object b):
    run.tape.hashing += 1
    try:
        return function(a, b)
    finally:
        run.tape.hashing -= 1


@cython.final
cdef class Hashing:
    """A context in which differentiated numbers may be hashed."""
    cdef Run run

    def __init__(self, Run run):
        self.run = run

    def __enter__(self):
        if self.run is not None:
            self.run.tape.hashing += 1

    def __exit__(self, *error):
        if self.run is not None:
            self.run.tape.hashing -= 1


@cython.final
cdef class Iteration:
    """An iterator whose items are lifted; one from outside is advanced as a foreign call."""
    cdef Containers site
    cdef Run run
    cdef object iterator, journal

    @staticmethod
    cdef Iteration make(Containers site, Run run, object iterator, object journal):
        cdef Iteration made = Iteration.__new__(Iteration)
        made.site, made.run, made.iterator, made.journal = site, run, iterator, journal
        return made

    def __iter__(self):
        return self

    def __next__(self):
        if self.journal is not None:
            return self.run.lift(self.journal.foreign(next, (self.iterator,), {}))
        x = next(self.iterator)
        return self.run.lift(x) if type(x) is ndarray else x
