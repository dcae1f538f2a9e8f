"""Attributes of objects in a trace run."""

import functools
import types

import numpy as np

from hybridad._forms import is_form
from hybridad.recording.effects import CONTAINERS
from hybridad.recording.runtime import attributes
from hybridad.recording.runtime.attributes import dict_of
from hybridad.recording.runtime.specials import special, users
from hybridad.recording.tracing.encoding import encode, is_constant_object, is_fixed
from hybridad.recording.tracing.reads import read
from hybridad.recording.tracing.values import is_a, outgoing
from hybridad.trace.ir import Ref

__all__ = ["Attributes"]

_BOUND = (types.BuiltinFunctionType, types.MethodWrapperType)


class Attributes:
    """Reads and stores attributes.

    Parameters
    ----------
    run : TraceRun
    """

    def __init__(self, run):
        self.run = run
        self._methods = {}  # id of a bound method that was read of its object -> it

    def read(self, site, o, name):
        """``o.name`` of anything but an array or a module."""
        recorder = self.run.recorder
        outside = recorder.is_known(o)
        if is_a(o, type):
            return self._of_class(site, o, name)
        if not outside and not (type(o) is types.FunctionType and not is_form(o.__code__)):
            return self._of_own(site, o, name)
        if users(o, "__getattribute__") is not None:
            self._bound(site, o, "__getattribute__", special(o, "__getattribute__"))
            return attributes.attr(site, self.run, o, name)
        return self._of_outside(site, o, name, attributes.attr, self._plainly)

    def plain(self, site, o, name):
        """``object.__getattribute__(o, name)``"""
        if not self.run.recorder.is_known(o):
            return attributes.default_getattr(site, self.run, o, name)
        return self._of_outside(site, o, name, attributes.default_getattr,
                                lambda site, o, name: object.__getattribute__(o, name))

    def _of_outside(self, site, o, name, behind, plainly):
        """`behind` gives what a descriptor stands for, `plainly` everything else."""
        recorder = self.run.recorder
        found = special(o, name)
        kind = type(found)
        if kind is functools.cached_property:
            self._bound(site, o, name, found)
            return self._cached(site, o, name, found)
        if kind is property or self._descriptor(found):
            self._bound(site, o, name, found)
            return behind(site, self.run, o, name)
        value = plainly(site, o, name)
        if users(o, "__getattribute__") is not None:    # which must not be asked once more
            return self.run.asked(site, object.__getattribute__, (o, name))
        if kind is types.FunctionType and type(value) is types.MethodType \
                and value.__func__ is found:
            self._method(site, o, name, found)
            return value
        if type(value) is types.MethodType and type(value.__func__) is types.FunctionType:
            return value
        if name not in dict_of(o) and found is None \
                and users(o, "__getattr__") is not None:
            self._not_its_own(site, o, name)
            return value
        if (type(value) in _BOUND or type(value) is types.MethodType) and value.__self__ is o:
            if not is_a(o, tuple(CONTAINERS)):
                self.know_method(site, value)
            return value
        return read(recorder, site, "attribute", (encode(recorder, o), name), value)

    def _cached(self, site, o, name, found):
        """A `functools.cached_property` of an outside object, which is stored once it is known."""
        run, recorder = self.run, self.run.recorder
        held = read(recorder, site, "attribute", (encode(recorder, o), "__dict__"), dict_of(o))
        if site.isin(name, held):
            return site.item(held, name)
        value = site.call(found.func, o)
        run.effect(site, "attribute", (o, name, value), lambda: run.journal.set_attribute(o, name))
        dict_of(o)[name] = value = outgoing(value)
        return value

    def know_method(self, site, method):
        """A bound method of an object from outside is a value of the run."""
        recorder = self.run.recorder
        args = encode(recorder, method.__self__), method.__name__
        recorder.know(method, recorder.node("read", "attribute", args, None, None, site))
        self._methods[id(method)] = method

    def has_bound(self, method):
        """Whether a bound method was read of its object."""
        return self._methods.get(id(method)) is method

    def _plainly(self, site, o, name):
        if users(o, "__getattr__") is not None:
            return attributes.attr(site, self.run, o, name)
        return getattr(o, name)

    def _descriptor(self, found):
        return found is not None and type(found) is not types.FunctionType \
            and users(found, "__get__") is not None

    def _bound(self, site, o, name, found):
        """What is found on the type of an outside object must be found there again."""
        if self.run.is_own_class(type(o)):
            return
        self._look_up(site, type(o), name)

    def _method(self, site, o, name, found):
        """The same, of a method, which an attribute of the object itself would hide."""
        recorder = self.run.recorder
        codes = self.run.found_again(found)
        if not hasattr(type(o), "__dict__") or special(o, "__dict__") is None:
            self._bound(site, o, name, found)
        elif not self.run.is_own_class(type(o)):
            recorder.node("check", "bound", (encode(recorder, o), name, found),
                          {"method": True, "codes": codes}, None, site)

    def _not_its_own(self, site, o, name):
        """An outside object does not have an attribute, but its class does, or gives it."""
        recorder = self.run.recorder
        own = recorder.node("read", "attribute", (encode(recorder, o), "__dict__"), None, None,
                            site)
        number = recorder.node("read", "contains", (Ref(own), name), None, None, site)
        recorder.check("equal", Ref(number), False, site)

    def _look_up(self, site, cls, name):
        """What a class has under a name must be the same the next time."""
        recorder, value = self.run.recorder, _found_on(cls, name)
        if type(value) is types.FunctionType:
            read(recorder, site, "attribute", (encode(recorder, cls), name), value)
            return
        if value is not None:
            recorder.node("check", "bound", (cls, name, value),
                          {"codes": self.run.found_again(value)}, None, site)
            return
        for base in cls.__mro__:
            if name in base.__dict__:
                found = base.__dict__[name]
                recorder.node("check", "bound", (base, name, found), {
                    "own": True, "codes": self.run.found_again(found)}, None, site)
                return

    def _of_own(self, site, o, name):
        """Of an object that the run has made: it is known by itself, its class is outside."""
        found = special(o, name)
        kind = type(found)
        if found is not None and self.run.is_users_class(type(o)) \
                and not self.run.is_own_class(type(o)):
            self._bound(site, o, name, found)
            is_data = name in dict_of(o) or hasattr(kind, "__get__")
            if not is_data:
                base = next(b for b in type(o).__mro__ if name in b.__dict__)
                return read(self.run.recorder, site, "attribute", (base, name), getattr(o, name))
        return attributes.attr(site, self.run, o, name)

    def _of_class(self, site, cls, name):
        run = self.run
        if run.is_own_class(cls):
            return attributes.attr(site, run, cls, name)
        if not run.is_users_class(cls):
            value = getattr(cls, name)
            if is_fixed(value) or callable(value):
                return value
            return read(run.recorder, site, "attribute", (encode(run.recorder, cls), name), value)
        if name == "__dict__":
            return read(run.recorder, site, "attribute", (encode(run.recorder, cls), name),
                        cls.__dict__)
        held = next((b.__dict__[name] for b in cls.__mro__ if name in b.__dict__), None)
        if is_a(held, (classmethod, staticmethod)) or type(held) is types.FunctionType:
            self._look_up(site, cls, name)
            return getattr(cls, name)
        if users(held, "__get__") is not None or special(cls, name) is not None:
            return attributes.attr(site, run, cls, name)
        value = getattr(cls, name)
        if type(value) in _BOUND or type(value).__name__ in (
                "wrapper_descriptor", "member_descriptor"):
            return value
        return read(run.recorder, site, "attribute", (encode(run.recorder, cls), name), value)

    def find_method(self, site, f, o):
        """Note where a method that was found on the type of `o` is to be found the next time.

        Returns
        -------
        bool
            Whether it is there.
        """
        for cls in (type(o), o) if is_a(o, type) else (type(o),):
            for base in cls.__mro__:
                held = base.__dict__
                for name in (f.__name__, *held):
                    if name in held and _plain(held[name]) is f:
                        if not self.run.is_own_class(base):
                            self._look_up(site, base, name)
                        return True
        return False

    # -- stores ----------------------------------------------------------------------------------

    def store(self, site, o, name, value):
        """``o.name = value``"""
        run = self.run
        if type(o) is np.ndarray:
            if name in ("real", "imag"):
                site.set_item(value, site.attr(o, name), Ellipsis)
                return
            run.recorder.refuse(f"the attribute {name} of an array is set", site)
        method = special(o, "__setattr__")
        if run.enters(method):
            site.call(method, o, name, value)
            return
        found = special(o, name)
        if found is not None and hasattr(type(found), "__set__") and (
                type(found) is property or users(found, "__set__") is not None):
            self._bound(site, o, name, found)
            attributes.set_attr(site, run, o, name, value, found)
            return
        if self._is_outside(o):
            if type(o).__module__.startswith("numpy.random"):   # as on the tape
                run.foreign(site, setattr, (o, name, value), {})
                return
            run.effect(site, "attribute", (o, name, value),
                       lambda: run.journal.set_attribute(o, name))
            value = outgoing(value)
        else:
            run.journal.set_attribute(o, name)
            run.loops.changes(o)
        setattr(o, name, value)

    def delete(self, site, o, name):
        """``del o.name``"""
        if self._is_outside(o):
            self.run.effect(site, "delete attribute", (o, name),
                            lambda: self.run.journal.set_attribute(o, name))
            delattr(o, name)
        else:
            attributes.del_attr(site, self.run, o, name)

    def _is_outside(self, o):
        if self.run.recorder.is_known(o):
            return True
        if type(o) is types.FunctionType:
            return not is_form(o.__code__)
        return is_constant_object(o) and not (is_a(o, type) and self.run.is_own_class(o))


def _found_on(cls, name):
    """What ``cls.name`` is, if that is the same object each time and no code of the user's."""
    held = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
    if users(held, "__get__") is not None:
        return None
    value = getattr(cls, name, None)
    return value if getattr(cls, name, None) is value else None


def _plain(x):
    """The function of a class method or a static method."""
    return x.__func__ if is_a(x, (classmethod, staticmethod)) else x
