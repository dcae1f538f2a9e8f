"""Python's builtins in a trace run."""

import functools
import math
import types
from collections import deque

import numpy as np

from hybridad.recording.runtime.specials import special, users
from hybridad.recording.tracing.encoding import encode, has_known, is_opaque
from hybridad.recording.tracing.iterables import enumerate_, forget_recipe, reversed_, zip_
from hybridad.recording.tracing.operations import is_users
from hybridad.recording.tracing.values import Dynamic, Text, is_a, is_number

__all__ = ["MEANINGS"]


def _users_method(run, x, name):
    found = special(x, name) if is_users(x) else None
    return found if run.enters(found) else None


def _len(site, run, x):
    method = _users_method(run, x, "__len__")
    if method is not None:
        return site.call(method, x)
    if run.recorder.is_known(x):
        if is_a(x, (list, tuple, dict, set, frozenset, deque)):
            return _length(site, run.recorder, x)
        if is_opaque(run.recorder, x) or is_a(x, np.generic):
            return run.asked(site, len, (x,))
        return len(run.settled(site, x))
    return run.length_of_range(site, x) if type(x) is range else len(x)


def _length(site, recorder, x):
    """How long a container from outside is; that it is so is guarded until it was seen to vary."""
    n, ref = len(x), recorder.ref(x)
    recipe = ("length", recorder.recipe_key(ref))
    if recipe not in recorder.dynamic:
        recorder.check("length", ref, n, site, recipe)
        return n
    made = Dynamic(n)
    recorder.know(made, recorder.node("read", "length", (ref,), None, made, site))
    return made


def _range(site, run, *args):
    made = range(*args)
    if any(run.recorder.is_known(x) for x in args):
        args = tuple([run.settled(site, x) if not is_a(x, (int, np.integer)) else x
                      for x in args])
        spec = encode(run.recorder, args)
        spec = (0, *spec, 1) if len(spec) == 1 else (*spec, 1) if len(spec) == 2 else spec
        run.recorder.ranges[id(made)] = made, spec
    return made


def _type(site, run, *args):
    if len(args) != 1:
        return type(*args)
    kind = type(args[0])
    return int if kind is Dynamic else str if kind is Text else kind


def _convert(f):
    names = {float: ("__float__", "__index__"), int: ("__int__", "__index__", "__trunc__"),
             complex: ("__complex__", "__float__")}[f]

    def serve(site, run, *args, **kwargs):
        for name in names:
            method = _users_method(run, args[0], name) if args else None
            if method is not None:
                return serve(site, run, site.call(method, args[0]))
        args = tuple([run.settled(site, x) if type(x) is Text else x for x in args])
        if f is int and len(args) == 1 and type(args[0]) is Dynamic:
            return args[0]
        if f is float and len(args) == 1 and type(args[0]) is float:
            return args[0]
        return run.pure(site, f, args, kwargs)

    return serve


def _bool(site, run, *args):
    return site.truth(args[0]) if args else False


def _of_numbers(f, name):
    def serve(site, run, x, *rest):
        method = _users_method(run, x, name)
        if method is not None:
            return site.call(method, x, *rest)
        return run.pure(site, f, (x, *rest), {})

    return serve


def _pow(site, run, base, exp, mod=None):
    return site.pow(base, exp) if mod is None else run.pure(site, pow, (base, exp, mod), {})


def _divmod(site, run, a, b):
    return site.floordiv(a, b), site.mod(a, b)


def _sum(site, run, iterable, /, start=0):
    if is_a(start, (str, bytes, bytearray)):
        return sum(iterable, start)
    items = site.star(iterable)
    if type(start) in (int, float) and items and all(
            type(x) in (float, int, Dynamic, bool, complex) for x in items):
        return run.pure(site, sum, (items,) if start == 0 and type(start) is int
                        else (items, start), {})
    return functools.reduce(site.add, items, start)


def _next(site, run, iterator, *default):
    forget_recipe(site, run, iterator)
    if run.recorder.is_known(iterator):
        run.recorder.refuse("an iterator from outside is advanced", site)
    method = _users_method(run, iterator, "__next__")
    if method is None:
        return run.recorder.following(lambda: next(iterator, *default))
    try:
        return site.call(method, iterator)
    except StopIteration:
        if default:
            return default[0]
        raise


def _is_plain_outside(run, o, name):
    """Whether an object from outside has attributes without asking the user's code."""
    return run.recorder.is_known(o) and not is_a(o, np.ndarray) and not is_number(o) \
        and users(o, "__getattr__") is None and users(o, "__getattribute__") is None \
        and users(special(o, name), "__get__") is None and type(special(o, name)) not in (
            property, functools.cached_property)


