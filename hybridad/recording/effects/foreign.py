"""Foreign calls: code that is not followed is called once, in order, and its results are kept.

A second run of the same function is handed what the first one got: the result or the exception, and
what the call left in arrays and builtin containers that it was given.
"""

import functools
import io
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType

import numpy as np

from hybridad.recording.effects.contents import base_of, put_back, take

__all__ = ["Calls", "ReplayError"]

_MANY = 64
_IN_MEMORY = (io.StringIO, io.BytesIO)  # nobody notices when they are closed
_HEAPTYPE = 1 << 9
_flags_of = type.__dict__["__flags__"].__get__


class ReplayError(RuntimeError):
    """A second run calls something else than the first one did."""


class Calls:
    """The foreign calls of one run, by ordinal."""

    __slots__ = ("_complete", "_handed", "_inside", "_kept", "_next", "is_repeatable")

    def __init__(self, kept=(), complete=False):
        self._kept, self._complete = list(kept), complete
        self._handed = len(self._kept)
        self._next = 0
        self._inside = False
        self.is_repeatable = True

    @property
    def made(self):
        """How many were made here, not handed out."""
        return max(0, self._next - self._handed)

    def again(self, complete=False):
        """The same calls, for a run that is handed their results; no others, if `complete`."""
        return Calls(self._kept, complete)

    def call(self, journal, call, function, args, kwargs, arrays):
        """Call a function, or hand out what it gave."""
        if self._inside:  # what happens below a foreign call is part of it
            return call(function, args, kwargs)
        ordinal, self._next = self._next, self._next + 1
        given = [*arrays, *_containers((function, *args, *kwargs.values()))]
        for x in given:
            journal.touch(x)
        if ordinal < len(self._kept):
            return self._hand_out(ordinal, function, given)
        if self._complete:
            raise ReplayError(f"hybridad: {function!r} is called in the second run alone")
        before = [_take(x) for x in given]
        self._inside = True
        try:
            made = _Call(call, function, args, kwargs)
        finally:
            self._inside = False
        made.changes = [None if _equal(was, now) else _Change(was, now)
                        for was, now in zip(before, map(_take, given), strict=True)]
        if not self.is_repeatable:
            return made.outcome()
        self._kept.append(made)
        if made.closes:     # kept alive, it would be closed later than in plain code
            self.is_repeatable = False
            self._kept.clear()
        return made.outcome()

    def _hand_out(self, ordinal, function, given):
        kept = self._kept[ordinal]
        if not _same_function(kept.function, function) or len(given) != len(kept.changes):
            raise ReplayError(
                f"hybridad: foreign call {ordinal} of the second run is {function!r}, but the "
                f"first run had called {kept.function!r} there")
        for x, change in zip(given, kept.changes, strict=True):
            if change is not None:
                change.put_into(x)
        kept.renew()
        return kept.outcome()


class _Call:
    """What one call gave."""

    __slots__ = ("_arrays", "_error", "_result", "_traceback", "changes", "function")

    def __init__(self, call, function, args, kwargs):
        self.function, self.changes = function, ()
        self._result = self._error = self._traceback = None
        try:
            self._result = call(function, args, kwargs)
        except Exception as error:
            self._error, self._traceback = error, error.__traceback__
        # `f` may write to what it is given, and should be given it anew.
        self._arrays = [(x, x.copy(order="K")) for x in _arrays(self._result)]

    @property
    def closes(self):
        """Whether it gave something that has to be closed: a file, a connection."""
        kind = type(self._result)
        return kind not in _IN_MEMORY and hasattr(kind, "close") and hasattr(kind, "__exit__")

    def renew(self):
        for array, content in self._arrays:
            if array.flags.writeable:
                np.copyto(array, content)

    def outcome(self):
        if self._error is not None:
            raise self._error.with_traceback(self._traceback)
        return self._result


