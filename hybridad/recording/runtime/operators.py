"""Meanings of the functions of `operator`, of its getters and callers, and of `cmp_to_key`.

Each function is the site's own method for the operator: what the user would have written.
"""

import functools
import operator

import numpy as np

from hybridad._record import raw_of
from hybridad.recording.lines import at_users_line
from hybridad.recording.runtime.operands import lift, natively
from hybridad.recording.runtime.python import MEANINGS as _PYTHON

__all__ = ["INSTANCES", "MEANINGS"]


def _method(name):
    """The method of the site of that name, called at the user's line."""

    def meaning(site, *args):
        return at_users_line(getattr(site, name), args, {})

    return meaning


def _not(site, a, /):
    return not site.truth(a)


def _contains(site, a, b, /):
    return site.isin(b, a)


def _concat(site, a, b, /):
    if not _is_sequence(a) or not _is_sequence(b):
        return operator.concat(raw_of(a), raw_of(b))  # raises
    return site.add(a, b)


def _iconcat(site, a, b, /):
    if type(a) is list and hasattr(type(raw_of(b)), "__iter__"):
        site.call(a.extend, b)
        return a
    if not _is_sequence(a) or not _is_sequence(b):
        return operator.iconcat(raw_of(a), raw_of(b))  # raises
    return site.iadd(a, b)


def _is_sequence(x):
    """Whether concatenation is addition: not for NumPy's arrays and numbers, which refuse it."""
    return hasattr(type(x), "__getitem__") and not isinstance(
        raw_of(x), (dict, float, complex, np.ndarray, np.generic))


def _count_of(site, a, b, /):
    return sum(1 for x in _items(site, operator.countOf, a) if _is_same(site, x, b))


def _index_of(site, a, b, /):
    for k, x in enumerate(_items(site, operator.indexOf, a)):
        if _is_same(site, x, b):
            return k
    return operator.indexOf((), b)  # raises


def _items(site, function, a):
    """What to go through; what cannot be gone through raises as `function` says it."""
    items = lift(site, a)
    try:
        return iter(items)
    except TypeError:
        function(raw_of(a), None)
        raise


def _is_same(site, x, y):
    return x is y or site.truth(site.eq(x, y))


def _getitem(site, a, b, /):
    return site.item(a, b)


def _setitem(site, a, b, c, /):
    site.set_item(c, a, b)


def _delitem(site, a, b, /):
    site.del_item(a, b)


def _call(site, obj, /, *args, **kwargs):
    return site.call(obj, *args, **kwargs)


def _plainly(function):

    def meaning(site, *args):
        return natively(function, args, {})

    return meaning


# ---- objects that are called later -------------------------------------------------------------

def _itemgetter(site, getter, obj, /):
    """``itemgetter(...)(obj)``"""
    _, items = getter.__reduce__()
    found = tuple([at_users_line(site.item, (obj, item), {}) for item in items])
    return found if len(items) > 1 else found[0]


def _attrgetter(site, getter, obj, /):
    """``attrgetter(...)(obj)``"""
    _, names = getter.__reduce__()
    found = tuple([functools.reduce(site.attr, name.split("."), obj) for name in names])
    return found if len(names) > 1 else found[0]


def _methodcaller(site, caller, obj, /):
    """``methodcaller(...)(obj)``"""
    made, args = caller.__reduce__()
    if made is operator.methodcaller:
        (name, *args), options = args, {}
    else:  # with keywords: partial(methodcaller, name, **keywords), args
        (name,), options = made.args, made.keywords
    return site.call(site.attr(obj, name), *args, **options)


def _cmp_to_key(site, *args, **kwargs):
    """The user's function is called through the site; the sign of what it returns decides."""
    if len(args) + len(kwargs) != 1:
        return functools.cmp_to_key(*args, **kwargs)  # raises
    (mycmp,) = args or kwargs.values()

    def compare(x, y):
        order = site.call(mycmp, x, y)
        if type(order) is int:
            return order
        return -1 if site.truth(site.lt(order, 0)) else int(site.truth(site.gt(order, 0)))

    return functools.cmp_to_key(compare)


_METHODS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv",
    "mod": "mod", "pow": "pow", "matmul": "matmul", "lshift": "lshift", "rshift": "rshift",
    "and_": "and_", "or_": "or_", "xor": "xor",
    "iadd": "iadd", "isub": "isub", "imul": "imul", "itruediv": "itruediv",
    "ifloordiv": "ifloordiv", "imod": "imod", "ipow": "ipow", "imatmul": "imatmul",
    "ilshift": "ilshift", "irshift": "irshift", "iand": "iand", "ior": "ior", "ixor": "ixor",
    "neg": "neg", "pos": "pos", "inv": "invert", "invert": "invert",
    "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne",
    "is_": "is_", "is_not": "isnot", "truth": "truth",
}

MEANINGS = {
    **{getattr(operator, name): _method(method) for name, method in _METHODS.items()},
    operator.abs: _PYTHON[abs],
    operator.not_: _not,
    operator.contains: _contains,
    operator.concat: _concat,
    operator.iconcat: _iconcat,
    operator.countOf: _count_of,
    operator.indexOf: _index_of,
    operator.getitem: _getitem,
    operator.setitem: _setitem,
    operator.delitem: _delitem,
    operator.call: _call,
    operator.index: _plainly(operator.index),
    operator.length_hint: _plainly(operator.length_hint),
    functools.cmp_to_key: _cmp_to_key,
}
"""Function -> ``meaning(site, *args, **kwargs)``."""

INSTANCES = {
    operator.itemgetter: _itemgetter,
    operator.attrgetter: _attrgetter,
    operator.methodcaller: _methodcaller,
}
"""Class -> ``meaning(site, instance, *args)`` of calls of its instances."""
