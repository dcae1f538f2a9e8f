"""Python's builtins in a trace run."""

import builtins
import dataclasses
import functools
import itertools
import math
import operator
import types
from collections import deque

import numpy as np

from hybridad.recording.runtime.folding import SortKey
from hybridad.recording.runtime.specials import special, users
from hybridad.recording.tracing.encoding import encode
from hybridad.recording.tracing.iterables import enumerate_, forget_recipe, reversed_, zip_
from hybridad.recording.tracing.operations import is_users
from hybridad.recording.tracing.values import Dynamic, Text, is_number

__all__ = ["MEANINGS", "PURE_MODULES", "find", "sort"]

PURE_MODULES = ("math", "cmath", "_operator", "operator")
_MISSING = object()


def _users_method(run, x, name):
    found = special(x, name) if is_users(x) else None
    return found if run.enters(found) else None


def _len(site, run, x):
    method = _users_method(run, x, "__len__")
    if method is not None:
        return site.call(method, x)
    if run.recorder.is_known(x):
        if isinstance(x, (list, tuple, dict, set, frozenset, deque)):
            return _length(site, run.recorder, x)
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
        args = tuple([run.settled(site, x) if not isinstance(x, (int, np.integer)) else x
                      for x in args])
        spec = encode(run.recorder, args)
        spec = (0, *spec, 1) if len(spec) == 1 else (*spec, 1) if len(spec) == 2 else spec
        run.ranges[id(made)] = made, spec
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


def _operator(name):
    def serve(site, run, a, b):
        return getattr(site, name)(a, b)

    return serve


def _items(site, x):
    return list(site._plainly_here(x))


def _sum(site, run, iterable, /, start=0):
    if isinstance(start, (str, bytes, bytearray)):
        return sum(iterable, start)
    items = _items(site, iterable)
    if type(start) in (int, float) and items and all(
            type(x) in (float, int, Dynamic, bool, complex) for x in items):
        return run.pure(site, sum, (items,) if start == 0 and type(start) is int
                        else (items, start), {})
    return functools.reduce(site.add, items, start)


def _extreme(compare):
    def serve(site, run, *args, key=None, default=_MISSING):
        items = _items(site, args[0]) if len(args) == 1 else list(args)
        if not items:
            if default is _MISSING:
                name = "max" if compare == "gt" else "min"
                raise ValueError(f"{name}() iterable argument is empty")
            return default
        keys = items if key is None else [site.call(key, x) for x in items]
        best = 0
        for k in range(1, len(items)):
            if site.truth(getattr(site, compare)(keys[k], keys[best])):
                best = k
        return items[best]

    return serve


def sort(site, run, items, *, key=None, reverse=False):
    """``items.sort(...)`` of a list of the run's own."""
    run.journal.touch(items)
    made = _sorted(site, run, list(items), key=key, reverse=reverse)
    items[:] = made


def find(site, items, x, first=0, last=None):
    """The places in a list or tuple where something equals `x`."""
    for k in range(*slice(first, last).indices(len(items))):
        if items[k] is x or site.truth(site.eq(items[k], x)):
            yield k


def _sorted(site, run, iterable, /, *, key=None, reverse=False):
    items = _items(site, iterable)
    keys = items if key is None else [site.call(key, x) for x in items]
    order = sorted(range(len(items)), key=lambda k: SortKey(site, keys[k]), reverse=reverse)
    return [items[k] for k in order]


def _any(site, run, iterable):
    return any(map(site.truth, site._plainly_here(iterable)))


def _all(site, run, iterable):
    return all(map(site.truth, site._plainly_here(iterable)))


def _map(site, run, f, *iterables):
    return map(site.form(f), *[site._plainly_here(x) for x in iterables])


def _filter(site, run, f, iterable):
    test = site.truth if f is None else lambda x: site.truth(site.call(f, x))
    return filter(test, site._plainly_here(iterable))


def _test(site, f):
    return lambda x: site.truth(site.call(f, x))


def _replace(site, run, o, /, **changes):
    """`dataclasses.replace`"""
    for field in dataclasses.fields(o):
        if field.init and field.name not in changes:
            changes[field.name] = site.attr(o, field.name)
    return site.call(type(o), **changes)


def _lazily(f):
    def serve(site, run, *iterables, **kwargs):
        return f(*[site._plainly_here(x) for x in iterables], **kwargs)

    return serve


def _collect(kind):
    def serve(site, run, *args):
        return kind(site._plainly_here(args[0])) if args else kind()

    return serve


def _dict(site, run, *args, **kwargs):
    if args and run.recorder.is_known(args[0]):
        args = (site.mapping(args[0]),)
    elif args and not hasattr(args[0], "keys"):
        args = ([tuple(site.unpack(pair)) for pair in site._plainly_here(args[0])],)
    return dict(*args, **kwargs)


def _iter(site, run, x, *rest):
    if rest:
        return iter(site.form(x), *rest)
    return iter(site._plainly_here(x))


def _next(site, run, iterator, *default):
    forget_recipe(site, run, iterator)
    if run.recorder.is_known(iterator):
        run.recorder.refuse("an iterator from outside is advanced", site)
    method = _users_method(run, iterator, "__next__")
    if method is None:
        return next(iterator, *default)
    try:
        return site.call(method, iterator)
    except StopIteration:
        if default:
            return default[0]
        raise


