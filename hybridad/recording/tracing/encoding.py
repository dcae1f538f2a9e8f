"""Values as arguments of operations: what is known becomes a `Ref`, what is static stays."""

import enum
import functools
import random
import types
from collections import deque

import numpy as np

from hybridad._forms import is_form
from hybridad.recording.runtime.attributes import dict_of
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.values import Dynamic, Text, is_a, is_number

__all__ = ["VIEWS", "arrays_in", "encode", "has_active", "has_known", "holds_known",
           "is_bound", "is_constant_object", "is_fixed", "is_opaque"]

_STATIC = (bool, str, bytes, type(None), type(...), type(NotImplemented), np.bool_, np.dtype,
           float, int, complex)
_OBJECTS = (type, types.ModuleType, types.FunctionType, np.ufunc, type(np.sum), enum.Enum,
            types.GenericAlias, type(np.random.default_rng))
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
"""Views of dictionaries."""

_CONTAINERS = (tuple, list, set, frozenset, deque, *VIEWS)
_TRANSPARENT = (np.ndarray, np.generic, str, bytes, bool, range, list, tuple, dict, set, frozenset,
                deque)
# Hidden objects whose methods modules pass off as functions.
_HIDDEN = (getattr(np.random.seed, "__self__", np.random.mtrand._rand), random.random.__self__)


def is_constant_object(x):
    """Whether an object is code or a name for something: a class, a module, a function, ..."""
    if is_a(x, (types.BuiltinFunctionType, types.MethodType)):
        own = x.__self__
        return own is None or is_a(own, (types.ModuleType, type)) or any(
            own is hidden for hidden in _HIDDEN)
    return is_a(x, _OBJECTS) or x is np._NoValue or any(x is hidden for hidden in _HIDDEN)


def is_fixed(x):
    """Whether what stands in a module that is not the user's stays there: code, numbers, texts."""
    return is_constant_object(x) or is_a(x, _STATIC) or (
        is_a(x, tuple) and all(map(is_fixed, x)))


def encode(recorder, x):
    """`x` as an argument of an operation.

    Raises
    ------
    NotTraced
        If it is not known where it came from.
    """
    kind = type(x)
    if issubclass(kind, enum.Enum):     # it was checked to be this one
        return x
    ref = recorder.ref(x)
    if ref is not None:
        return ref
    if kind is Dynamic:
        return int(x)
    if kind is Text:
        return str(x)
    if kind in _STATIC or is_number(x) or issubclass(kind, (np.generic, np.dtype)):
        return x
    if kind is tuple or kind is list:
        return kind([encode(recorder, item) for item in x])
    if kind is range:
        recorder.settle_range(x)
        return x
    if kind is dict:
        if any(is_number(key) and recorder.ref(key) is not None for key in x):
            raise NotTraced("a dictionary whose keys are numbers of the run")
        return {key: encode(recorder, item) for key, item in x.items()}
    if kind is slice:
        return slice(*(encode(recorder, item) for item in (x.start, x.stop, x.step)))
    if kind is types.FunctionType and (x.__closure__ or is_form(x.__code__)):
        raise NotTraced(f"the function {x.__qualname__}, made inside, as an argument or a result")
    if is_constant_object(x):
        return x
    if kind is np.ndarray:
        raise NotTraced("an array of unknown origin")
    if issubclass(kind, tuple) and hasattr(x, "_fields"):
        raise NotTraced(f"a {kind.__name__} as an argument of code that is not followed")
    raise NotTraced(f"an object of {kind.__qualname__}, made inside, as an argument or a result")


def has_known(recorder, x, depth=4):
    """Whether there is a value of the run in `x`, or in a builtin container."""
    if recorder.is_known(x):
        return True
    kind = type(x)
    if kind in _STATIC or kind is np.ndarray:
        return False
    if issubclass(kind, _CONTAINERS):
        return any(has_known(recorder, item, depth - 1) for item in x) if depth else True
    if issubclass(kind, dict):
        return any(has_known(recorder, item, depth - 1) for item in x.values()) if depth else True
    if kind is slice:
        return any(recorder.is_known(item) for item in (x.start, x.stop, x.step))
    if kind is range:
        return recorder.varies(x)
    return hasattr(kind, "__next__")    # of which nobody knows what it will give


def has_active(recorder, x):
    """Whether what is in `x` depends on a differentiated argument, also inside of objects."""
    return _holds(recorder, x, recorder.is_active)


def holds_known(recorder, x):
    """Whether there is a value of the run in `x`, also inside of objects."""
    return _holds(recorder, x, lambda x: recorder.is_known(x) and not is_constant_object(x))


def is_opaque(recorder, x):
    """Whether `x` is an object from outside, whose content is not known."""
    return recorder.is_known(x) and not (
        is_number(x) or is_a(x, _TRANSPARENT) or is_constant_object(x))


def _holds(recorder, x, wanted):
    seen, stack = set(), [x]
    while stack:
        x = stack.pop()
        kind = type(x)
        if id(x) in seen:
            continue
        if wanted(x):
            return True
        if kind in _STATIC or kind is np.ndarray:
            continue
        seen.add(id(x))
        if issubclass(kind, _CONTAINERS):
            stack.extend(x)
        elif hasattr(kind, "__next__"):
            return True     # nobody knows what it will give
        elif issubclass(kind, dict):
            stack.extend(x.values())
        elif kind is functools.partial:
            stack.extend((x.func, x.args, x.keywords))
        elif kind is types.MethodType:
            stack.append(x.__self__)
        elif kind is types.FunctionType and x.__closure__:
            stack.extend(cell.cell_contents for cell in x.__closure__ if is_bound(cell))
        elif not is_a(x, _OBJECTS) and not recorder.is_known(x):
            stack.append(dict_of(x))
    return False


def is_bound(cell):
    """Whether a closure cell holds anything."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def arrays_in(x):
    """The arrays in nested tuples, lists and dicts."""
    kind = type(x)
    if kind is np.ndarray:
        return [x]
    if kind is tuple or kind is list:
        return [array for item in x for array in arrays_in(item)]
    if kind is dict:
        return [array for item in x.values() for array in arrays_in(item)]
    return []
