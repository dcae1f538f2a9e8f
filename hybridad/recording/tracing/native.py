"""Native code in a trace run: pure functions, texts, questions to objects that are not followed.

What native code says of values of the run has to be written down. Of numbers and arrays it is an
operation. Of an object from outside (a date, a path, a table of some package) it may be another
thing in each call, so it is *asked* anew, in its place.
"""

import operator
from collections import deque

import numpy as np

from hybridad.recording.lines import at_users_line
from hybridad.recording.nested import DIRECT, MAKERS
from hybridad.recording.ownership import is_generated_code
from hybridad.recording.runtime.specials import users
from hybridad.recording.stop import stop_gradient
from hybridad.recording.tracing.derivatives import (
    Pullback,
    call_derived,
    call_direct,
    make_derived,
)
from hybridad.recording.tracing.encoding import (
    VIEWS,
    arrays_in,
    encode,
    has_active,
    has_known,
    holds_known,
    is_constant_object,
    is_opaque,
)
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.reads import enter_value, memory_of
from hybridad.recording.tracing.values import Dynamic, Text, bare, is_a, is_number
from hybridad.trace.ir import Method, Ref

__all__ = ["PURE_MODULES", "Native"]

PURE_MODULES = ("math", "cmath", "_operator", "operator")
"""Modules whose functions neither have effects nor read what may change."""

_PLAIN = (np.ndarray, np.generic, str)


