"""Effects of a trace run: what others will see of it, and code that is not followed."""

import types

import numpy as np

from hybridad._forms import is_form
from hybridad.recording.effects import CONTAINERS
from hybridad.recording.effects.foreign import ReplayError
from hybridad.recording.lines import at_users_line
from hybridad.recording.ownership import self_of
from hybridad.recording.runtime.attributes import dict_of
from hybridad.recording.runtime.foreign import plain_arrays
from hybridad.recording.tracing.encoding import (
    arrays_in,
    encode,
    has_active,
    is_constant_object,
)
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.reads import enter_value, memory_of
from hybridad.recording.tracing.values import Dynamic, Text, is_a, outgoing, repeats_itself
from hybridad.trace.ir import Ref

__all__ = ["Effects", "call_foreign"]


class Effects:
    """What a trace run does for effects; the rest of it is in `run`."""

    def before_write(self, site, array):
        """An array is about to be written to."""
        known = self.recorder.array_of(array)
        if repeats_itself(array):
            self.recorder.refuse("an array that repeats memory is written to", site)
        if known is not None and known.memory.outside and not known.memory.noted:
            known.memory.noted = True
            self.recorder.apart(known.memory, site)
            self.recorder.node("note", None, (self.recorder.ref(array),), None, None, site)
        elif known is not None and any(known.memory.root.array is x for x in self.spread):
            # Code would write into a copy with other strides.
            self.recorder.refuse("an argument with gaps or negative strides is written to", site)
        self.journal.write_array(array)

    def effect(self, site, kind, args, before, first=None):
        """f's own effect on something outside; performed by the caller."""
        recorder = self.recorder
        self.escape(site, args[-1])
        own = args if first is None else args[1:]
        encoded = (*(first or ()), *self._encoded(site, tuple(own)))
        before()
        recorder.node("effect", kind, encoded, None, None, site)
        self.stored(args[-1])
        recorder.changed()

    def _encoded(self, site, x):
        try:
            return encode(self.recorder, x)
        except NotTraced as reason:
            self.recorder.refuse(str(reason), site)

    def stored(self, x):
        """`x` is stored outside."""
        self.recorder.stored[id(x)] = x

    def escape(self, site, x):
        """Builtin containers of the run's own that others will see are made once."""
        recorder = self.recorder
        kind = type(x)
        if recorder.is_known(x):
            return
        if kind in (list, dict, set):
            items = x.values() if kind is dict else x
            for item in items:
                self.escape(site, item)
            number = recorder.node("build", kind, (encode(
                recorder, x if kind is not set else list(x)),), None, None, site)
            recorder.know(x, number)
            for item in items:
                self.stored(item)
            outgoing(x)
        elif issubclass(kind, tuple):
            for item in x:
                self.escape(site, item)
                self.stored(item)
        elif self.is_plain_object(x):
            content = dict(dict_of(x))
            for item in content.values():
                self.escape(site, item)
            number = recorder.node("build", kind, (encode(recorder, content),), None, None, site)
            recorder.know(x, number)
            for name, item in content.items():
                self.stored(item)
                if type(item) in (Dynamic, Text, tuple):
                    object.__setattr__(x, name, outgoing(item))

    def is_plain_object(self, x):
        """Whether an object of the user's is what its attributes are."""
        kind = type(x)
        return self.is_users_class(kind) and not self.is_own_class(kind) \
            and kind.__new__ is object.__new__ \
            and type(kind) is type and not is_a(x, (*CONTAINERS, BaseException)) \
            and "__dict__" in dir(kind) and not any(
                "__slots__" in base.__dict__ for base in kind.__mro__) \
            and not hasattr(kind, "__del__")

    def foreign(self, site, f, args, kwargs, shows=None):
        """Code that is not followed, called with plain values, in order.

        `shows`: what it returns is of no interest; by default if nothing is done with it.
        """
        recorder = self.recorder
        shows = site.discarded if shows is None else shows
        active = has_active(recorder, (f, args, kwargs))
        if any(map(self._is_own_code, (f, *args, *kwargs.values()))):
            recorder.refuse("a function or class made inside is given to code that is not followed",
                            site)
        for x in (*args, *kwargs.values()):
            if not shows:
                self.escape(site, x)
        if type(kwargs.get("out")) is np.ndarray:
            return self._filled(site, f, args, kwargs)
        encoded = self._encoded(site, (f, args, kwargs))
        arrays = [x for x in arrays_in((args, kwargs)) if x.flags.writeable]
        before = [x.copy() for x in arrays]
        args, kwargs = outgoing(tuple(args)), {k: outgoing(x) for k, x in kwargs.items()}
        result = self._called(site, f, args, kwargs)
        for x, old in zip(arrays, before):
            if not np.array_equal(x, old, equal_nan=x.dtype.kind in "fc"):
                recorder.refuse("code that is not followed wrote into an array", site)
        recorder.changed()
        if active and not shows and not (result is None or type(result) is str):
            recorder.refuse(f"{getattr(f, '__name__', f)} is called with a differentiated value",
                            site)
        number = recorder.node("foreign", None, encoded, None, result, site,
                               memory_of(recorder, result))
        if shows or (result is None and site.discarded):
            return result
        if type(result) is tuple:
            recorder.check("type", Ref(number), tuple, site)
            recorder.check("length", Ref(number), len(result), site)
            return tuple([enter_value(
                recorder, site, recorder.node("read", "item", (Ref(number), k), None, x, site,
                                                memory_of(recorder, x)),
                x, ("foreign", site.line, site.col, k)) for k, x in enumerate(result)])
        return enter_value(recorder, site, number, result, ("foreign", site.line, site.col))

    def _called(self, site, f, args, kwargs):
        self.suspended += 1
        try:
            return call_foreign(self.journal, f, args, kwargs)
        except ReplayError as reason:       # which the function must not catch
            return self.recorder.refuse(str(reason), site)
        finally:
            self.suspended -= 1

    def _filled(self, site, f, args, kwargs):
        """``rng.random(out=x)``: a generator fills an array, which is then written."""
        out = kwargs["out"]
        if not (type(self_of(f)).__module__ or "").startswith("numpy.random"):
            self.recorder.refuse("code that is not followed writes into an array", site)
        made = site.call(np.empty_like, out)
        encoded = self._encoded(site, (f, tuple(args), {**kwargs, "out": made}))
        made = self._called(site, f, outgoing(tuple(args)), {**kwargs, "out": made})
        self.recorder.changed()
        filled = made.copy(order="K")
        number = self.recorder.node("foreign", None, encoded, None, filled, site,
                                    self.recorder.next_memory())
        self.recorder.new_array(filled, number, True)
        site.set_item(filled, out, Ellipsis)
        return out

    def _is_own_code(self, x):
        """Whether the run has made a function or class, which may hold values of the run."""
        if is_a(x, type):
            return self.is_own_class(x)
        return type(x) is types.FunctionType and is_form(x.__code__) \
            and not self.recorder.is_known(x)

    def absent(self, site, o, name):
        """``hasattr(o, name)`` was false."""
        if self.recorder.is_known(o) or is_constant_object(o):
            self._noted_attribute(site, o, name, False)

    def unshadowed(self, site, namespace):
        """A builtin was read: no global of its name hides it."""
        recorder, key = self.recorder, ("builtin", id(namespace), site.detail)
        if key not in recorder._reads:
            recorder._reads[key] = None, None
            recorder.check("builtin", self.function_with(namespace), site.detail, site)

    def has_attribute(self, site, o, name):
        """``hasattr(o, name)`` of an object from outside"""
        return self._noted_attribute(site, o, name, hasattr(o, name))

    def _noted_attribute(self, site, o, name, outcome):
        number = self.recorder.node("read", "has attribute", (encode(self.recorder, o), name),
                                    None, None, site)
        self.recorder.check("equal", Ref(number), outcome, site)
        return outcome


def call_foreign(journal, f, args, kwargs, call=at_users_line):
    """A foreign call as all runs make it, so that their results can be handed out in order."""
    if type(f) is types.MethodType and type(f.__func__) is not types.FunctionType:
        f, args = f.__func__, (f.__self__, *args)
    arrays = [x for x in arrays_in((args, tuple(kwargs.values())))
              if x.flags.writeable and x.dtype.kind in "fc"]
    return journal.foreign(f, args, kwargs,
                           [*arrays, *plain_arrays((*args, *kwargs.values()))], call)
