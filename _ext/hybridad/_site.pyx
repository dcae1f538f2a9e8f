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
    PyObject, PyObject_Call, PyObject_GenericGetAttr)

import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from warnings import warn

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._forms cimport FORM, PLAIN, Known, bind, known
from hybridad._containers cimport Containers
from hybridad._operations cimport function_of, is_number, is_users, lifted
from hybridad._operators cimport binary_ufunc, unary_ufunc
from hybridad._primitive cimport Primitive
from hybridad._run cimport LISTENING, Run, run_here
from hybridad._tape cimport Value, is_wrapped, plain_of

cdef extern from "Python.h":
    PyObject* PyEval_GetGlobals()
    PyObject* _PyType_Lookup(type t, object name)
    ctypedef object (*getattrofunc)(object, object)
    ctypedef struct _Type "PyTypeObject":
        getattrofunc tp_getattro

cnp.import_array()

cdef type _ufunc = np.ufunc
cdef type _function = FunctionType
cdef type _method = MethodType
cdef type _builtin = BuiltinFunctionType
cdef type _module = ModuleType

# Functions that count or show Python's frames: called with none of hybridad's in between.
cdef frozenset _LOOK_AT_FRAMES = frozenset((warn, breakpoint, sys._getframe))
cdef frozenset _OF_FRAMES = frozenset(("bdb", "inspect", "logging", "pdb", "traceback", "warnings"))

# Set once by `install`.
cdef dict PRIMITIVES = {}
cdef dict MEANINGS = {}         # id(callable) -> (callable, handler)
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


def install(dict primitives, dict meanings, container_method, containers, call,
            objects):
    """Connect the sites to the rooms above.

    Parameters
    ----------
    primitives : dict
        Function -> Primitive.
    meanings : dict
        Callable -> ``handler(site, *args, **kwargs)``.
    container_method : callable
        ``container_method(site, journal, bound, args, kwargs)`` for methods of builtin containers.
    containers : iterable of type
        Those.
    call : callable
        ``call(site, run, f, args, kwargs)`` for every other kind of callable.
    objects : object
        Has `attr`, `set_attr`, `del_attr`, `truth`, `context`, ...: what objects of user-defined
        classes do.
    """
    global PRIMITIVES, CONTAINER_METHOD, CALL, OBJECTS
    PRIMITIVES = primitives
    CONTAINER_METHOD, CALL, OBJECTS = container_method, call, objects
    CONTAINERS.update(containers)
    for function, handler in meanings.items():
        MEANINGS[id(function)] = (function, handler)


# -- sites ---------------------------------------------------------------------------------------

@cython.final
cdef class Site(Containers):
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

    def opened(self, x):
        """An object from outside with what is in it as the run sees it: that is the object."""
        return x

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

    def joined(self, *parts):
        """An f-string of these parts"""
        return "".join(parts)

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


cdef bint _has_wrapper(tuple args, dict kwargs):
    for x in args:
        if is_wrapped(x) or not is_number(type(x)) and x is not None:
            return True
    for x in kwargs.values():
        if is_wrapped(x) or not is_number(type(x)) and x is not None:
            return True
    return False


cdef object _converted(object x, int conversion):
    if conversion == 115:
        return str(x)
    if conversion == 114:
        return repr(x)
    return ascii(x) if conversion == 97 else x


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
