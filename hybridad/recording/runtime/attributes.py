"""Attributes of the user's objects: properties, descriptors, `__getattr__` and its like.

What stands behind an attribute is found by the rules of the interpreter and, where the user wrote
it, called through the site.
"""

import functools
import types

from hybridad.recording.runtime.specials import special, users

__all__ = ["attr", "default_getattr", "default_setattr", "del_attr", "dict_of", "set_attr"]


def attr(site, run, o, name):
    """``o.name`` where a property, a descriptor or ``__getattr__`` may stand behind it."""
    found = users(o, "__getattribute__")
    if found is None:
        found = _getattribute
    try:
        return found(site, run, o, name) if found is _getattribute else site.call(found, o, name)
    except AttributeError:
        fallback = users(o, "__getattr__")
        if fallback is None:
            raise
    return site.call(fallback, o, name)


def _getattribute(site, run, o, name):
    """What ``object.__getattribute__`` or, for a class, ``type.__getattribute__`` does."""
    if issubclass(type(o), type):  # `isinstance` might ask the object
        return _of_class(site, o, name)
    found = special(o, name)
    kind = type(found)
    if kind is property and found.fget is not None:
        return site.call(found.fget, o)
    if kind is functools.cached_property:
        held = dict_of(o)
        if name not in held:
            made = site.call(found.func, o)
            if run.journal is not None:
                run.journal.set_attribute(o, name)
            held[name] = made
        return held[name]
    if found is not None and kind is not types.FunctionType:
        get = users(found, "__get__")
        if get is not None:
            held = dict_of(o)
            if name not in held or hasattr(kind, "__set__") or hasattr(kind, "__delete__"):
                return site.call(get, found, o, type(o))
    if users(o, "__getattr__") is not None and type(o).__getattribute__ is object.__getattribute__:
        return object.__getattribute__(o, name)
    return getattr(o, name)


def dict_of(o):
    """The attributes of an object, which no code of the user's is asked for."""
    try:
        return object.__getattribute__(o, "__dict__")
    except AttributeError:
        return {}


def _of_class(site, cls, name):
    found = special(cls, name)
    if type(found) is property and found.fget is not None:
        return site.call(found.fget, cls)
    held = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
    get = users(held, "__get__")
    if get is not None and not hasattr(type(found), "__set__"):
        return site.call(get, held, None, cls)
    get = users(found, "__get__")
    if get is not None and (held is None or hasattr(type(found), "__set__")):
        return site.call(get, found, cls, type(cls))
    if type(cls).__getattribute__ is type.__getattribute__:
        return type.__getattribute__(cls, name)  # which asks no `__getattr__`
    return getattr(cls, name)


def set_attr(site, run, o, name, value, found, store_plainly=setattr):
    """``o.name = value`` where a descriptor, `found`, stands behind it."""
    if type(found) is property and found.fset is not None:
        site.call(found.fset, o, value)
        return
    store = users(found, "__set__")
    if store is not None:
        site.call(store, found, o, value)
        return
    if run.journal is not None:
        run.journal.set_attribute(o, name)
    store_plainly(o, name, value)


def default_getattr(site, run, o, name):
    """``object.__getattribute__(o, name)``, which asks no `__getattr__`."""
    found = special(o, name)
    if type(found) in (property, functools.cached_property) or users(found, "__get__") is not None:
        return _getattribute(site, run, o, name)
    return object.__getattribute__(o, name)


def default_setattr(site, run, o, name, value):
    """``object.__setattr__(o, name, value)``"""
    found = special(o, name)
    if found is not None and hasattr(type(found), "__set__"):
        set_attr(site, run, o, name, value, found, object.__setattr__)
        return
    if run.journal is not None:
        run.journal.set_attribute(o, name)
    object.__setattr__(o, name, value)


def del_attr(site, run, o, name):
    """``del o.name``"""
    own = users(o, "__delattr__")
    if own is not None:
        site.call(own, o, name)
        return
    found = special(o, name)
    if type(found) is property and found.fdel is not None:
        site.call(found.fdel, o)
        return
    remove = users(found, "__delete__")
    if remove is not None:
        site.call(remove, found, o)
        return
    if run.journal is not None:
        run.journal.set_attribute(o, name)
    delattr(o, name)
