"""Copies of objects that may hold wrappers: `copy` and `dataclasses` in the recording form.

They do what the standard library does. Arrays of the run become recorded copies, numbers stay what
they are, and functions that a class defines for the purpose are called through the site.
"""

import copy
import copyreg
import dataclasses
import sys
from types import FunctionType, MethodType

import numpy as np

from hybridad._record import is_wrapper, raw_of
from hybridad.recording.effects.attributes import ABSENT, look_up

__all__ = ["MEANINGS", "copy_deeply", "copy_shallowly"]

_ATOMS = frozenset((
    int, float, complex, bool, str, bytes, type(None), type(...), type, range, FunctionType,
    type(len), type(NotImplemented), property, np.ufunc))
_BY_COPYREG = frozenset((
    copyreg.__newobj__, copyreg.__newobj_ex__, copyreg._reconstructor))


def copy_shallowly(site, x):
    """``copy.copy(x)``"""
    kind = type(x)
    if _is_array(x):
        return site.call(x.copy, order="K")
    if kind in (list, dict, set, tuple, frozenset):
        return kind(site.star(x) if kind is not dict else site.mapping(x))
    if kind in _ATOMS or is_wrapper(x):
        return copy.copy(x)
    if issubclass(kind, type):
        return x
    found = look_up(kind, "__copy__")
    if found is not ABSENT:
        return site.call(found, x) if type(found) is FunctionType else copy.copy(x)
    reduced = _reduced(site, x, kind)
    return x if type(reduced) is str else _rebuilt(site, x, reduced, None)


def copy_deeply(site, x, memo=None):
    """``copy.deepcopy(x, memo)``"""
    return _deep(site, x, {} if memo is None else memo)


def _is_array(x):
    return isinstance(raw_of(x), np.ndarray) and (is_wrapper(x) or type(x) is np.ndarray)


def _deep(site, x, memo):
    kind = type(x)
    if kind in _ATOMS:
        return x
    known = memo.get(id(x), ABSENT)
    if known is not ABSENT:
        return known
    made = _deep_copy(site, x, kind, memo)
    if made is not x:
        memo[id(x)] = made
        memo.setdefault(id(memo), []).append(x)  # keeps it alive, so that its id stays its own
    return made


def _deep_copy(site, x, kind, memo):
    if _is_array(x):
        return site.call(x.copy, order="K")
    if is_wrapper(x):
        return copy.deepcopy(x, {})
    if kind is list:
        made = memo[id(x)] = []
        for item in site.star(x):
            made.append(_deep(site, item, memo))
        return made
    if kind is tuple:
        made = tuple([_deep(site, item, memo) for item in site.star(x)])
        if id(x) in memo:  # it holds itself
            return memo[id(x)]
        return made if any(a is not b for a, b in zip(made, x)) else x
    if kind is dict:
        made = memo[id(x)] = {}
        with site.hashing():
            for name, item in site.mapping(x).items():
                made[_deep(site, name, memo)] = _deep(site, item, memo)
        return made
    if kind is MethodType:
        return MethodType(x.__func__, _deep(site, x.__self__, memo))
    if issubclass(kind, type):
        return x
    found = look_up(kind, "__deepcopy__")
    if type(found) is FunctionType:
        return site.call(found, x, memo)
    if found is not ABSENT:
        return x.__deepcopy__(memo)
    reduced = _reduced(site, x, kind)
    return x if type(reduced) is str else _rebuilt(site, x, reduced, memo)


def _reduced(site, x, kind):
    """What `copyreg` and ``__reduce_ex__`` say of how an object is put together."""
    reduce = copyreg.dispatch_table.get(kind)
    if reduce is not None:
        return reduce(x)
    for name, args in (("__reduce_ex__", (4,)), ("__reduce__", ())):
        found = look_up(kind, name)
        if type(found) is FunctionType:
            return site.call(found, x, *args)
    return site.opened(x).__reduce_ex__(4)


