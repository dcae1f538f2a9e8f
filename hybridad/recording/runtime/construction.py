"""Instances: `__new__`, `__init__` and what a metaclass does before.

Classes of the user's and containers keep the values of the run, as they are; classes of NumPy,
SciPy and other packages compute with what they are given, and get plain values.
"""

import array
import sys
import types

from hybridad._record import active, is_wrapper, raw_of
from hybridad.errors import UnsupportedError, message
from hybridad.recording.ownership import is_entered, is_installed
from hybridad.recording.runtime.dataclass import initialize, is_generated
from hybridad.recording.runtime.foreign import call_as_it_is, call_plainly, draw, draws
from hybridad.recording.runtime.given import holds, holds_active
from hybridad.recording.runtime.specials import users

__all__ = ["computes", "construct", "construct_plainly", "is_foreign_class"]


def construct(site, run, cls, args, kwargs):
    """``cls(*args, **kwargs)``, as ``type.__call__`` does it."""
    if type(cls).__call__ is not type.__call__:
        own = users(cls, "__call__")
        return cls(*args, **kwargs) if own is None else site.call(own, cls, *args, **kwargs)
    return construct_plainly(site, run, cls, args, kwargs)


def construct_plainly(site, run, cls, args, kwargs):
    """What ``type.__call__`` does, below the ``__call__`` of a metaclass."""
    new, init = cls.__new__, cls.__init__
    enters_new = type(new) is types.FunctionType and is_entered(new)
    enters_init = type(init) is types.FunctionType and is_entered(init)
    if not enters_new and not enters_init:
        if new is object.__new__ and init is object.__init__:
            return run.constructed(cls(*args, **kwargs))
        return _natively(site, run, cls, args, kwargs)
    made = site.call(new, cls, *args, **kwargs) if enters_new else new(cls, *args, **kwargs)
    if new is object.__new__:
        run.constructed(made)
    run.constructed(made)
    if cls in type(made).__mro__:
        if is_generated(type(made)):
            initialize(site, run, made, args, kwargs)
            return made
        result = site.call(type(made).__init__, made, *args, **kwargs)
        if result is not None:
            raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return made


def _natively(site, run, cls, args, kwargs):
    """An instance of a class that is not the user's, or whose methods dataclasses have written."""
    if cls is memoryview and len(args) == 1 and is_wrapper(args[0]) and not active(args[0]):
        return _memoryview(*args)
    if not holds_active((args, kwargs)) and (
            is_foreign_class(cls) or (computes(cls) and holds((args, kwargs), is_wrapper))):
        return call_plainly(run, cls, args, kwargs)
    if draws(cls):
        return draw(run, cls, args, kwargs)
    with site.hashing():
        return call_as_it_is(cls, args, kwargs)


_COMPUTING = (bytes, bytearray, array.array)


def computes(cls):
    """Whether a class is no container of the user's values."""
    name = cls.__module__
    if cls in _COMPUTING:
        return True
    if not isinstance(name, str) or name.split(".")[0] in sys.stdlib_module_names:
        return False
    return is_installed(name)


# Modules of Python whose classes keep what they are given, as it is, and do nothing else.
_KEEPING = {"_collections", "_weakref", "abc", "array", "builtins", "collections", "contextlib",
            "dataclasses", "enum", "functools", "itertools", "operator", "types", "typing",
            "weakref"}


def is_foreign_class(cls):
    """Whether making an instance of a class is a foreign call: it may do anything.

    Examples
    --------
    >>> import fractions
    >>> is_foreign_class(fractions.Fraction), is_foreign_class(list)
    (True, False)
    """
    name = cls.__module__
    if not isinstance(name, str) or name == "__main__":
        return False
    top = name.split(".")[0]
    if top in sys.stdlib_module_names:
        return top not in _KEEPING
    if top == "numpy":
        return name.startswith("numpy.random")
    return is_installed(name)


def _memoryview(x):
    if raw_of(x).flags.writeable:
        raise UnsupportedError(message(
            "A memoryview of an array cannot be followed: what is written to it or to the array "
            "later would not be seen.",
            "Use the array itself, or its bytes: a.tobytes()."))
    return memoryview(raw_of(x))
