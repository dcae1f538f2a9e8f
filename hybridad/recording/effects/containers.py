"""Methods of builtin containers, which change things in C: the journal is told before they do.

They run natively on wrappers; wrappers note what C asks of them. Functions of the user's that C
would call (keys, default factories, ``__eq__``) are called through the site.
"""

import array
from collections import Counter, OrderedDict, defaultdict, deque
from types import FunctionType

from hybridad._record import is_wrapper, raw_of
from hybridad._run import run_in_progress
from hybridad.recording.arraylike import holds_wrapper, plain
from hybridad.recording.effects import copies, order
from hybridad.recording.effects.attributes import ABSENT, look_up
from hybridad.recording.effects.changes import touch

__all__ = ["CONTAINERS", "MEANINGS", "call_method", "missing"]

CONTAINERS = (list, dict, set, frozenset, tuple, deque, OrderedDict, defaultdict, Counter, str,
              bytes, bytearray, array.array)

_OF_LISTS = ("append extend insert remove pop clear sort reverse "
             "__setitem__ __delitem__ __iadd__ __imul__ __init__").split()
_OF_DICTS = ("clear pop popitem setdefault update move_to_end "
             "__setitem__ __delitem__ __ior__ __init__ __missing__").split()
_CHANGING = {
    list: frozenset(_OF_LISTS),
    deque: frozenset((*_OF_LISTS, "appendleft", "extendleft", "popleft", "rotate")),
    dict: frozenset(_OF_DICTS),
    set: frozenset(("add remove discard pop clear update difference_update intersection_update "
                    "symmetric_difference_update __iand__ __ior__ __isub__ __ixor__ __init__"
                    ).split()),
    bytearray: frozenset(_OF_LISTS),
    array.array: frozenset((*_OF_LISTS, "fromlist", "frombytes", "fromfile", "fromunicode",
                            "byteswap")),
}
_GROWING = frozenset(("append", "extend", "__iadd__"))
_NOTHING = frozenset()


def call_method(site, journal, bound, args, kwargs):
    """Call a method of a builtin container.

    Parameters
    ----------
    site : Site
    journal : Journal or None
    bound : builtin method
        Its ``__self__`` is the container, or an instance of a class derived from one.
    args : tuple
    kwargs : dict

    Returns
    -------
    object
        What plain Python returns.
    """
    container, name = bound.__self__, bound.__name__
    kind = _base(type(container))
    if journal is not None and name in _CHANGING.get(kind, _NOTHING):
        journal.touch(container, name in _GROWING)
    special = _SPECIAL.get((kind, name))
    try:
        if special is not None:
            return special(site, container, bound, args, kwargs)
        with site.hashing():
            return bound(*args, **kwargs)
    except TypeError as error:
        if kind not in (str, bytes) or not any(map(holds_wrapper, args)):
            raise
        failed = error
    bound(*plain(args), **plain(kwargs))    # raises, and says what plain code says
    raise failed


def _base(kind):
    for base in (list, dict, set, deque, tuple, frozenset, str, bytes, bytearray, array.array):
        if issubclass(kind, base):
            return base
    return None


def missing(site, journal, container, key):
    """What ``container[key]`` gives where the key of a defaultdict is missing.

    Returns
    -------
    object
        What its default factory made, which was called through the site; the container has it now.
    """
    factory = container.default_factory
    if factory is None:
        raise KeyError(raw_of(key))
    value = site.call(factory)
    if journal is not None:
        journal.touch(container)
    with site.hashing():
        container[key] = value
    return value


# -- sequences -----------------------------------------------------------------------------------


def _sort(site, container, bound, args, kwargs):
    return order.sort(site, container, args, kwargs)


def _extend(site, container, bound, args, kwargs):
    if len(args) == 1 and args[0] is not container:
        args = (site.iter(args[0]),)
    return bound(*args, **kwargs)


def _indexed(site, container, bound, args, kwargs):
    return bound(*[raw_of(args[0]), *args[1:]] if args else args, **kwargs)


def _are_equal_by_user(items):
    """Whether comparing the items calls functions of the user's."""
    return any(type(look_up(kind, "__eq__")) is FunctionType for kind in set(map(type, items)))