def _rebuilt(site, x, reduced, memo):
    """An object from what `_reduced` gave; deeply if there is a memo."""
    def copied(part):
        return part if memo is None else _deep(site, part, memo)

    function, args, state, items, pairs, *_ = (*reduced, None, None, None)
    args = [copied(part) for part in args]
    with site.hashing():
        made = function(*args) if function in _BY_COPYREG else site.call(function, *args)
    if memo is not None:
        memo[id(x)] = made
    if state is not None:
        _set_state(site, made, copied(state))
    for item in items or ():
        made.append(copied(item))
    with site.hashing():
        for name, item in pairs or ():
            made[copied(name)] = copied(item)
    return made


def _set_state(site, made, state):
    found = look_up(type(made), "__setstate__")
    if type(found) is FunctionType:
        site.call(found, made, state)
        return
    if found is not ABSENT:
        made.__setstate__(state)
        return
    slots = None
    if type(state) is tuple and len(state) == 2:
        state, slots = state
    if state is not None:
        made.__dict__.update(state)
    for name, value in (slots or {}).items():
        setattr(made, name, value)


# Dataclasses ------------------------------------------------------------------------------------


def _replace(site, obj, /, **changes):
    """``dataclasses.replace(obj, **changes)``"""
    kind = type(obj)
    if issubclass(kind, type) or not dataclasses.is_dataclass(kind):
        return dataclasses.replace(obj, **changes)  # raises
    for field in kind.__dataclass_fields__.values():
        if field._field_type is dataclasses._FIELD_CLASSVAR:
            continue
        if not field.init:
            if field.name in changes:
                return dataclasses.replace(obj, **changes)  # raises
        elif field.name not in changes:
            if field._field_type is dataclasses._FIELD_INITVAR \
                    and field.default is dataclasses.MISSING:
                return dataclasses.replace(obj, **changes)  # raises
            changes[field.name] = site.attr(obj, field.name)
    return site.call(kind, **changes)


def _replace_any(site, obj, /, **changes):
    """``copy.replace(obj, **changes)``"""
    kind = type(obj)
    found = look_up(kind, "__replace__")
    if dataclasses.is_dataclass(kind) and found is getattr(dataclasses, "_replace", None):
        return _replace(site, obj, **changes)
    if type(found) is FunctionType:
        return site.call(found, obj, **changes)
    return copy.replace(obj, **changes)


def _as_dict(site, obj, *, dict_factory=dict):
    """``dataclasses.asdict(obj)``"""
    if not _is_instance(obj):
        return dataclasses.asdict(obj)  # raises
    return _unfold(site, obj, lambda kind, pairs: site.call(dict_factory, pairs), True)


def _as_tuple(site, obj, *, tuple_factory=tuple):
    """``dataclasses.astuple(obj)``"""
    if not _is_instance(obj):
        return dataclasses.astuple(obj)  # raises
    return _unfold(site, obj,
                   lambda kind, pairs: site.call(tuple_factory, [x for _, x in pairs]), False)


def _is_instance(obj):
    kind = type(obj)
    return not issubclass(kind, type) and dataclasses.is_dataclass(kind)


def _unfold(site, x, fold, keyed):
    kind = type(x)
    if _is_instance(x):
        return fold(kind, [(field.name, _unfold(site, site.attr(x, field.name), fold, keyed))
                           for field in dataclasses.fields(x)])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*[_unfold(site, item, fold, keyed) for item in x])
    if issubclass(kind, (list, tuple)):
        return kind([_unfold(site, item, fold, keyed) for item in site.star(x)])
    if issubclass(kind, dict):
        pairs = [(_unfold(site, k, fold, keyed), _unfold(site, v, fold, keyed))
                 for k, v in site.mapping(x).items()]
        with site.hashing():
            if hasattr(kind, "default_factory") and sys.version_info >= (3, 12):
                made = kind(x.default_factory)
                made.update(pairs)
                return made
            return kind(pairs)
    return copy_deeply(site, x)


def _natively(function):
    def handler(site, *args, **kwargs):
        return function(*args, **kwargs)
    return handler


MEANINGS = {
    copy.copy: copy_shallowly,
    copy.deepcopy: copy_deeply,
    **({copy.replace: _replace_any} if hasattr(copy, "replace") else {}),
    dataclasses.replace: _replace,
    dataclasses.asdict: _as_dict,
    dataclasses.astuple: _as_tuple,
    dataclasses.fields: _natively(dataclasses.fields),
    dataclasses.is_dataclass: _natively(dataclasses.is_dataclass),
}