class _Change:
    """How a call left something that it was given."""

    __slots__ = ("_base", "_before", "_now", "_places")

    def __init__(self, before, now):
        self._base, self._before = before
        self._now = now[1]
        self._places = None
        if _is_sequence(self._base):
            # What was moved is in the second run what stands there, which may be another object.
            places = {id(x): k for k, x in enumerate(self._before)}
            self._places = [places.get(id(x), -1) for x in self._now]

    def put_into(self, x):
        if self._base is np.ndarray:
            np.copyto(x, self._now)
        elif self._places is not None:
            held = take(self._base, x)
            put_back(self._base, x, [held[k] if 0 <= k < len(held) else item
                                     for k, item in zip(self._places, self._now)])
        elif issubclass(self._base, dict):
            self._merge(x)
        else:
            put_back(self._base, x, self._now)

    def _merge(self, x):
        before, now, held = (c[1] if type(c) is tuple else c
                             for c in (self._before, self._now, take(self._base, x)))
        names = self._now[0] if type(self._now) is tuple else now
        merged = {name: held[name] if name in held and name in before
                  and before[name] is now[name] else now[name] for name in names}
        put_back(self._base, x, merged if self._base is dict else (list(names), merged))


def _is_sequence(base):
    return issubclass(base, list) or base.__name__ == "deque"


def _take(x):
    """What an array or a container holds, with the kind of it."""
    if issubclass(type(x), np.ndarray):
        return np.ndarray, x.view(np.ndarray).copy(order="K")
    base = base_of(type(x))
    return base, take(base, x)


def _equal(before, now):
    """Whether nothing was changed: the same bits, or the very same objects in the same order."""
    base, was = before
    is_now = now[1]
    if base is np.ndarray:
        return (was.shape == is_now.shape and was.dtype == is_now.dtype
                and was.tobytes() == is_now.tobytes())
    if base is dict:
        return _identical(was, is_now) and _identical(was.values(), is_now.values())
    if type(was) is tuple:  # an ordered dictionary or a set: (order, content)
        return _identical(was[0], is_now[0]) and (
            base is set or all(was[1][k] is is_now[1][k] for k in was[0]))
    if type(was) is list:
        return _identical(was, is_now)
    return was == is_now


def _identical(a, b):
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


def _containers(values):
    """The mutable builtin containers in values, in a fixed order, each once."""
    found, seen = [], set()
    stack = [*values][::-1]
    while stack:
        x = stack.pop()
        kind = type(x)
        if kind in (int, float, str) or id(x) in seen:
            continue
        inside = ()
        if issubclass(kind, tuple):
            inside = tuple.__iter__(x)
        elif kind is functools.partial:
            inside = (x.func, *x.args, *x.keywords.values())
        elif kind in (MethodType, BuiltinFunctionType):
            inside = (x.__self__,)
        else:
            base = base_of(kind)
            if base is None:
                continue
            found.append(x)
            if base is list:
                inside = list.__iter__(x)
            elif issubclass(base, dict):
                inside = dict.values(x)
        seen.add(id(x))
        stack.extend([*inside][::-1])
    return found


def _arrays(result):
    """The arrays in a result, also in the items of a small list or tuple."""
    if type(result) is np.ndarray:
        return [result]
    if type(result) in (list, tuple) and len(result) <= _MANY:
        return [array for item in result for array in _arrays(item)]
    return []


def _same_function(kept, asked):
    """Whether the second run asks for what the first had called.

    A function that `f` makes anew, or a method of an object that it makes, is not the same object.
    """
    if kept is asked:
        return True
    kind = type(kept)
    if kind is not type(asked):
        return False
    if kind is FunctionType:
        return kept.__code__ is asked.__code__
    if kind is MethodType:
        return (type(kept.__self__) is type(asked.__self__)
                and _same_function(kept.__func__, asked.__func__))
    if kind in (BuiltinFunctionType, MethodWrapperType):
        return (kept.__name__ == asked.__name__
                and type(kept.__self__) is type(asked.__self__))
    if kind is functools.partial:
        return _same_function(kept.func, asked.func)
    return not issubclass(kind, type) and bool(_flags_of(kind) & _HEAPTYPE)
