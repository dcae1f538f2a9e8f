"""When a recording ends: what survives of it is made plain.

First whatever the journal knows of, then an exception on its way out. If wrappers are still alive
after that, the heap is searched for what holds them: a net for stores that nobody saw.
"""

import gc
from types import FrameType, GeneratorType

from hybridad._parray import PersistentArray, PersistentScalar
from hybridad.recording.effects.concrete import Concretizer

__all__ = ["settle"]

_WRAPPERS = frozenset((PersistentArray, PersistentScalar))
_SOMETIMES_UNLISTED = frozenset((dict, tuple))
_CHUNK = 2000
_ROUNDS = 8


def settle(journal, plain, *, roots=(), error=None, alive=None):
    """Replace wrappers by plain values in whatever outlives a run.

    Parameters
    ----------
    journal : Journal
        Of the run.
    plain : callable
        ``plain(wrapper)``; a wrapper that is to stay (of a run outside) it returns as it is.
    roots : iterable
        Other values that leave the run.
    error : BaseException, optional
        On its way out: its arguments and attributes, those of its causes and of the members of a
        group are made plain. Frames of tracebacks keep what they hold.
    alive : callable, optional
        How many wrappers of the run are alive; where there are none nothing needs to be done. By
        default the journal is believed to know all places.

    Returns
    -------
    list
        The roots, plain.
    """
    roots = [*roots]
    journal.prune()
    if alive is not None and not alive():
        return roots
    concretizer = Concretizer(plain)
    journal.concretize_with(concretizer)
    roots = [concretizer.value(x) for x in roots]
    if error is not None:
        concretizer.value(error)
    concretizer.finish()
    del concretizer
    if alive is not None and alive():
        _search(plain)
    return roots


def _search(plain):
    """Find what holds wrappers, anywhere, and make it plain."""
    # Frames hold their locals as long as they live; generators that wait are frames.
    concretizer = Concretizer(plain, deep=False)
    built, holders = [], _holders()
    for holder in holders:
        if issubclass(type(holder), (tuple, frozenset)):
            built.append(holder)
        elif type(holder) not in (FrameType, GeneratorType):
            concretizer.visit(holder)
    _tell_classes([x for x in holders if type(x) is dict and "__module__" in x])
    # What had to be built anew is replaced in what holds it, and so on outwards.
    for _ in range(_ROUNDS):
        built = [x for x in built if concretizer.value(x) is not x]
        if not built:
            return
        known, outer = {id(x) for x in built}, []
        for holder in gc.get_referrers(*built):
            if (holder is built or concretizer.is_own(holder)
                    or type(holder) in (FrameType, GeneratorType)):
                continue
            if issubclass(type(holder), (tuple, frozenset)):
                if id(holder) not in known:
                    outer.append(holder)
            else:
                concretizer.visit(holder)
        built = outer


def _tell_classes(namespaces):
    """Python remembers what it has found in a class: it is told that something was replaced."""
    for cls in gc.get_referrers(*namespaces) if namespaces else ():
        if issubclass(type(cls), type) and type(cls.__dict__.get("__module__")) is str:
            type.__setattr__(cls, "__module__", cls.__dict__["__module__"])


def _holders():
    """Everything that holds a wrapper: what the collector knows of, and what it does not list.

    It does not list dictionaries and tuples in which it sees nothing that could be part of a cycle
    (wrappers cannot); those are reached from what holds them.
    """
    objects, known, found = gc.get_objects(), set(), []
    while objects:
        unlisted = {}
        for start in range(0, len(objects), _CHUNK):
            chunk = objects[start:start + _CHUNK]
            inside = gc.get_referents(*chunk)
            if not _WRAPPERS.isdisjoint(map(type, inside)):
                found.extend(x for x in chunk if x is not objects and _holds(x))
            unlisted.update((id(x), x) for x in inside
                            if type(x) in _SOMETIMES_UNLISTED and x and not gc.is_tracked(x))
        objects = [x for key, x in unlisted.items() if key not in known]
        known |= unlisted.keys()
    return found


def _holds(x):
    return not _WRAPPERS.isdisjoint(map(type, gc.get_referents(x)))