def _reduce(site, run, function, iterable, /, *initial):
    return functools.reduce(site.form(function), site._plainly_here(iterable), *initial)


def _is_plain_outside(run, o, name):
    """Whether an object from outside has attributes without asking the user's code."""
    return run.recorder.is_known(o) and not isinstance(o, np.ndarray) and not is_number(o) \
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


def _isinstance(site, run, x, kinds):
    return isinstance(x, kinds)


def _plainly(f):
    def serve(site, run, *args, **kwargs):
        return f(*args, **kwargs)

    return serve


def _text(f):
    name = {str: "__str__", repr: "__repr__", format: "__format__"}[f]

    def serve(site, run, *args, **kwargs):
        if not args:
            return f()
        method = _users_method(run, args[0], name)
        if method is None and f is str:
            method = _users_method(run, args[0], "__repr__")
        if method is not None:
            return site.call(method, *args, **kwargs)
        return run.text(site, f, args, kwargs)

    return serve


def _hash(site, run, x):
    return hash(run.settled(site, x)) if not is_users(x) else hash(x)


def _print(site, run, *args, **kwargs):
    return run.foreign(site, print, args, kwargs)


_TABLE = {
    len: _len, range: _range, type: _type, float: _convert(float), int: _convert(int),
    complex: _convert(complex), bool: _bool, abs: _of_numbers(abs, "__abs__"),
    round: _of_numbers(round, "__round__"), pow: _pow, divmod: _divmod, sum: _sum,
    max: _extreme("gt"), min: _extreme("lt"), sorted: _sorted, any: _any, all: _all, map: _map,
    filter: _filter, zip: zip_, enumerate: enumerate_, reversed: reversed_,
    list: _collect(list), tuple: _collect(tuple), set: _collect(set),
    frozenset: _collect(frozenset), dict: _dict, iter: _iter, next: _next,
    functools.reduce: _reduce, getattr: _getattr, hasattr: _hasattr, setattr: _setattr,
    delattr: _delattr, isinstance: _isinstance, issubclass: _plainly(issubclass), id: _plainly(id),
    callable: _plainly(callable), slice: _plainly(slice), object: _plainly(object),
    super: _plainly(super), property: _plainly(property), staticmethod: _plainly(staticmethod),
    classmethod: _plainly(classmethod), functools.partial: _plainly(functools.partial),
    functools.wraps: _plainly(functools.wraps),
    itertools.chain: _lazily(itertools.chain),
    itertools.product: _lazily(itertools.product),
    itertools.count: _plainly(itertools.count), itertools.repeat: _plainly(itertools.repeat),
    itertools.islice: lambda site, run, x, *r: itertools.islice(site._plainly_here(x), *r),
    itertools.pairwise: _lazily(itertools.pairwise),
    itertools.combinations: lambda site, run, x, r: itertools.combinations(
        site._plainly_here(x), r),
    itertools.permutations: lambda site, run, x, *r: itertools.permutations(
        site._plainly_here(x), *r),
    itertools.starmap: lambda site, run, f, x: itertools.starmap(
        site.form(f), site._plainly_here(x)),
    itertools.takewhile: lambda site, run, f, x: itertools.takewhile(
        _test(site, f), site._plainly_here(x)),
    itertools.dropwhile: lambda site, run, f, x: itertools.dropwhile(
        _test(site, f), site._plainly_here(x)),
    itertools.filterfalse: lambda site, run, f, x: itertools.filterfalse(
        _test(site, f), site._plainly_here(x)),
    itertools.zip_longest: _lazily(itertools.zip_longest), itertools.cycle: _lazily(
        itertools.cycle), itertools.tee: lambda site, run, x, *n: itertools.tee(
        site._plainly_here(x), *n),
    itertools.chain.from_iterable: lambda site, run, x: itertools.chain.from_iterable(
        map(site._plainly_here, site._plainly_here(x))),
    dataclasses.replace: _replace,
    itertools.accumulate: lambda site, run, x, f=operator.add, **k: itertools.accumulate(
        site._plainly_here(x), site.form(f), **k),
    str: _text(str), repr: _text(repr), format: _text(format), hash: _hash, print: _print,
    **{getattr(operator, name): _operator(name) for name in
       "add sub mul truediv floordiv mod pow matmul lt le gt ge eq ne and_ or_ xor".split()},
    operator.neg: lambda site, run, x: site.neg(x),
    operator.getitem: lambda site, run, o, k: site.item(o, k),
    operator.setitem: lambda site, run, o, k, v: site.set_item(v, o, k),
    types.SimpleNamespace: _plainly(types.SimpleNamespace),
    math.isclose: lambda site, run, *a, **k: run.pure(site, math.isclose, a, k),
    builtins.vars: lambda site, run, *a: run.native(site, vars, a),
    builtins.dir: lambda site, run, *a: run.native(site, dir, a),
}

MEANINGS = {id(function): (function, handler) for function, handler in _TABLE.items()}
"""id of a callable -> (it, ``handler(site, run, *args, **kwargs)``)."""
