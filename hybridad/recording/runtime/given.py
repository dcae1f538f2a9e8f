"""What code from outside is given: plain values, also inside of containers and objects."""

import functools
import operator
import types

import numpy as np

from hybridad._record import active, is_wrapper
from hybridad.recording.effects.attributes import instance_dict, members

__all__ = ["Given", "holds", "holds_active"]


class Given:
    """What foreign code is given: plain values in place of wrappers, also inside containers.

    Containers are copied only if there are wrappers inside; what the code does to such a copy is
    done to the original afterwards (`take_back`).
    """

    __slots__ = ("arrays", "copies", "made", "run", "wrappers")

    def __init__(self, run):
        self.run = run
        self.arrays = []        # wrappers of arrays
        self.wrappers = {}      # id of a plain value or copy -> (it, what it stands for)
        self.copies = []        # (original, copy, content of the copy)
        self.made = {}          # id of an original -> its copy

    def plain(self, x):
        """`x` with plain values in place of wrappers."""
        if is_wrapper(x):
            raw = self.run.give(x)
            if type(raw) is np.ndarray:
                self.arrays.append(x)
            self.wrappers[id(raw)] = raw, x
            return raw
        kind = type(x)
        if kind in _LEAVES:
            return x
        base = _base(kind)
        if base is not None:
            if not any(holds(item, is_wrapper) for item in base.__iter__(x)):
                return x
            if base is list:
                return self._list(x)
            items = [self.plain(item) for item in base.__iter__(x)]
            made = tuple.__new__(kind, items) if base is tuple else base(items)
            self.wrappers[id(made)] = made, x
            return made
        if issubclass(kind, dict):
            if not any(holds(item, is_wrapper) for pair in x.items() for item in pair):
                return x
            return self._dict(x)
        return x

    def _list(self, x):
        if id(x) not in self.made:
            made = self.made[id(x)] = []  # before its items, among which it may be itself
            made.extend(self.plain(item) for item in list.__iter__(x))
            self.copies.append((x, made, made[:]))
            self.wrappers[id(made)] = made, x
        return self.made[id(x)]

    def _dict(self, x):
        if id(x) not in self.made:
            made = self.made[id(x)] = {}
            made.update((self.plain(k), self.plain(v)) for k, v in x.items())
            self.copies.append((x, made, dict(made)))
            self.wrappers[id(made)] = made, x
        return self.made[id(x)]

    def take_back(self):
        """Do to the originals what was done to the copies."""
        for original, copy, content in self.copies:
            if isinstance(copy, list):
                if len(copy) != len(content) or any(map(operator.is_not, copy, content)):
                    self.run.journal.touch(original)
                    original[:] = [self._wrapped(item) for item in copy]
            elif list(copy) != list(content) or any(copy[k] is not content[k] for k in copy):
                self.run.journal.touch(original)
                items = [(self._wrapped(k), self._wrapped(v)) for k, v in copy.items()]
                original.clear()
                original.update(items)

    def _wrapped(self, item):
        known = self.wrappers.get(id(item))
        return item if known is None else known[1]


def holds_active(x):
    """Whether there is an active value in `x`: in containers, partials, closures, objects."""
    return holds(x, active)


def holds(x, test, depth=0, seen=None):
    """Whether `holds_active` would find a wrapper in `x` for which ``test(wrapper)`` is true."""
    if is_wrapper(x):
        return test(x)
    kind = type(x)
    if kind in _LEAVES or depth > 8:
        return False
    parts = _parts(x, kind)
    if parts is None:
        return False
    seen = set() if seen is None else seen
    if id(x) in seen:
        return False
    seen.add(id(x))
    return any(holds(part, test, depth + 1, seen) for part in parts)


_LEAVES = {float, int, str, bool, bytes, complex, type(None), np.ndarray, np.float64, np.int64,
           type, types.ModuleType, types.BuiltinFunctionType, np.ufunc}


def _base(kind):
    """The builtin class of sequences and sets that a class is derived from, or None."""
    return next((base for base in (list, tuple, set, frozenset) if issubclass(kind, base)), None)


def _parts(x, kind):
    base = _base(kind)
    if base is not None:
        return base.__iter__(x)
    if issubclass(kind, dict):
        return [*dict.keys(x), *dict.values(x)]
    if kind is types.FunctionType:
        return _cells(x)
    if kind is types.MethodType:
        return [x.__self__, x.__func__]
    if kind is functools.partial:
        return [x.func, *x.args, *x.keywords.values()]
    if issubclass(kind, type) or kind.__module__ in ("builtins", "numpy"):
        return None
    held = instance_dict(x)
    slots = [slot for slot in map(functools.partial(_slot, x), members(kind)) if slot is not None]
    return slots + list(held.values()) if type(held) is dict else slots


def _slot(x, member):
    try:
        return member.__get__(x)
    except AttributeError:
        return None


def _cells(f):
    found = [*(f.__defaults__ or ())]
    for cell in f.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            pass
    return found
