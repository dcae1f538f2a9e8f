"""Calls that are not served in C: NumPy's functions, classes, partials, and code from outside."""

import functools
import types
import weakref

import numpy as np

from hybridad._forms import is_form
from hybridad._record import is_wrapper, raw_of
from hybridad.errors import LostDerivativeError
from hybridad.recording.arraylike import holds_wrapper, plain
from hybridad.recording.effects import CONTAINERS, call_method, note_writes
from hybridad.recording.functions import array_function
from hybridad.recording.lines import at_users_line
from hybridad.recording.ownership import only_moves
from hybridad.recording.runtime.attributes import default_getattr, default_setattr
from hybridad.recording.runtime.construction import construct, construct_plainly
from hybridad.recording.runtime.foreign import (
    call_as_it_is,
    call_foreign,
    call_plainly,
    is_pure,
    is_writer,
)
from hybridad.recording.runtime.given import holds, holds_active
from hybridad.recording.runtime.meanings import FUNCTIONS, INSTANCES, METHODS
from hybridad.recording.runtime.specials import special
from hybridad.recording.runtime.vectorized import call_of_python, is_of_python
from hybridad.recording.ufuncs import overridden, ufunc_method

__all__ = ["call"]

_CONTAINERS = tuple(CONTAINERS)
_DISPATCHER = type(np.sum)
_OF_NUMPY = (np.ndarray, np.generic, np.flatiter)  # whose methods do nothing else in secret
_LRU_CACHE = type(functools.lru_cache(lambda: None))


def call(site, run, f, args, kwargs):
    """Serve ``f(*args, **kwargs)`` in a run.

    Parameters
    ----------
    site : Site
    run : Run
    f : callable
        Not a function in recording form, and none with a traced meaning.
    args : tuple
    kwargs : dict
    """
    note_writes(run.journal, f, args, kwargs)
    kind = type(f)
    if kind is np.ufunc or kind is _DISPATCHER:
        return _call_numpy(site, run, f, args, kwargs)
    handler = _KINDS.get(kind)
    if handler is not None:
        return handler(site, run, f, args, kwargs)
    handler = INSTANCES.get(kind)
    if handler is not None:
        return handler(site, f, *args, **kwargs)
    if issubclass(kind, type):
        return run.wrap(construct(site, run, f, args, kwargs))
    entry = special(f, "__call__")
    if type(entry) is types.FunctionType:
        return site.call(entry, f, *args, **kwargs)
    return call_foreign(site, run, f, args, kwargs)


def _call_numpy(site, run, f, args, kwargs):
    """A function of NumPy by identity: past its override protocols, which do not look into lists.

    Plain arrays that other code has made are seen as the run knows them.
    """
    args = tuple([run.wrap(x) if type(x) is np.ndarray else list(x) if type(x) is range else x
                  for x in args])
    kwargs = {k: run.wrap(x) if type(x) is np.ndarray else x for k, x in kwargs.items()}
    if is_writer(f):
        return call_plainly(run, f, args, kwargs)
    if any(map(holds_wrapper, args)) or any(map(holds_wrapper, kwargs.values())):
        if type(f) is np.ufunc:
            if is_of_python(f):
                return call_of_python(site, f, *args)
            if len(args) > f.nargs:
                return f(*map(raw_of, args))  # raises
            out = kwargs.get("out")
            if out is None:
                kwargs.pop("out", None)
            elif type(out) is not tuple:
                kwargs["out"] = (out,)
            inputs, extra = args[: f.nin], args[f.nin:]
            if extra:
                kwargs["out"] = extra
            return run.wrap_fresh(ufunc_method(f, "__call__", inputs, kwargs))
        return _fresh(run, array_function(f, args, kwargs))
    if type(f) is np.ufunc:
        by_another = overridden(f, "__call__", args, kwargs)
        if by_another is not NotImplemented:
            return by_another
    return _fresh(run, at_users_line(f, args, kwargs))


def _fresh(run, result):
    """Floating arrays among the results of a pure function become inactive values."""
    if type(result) is np.ndarray:
        return run.wrap_fresh(result)
    if isinstance(result, (tuple, list)):
        if any(type(x) is np.ndarray for x in result):
            parts = [run.wrap(x) for x in result]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _call_function(site, run, f, args, kwargs):
    """A function written in Python, but not by the user."""
    module = f.__module__ or ""
    if module.split(".")[0] == "numpy" and not module.startswith("numpy.testing"):
        return _call_numpy_python(run, f, args, kwargs)
    if only_moves(f):
        return at_users_line(f, args, kwargs)
    return call_foreign(site, run, f, args, kwargs)


def _call_numpy_python(run, f, args, kwargs):
    args = tuple([run.wrap(x) if type(x) is np.ndarray else x for x in args])
    if holds_active((args, kwargs)):
        return _fresh(run, call_as_it_is(f, args, kwargs))
    if holds((args, kwargs), is_wrapper):
        return call_plainly(run, f, args, kwargs)
    return _fresh(run, at_users_line(f, args, kwargs))