def _searched(search):
    """Methods that compare the items with a value: with a class of the user's through the site."""
    def method(site, container, bound, args, kwargs):
        args = (*args[:1], *map(raw_of, args[1:]))
        if len(args) == 0 or kwargs or not _are_equal_by_user([args[0], *container]):
            return bound(*args, **kwargs)
        return search(site, container, *args)
    return method


def _equal(site, item, x):
    return item is x or site.truth(site.eq(item, x))


def _index(site, container, x, start=0, stop=None):
    first, last, _ = slice(start, stop).indices(len(container))
    for k in range(first, last):
        if k < len(container) and _equal(site, container[k], x):
            return k
    return _base(type(container))().index(x)  # raises


def _count(site, container, x):
    return sum([_equal(site, item, x) for item in container])


def _remove(site, container, x):
    for k, item in enumerate(container):
        if _equal(site, item, x):
            del container[k]
            return
    _base(type(container))().remove(x)  # raises


# -- mappings and sets ----------------------------------------------------------------------------


def _updated(site, container, bound, args, kwargs):
    """Methods that go through what they are given."""
    args = [x if is_wrapper(x) or issubclass(type(x), (set, frozenset))
            or look_up(type(x), "keys") is not ABSENT else site.iter(x) for x in args]
    with site.hashing():
        return bound(*args, **kwargs)


# -- text ----------------------------------------------------------------------------------------


def _text(site, container, bound, args, kwargs):
    """Text made from wrappers is what their plain values give, and a decision once it is used."""
    result = bound(*args, **kwargs)
    if any(map(is_wrapper, (*args, *kwargs.values()))):
        site.guard("str", result)
    return result


def _looked_up(site, container, bound, args, kwargs):
    with site.hashing():
        value = bound(*args, **kwargs)
    run = run_in_progress()
    return value if run is None or not args else run.looked_up(container, args[0], value)


_SPECIAL = {
    (list, "sort"): _sort,
    **{(kind, name): _extend for kind in (list, deque) for name in (
        "extend", "extendleft", "__iadd__")},
    **{(kind, name): _indexed for kind in (list, deque) for name in (
        "insert", "pop", "rotate", "__setitem__", "__delitem__", "__getitem__", "__imul__")},
    (tuple, "__getitem__"): _indexed,
    **{(kind, "index"): _searched(_index) for kind in (list, deque, tuple)},
    **{(kind, "count"): _searched(_count) for kind in (list, deque, tuple)},
    **{(kind, "remove"): _searched(_remove) for kind in (list, deque)},
    **{(dict, name): _updated for name in ("update", "__init__", "__ior__")},
    **{(kind, name): _updated for kind in (set, frozenset) for name in (
        "update", "union", "difference", "difference_update", "intersection",
        "intersection_update", "symmetric_difference", "symmetric_difference_update",
        "isdisjoint", "issubset", "issuperset", "__init__")},
    **{(dict, name): _looked_up for name in ("get", "pop", "setdefault", "__getitem__")},
    (str, "join"): _extend,
    (bytes, "join"): _extend,
    (str, "format"): _text,
}


# -- by identity ---------------------------------------------------------------------------------


def _of_counter(method):
    def handler(site, *args, **kwargs):
        if args:
            touch(args[0])
        with site.hashing():
            return method(*args, **kwargs)
    return handler


def _natively(function):
    def handler(site, *args, **kwargs):
        return function(*args, **kwargs)
    return handler


def _constructor(kind, place=0):
    """A class whose argument at `place` is gone through."""
    def handler(site, *args, **kwargs):
        if len(args) > place and not issubclass(type(args[place]), dict):
            items = args[place]
            if items is not None:
                args = (*args[:place], site.iter(items), *args[place + 1:])
        with site.hashing():
            return kind(*args, **kwargs)
    return handler


MEANINGS = {
    **order.MEANINGS,
    **copies.MEANINGS,
    **{method: _of_counter(method) for method in vars(Counter).values()
       if type(method) is FunctionType},
    deque: _constructor(deque),
    Counter: _constructor(Counter),
    OrderedDict: _constructor(OrderedDict),
    defaultdict: _constructor(defaultdict, 1),
    array.array: _natively(array.array),
}