class Native:
    """What a trace run does with native code; the rest of it is in `run`."""

    def pure(self, site, f, args, kwargs):
        """A function that neither has an effect nor reads what may change."""
        recorder = self.recorder
        args = tuple([self._laid_out(site, x) for x in args])
        if any(is_opaque(recorder, x) for x in (*args, *kwargs.values())):
            return self.asked(site, f, args, kwargs)
        if not has_known(recorder, (args, kwargs)):
            return recorder.surely(lambda: at_users_line(f, args, kwargs))
        return self._computed(site, f, args, kwargs)

    def _laid_out(self, site, x):
        """What native code will go through, as a list or a tuple."""
        kind = type(x)
        if kind in (list, str, bytes, range, dict) or is_number(x) or not hasattr(kind, "__iter__"):
            return x
        if is_a(x, tuple):
            return x if kind is tuple else tuple(site._plainly_here(x))
        if is_a(x, (deque, *VIEWS)) or hasattr(kind, "__next__"):
            return list(site._plainly_here(x))
        return x

    def _computed(self, site, f, args, kwargs):
        recorder = self.recorder
        try:
            encoded = encode(recorder, tuple(args)), encode(recorder, kwargs)
        except NotTraced:
            self._lost(site, f)
        return recorder.compute(site, f, *encoded,
                                lambda: at_users_line(f, tuple(map(bare, args)), kwargs),
                                arrays_in((tuple(args), kwargs)))

    def asked(self, site, f, args, kwargs=None):
        """What native code says of objects from outside, which is asked again in each call."""
        recorder, kwargs = self.recorder, kwargs or {}
        everything = args, kwargs
        if not holds_known(recorder, everything):
            return recorder.surely(lambda: at_users_line(f, args, kwargs))
        if all(is_number(x) or is_a(x, _PLAIN) or not recorder.is_known(x)
               or is_constant_object(x) for x in args):
            return self._computed(site, f, args, kwargs)
        if has_active(recorder, everything) or arrays_in(everything):
            self._lost(site, f)
        try:
            encoded = f, encode(recorder, tuple(args)), encode(recorder, kwargs)
        except NotTraced:
            self._lost(site, f)
        result = recorder.attempt(site, *encoded, lambda: at_users_line(
            f, tuple(map(bare, args)), kwargs))
        return self.answered(site, encoded, result)

    def answered(self, site, asked, result):
        """What native code, asked by ``(function, args, kwargs)`` (encoded), has said."""
        recorder = self.recorder
        number = recorder.node("read", "asked", asked, None, result, site,
                               memory_of(recorder, result))
        if type(result) in (bool, np.bool_, str):
            return recorder.give(number, result, site)
        return enter_value(recorder, site, number, result, ("asked", site.line, site.col))

    def identity(self, site, x):
        """``id(x)`` of something from outside"""
        return self.answered(site, (id, (self.recorder.identity(x),), {}), id(x))

    def found(self, site, x):
        """`x` is something that never changes: if it is from outside, it must be this one."""
        recorder = self.recorder
        if recorder.is_known(x):
            recorder.check("is", recorder.ref(x), x, site)

    def native(self, site, f, args=(), kwargs=None, operands=()):
        """Native code that is not followed; what it makes of values of the run would be lost."""
        kwargs = kwargs or {}
        if holds_known(self.recorder, (args, kwargs, tuple(operands))) and not (
                is_a(f, type) and issubclass(f, BaseException)):
            self._lost(site, f)
        return at_users_line(f, args, kwargs)

    def _lost(self, site, f):
        self.recorder.refuse(f"{getattr(f, '__name__', f)} is not followed", site)

    def own(self, site, f, args, kwargs):
        """A function of hybridad's own."""
        if f is stop_gradient and not kwargs and len(args) == 1 and (
                type(args[0]) is np.ndarray or is_number(args[0])):
            return self.pure(site, f, args, kwargs)
        if f in MAKERS and args:
            return make_derived(self, site, f, args, kwargs)
        if f in DIRECT and args:
            return call_direct(self, site, DIRECT[f], args, kwargs)
        if f.__name__ == "__call__" and (type(args[0]) is Pullback or getattr(
                args[0], "_nested", None) is not None):
            return call_derived(self, site, args[0], args[1:], kwargs)
        return self.recorder.refuse(f"{f.__name__} of hybridad is called inside", site)

    def unfollowed(self, site, x):
        """`x` was made by something that is not followed."""
        if type(x) is np.ndarray or is_number(x):
            if not self.recorder.is_known(x) and not is_a(x, int):
                self.recorder.refuse("a value that is not followed", site)

    def text(self, site, f, args, kwargs):
        """What makes a text."""
        recorder = self.recorder
        own = getattr(f, "__self__", None)
        args = tuple([self._laid_out(site, x) for x in args])
        if any(is_opaque(recorder, x) for x in (*args, *kwargs.values())):
            if is_a(own, (str, bytes)):
                f, args = getattr(type(own), f.__name__), (own, *args)
            return self.asked(site, f, args, kwargs)
        known = has_known(recorder, (args, kwargs)) or recorder.is_known(own)
        result = at_users_line(f, args, kwargs)
        if not known:
            return result
        target = f
        if is_a(own, (str, bytes)):
            target, args = Method(f.__name__), (own, *args)
        encoded = encode(recorder, args), encode(recorder, kwargs)
        made = recorder.apply(site, target, *encoded, result)
        if type(made) is list:
            self.settle_length(site, made)
        if type(made) is bytes:
            recorder.decide(site, made, "value", result)
            return bytes(bytearray(made))   # another object, which is static
        return made

    def settle_length(self, site, parts):
        """How many results there are is decided."""
        number = self.recorder.number_of_parts(parts)
        self.recorder.decide_id(site, number, "value", len(parts))

    def settled(self, site, x):
        """`x` as a plain value: decided, if it came from data."""
        recorder = self.recorder
        if type(x) is tuple:
            items = [self.settled(site, item) for item in (
                site._plainly_here(x) if recorder.is_known(x) else x)]
            return x if all(map(operator.is_, items, x)) else tuple(items)
        if not recorder.is_known(x):
            return x
        if type(x) is Text:
            recorder.decide(site, x, "str", str(x))
            return str(x)
        if is_a(x, (int, np.integer)):
            recorder.decide(site, x, "value", int(x))
            return int(x)
        if is_number(x):
            recorder.decide(site, x, "value", x)
        elif is_a(x, (tuple, frozenset)):
            for item in site._plainly_here(x):
                self.settled(site, item)
        elif is_opaque(recorder, x):
            method = users(x, "__eq__")
            if method is not None and not is_generated_code(method.__code__):
                recorder.refuse(f"a {type(x).__name__} as a key", site)
            recorder.decide(site, x, "value", x)
        return x

    # -- ranges ----------------------------------------------------------------------------------

    def length_of_range(self, site, x):
        """The length of a range, which may vary from call to call."""
        if id(x) not in self.recorder.ranges:
            return len(x)
        recorder, length = self.recorder, Dynamic(len(x))
        number = recorder.node("apply", range, self.recorder.ranges[id(x)][1], {}, None, site)
        recorder.know(length, recorder.node("apply", len, (Ref(number),), {}, length, site))
        return length

    def settle_range(self, site, x):
        """What a range is made of is decided, if it came from data."""
        self.recorder.settle_range(x, site)
