"""What names stand for at the heads of loops: containers and objects, by what they hold.

A dict, a list, a tuple or an object of the run's own is told by its content, so `fold` sees what
its slots carry from one iteration to the next. Its numbers and arrays are values of the run, known
by what they are; numbers that come from no value of the run have to be given names once they
change, as a counter does, or a rate that decays.
"""

import types
from collections import deque

import numpy as np

from hybridad.recording.runtime.attributes import dict_of
from hybridad.recording.tracing.encoding import encode, is_bound
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.values import Dynamic
from hybridad.trace.ir import HOLE, Ref

__all__ = ["Opaque", "content_of", "counts_of", "named_before", "owner_of", "reachable",
           "without_leaf"]

_LEAVES = (np.ndarray, float, int, complex, bool, str, bytes, type(None), Dynamic, type,
           types.ModuleType)
_MANY = 10_000


def reachable(values):
    """The ids of the containers and objects in values, also those behind them."""
    found, stack = {}, list(values)
    while stack and len(found) < _MANY:
        x = stack.pop()
        kind = type(x)
        if kind in _LEAVES or id(x) in found or issubclass(kind, np.generic):
            continue
        found[id(x)] = x
        if issubclass(kind, dict):
            stack.extend(dict.values(x))
        elif issubclass(kind, (list, tuple, set, frozenset, deque)):
            stack.extend(x)
        elif kind is types.FunctionType:
            stack.extend(cell.cell_contents for cell in x.__closure__ or () if is_bound(cell))
        else:
            stack.extend(dict_of(x).values())
    return found


def _is_told(run, x):
    """Whether `x` is a container or an object of the run's own that is told by what it holds."""
    return not run.recorder.is_known(x) and (
        type(x) in (tuple, list, dict) or run.is_plain_object(x))


def content_of(run, x, told, born):
    """What a value is made of, as arguments: containers, and the run's own objects by attributes.

    Parameters
    ----------
    told : dict
        Id -> container or object that the content tells of; added to.
    born : dict
        See `named_before`.
    """
    kind, recorder = type(x), run.recorder
    if _is_told(run, x):
        if id(x) in told:       # once is enough; in a circle there is no end
            return _which(x, born)
        told[id(x)] = x
        if kind in (tuple, list):
            return kind([content_of(run, item, told, born) for item in x])
        if kind is not dict:
            parts = {_WHICH: _which(x, born), **dict_of(x)}
        elif any(recorder.is_known(key) for key in x):
            return Opaque(x)
        else:
            parts = x
        return {key: content_of(run, item, told, born) if key is not _WHICH else item
                for key, item in parts.items()}
    try:
        return encode(recorder, x)
    except NotTraced:
        return Opaque(x)


_WHICH = "which one"    # no attribute has such a name


def _which(x, born):
    """Which object it is: in each run the same one, if it was there before the loop."""
    label, known = born.get(id(x), (None, None))
    return label if known is x else Opaque(x)


def named_before(run, names, values):
    """How the run's own objects and containers can be reached before a loop.

    Returns
    -------
    dict
        Id -> (text, the object).
    """
    found, stack = {}, [*zip(names, values)][::-1]
    while stack:
        way, x = stack.pop()
        kind = type(x)
        if id(x) in found or not _is_told(run, x):
            continue
        found[id(x)] = f"<{kind.__name__} {way}>", x
        slots = enumerate(x) if kind in (tuple, list) else _slots_of(x).items()
        stack += [(f"{way}[{key!r}]", item) for key, item in slots if type(key) in (int, str)]
    return found


class Opaque:
    """A value that no operation can have as an argument; known by what it is."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Opaque and other.value is self.value

    def __hash__(self):
        return id(self.value)

    def __repr__(self):
        return f"<{type(self.value).__name__}>"


def counts_of(before, now):
    """The ways to plain numbers that are other ones now, in contents that are alike otherwise.

    Yields
    ------
    tuple
        Keys.
    """
    kind = type(now)
    if type(before) is not kind:
        return
    if kind is dict:
        keys = [key for key in now if key in before]
    elif kind is list and len(before) == len(now):
        keys = range(len(now))
    else:
        return
    for key in keys:
        a, b = before[key], now[key]
        if type(a) is type(b) and type(a) in (int, float) and a != b:
            yield (key,)
        else:
            for path in counts_of(a, b):
                yield (key, *path)


def without_leaf(content, path):
    """A content with `HOLE` at the end of a way, and what was there; `HOLE` if it is no number."""
    key, *rest = path
    kind = type(content)
    if not (kind is dict and key in content) and not (
            kind is list and type(key) is int and key < len(content)):
        return content, HOLE
    if rest:
        part, leaf = without_leaf(content[key], rest)
    else:
        part, leaf = HOLE, content[key]
        if type(leaf) not in (int, float, Ref):
            return content, HOLE
    if leaf is HOLE:
        return content, HOLE
    content = kind(content)
    content[key] = part
    return content, leaf


def owner_of(value, path):
    """The dict or the list that holds what is at the end of a way, or None."""
    for key in path[:-1]:
        value = _slots_of(value)[key]
    owner = _slots_of(value)
    return owner if type(owner) in (dict, list) else None


def _slots_of(value):
    return value if type(value) in (dict, list, tuple) else dict_of(value)
