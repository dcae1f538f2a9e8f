"""Calls at a `TraceSite`: functions of the user's are entered, pure ones are operations."""

import dataclasses
import enum
import functools
import operator
import types
import weakref
from array import array
from collections import deque

import numpy as np

from hybridad.errors import is_own
from hybridad.recording.effects import CONTAINERS, call_method
from hybridad.recording.ownership import only_moves
from hybridad.recording.runtime.attributes import default_setattr, dict_of
from hybridad.recording.runtime.construction import construct, is_foreign_class
from hybridad.recording.runtime.specials import special
from hybridad.recording.tracing import numpy_calls, ordering
from hybridad.recording.tracing.active import here
from hybridad.recording.tracing.collecting import pairs
from hybridad.recording.tracing.containers import Containers
from hybridad.recording.tracing.encoding import has_active, has_known, is_fixed
from hybridad.recording.tracing.meanings import BOUND, INSTANCES, OF_CLASSES, meaning_of
from hybridad.recording.tracing.native import PURE_MODULES
from hybridad.recording.tracing.reads import read
from hybridad.recording.tracing.values import is_a

__all__ = ["Calls"]

_DISPATCHER = type(np.sum)
_COMPARING = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")
_SPECIAL = {"__getitem__": ("item", 2), "__neg__": ("neg", 1), "__pos__": ("pos", 1),
            **{f"__{name}__": (name, 2) for name in (
                "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
                "lt", "le", "gt", "ge", "eq", "ne")}}
_OF_ALL = {"__repr__": repr, "__hash__": hash}
_LOOKING = frozenset((
    "get", "keys", "values", "items", "copy", "index", "count", "__len__", "__getitem__",
    "__contains__", "__iter__", "union", "intersection", "difference", "issubset", "issuperset",
    "isdisjoint", "symmetric_difference", "most_common", "elements"))
_KEYED = ("get", "pop", "setdefault", "__contains__", "__getitem__", "__setitem__", "move_to_end")
_CONTAINERS = tuple(CONTAINERS)
_METHODS = (types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType)
_LRU_CACHE = type(functools.lru_cache(lambda: None))


