"""Meanings of Python's builtin functions of single objects: conversions, types, attributes, text.

Those that go through an iterable and give one value are in `folding`, those that give an iterator
in `iteration`. Special methods that a user's class defines in Python are called through the site.
"""

import numpy as np

from hybridad._record import active, is_wrapper, raw_of, record, record_outputs
from hybridad.recording.lines import at_users_line
from hybridad.recording.runtime.operands import (
    as_complex,
    as_float,
    holds,
    judged,
    lift,
    natively,
    own,
)
from hybridad.rules.declare import PRIMITIVES

__all__ = ["MEANINGS"]

_MISSING = object()


# ---- conversions to numbers --------------------------------------------------------------------

def _by_method(site, convert, names, x):
    """The result of a user's conversion method, and what `convert` makes of it; None without."""
    for name in names:
        method = own(x, name)
        if method is not None:
            result = site.call(method, x)
            return result, judged(convert, name, x, result)
    return None


def _float(site, *args, **kwargs):
    if len(args) != 1 or kwargs:
        return natively(float, args, kwargs)
    (x,) = args
    if is_wrapper(x):
        value = raw_of(x)
        if type(value) is float:
            return x
        value = at_users_line(float, (value,), {})
        return as_float(x) if active(x) else value
    found = _by_method(site, float, ("__float__", "__index__"), x)
    if found is None:
        return at_users_line(float, (x,), {})
    result, value = found
    return as_float(result) if active(result) else value


def _int(site, *args, **kwargs):
    if len(args) != 1 or kwargs:
        return natively(int, args, kwargs)
    (x,) = args
    if is_wrapper(x):
        value = at_users_line(int, (raw_of(x),), {})
        site.guard("int", value)
        return value
    found = _by_method(site, int, ("__int__", "__index__", "__trunc__"), x)
    return at_users_line(int, (x,), {}) if found is None else found[1]


def _complex(site, *args, **kwargs):
    ans = None
    if len(args) == 1 and not kwargs and not is_wrapper(args[0]):
        found = _by_method(site, complex, ("__complex__", "__float__", "__index__"), args[0])
        if found is not None:
            args, ans = found[:1], found[1]
    if ans is None:
        ans = natively(complex, args, kwargs)
    parts = (*args, *[kwargs[name] for name in ("real", "imag")[len(args):] if name in kwargs])
    if not any(map(active, parts)):
        return ans
    if "real" not in kwargs and not args:
        parts = (0.0, *parts)
    if len(parts) == 1:
        return as_complex(parts[0])
    return record(PRIMITIVES[complex], ans, tuple(map(_of_one_element, parts)), None)


def _of_one_element(x):
    raw = raw_of(x)
    return x[(0,) * raw.ndim] if type(raw) is np.ndarray else x


def _bool(site, *args, **kwargs):
    if len(args) != 1 or kwargs:
        return bool(*args, **kwargs)
    return site.truth(args[0])


# ---- arithmetic --------------------------------------------------------------------------------

def _abs(site, x, /):
    method = own(x, "__abs__")
    if method is not None:
        return site.call(method, x)
    if type(raw_of(x)) is float:
        return abs(x)
    return at_users_line(abs, (x,), {})


def _round(site, number, ndigits=None):
    method = own(number, "__round__")
    if method is not None:
        return site.call(method, number) if ndigits is None else site.call(method, number, ndigits)
    ans = natively(round, (number, ndigits), {})
    if is_wrapper(number) and type(ans) is int:
        site.guard("int", ans)
    return ans


def _pow(site, base, exp, mod=None):
    if mod is None:
        return at_users_line(site.pow, (base, exp), {})
    return natively(pow, (base, exp, mod), {})


def _divmod(site, x, y, /):
    ans = natively(divmod, (x, y), {})
    if not is_wrapper(x) and not is_wrapper(y):
        return ans
    return record_outputs(PRIMITIVES[np.divmod], ans, (x, y), None)


# ---- what an object is -------------------------------------------------------------------------

def _len(site, *args):
    if len(args) == 1 and own(args[0], "__len__") is not None:
        result = site.call(own(args[0], "__len__"), args[0])
        return judged(len, "__len__", args[0], result)
    return len(*map(raw_of, args))


def _isinstance(site, x, types, /):
    return isinstance(raw_of(x), raw_of(types))


def _type(site, *args, **kwargs):
    return type(raw_of(args[0])) if len(args) == 1 and not kwargs else type(*args, **kwargs)


def _hash(site, x, /):
    method = own(x, "__hash__")
    if method is not None:
        return judged(hash, "__hash__", x, site.call(method, x))
    if not holds(x):
        return hash(x)
    value = natively(hash, (x,), {})
    site.guard("hash", value)
    return value


def _plainly(function):
    """A function of the plain value, without derivative."""

    def meaning(site, *args, **kwargs):
        return natively(function, args, kwargs)

    return meaning


