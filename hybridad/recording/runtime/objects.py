"""What objects of user-defined classes do in a run: their methods are entered in recording form.

Python finds special methods on the type and calls them from C, out of sight. Here they are found
by the same rules and called through the site. Only the type is looked at (an instance's own
``__getattr__`` is not run for it).
"""

import builtins
import operator
import types

import numpy as np

from hybridad._record import active, is_wrapper, raw_of
from hybridad.errors import UnsupportedError, message
from hybridad.recording.arraylike import as_objects, holds_wrapper
from hybridad.recording.effects import containers
from hybridad.recording.runtime.attributes import attr, del_attr, set_attr
from hybridad.recording.runtime.construction import computes
from hybridad.recording.runtime.foreign import call_plainly, effect
from hybridad.recording.runtime.given import Given, holds_active
from hybridad.recording.runtime.operands import judged
from hybridad.recording.runtime.specials import has, special, users

__all__ = [
    "attr", "binary", "compare", "contains", "context", "del_attr", "effect", "inplace",
    "is_among", "iter", "missing", "percent", "set_attr", "set_foreign", "truth", "unary", "write",
]


# Operators

_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
            "pow": "** or pow()", "matmul": "@", "lshift": "<<", "rshift": ">>", "and": "&",
            "or": "|", "xor": "^"}
_PLAIN = {name: getattr(operator, name + "_" if name in ("and", "or") else name)
          for name in _SYMBOLS}
_IN_PLACE = {name: getattr(operator, "i" + name) for name in _SYMBOLS}
_REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_OPERATOR_NAMES = {f"__{name}__": name + "_" * (name in ("and", "or"))
                   for name in (*_SYMBOLS, *_REFLECTED)}
_SEQUENCES = (list, tuple, str, bytes, bytearray)
_COMPARISONS = {f"__{name}__" for name in _REFLECTED}


def binary(site, run, name, a, b):
    """``a + b`` and its like, for operands of the user's classes."""
    ours = users(a, f"__{name}__"), users(b, f"__r{name}__")
    if ours == (None, None):
        if _is_plain_beside(a, b) or _is_plain_beside(b, a):
            return call_plainly(run, _PLAIN[name], (a, b), {})
        return run.wrap_fresh(_natively(_PLAIN[name], a, b))
    result = _tried(site, a, b, f"__{name}__", f"__r{name}__")
    if result is NotImplemented:
        if isinstance(a, _SEQUENCES):
            return _PLAIN[name](a, _without_methods(b))
        _PLAIN[name](_without_methods(a), _without_methods(b))
        raise TypeError(f"unsupported operand type(s) for {_SYMBOLS[name]}: "
                        f"'{_type_name(a)}' and '{_type_name(b)}'")
    return result


def _is_plain_beside(a, b):
    """Whether `a` is an array with nothing differentiated, and `b` of a class that computes."""
    return is_wrapper(a) and not active(a) and not is_wrapper(b) and computes(type(b)) \
        and not holds_active(b)


def _natively(function, a, b):
    """`function` of operands without operators of the user's, with the text of plain errors."""
    try:
        return function(a, b)
    except TypeError:
        if is_wrapper(a) or is_wrapper(b):
            function(raw_of(a), raw_of(b))
        raise


def _without_methods(x):
    """What fails as `x` does when its own methods are not asked again."""
    if is_wrapper(x) or type(x).__module__ in ("builtins", "numpy"):
        return raw_of(x)
    return type(type(x).__name__, (), {"__array_ufunc__": None} if has(
        x, "__array_ufunc__") else {})()


def _type_name(x):
    kind = type(raw_of(x))
    return kind.__name__ if kind.__module__ == "builtins" else \
        f"{kind.__module__}.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def _tried(site, a, b, forward, reflected):
    kind_a, kind_b = type(raw_of(a)), type(raw_of(b))
    steps = [(a, forward, b), (b, reflected, a)]
    compares = forward in _COMPARISONS
    if kind_a is kind_b:
        if not compares:
            del steps[1]
    elif forward in ("__add__", "__mul__") and issubclass(kind_a, _SEQUENCES):
        del steps[0]    # Python asks sequences last, and for something else
    elif issubclass(kind_b, kind_a) and (compares or getattr(kind_b, reflected, None)
                                         is not getattr(kind_a, reflected, None)):
        steps.reverse()
    for x, name, y in steps:
        if is_wrapper(x):
            if x is a and _has_the_say(y):
                return getattr(operator, _OPERATOR_NAMES[forward])(a, b)
            continue  # arrays and numbers leave it to the other operand
        method = special(x, name)
        if method is None:
            continue
        if type(method) is types.FunctionType:
            result = site.call(method, x, y)
        else:
            result = method(x, raw_of(y) if is_wrapper(y) else y)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _has_the_say(x):
    """Whether NumPy does not leave an operator to an operand: it asks its ``__array_ufunc__``."""
    return special(x, "__array_ufunc__") is not None and not is_wrapper(x)


def percent(site, run, text, values):
    """``text % values``, a text of plain values."""
    given = Given(run)
    plain = given.plain(values)
    if isinstance(text, str) and users(values, "__rmod__") is not None:
        return binary(site, run, "mod", text, values)
    made = text % plain
    if given.wrappers:
        site.guard("str", made)
    return made


def set_foreign(site, run, o, name, value):
    """``o.name = value`` for the state of a random generator: no undoing, but in order."""
    run.journal.foreign(setattr, (o, name, value), {})