class Calls(Containers):
    """What sites do for calls."""

    __slots__ = ()

    def call(self, f, /, *args, **kwargs):
        """``f(*args, **kwargs)``"""
        run = here()
        if run is None:
            return f(*args, **kwargs)
        return self.dispatch(run, f, args, kwargs)

    def dispatch(self, run, f, args, kwargs):
        """Call `f` in a trace run."""
        kind = type(f)
        if kind in _METHODS and run.recorder.is_known(f) and not run.attributes.has_bound(f):
            f = self._method(run, f)
        meaning = meaning_of(f) or INSTANCES.get(kind)
        if meaning is not None:
            if kind in INSTANCES:
                run.found(self, f)
                return meaning(self, run, f, *args, **kwargs)
            return meaning(self, run, *args, **kwargs)
        if kind is types.FunctionType:
            return self._function(run, f, args, kwargs)
        if kind is types.MethodType and id(f.__func__) in BOUND:
            return BOUND[id(f.__func__)](self, run, f, *args, **kwargs)
        if kind is types.MethodType and type(f.__func__) is types.FunctionType:
            return self.dispatch(run, f.__func__, (f.__self__, *args), kwargs)
        if kind is np.ufunc or kind is _DISPATCHER:
            return numpy_calls.call(self, run, f, args, kwargs)
        if kind is types.BuiltinFunctionType:
            return self._builtin(run, f, args, kwargs)
        if kind is functools.partial:
            first, named = self.star(self.attr(f, "args")), self.mapping(self.attr(f, "keywords"))
            return self.dispatch(run, self.attr(f, "func"), (*first, *args), {**named, **kwargs})
        if kind is _LRU_CACHE:
            if has_active(run.recorder, (args, kwargs)):
                return self.dispatch(run, self.attr(f, "__wrapped__"), args, kwargs)
            return run.foreign(self, f, args, kwargs)
        if issubclass(kind, type):
            return self._class(run, f, args, kwargs)
        if kind is types.MethodDescriptorType and args and is_a(args[0], f.__objclass__):
            return self.dispatch(run, f.__get__(args[0]), args[1:], kwargs)
        if kind is types.MethodType:
            return run.foreign(self, f, args, kwargs)
        if kind is weakref.ref:
            return run.asked(self, operator.call, (f,))
        if kind is types.MethodWrapperType:
            return self._special(run, f.__name__, (f.__self__, *args), f, args, kwargs)
        if kind is types.WrapperDescriptorType and args:
            return self._special(run, f.__name__, args, f, args, kwargs)
        found = special(f, "__call__")
        if type(found) is types.FunctionType:
            return self.dispatch(run, found, (f, *args), kwargs)
        return run.foreign(self, f, args, kwargs)

    def _method(self, run, f):
        """A method that came from outside as it is: its object comes by way of it."""
        recorder, ref = run.recorder, run.recorder.ref(f)
        own = read(recorder, self, "attribute", (ref, "__self__"), f.__self__)
        if own is not f.__self__:   # a text or a number, which is another object in the run
            return getattr(own, f.__name__)
        if type(f) is types.MethodType:
            read(recorder, self, "attribute", (ref, "__func__"), f.__func__)
        else:
            read(recorder, self, "attribute", (ref, "__name__"), f.__name__)
        return f

    def _special(self, run, name, operands, f, args, kwargs):
        """A special method of a builtin class, asked for by name."""
        if name == "__get__" and type(operands[0]) is types.FunctionType:
            return f(*args, **kwargs)       # a method, which holds both
        if name == "__init__" and (f.__objclass__ is object or is_a(
                operands[0], BaseException)):
            return f(*args, **kwargs)
        if name == "__getattribute__" and len(operands) == 2:
            return run.attributes.plain(self, *operands)
        if name == "__setattr__" and len(operands) == 3 and not run.recorder.is_known(operands[0]):
            run.loops.changes(operands[0])
            return default_setattr(self, run, *operands)
        method = _SPECIAL.get(name)
        if method is not None and len(operands) == method[1] and not kwargs and run.recorder \
                .is_known(operands[0]):
            return getattr(self, method[0])(*operands)
        return run.native(self, f, args, kwargs, operands)

    def _function(self, run, f, args, kwargs):
        if is_own(f.__code__.co_filename):
            return run.own(self, f, args, kwargs)
        form = run.form_of(f, args, kwargs)
        if form is not None:
            return run.enter(self, f, form, args, kwargs)
        module = f.__module__ or ""
        top = module.split(".")[0]
        if top == "numpy" and not module.startswith("numpy.testing"):
            return numpy_calls.call(self, run, f, args, kwargs)
        if top == "scipy" and f.__qualname__ == f.__name__ and not any(map(callable, args)):
            return numpy_calls.call(self, run, f, args, kwargs)
        if only_moves(f):
            return f(*[self._as_own_tuple(run, x) for x in args], **kwargs)
        if run.is_generated(f):
            return self._generated(run, f, args, kwargs)
        return run.foreign(self, f, args, kwargs)

    def _as_own_tuple(self, run, x):
        """A named tuple from outside, with what is in it."""
        if not run.recorder.is_known(x) or not is_a(x, tuple):
            return x
        return tuple.__new__(type(x), self._plainly(run, x))

    def _generated(self, run, f, args, kwargs):
        """A method that dataclasses or namedtuples have written."""
        name = f.__name__
        if name in _COMPARING and len(args) == 2 and dataclasses.is_dataclass(args[0]):
            a, b = args
            if type(a) is not type(b):
                return NotImplemented
            names = [field.name for field in dataclasses.fields(a) if field.compare]
            a, b = (tuple([self.attr(x, name) for name in names]) for x in (a, b))
            return getattr(self, name.strip("_"))(a, b)
        if name in _OF_ALL and args and run.recorder.is_known(args[0]):
            return run.asked(self, _OF_ALL[name], args)
        if name in _OF_ALL and has_known(
                run.recorder, tuple(dict_of(args[0]).values()) if args else ()):
            run.recorder.refuse(f"{name} of a dataclass", self)
        return f(*args, **kwargs)

    def _builtin(self, run, f, args, kwargs):
        own = f.__self__
        kind = type(own)
        recorder = run.recorder
        if kind is np.ndarray:
            return numpy_calls.method(self, run, own, f.__name__, args, kwargs)
        if kind is np.ufunc:
            return numpy_calls.ufunc_method(self, run, own, f, args, kwargs)
        if recorder.is_known(own) and issubclass(kind, (np.generic, float, complex, int)):
            return numpy_calls.method(self, run, own, f.__name__, args, kwargs)
        if is_a(own, (str, bytes)):
            return run.text(self, f, args, kwargs)
        if is_a(own, _CONTAINERS):
            if recorder.is_known(own):
                return run.containers.method(self, own, f, args, kwargs)
            return self._own_container(run, own, f, args, kwargs)
        if own is None or kind is types.ModuleType:
            module = f.__module__ or ""
            if module.startswith("numpy") and not module.startswith("numpy.random"):
                return numpy_calls.call(self, run, f, args, kwargs)
            if module in PURE_MODULES:
                return run.pure(self, f, args, kwargs)
        if kind is types.GeneratorType:
            return f(*args, **kwargs)
        if is_a(own, type) and f in OF_CLASSES:
            return OF_CLASSES[f](self, run, *args, **kwargs)
        if is_a(own, (type, np.dtype)) and not has_known(recorder, (args, kwargs)):
            return f(*args, **kwargs)
        if (f.__module__ or "").startswith("hybridad"):
            return run.own(self, f, args, kwargs)
        return run.foreign(self, f, args, kwargs)

    def _own_container(self, run, own, f, args, kwargs):
        """A method of a container of the run's own; what compares or hashes is seen."""
        name = f.__name__
        if name not in _LOOKING and not is_a(own, (str, bytes, tuple, frozenset)):
            run.loops.changes(own)
        if type(own) is list and name == "sort":
            return ordering.sort(self, run, own, **kwargs)
        if is_a(own, (list, tuple, deque)) and name in ("index", "count", "remove"):
            if has_known(run.recorder, (own, args)):
                places = ordering.find(self, own, *args)
                if name == "count":
                    return len(list(places))
                place = next(places, None)
                if place is not None and name == "index":
                    return place
                if place is not None:
                    run.journal.touch(own)
                    del own[place]
                    return None
        elif is_a(own, (dict, set, frozenset)):
            if args and ((is_a(own, dict) and name in _KEYED) or (not is_a(own, dict)
                         and not is_a(args[0], (list, tuple, set, dict)))):
                args = (run.settled(self, args[0]), *args[1:])
            elif name == "update" and args and is_a(own, dict):
                args = (pairs(self, run, args[0]),)
            elif not is_a(own, dict):
                args = tuple([[run.settled(self, item) for item in self._plainly(run, x)]
                              if run.recorder.is_known(x) or not is_a(x, (set, frozenset))
                              else x for x in args])
        elif is_a(own, (list, deque)) and args and name in ("insert", "pop", "rotate"):
            args = (run.settled(self, args[0]), *args[1:])
        return call_method(self, run.journal, f, args, kwargs)

    def _class(self, run, cls, args, kwargs):
        if cls is np.errstate:
            made = cls(**kwargs)
            run.errstates[id(made)] = made, kwargs
            return made
        if issubclass(cls, (np.generic, np.dtype)):
            return run.pure(self, cls, args, kwargs)
        if issubclass(cls, enum.Enum):      # found by a value
            args = [run.settled(self, x) for x in args]
        if is_foreign_class(cls):
            return run.foreign(self, cls, args, kwargs)
        if cls is bytes or cls is array:
            return run.asked(self, cls, args, kwargs)
        if cls.__module__ == "builtins":
            return run.native(self, cls, args, kwargs)
        if cls.__module__.split(".")[0] == "numpy":
            return run.native(self, cls, args, kwargs)
        if cls in _CONTAINERS or issubclass(cls, tuple):
            return cls(*args, **kwargs) if not issubclass(cls, tuple) or not run.enters(
                cls.__new__) else construct(self, run, cls, args, kwargs)
        return construct(self, run, cls, args, kwargs)

    # -- attributes ------------------------------------------------------------------------------

    def attr(self, o, name):
        """``o.name``"""
        run = here()
        if run is None:
            return getattr(o, name)
        recorder = run.recorder
        kind = type(o)
        if kind is np.ndarray or (recorder.is_known(o) and is_a(
                o, (np.generic, float, complex, int))):
            return numpy_calls.attribute(self, run, o, name)
        if kind is range:
            run.settle_range(self, o)
            return getattr(o, name)
        if kind is types.ModuleType:
            value = getattr(o, name)
            if run.is_users_module(o) or not is_fixed(value) or not run.is_library_module(o):
                return read(recorder, self, "attribute", (o, name), value)
            return value
        return run.attributes.read(self, o, name)

    def set_attr(self, value, o, name):
        """``o.name = value``"""
        run = here()
        if run is None:
            setattr(o, name, value)
        else:
            run.attributes.store(self, o, name, value)

    def del_attr(self, o, name):
        """``del o.name``"""
        run = here()
        if run is None:
            delattr(o, name)
        else:
            run.attributes.delete(self, o, name)