def _as_it_is(function):
    """A function that does not look at values."""

    def meaning(site, *args, **kwargs):
        return function(*args, **kwargs)

    return meaning


# ---- attributes --------------------------------------------------------------------------------

def _getattr(site, o, name, default=_MISSING, /):
    if type(name) is not str:
        return getattr(o, name, default) if default is not _MISSING else getattr(o, name)
    if default is _MISSING:
        return site.attr(o, name)
    try:
        return site.attr(o, name)
    except AttributeError:
        return default


def _hasattr(site, o, name, /):
    if type(name) is not str or is_wrapper(o):
        return hasattr(raw_of(o), name)
    try:
        site.attr(o, name)
    except AttributeError:
        return False
    return True


def _setattr(site, o, name, value, /):
    if type(name) is not str:
        return setattr(o, name, value)
    return site.set_attr(value, o, name)


def _delattr(site, o, name, /):
    return delattr(o, name) if type(name) is not str else site.del_attr(o, name)


# ---- text --------------------------------------------------------------------------------------

def _texting(function, *names):
    """`str`, `repr` and `ascii`: text shows the plain value; it is a decision."""

    def meaning(site, *args, **kwargs):
        if len(args) != 1 or kwargs:
            return natively(function, args, kwargs)
        (x,) = args
        found = _by_method(site, function, _first(x, names), x)
        text = function(x) if found is None else found[1]
        if is_wrapper(x):
            site.shown(text)
        elif holds(x):
            site.guard("str", text)
        return text

    return meaning


def _first(x, names):
    """Where a class has a ``__str__`` of its own, also in C, `str` never asks ``__repr__``."""
    if "__str__" in names and type(x).__str__ is not object.__str__:
        return ("__str__",)
    return names


def _format(site, value, spec="", /):
    method = own(value, "__format__")
    if method is not None:
        return judged(format, "__format__", value, site.call(method, value, spec))
    if is_wrapper(value):
        return site.format(value, -1, spec)
    if type(value).__format__ is object.__format__ and spec == "":
        return MEANINGS[str](site, value)
    text = format(value, spec)
    if holds(value):
        site.guard("str", text)
    return text


def _print(site, *args, **kwargs):
    return site.effect(print, args, kwargs)


# ---- containers --------------------------------------------------------------------------------

def _container(kind):
    """`list` or `tuple`: the elements stay as they are."""

    def meaning(site, *args, **kwargs):
        if len(args) != 1 or kwargs:
            return kind(*args, **kwargs)
        return kind(lift(site, args[0]))

    return meaning


def _set(site, *args, **kwargs):
    if len(args) != 1 or kwargs:
        return set(*args, **kwargs)
    return site.set_of(list(lift(site, args[0])))


def _frozenset(site, *args, **kwargs):
    if len(args) != 1 or kwargs:
        return frozenset(*args, **kwargs)
    return frozenset(site.set_of(list(lift(site, args[0]))))


def _dict(site, *args, **kwargs):
    named = site.mapping(kwargs)
    if not args:
        return dict(named)
    if len(args) > 1:
        return dict(*args)
    (x,) = args
    if type(x) is dict:
        made = dict(site.mapping(x))
    elif hasattr(type(x), "keys"):
        keys = site.iter(site.call(site.attr(x, "keys")))
        made = site.dict_of([(key, site.item(x, key)) for key in keys])
    else:
        pairs = [_pair(site, pair) for pair in lift(site, x)]
        whole = all(type(pair) is tuple and len(pair) == 2 for pair in pairs)
        made = site.dict_of(pairs) if whole else dict(pairs)
    made.update(named)
    return made


def _pair(site, pair):
    """Key and value; what is no pair is left to raise as plain code does."""
    lifted = lift(site, pair)
    try:
        return tuple(lifted)
    except TypeError:
        return lifted


MEANINGS = {
    float: _float,
    int: _int,
    complex: _complex,
    bool: _bool,
    abs: _abs,
    round: _round,
    pow: _pow,
    divmod: _divmod,
    len: _len,
    isinstance: _isinstance,
    issubclass: _as_it_is(issubclass),
    type: _type,
    id: _as_it_is(id),
    hash: _hash,
    callable: _plainly(callable),
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setattr,
    delattr: _delattr,
    str: _texting(str, "__str__", "__repr__"),
    repr: _texting(repr, "__repr__"),
    ascii: _texting(ascii, "__repr__"),
    format: _format,
    print: _print,
    list: _container(list),
    tuple: _container(tuple),
    set: _set,
    frozenset: _frozenset,
    dict: _dict,
    **{function: _plainly(function) for function in (range, slice, chr, ord, bin, oct, hex)},
}
"""Builtin -> ``meaning(site, *args, **kwargs)``."""
