"""What builtin containers hold: taken and put back in C, past whatever a subclass overrides."""

import array
from collections import OrderedDict, deque

from hybridad.recording.effects.attributes import look_up

__all__ = ["base_of", "copy_of_dict", "put_back", "take"]


_BASES = (list, OrderedDict, dict, set, deque, bytearray, array.array)
_EXACT = {base: base for base in _BASES}


def base_of(kind):
    """The builtin mutable container that a type is or derives from, or None."""
    base = _EXACT.get(kind)
    if base is None:
        for base in _BASES:
            if issubclass(kind, base):
                return base
        return None
    return base


def copy_of_dict(x):
    """A plain copy of a dictionary; where there is a choice, without hashing the keys again."""
    kind = type(x)
    if kind is dict or look_up(kind, "__iter__") is dict.__iter__:
        return dict.copy(x)
    return dict(dict.items(x))  # `copy` would call the `__iter__` of the class


def take(base, container, start=0):
    """The content of a container, in a form that `put_back` understands.

    Parameters
    ----------
    base : type
        As `base_of` says.
    container : object
    start : int
        Of a list: leave out what comes before.
    """
    if base is list:
        return list.__getitem__(container, slice(start, None))
    if base is dict:
        return copy_of_dict(container)
    if base is OrderedDict:
        held = copy_of_dict(container)  # has the values, but its order is not that of the keys
        return [*OrderedDict.__iter__(container)], held
    if base is set:
        return [*set.__iter__(container)], set(container)
    if base is deque:
        return [*deque.__iter__(container)]
    return base.__getitem__(container, slice(None))


def put_back(base, container, content):
    """Make a container hold what it held; it keeps its identity, the content its order."""
    if base is list:
        list.__setitem__(container, slice(None), content)
    elif base is dict:
        dict.clear(container)
        dict.update(container, content)  # copies the hashes too
    elif base is OrderedDict:
        names, held = content
        OrderedDict.clear(container)
        for name in names:
            OrderedDict.__setitem__(container, name, held[name])
    elif base is set:
        _put_back_set(container, *content)
    elif base is deque:
        deque.clear(container)
        deque.extend(container, content)
    else:
        base.__setitem__(container, slice(None), content)


def _put_back_set(container, order, content):
    # The order of a set is that of its table, which depends on how the set came about: it is left
    # alone if it can be, and built in one way or the other if that gives the order. Operations
    # between sets do not hash their items again.
    set.difference_update(container, set.__sub__(container, content))
    set.update(container, content)
    if not _same(set.__iter__(container), order):
        set.clear(container)
        set.update(container, content)
    if not _same(set.__iter__(container), order):
        set.clear(container)
        for item in order:
            set.add(container, item)


def _same(items, others):
    return all(a is b for a, b in zip(items, others, strict=True))