def _getattr(site, run, o, name, *default):
    name = str(run.settled(site, name))
    if default and _is_plain_outside(run, o, name) and not run.has_attribute(site, o, name):
        return default[0]
    try:
        return site.attr(o, name)
    except AttributeError:
        if not default:
            raise
        run.absent(site, o, name)
        return default[0]


def _hasattr(site, run, o, name):
    name = str(run.settled(site, name))
    if _is_plain_outside(run, o, name):
        return run.has_attribute(site, o, name)
    try:
        site.attr(o, name)
    except AttributeError:
        run.absent(site, o, name)
        return False
    return True


def _setattr(site, run, o, name, value):
    name = run.settled(site, name)
    site.set_attr(value, o, name)


def _delattr(site, run, o, name):
    site.del_attr(o, run.settled(site, name))


def _plainly(f):
    def serve(site, run, *args, **kwargs):
        return f(*args, **kwargs)

    return serve


def _text(f):
    name = {str: "__str__", repr: "__repr__", ascii: "__repr__", format: "__format__"}[f]

    def serve(site, run, *args, **kwargs):
        if not args:
            return f()
        x = args[0]
        method = _users_method(run, x, name)
        if method is None and f is str and type(x).__str__ is object.__str__:
            method = _users_method(run, x, "__repr__")
        if method is not None:
            return site.call(method, *args, **kwargs)
        if is_a(x, BaseException) and not run.recorder.is_known(x) and f in (str, repr, ascii):
            return _text_of_error(site, run, f, x)
        if f is format and type(x).__format__ is object.__format__ and args[1:] in ((), ("",)):
            return site.call(str, x)
        return run.text(site, f, args, kwargs)

    return serve


def _text_of_error(site, run, f, error):
    """What an error says that was raised inside."""
    if not has_known(run.recorder, error.args):
        return f(error)
    if f is not str or type(error).__str__ is not BaseException.__str__:
        run.recorder.refuse("the text of an error", site)
    return site.call(str, error.args[0] if len(error.args) == 1 else error.args)


def _hash(site, run, x):
    method = _users_method(run, x, "__hash__")
    return hash(run.settled(site, x)) if method is None else site.call(method, x)


def _id(site, run, x):
    known = run.recorder.array_of(x)
    if is_opaque(run.recorder, x) or (known is not None and known.memory.outside):
        return run.identity(site, x)
    return id(x)


def _print(site, run, *args, **kwargs):
    return run.foreign(site, print, args, kwargs)


def _of_kinds(f):
    def serve(site, run, x, kinds):
        return f(x, site.kinds(kinds))

    return serve


def _refused(name):
    def serve(site, run, *args):
        run.recorder.refuse(f"{name}()", site)

    return serve


def _pure(f):
    def serve(site, run, *args, **kwargs):
        return run.pure(site, f, args, kwargs)

    return serve


def _vars(site, run, *args):
    return site.attr(args[0], "__dict__") if args else run.recorder.refuse("vars()", site)


def _dir(site, run, *args):
    return run.native(site, dir, args) if args else run.recorder.refuse("dir()", site)


def _partial(site, run, f, /, *args, **kwargs):
    if type(f) is functools.partial:    # of which the new one is made without it
        args = *site.star(site.attr(f, "args")), *args
        kwargs = {**site.mapping(site.attr(f, "keywords")), **kwargs}
        return _partial(site, run, site.attr(f, "func"), *args, **kwargs)
    return functools.partial(f, *args, **kwargs)


MEANINGS = {
    len: _len, range: _range, type: _type, float: _convert(float), int: _convert(int),
    complex: _convert(complex), bool: _bool, abs: _of_numbers(abs, "__abs__"),
    round: _of_numbers(round, "__round__"), pow: _pow, divmod: _divmod, sum: _sum,
    zip: zip_, enumerate: enumerate_, reversed: reversed_, next: _next,
    getattr: _getattr, hasattr: _hasattr, setattr: _setattr, delattr: _delattr,
    isinstance: _of_kinds(isinstance), issubclass: _of_kinds(issubclass), id: _id,
    globals: _refused("globals"), locals: _refused("locals"),
    callable: _plainly(callable), slice: _plainly(slice), object: _plainly(object),
    super: _plainly(super), property: _plainly(property), staticmethod: _plainly(staticmethod),
    classmethod: _plainly(classmethod), functools.partial: _partial,
    functools.wraps: _plainly(functools.wraps),
    str: _text(str), repr: _text(repr), ascii: _text(ascii), format: _text(format), hash: _hash,
    print: _print, **{function: _pure(function) for function in (
        chr, ord, bin, oct, hex, math.isclose)},
    types.SimpleNamespace: _plainly(types.SimpleNamespace),
    vars: _vars, dir: _dir,
}
"""Callable -> ``handler(site, run, *args, **kwargs)``."""