def inplace(site, run, name, a, b):
    """``a += b`` and its like, for what is no number and no wrapper."""
    method = users(a, f"__i{name}__")
    if method is not None:
        result = site.call(method, a, b)
        if result is not NotImplemented:
            return result
    elif isinstance(a, (list, dict, set, bytearray)) or hasattr(type(a), f"__i{name}__"):
        if type(a) is np.ndarray:
            a = run.wrap(a)
            if not is_wrapper(a) and run.journal is not None:
                run.journal.write_array(a)
        elif run.journal is not None:
            run.journal.touch(a)
        with site.hashing():
            return _IN_PLACE[name](a, b)
    if users(a, f"__{name}__") is None and users(b, f"__r{name}__") is None:
        return run.wrap_fresh(_IN_PLACE[name](a, b))
    return binary(site, run, name, a, b)


def unary(site, run, name, x):
    """``-x``, ``+x``, ``~x``"""
    method = users(x, f"__{name}__")
    return getattr(operator, name)(x) if method is None else site.call(method, x)


def compare(site, run, name, a, b):
    """``a < b`` and its like"""
    forward, reflected = f"__{name}__", f"__{_REFLECTED[name]}__"
    if users(a, forward) is not None or users(b, reflected) is not None:
        result = _tried(site, a, b, forward, reflected)
        if result is not NotImplemented:
            return result
        if name in ("eq", "ne"):
            return site.is_(a, b) is (name == "eq")
        return getattr(operator, name)(_without_methods(a), _without_methods(b))
    elif name == "ne" and (users(a, "__eq__") is not None or users(b, "__eq__") is not None):
        return not site.truth(compare(site, run, "eq", a, b))
    return getattr(operator, name)(a, b)


def truth(site, run, x):
    """``bool(x)``"""
    method = users(x, "__bool__")
    if method is not None:
        return judged(bool, "__bool__", x, site.call(method, x))
    method = users(x, "__len__") if special(x, "__bool__") is None else None
    if method is None:
        return bool(x)
    length = site.call(method, x)
    if type(raw_of(length)) is not int and isinstance(raw_of(length), int):
        return site.truth(length)   # an int that varies
    return judged(bool, "__len__", x, length)


# Containers and iteration


def missing(site, run, container, key):
    """``container[key]`` of a defaultdict."""
    with site.hashing():
        if key in container:
            return container[key]
    return containers.missing(site, run.journal, container, key)


def contains(site, run, item, x):
    """``item in x``"""
    method = users(x, "__contains__")
    if method is not None:
        return bool(site.truth(site.call(method, x, item)))
    if not has(x, "__contains__") and (users(x, "__iter__") or (
            not has(x, "__iter__") and users(x, "__getitem__"))):
        return any(site.is_(v, item) or site.truth(site.eq(v, item)) for v in iter(site, run, x))
    with site.hashing():
        return item in x


def is_among(site, item, items):
    """``item in items``, of a list or tuple"""
    return any(site.is_(x, item) or site.truth(site.eq(x, item)) for x in items)


def iter(site, run, x):
    """What ``for v in x`` goes through."""
    method = users(x, "__iter__")
    if method is not None:
        made = site.call(method, x)
        following = users(made, "__next__")
        if following is not None:
            return _advanced(site, made, following)
        if not has(made, "__next__") and not is_wrapper(made):
            raise TypeError(f"iter() returned non-iterator of type '{_type_name(made)}'")
        return site.iter(made)
    if has(x, "__iter__"):
        return x if special(x, "__iter__") is None else _lifted(run, builtins.iter(x))
    method = users(x, "__getitem__")
    return x if method is None else _indexed(site, x, method)


def _lifted(run, x):
    for v in x:
        yield run.wrap(v)


def _advanced(site, x, method):
    while True:
        try:
            v = site.call(method, x)
        except StopIteration:
            return
        yield v


def _indexed(site, x, method):
    k = 0
    while True:
        try:
            v = site.call(method, x, k)
        except (IndexError, StopIteration):
            return
        yield v
        k += 1


def write(site, run, array, index, value):
    """``array[index] = value`` for a plain array."""
    known = run.wrap(array)
    if is_wrapper(known):
        known[index] = value
        return
    if array.dtype.names is not None and holds_active(value):
        field = run.wrap(array[index]) if type(index) is str else None
        if not is_wrapper(field):
            raise UnsupportedError(message(
                "A differentiated value was written into a structured array as part of a record.",
                "Write it into a field: a['name'][i] = x."))
        field[...] = value
        return
    if run.journal is not None:
        run.journal.write_array(array)
    if array.dtype.hasobject:
        several = holds_wrapper(value) and type(array[index]) is np.ndarray
        array[index] = as_objects(value) if several else value
        return
    if is_wrapper(value):  # integers, which have no derivative
        site.guard("int", raw_of(value))
    array[index] = Given(run).plain(value)


class _Context:
    """A context manager of the user's whose methods are entered in recording form."""

    __slots__ = ("manager", "site")

    def __init__(self, site, manager):
        self.site, self.manager = site, manager

    def __enter__(self):
        return self.site.call(special(self.manager, "__enter__"), self.manager)

    def __exit__(self, *error):
        return self.site.call(special(self.manager, "__exit__"), self.manager, *error)


def context(site, run, manager):
    """``with manager:``"""
    ours = users(manager, "__enter__"), users(manager, "__exit__")
    if ours == (None, None) or not all(special(manager, n) for n in ("__enter__", "__exit__")):
        return manager
    return _Context(site, manager)
