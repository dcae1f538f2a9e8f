"""Sites: the places of a recording form where the run is told what the source does.

The recording form of a function (`recording/instrument`) has the user's expressions routed through
the methods of sites: ``a + g(b)`` is ``<site>.add(a, <site>.call(<site>.read(g), b))``. When no run
is in progress in the thread, or below a foreign call, a site does what plain Python does. In a run
it enters functions in their recording form, lifts what comes from outside, and tells the journal of
effects; what is not on the hot path is served by the rooms in `recording/runtime`.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport (
    PyObject, PyObject_Call, PyObject_GenericGetAttr, PyObject_GetItem)

from collections import defaultdict
import sys
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType
from warnings import warn

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._access cimport get_item, set_item
from hybridad._forms cimport FORM, PLAIN, Known, bind, known
from hybridad._operations cimport Operations, at, is_number, is_users, lifted
from hybridad._operators cimport binary_function, binary_ufunc, unary_ufunc
from hybridad._primitive cimport Primitive
from hybridad._run cimport LISTENING, Run, run_here
from hybridad._tape cimport Value, is_wrapped, plain_of

cdef extern from "Python.h":
    PyObject* PyEval_GetGlobals()
    PyObject* _PyType_Lookup(type t, object name)
    ctypedef object (*getattrofunc)(object, object)
    ctypedef struct _Type "PyTypeObject":
        getattrofunc tp_getattro
    object PyObject_GetIter(object x)

cnp.import_array()

cdef type _ufunc = np.ufunc
cdef type _function = FunctionType
cdef type _method = MethodType
cdef type _builtin = BuiltinFunctionType
cdef type _module = ModuleType
cdef type _generator = GeneratorType
cdef type _defaultdict = defaultdict

# Functions that count or show Python's frames: called with none of hybridad's in between.
cdef frozenset _LOOK_AT_FRAMES = frozenset((warn, breakpoint, sys._getframe))
cdef frozenset _OF_FRAMES = frozenset(("bdb", "inspect", "logging", "pdb", "traceback", "warnings"))

# Set once by `install`.
cdef dict PRIMITIVES = {}
cdef dict MEANINGS = {}         # id(callable) -> (callable, handler)
cdef dict INDEXED = {}
cdef object CONTAINER_METHOD = None
cdef object CALL = None
cdef object OBJECTS = None

cdef set CONTAINERS = set()


class Unbound:
    """The type of `Site.unbound`."""

    __slots__ = ()

    def __repr__(self):
        return "<unbound>"


UNBOUND = Unbound()


def install(dict primitives, dict meanings, dict indexed, container_method, containers, call,
            objects):
    """Connect the sites to the rooms above.

    Parameters
    ----------
    primitives : dict
        Function -> Primitive.
    meanings : dict
        Callable -> ``handler(site, *args, **kwargs)``.
    indexed : dict
        Class -> ``handler(site, object, index)`` for objects that are indexed.
    container_method : callable
        ``container_method(site, journal, bound, args, kwargs)`` for methods of builtin containers.
    containers : iterable of type
        Those.
    call : callable
        ``call(site, run, f, args, kwargs)`` for every other kind of callable.
    objects : object
        Has `attr`, `set_attr`, `del_attr`, `iter`, `contains`, `truth`, `context`, ...: what
        objects of user-defined classes do.
    """
    global PRIMITIVES, INDEXED, CONTAINER_METHOD, CALL, OBJECTS
    PRIMITIVES, INDEXED = primitives, indexed
    CONTAINER_METHOD, CALL, OBJECTS = container_method, call, objects
    CONTAINERS.update(containers)
    for function, handler in meanings.items():
        MEANINGS[id(function)] = (function, handler)


# -- sites ---------------------------------------------------------------------------------------

@cython.final
cdef class Site(Operations):
    """A place in the user's source.

    Parameters
    ----------
    kind : str
        What stands there: "call", "add", "item", "global", "if", ...
    file, function : str
        The file and the qualified name of the function.
    line, col, end_line, end_col : int
        As in `ast`.
    name : str or None
        The variable that the value is assigned to.
    detail : object
        What the kind needs: the name that is read, the names of a block.
    discarded : bool
        The value is not used.
    """

    cdef readonly str kind, file, function
    cdef readonly int line, col, end_line, end_col
    cdef readonly object name, detail
    cdef readonly bint discarded

    def __init__(self, kind, file="", function="", line=0, col=0, end_line=0, end_col=0,
                 name=None, detail=None, discarded=False):
        self.kind, self.file, self.function = kind, file, function
        self.line, self.col, self.end_line, self.end_col = line, col, end_line, end_col
        self.name, self.detail, self.discarded = name, detail, discarded

    def __repr__(self):
        return f"<site {self.kind} {self.file}:{self.line}:{self.col}>"

    # -- what enters ---------------------------------------------------------------------------

    def read(self, x):
        """A global, a builtin, or a variable of a function around."""
        cdef Run run
        cdef type t = type(x)
        if not LISTENING[0] and (t is _module or t is _function or t is _builtin
                                 or is_wrapped(x)):
            return x
        run = run_here()
        if run is None:
            return x
        x = x if is_wrapped(x) else run.lift(x)
        if run.listener is not None:
            run.listener.read(self, x)
        return x

    def attr(self, o, str name):
        """``o.name``"""
        cdef Run run
        if is_wrapped(o):
            return getattr(o, name)
        run = run_here()
        if run is None:
            return getattr(o, name)
        x = self._attr(run, o, name)
        if run.listener is not None:
            run.listener.attribute(self, o, name, x)
        return x

    cdef object _attr(self, Run run, object o, str name):
        cdef type t = type(o)
        cdef PyObject* found
        if t is _module:
            return run.lift(getattr(o, name))
        if not is_users(t):
            if t is type and is_users(<type>o):
                found = _PyType_Lookup(<type>o, name)
                if found != NULL and type(<object>found) is not _function \
                        and is_users(type(<object>found)):
                    return run.lift(OBJECTS.attr(self, run, o, name))
            return run.lift(getattr(o, name))
        if (<_Type*>t).tp_getattro == PyObject_GenericGetAttr:
            found = _PyType_Lookup(t, name)
            if found == NULL or type(<object>found) is _function:
                return run.lift(getattr(o, name))
        return run.lift(OBJECTS.attr(self, run, o, name))

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
            found = _PyType_Lookup(t, "__getitem__")
            if found != NULL and type(<object>found) is _function:
                return run.lift(self.dispatch(run, <object>found, (o, index), {}))
        return run.lift(_hashed(run, PyObject_GetItem, o, index))

    def slice(self, a, b, c):
        """``a:b:c`` in an index"""
        return slice(plain_of(a), plain_of(b), plain_of(c))

    # -- calls -----------------------------------------------------------------------------------

    def call(self, f, /, *args, **kwargs):
        """``f(*args, **kwargs)``"""
        cdef Run run = run_here()
        if run is None:
            return PyObject_Call(f, args, kwargs)
        return self.dispatch(run, f, args, kwargs)

    cdef object dispatch(self, Run run, object f, tuple args, dict kwargs):
        cdef type t = type(f)
        cdef PyObject* found
        cdef Primitive prim
        cdef object made, own
        run.tape.site = self
        if t is _function:
            return self.enter(run, f, args, kwargs)
        if is_wrapped(f):
            return PyObject_Call((<Value>f).raw, args, kwargs)
        if t is _builtin and f in _LOOK_AT_FRAMES and not run.journal.keeps:
            return PyObject_Call(f, args, kwargs)
        if t is type and args and type(args[0]) is str:
            run.check_text(f, args[0])
        if t is _method:
            own = f.__self__
            if is_wrapped(own):
                return PyObject_Call(f, args, kwargs)
            return self.dispatch(run, f.__func__, (own, *args), kwargs)
        found = PyDict_GetItem(MEANINGS, <size_t><PyObject*>f)
        if found != NULL:
            return PyObject_Call((<tuple>found)[1], (self, *args), kwargs)
        if t is _ufunc:
            if not kwargs and len(args) <= 2:
                made = PRIMITIVES.get(f)
                if made is not None:
                    prim = <Primitive>made
                    if prim.outs is None and prim.check is None:
                        if len(args) == 1:
                            if is_wrapped(args[0]) and f.nin == 1:
                                return unary_ufunc(f, prim, <Value>args[0])
                        elif len(args) == 2 and f.nin == 2 \
                                and (is_wrapped(args[0]) or is_wrapped(args[1])):
                            return binary_ufunc(f, prim, lifted(run, args[0]),
                                                lifted(run, args[1]))
            return CALL(self, run, f, args, kwargs)
        if t is _builtin and type(f.__self__) in CONTAINERS:
            return run.lift(CONTAINER_METHOD(self, run.journal, f, args, kwargs))
        return CALL(self, run, f, args, kwargs)

    cdef object enter(self, Run run, object f, tuple args, dict kwargs):
        """Call a function that was written in Python."""
        cdef Known k = known(f, run.listener is not None)
        cdef PyObject* found
        if k.how == FORM:
            if run.listener is None:
                return PyObject_Call(bind(k, f), args, kwargs)
            run.listener.entered(self, f, args, kwargs)
            try:
                return PyObject_Call(bind(k, f), args, kwargs)
            finally:
                run.listener.left()
        found = PyDict_GetItem(MEANINGS, <size_t><PyObject*>f)
        if found != NULL:
            return PyObject_Call((<tuple>found)[1], (self, *args), kwargs)
        if k.how == PLAIN:
            if k.reason is not None:
                run.note(k.reason)
            return PyObject_Call(f, args, kwargs)
        if f.__module__ in _OF_FRAMES and not run.journal.keeps and not _has_wrapper(args, kwargs):
            return PyObject_Call(f, args, kwargs)
        return CALL(self, run, f, args, kwargs)

    def form(self, f):
        """A callable that does what ``site.call(f, ...)`` does, for native code."""
        cdef Known k
        cdef Run run = run_here()
        if type(f) is _function and run is not None and run.listener is None:
            k = known(f, False)
            if k.how == FORM:
                return bind(k, f)
            if k.how == PLAIN:
                return f
        return Routed(self, f)

    def lift_fresh(self, x):
        """`x`, which was just made: a floating array becomes an inactive value of the run."""
        cdef Run run = run_here()
        return x if run is None else run.lift_fresh(x)

    def decorate(self, decorator):
        """What stands behind ``@``"""
        return decorator if run_here() is None else Routed(self, decorator)

    def effect(self, f, tuple args, dict kwargs):
        """Call `f`, which is an effect, with plain values."""
        cdef Run run = run_here()
        if run is None:
            return PyObject_Call(f, args, kwargs)
        return OBJECTS.effect(self, run, f, args, kwargs)

    # -- decisions -------------------------------------------------------------------------------

    def guard(self, str kind, outcome):
        """Note a decision that came from data."""
        cdef Run run = run_here()
        if run is not None:
            run.tape.site = self
            run.tape.decide(kind, outcome)

    def shown(self, text):
        """Note a text that shows a value as it is, not rounded."""
        cdef Run run = run_here()
        self.guard("str", text)
        if run is not None:
            run.keep_text(text)

    def truth(self, x):
        """What ``if x`` decides."""
        cdef Run run
        cdef type t = type(x)
        if t is bool:
            return x
        if is_wrapped(x) and (<Value>x).tape.is_open:
            (<Value>x).tape.site = self
            return bool(x)
        if is_number(t) or x is None or not is_users(t):
            return bool(x)
        run = run_here()
        return bool(x) if run is None else OBJECTS.truth(self, run, x)

    def caught(self):
        """An exception was caught here."""
        cdef Run run = run_here()
        if run is not None:
            run.tape.site = self
            run.tape.decide("raises", sys.exc_info()[0])

    def match(self, subject):
        """``match subject:``"""
        return self.read(subject)

    def case(self, number):
        """This case of a ``match`` was chosen."""
        self.guard("case", number)

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
        cdef Run run = run_here()
        if run is None:
            return set(items)
        run.tape.site = self
        run.tape.hashing += 1
        try:
            return set(items)
        except errors.HybridadError:
            raise
        except TypeError as error:
            failed = error
        finally:
            run.tape.hashing -= 1
        set([plain_of(item) for item in items])     # raises with the text of plain code
        raise failed

    def dict_of(self, list items):
        """``{k: v}``"""
        cdef Run run = run_here()
        if run is None:
            return dict(items)
        run.tape.site = self
        run.tape.hashing += 1
        try:
            return dict(items)
        except errors.HybridadError:
            raise
        except TypeError as error:
            failed = error
        finally:
            run.tape.hashing -= 1
        dict([(plain_of(key), None) for key, _ in items])   # raises with the text of plain code
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

    # -- text ------------------------------------------------------------------------------------

    def format(self, x, int conversion, spec):
        """A formatted value of an f-string"""
        cdef Run run
        cdef object text
        if is_wrapped(x):
            text = (<Value>x).raw
            text = format(_converted(text, conversion), spec)
            run = run_here()
            if run is not None:
                run.tape.site = self
                run.tape.decide("str", text)
                if not spec:
                    run.keep_text(text)
            return text
        return format(_converted(x, conversion), spec)

    # -- stores ----------------------------------------------------------------------------------

    def set_attr(self, value, o, str name):
        """``o.name = value``"""
        cdef Run run = run_here()
        cdef PyObject* found
        cdef type t = type(o)
        if run is None or is_wrapped(o):
            setattr(o, name, value)
            return
        if is_users(t):
            found = _PyType_Lookup(t, "__setattr__")
            if type(<object>found) is _function:
                self.dispatch(run, <object>found, (o, name, value), {})
                return
            found = _PyType_Lookup(t, name)
            if found != NULL and hasattr(type(<object>found), "__set__"):
                OBJECTS.set_attr(self, run, o, name, value, <object>found)
                return
        if run.journal.keeps and t.__module__.startswith("numpy.random"):
            OBJECTS.set_foreign(self, run, o, name, value)
            return
        if run.journal.keeps or not run.made(o):
            run.journal.set_attribute(o, name)
        setattr(o, name, value)

    def del_attr(self, o, str name):
        """``del o.name``"""
        cdef Run run = run_here()
        if run is not None and not is_wrapped(o):
            OBJECTS.del_attr(self, run, o, name)
        else:
            delattr(o, name)

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
            found = _PyType_Lookup(t, "__setitem__")
            if found != NULL and type(<object>found) is _function:
                self.dispatch(run, <object>found, (o, index, value), {})
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
            found = _PyType_Lookup(type(o), "__delitem__")
            if found != NULL and type(<object>found) is _function:
                self.dispatch(run, <object>found, (o, index), {})
                return
        if run.journal.keeps or run.saw(o):
            run.journal.touch(o)
        run.tape.hashing += 1
        try:
            del o[index]
        finally:
            run.tape.hashing -= 1

    def set_global(self, value):
        """``g = value`` for a global name"""
        cdef Run run = run_here()
        if run is not None and run.journal is not None:
            run.journal.set_global(<object>PyEval_GetGlobals(), self.detail)
        return value

    def del_global(self):
        """``del g`` for a global name"""
        self.set_global(None)

    def set_free(self, value, cell):
        """``n = value`` for a name of a function around; `cell` is a lambda that reads it"""
        cdef Run run = run_here()
        if run is not None and run.journal is not None:
            run.journal.set_cell(cell.__closure__[0])
        return value

    def context(self, manager):
        """``with manager:``"""
        cdef Run run
        if is_wrapped(manager):
            return (<Value>manager).raw
        run = run_here()
        return manager if run is None or not is_users(type(manager)) \
            else OBJECTS.context(self, run, manager)

    # -- blocks ----------------------------------------------------------------------------------

    def block(self, *values):
        """A hook at the head, entry or end of a block: the names in `detail` have these values.

        The listener of the run may give other values for them.
        """
        cdef Run run = run_here()
        if run is None or run.listener is None:
            return values
        changed = run.listener.block(self, self.detail, values)
        return values if changed is None else changed

    @property
    def unbound(self):
        """Stands for a name that is not bound, in the values of a block."""
        return UNBOUND

    @property
    def unbound_error(self):
        """NameError, whatever the user calls by that name."""
        return NameError

    def join(self, value):
        """The end of an expression that has branches"""
        cdef Run run = run_here()
        if run is None or run.listener is None:
            return value
        changed = run.listener.block(self, ("",), (value,))
        return value if changed is None else changed[0]


cdef object _many(object x):
    """A wrapper that is taken for several values: a number fails as plain numbers do."""
    return x if type((<Value>x).raw) is ndarray else (<Value>x).raw


cdef bint _has_wrapper(tuple args, dict kwargs):
    for x in args:
        if is_wrapped(x) or not is_number(type(x)) and x is not None:
            return True
    for x in kwargs.values():
        if is_wrapped(x) or not is_number(type(x)) and x is not None:
            return True
    return False


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


cdef object _converted(object x, int conversion):
    if conversion == 115:
        return str(x)
    if conversion == 114:
        return repr(x)
    return ascii(x) if conversion == 97 else x


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
cdef class Routed:
    """A callable that goes through a site."""
    cdef Site site
    cdef object function

    def __init__(self, Site site, function):
        self.site, self.function = site, function

    def __call__(self, *args, **kwargs):
        cdef Run run = run_here()
        if run is None:
            return PyObject_Call(self.function, args, kwargs)
        return self.site.dispatch(run, self.function, args, kwargs)


@cython.final
cdef class Iteration:
    """An iterator whose items are lifted; one from outside is advanced as a foreign call."""
    cdef Site site
    cdef Run run
    cdef object iterator, journal

    @staticmethod
    cdef Iteration make(Site site, Run run, object iterator, object journal):
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