def _call_builtin(site, run, f, args, kwargs):
    own = f.__self__
    handler = METHODS.get((type(own), f.__name__))
    if handler is not None:
        return handler(site, own, *args, **kwargs)
    if type(own) is types.GeneratorType and is_form(own.gi_code):
        return f(*args, **kwargs)
    if isinstance(own, type):  # a class method: a new object at each access
        handler = FUNCTIONS.get(f)
        if handler is not None:
            return handler(site, *args, **kwargs)
        if f.__name__ in ("__new__", "fromkeys") and own.__module__ == "builtins":
            with site.hashing():
                return run.wrap(f(*args, **kwargs))
    if isinstance(own, _CONTAINERS):  # of a class derived from a container
        return run.wrap(call_method(site, run.journal, f, args, kwargs))
    if (f.__module__ or "").startswith("hybridad."):
        return f(*args, **kwargs)
    if type(own) is np.ufunc:  # its methods: the protocol sees them
        args = tuple([run.wrap(x) if type(x) is np.ndarray else x for x in args])
        return _fresh(run, at_users_line(f, args, kwargs))
    if (f.__module__ or "").startswith("numpy") and (own is None or type(own) is types.ModuleType):
        if any(map(holds_wrapper, args)) or any(map(holds_wrapper, kwargs.values())):
            return _fresh(run, array_function(f, args, kwargs))
        return _fresh(run, at_users_line(f, args, kwargs))
    if type(own) is np.ndarray and is_wrapper(run.wrap(own)) and holds_active((args, kwargs)):
        return site.call(getattr(run.wrap(own), f.__name__), *args, **kwargs)
    if isinstance(own, _OF_NUMPY):
        return _fresh(run, at_users_line(f, args, kwargs))
    if is_pure(f):
        return run.wrap(_purely(f, args, kwargs))
    return call_foreign(site, run, f, args, kwargs)


def _purely(f, args, kwargs):
    """Call a pure function of Python; it fails as it does with plain values."""
    try:
        return call_as_it_is(f, args, kwargs)
    except TypeError as error:
        if not holds((args, kwargs), is_wrapper) or (isinstance(error, LostDerivativeError) \
                and not isinstance(error.__cause__, TypeError)):
            raise
        failed = error
    at_users_line(f, tuple(map(plain, args)), plain(kwargs))
    raise failed


def _call_partial(site, run, f, args, kwargs):
    return site.call(f.func, *f.args, *args, **{**f.keywords, **kwargs})


def _call_cached(site, run, f, args, kwargs):
    """A function behind `functools.lru_cache`: it must never keep a value of the run."""
    if holds_active((args, kwargs)):
        return site.call(f.__wrapped__, *args, **kwargs)
    return call_foreign(site, run, f, args, kwargs)


def _call_reference(site, run, f, args, kwargs):
    """A weak reference: what it refers to is not to be kept for another run."""
    return run.wrap(f(*args, **kwargs))


def _call_descriptor(site, run, f, args, kwargs):
    """A method of a builtin class, called on the class: ``list.append(a, x)``."""
    if args and is_wrapper(args[0]):  # of ndarray or of a number
        return getattr(args[0], f.__name__)(*args[1:], **kwargs)
    if args and isinstance(args[0], f.__objclass__):
        bound = f.__get__(args[0])
        return site.call(bound, *args[1:], **kwargs)
    return run.wrap(at_users_line(f, args, kwargs))


def _call_slot(site, run, f, args, kwargs):
    """``object.__setattr__`` and its like."""
    if type(f) is types.MethodWrapperType:
        f, args = getattr(f.__objclass__, f.__name__), (f.__self__, *args)
    elif args and is_wrapper(args[0]):
        return getattr(args[0], f.__name__)(*args[1:], **kwargs)
    handler, number = _SLOTS.get(f, (None, 0))
    if handler is not None and len(args) == (number or len(args)) > 0:
        return handler(site, run, *args, **kwargs)
    if f.__name__ in _CHANGING and run.journal is not None and args:
        if f.__name__ in ("__setattr__", "__delattr__"):
            run.journal.set_attribute(*args[:2])
        elif isinstance(args[0], (list, dict, set)):
            run.journal.touch(args[0])
    with site.hashing():
        return run.wrap(at_users_line(f, args, kwargs))


_CHANGING = {"__setattr__", "__delattr__", "__setitem__", "__delitem__", "__iadd__", "__imul__",
             "__ior__", "__iand__", "__ixor__", "__isub__", "__init__"}


def _call_class(site, run, cls, /, *args, **kwargs):
    """``type.__call__(cls, *args, **kwargs)``, mostly from the ``__call__`` of a metaclass."""
    return run.wrap(construct_plainly(site, run, cls, args, kwargs))


_SLOTS = {
    object.__getattribute__: (default_getattr, 2),
    object.__setattr__: (default_setattr, 3),
    type.__call__: (_call_class, None),
}
"""Slot -> ``handler(site, run, *args, **kwargs)``, the number of its arguments if it is fixed."""

_KINDS = {
    types.FunctionType: _call_function,
    types.BuiltinFunctionType: _call_builtin,
    functools.partial: _call_partial,
    _LRU_CACHE: _call_cached,
    weakref.ref: _call_reference,
    types.MethodDescriptorType: _call_descriptor,
    types.WrapperDescriptorType: _call_slot,
    types.MethodWrapperType: _call_slot,
}
