"""Whether two operations are the same, when ids and memories go by other names."""

import numpy as np

from hybridad.trace.ir import Ref, Step

__all__ = ["Matching", "Unmergeable", "described", "same_static"]

_EQUAL_IF_SAME_TYPE = (int, str, bytes, bool, range, np.dtype)


class Unmergeable(Exception):
    """Two traces differ where they must not; the text says in what."""


def same_static(a, b):
    """Whether two static values cannot be told apart; no code of the user's is called."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind in _EQUAL_IF_SAME_TYPE or kind.__module__.startswith("hybridad."):
        return bool(a == b)
    if kind is float or kind is complex:
        return repr(a) == repr(b)
    if isinstance(a, np.generic):
        return a.dtype == b.dtype and not a.dtype.hasobject and a.tobytes() == b.tobytes()
    if kind is np.ndarray:
        return (a.dtype == b.dtype and a.shape == b.shape and not a.dtype.hasobject
                and a.tobytes() == b.tobytes())
    if kind is frozenset:
        return a == b and all(type(x) in _EQUAL_IF_SAME_TYPE for x in a)
    return False


class Matching:
    """Which ids and memories of a path stand for which of a tree.

    Parameters
    ----------
    outside : callable, optional
        ``outside(id)``: an id that both of them use by the same number, because it was made before.
    outside_memory : callable, optional
        The same of memories.
    written : container of int
        Memories of the tree that are written to anywhere: only of these it matters whether arrays
        share them.
    path_written : container of int
        The same of the path.
    """

    def __init__(self, outside=None, outside_memory=None, written=(), path_written=()):
        self.ids, self.taken = {}, {}
        self.memories, self.taken_memories = {}, {}
        self.outside, self.outside_memory = outside, outside_memory
        self.written, self.path_written = written, path_written

    # -- ids -------------------------------------------------------------------------------------

    def pair(self, tree, path):
        """Id `path` stands for id `tree` from now on."""
        if self.ids.setdefault(path, tree) != tree or self.taken.setdefault(tree, path) != path:
            raise Unmergeable("two values are one in one iteration or run, and not in the other")

    def find(self, path):
        """The id of the tree that `path` stands for."""
        tree = self.ids.get(path)
        if tree is None:
            if self.outside is None or not self.outside(path):
                raise Unmergeable("a value of an earlier iteration is used that no name stands for")
            if path in self.taken:
                raise Unmergeable("a value is used as it was in an earlier iteration")
            return path
        return tree

    def same(self, a, b):
        """Whether `a` of the tree is `b` of the path: nested containers of uses and statics."""
        kind = type(a)
        if kind is not type(b):
            return False
        if kind is Ref:
            return a.id == self.find(b.id)
        if kind is tuple or kind is list:
            if len(a) != len(b):
                return False
            for x, y in zip(a, b):
                if not self.same(x, y):
                    return False
            return True
        if kind is dict:
            return (len(a) == len(b) and [*a] == [*b]
                    and all(self.same(x, y) for x, y in zip(a.values(), b.values())))
        if kind is slice:
            return (self.same(a.start, b.start) and self.same(a.stop, b.stop)
                    and self.same(a.step, b.step))
        if kind is Step:
            return (same_static(a.target, b.target) and self.same(a.args, b.args)
                    and self.same(a.kwargs, b.kwargs))
        return same_static(a, b)

    # -- memories --------------------------------------------------------------------------------

    def pair_memory(self, tree, path, carried=False):
        """Memory `path` stands for memory `tree` from now on.

        What is `carried` by a phi may be other memory in each iteration.
        """
        if tree is None or path is None:
            if tree is not path:
                raise Unmergeable("an array shares memory in one iteration or run only")
            return
        known = self.memories.get(path)
        if known is None:
            if not carried and self.outside_memory is not None and self.outside_memory(path):
                known = path
                self.taken_memories.setdefault(path, path)
            else:
                known = tree
            self.memories[path] = known
        first = self.taken_memories.setdefault(tree, path)
        if (known != tree or first != path) and (
                tree in self.written or path in self.path_written or first in self.path_written
                or known in self.written):
            raise Unmergeable("arrays that are written to do not always share memory")

    def find_memory(self, path, new):
        """The memory of the tree that `path` stands for; ``new(path)`` if it is a new one."""
        tree = self.memories.get(path)
        if tree is None:
            if self.outside_memory is not None and self.outside_memory(path):
                tree = path
            else:
                tree = new(path)
            self.memories[path] = tree
            self.taken_memories.setdefault(tree, path)
        return tree

    # -- operations ------------------------------------------------------------------------------

    def node(self, a, b):
        """Operation `b` of the path must be `a` of the tree; from now on its id stands for that."""
        if (a.op != b.op or a.place != b.place or a.aval != b.aval or a.part != b.part
                or not same_static(a.target, b.target)):
            raise Unmergeable(_difference(a, b))
        if not (self.same(a.args, b.args) and self.same(a.kwargs, b.kwargs)):
            raise Unmergeable(f"{described(a)} has other arguments")
        if a.memory is not None or b.memory is not None:
            self.pair_memory(a.memory, b.memory)
        self.ids[b.id] = a.id
        self.taken[a.id] = b.id


def described(x):
    """An operation in words, for reasons."""
    target = getattr(x, "target", None)
    if target is None:
        text = f"a {getattr(x, 'kind', 'decision')} loop" if hasattr(x, "phis") else \
            getattr(x, "op", "a decision")
    else:
        text = str(getattr(target, "__name__", None) or getattr(target, "name", None) or target)
    place = x.place
    return text if place is None else f"{text} ({place.file}:{place.line})"


def _difference(a, b):
    if a.op == b.op and a.place == b.place and same_static(a.target, b.target):
        return f"{described(a)} gave {_of_aval(a.aval)} and then {_of_aval(b.aval)}"
    return f"there is {described(a)} and then {described(b)}"


def _of_aval(aval):
    if aval is None:
        return "something"
    return f"{aval.dtype}{list(aval.shape)}" if aval.kind == "array" else aval.dtype
