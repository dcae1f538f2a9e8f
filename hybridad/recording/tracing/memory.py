"""Arrays of a trace run: whose memory they show, how they are views, which version they are of."""

import operator

import numpy as np

from hybridad.trace.ir import HOLE, Method, Ref, Step, map_refs

__all__ = ["Array", "Arrays", "NotTraced", "SharedMemory", "base_of", "with_hole"]


class NotTraced(BaseException):
    """A run cannot be written down; the text says why. It is no error that `f` might handle."""


class SharedMemory(NotTraced):
    """An array is written to that arrays from outside share: another run will know it.

    Attributes
    ----------
    owner : ndarray
        Whose memory it is.
    """

    def __init__(self, reason, owner):
        super().__init__(reason)
        self.owner = owner


class Memory:
    """Memory that arrays show: which one was seen first, and how often it was written to."""

    __slots__ = ("base", "noted", "number", "outside", "root", "version")

    def __init__(self, number, root, base, outside):
        self.number, self.root, self.base, self.outside = number, root, base, outside
        self.version, self.noted = 0, False


class Array:
    """An array of the run: the operation that gives its content, and how it is a view.

    `read`: of a view from outside, the operation that gave the object itself.
    """

    __slots__ = ("array", "id", "memory", "parent", "read", "step", "version")

    def __init__(self, array, id, memory, parent=None, step=None):
        self.array, self.id, self.memory, self.read = array, id, memory, None
        self.parent, self.step, self.version = parent, step, memory.version


class Arrays:
    """What a recorder knows of arrays; the rest of it is in `recorder`.

    Attributes
    ----------
    shared : collection of int
        Ids of arrays from outside whose memory other ones show, too.
    """

    def __init__(self, shared):
        self.shared = shared
        self._memories = {}     # id of the owner of memory -> list of Memory
        self._numbers = 0
        self._known = {}        # id of an object -> (object, id of a node, or Array)
        self._outside = []      # memories from outside
        self._apart = set()     # pairs of memories that are known not to overlap

    def constant(self, x, site):
        """A new array that is the same in each call, and that nobody writes into."""
        self.new_array(x, self.node("const", None, (x,), None, x, site, self.next_memory()), False)
        return x

    def array_of(self, x):
        """What is known of an array, or None."""
        found = self._known.get(id(x))
        return found[1] if found is not None and type(found[1]) is Array else None

    def _memory_of(self, x):
        """The memory that an array shows, if an array that is known shows it too."""
        for memory in self._memories.get(id(base_of(x)), ()):
            if np.may_share_memory(memory.root.array, x):
                return memory
        return None

    def new_array(self, x, number, outside):
        """A new array with memory of its own (or of the outside)."""
        base = base_of(x)
        self._numbers += 1
        memory = Memory(self._numbers, None, base, outside)
        memory.root = Array(x, number, memory)
        self._memories.setdefault(id(base), []).append(memory)
        self._known[id(x)] = x, memory.root
        if outside:
            self._outside.append(memory)
            for other in self._outside:
                if other.version:
                    self.apart(other, None)
        return memory

    def next_memory(self):
        """The number that the next new memory will have."""
        return self._numbers + 1

    def _array(self, site, target, args, kwargs, x, operands):
        if self.array_of(x) is not None:
            return x            # one of the operands itself
        memory = self._memory_of(x)
        if memory is None:
            number = self.node("apply", target, args, kwargs, x, site, self.next_memory())
            self.new_array(x, number, False)
            return x
        parent = self._parent(memory, operands)
        if parent is None:
            self.refuse("a view of an array that is no argument", site)
        hole = self.ref(parent.array)
        step = Step(target, with_hole(args, hole), with_hole(kwargs or {}, hole))
        number = self.node("apply", target, args, kwargs, x, site, memory.number)
        self._known[id(x)] = x, Array(x, number, memory, parent, step)
        return x

    def pass_over_memory(self):
        """No other memory gets the number that the next one would have."""
        self._numbers += 1

    def arrays_of(self, owner):
        """The arrays that show the memory of an array: itself, and views of it."""
        memory = self.array_of(owner).memory
        return [owner, *[x for x, known in self._known.values()
                         if type(known) is Array and known.memory is memory and x is not owner]]

    def window(self, site, number, x, owner, steps):
        """Array `x`, which operation `number` gave, must be what `steps` from another one show."""
        made, ref = owner, self.ref(owner)
        for step in steps:
            args = _without_hole(step.args, ref)
            shown = _applied(made, step)
            made = x if step is steps[-1] else shown
            self._array(site, step.target, args, step.kwargs, made, (owner,))
            owner, ref = made, self.ref(made)
        self.array_of(x).read = number
        self.check("window", Ref(number), ref, site)

    def written(self, site, x, target, rest, kwargs=None):
        """``target(x, *rest, **kwargs)`` has written into array `x`: a new version."""
        known = self.array_of(x)
        if known is None:
            self.refuse("an array of unknown origin was written to", site)
        memory = known.memory
        others = self._memories.get(id(memory.base), ())
        if len(others) > 1 and any(np.may_share_memory(other.root.array, x) for other in others
                                   if other is not memory):
            reason = "two views of memory that is not known were seen, one was written to"
            if not memory.outside or id(memory.base) in self.shared:
                self.refuse(reason, site)
            raise SharedMemory(reason, memory.base)
        path = []
        while known.parent is not None:
            path.append(known.step)
            known = known.parent
        root = memory.root
        number = self.node("write", target, (self.ref(root.array), tuple(path[::-1]), *rest),
                           kwargs, root.array, site, memory.number)
        memory.version += 1
        root.id, root.version = number, memory.version

    def is_window(self, x, array, index):
        """Whether an array is the view of another one by an index (encoded)."""
        known, parent = self.array_of(x), self.array_of(array)
        return (known is not None and known.parent is parent and parent is not None
                and known.step.target is operator.getitem
                and known.step.args[0] is HOLE and known.step.args[1] == index)

    def ref(self, x):
        """The `Ref` of a value that is known, or None."""
        found = self._known.get(id(x))
        if found is None or found[0] is not x:
            return None
        known = found[1]
        if type(known) is not Array:
            return Ref(known)
        if known.version != known.memory.version:
            self._again(known)
        return Ref(known.id)

    def identity(self, x):
        """As `ref`, for what asks whether it is this very object."""
        known = self.array_of(x)
        return self.ref(x) if known is None or known.read is None else Ref(known.read)

    def _again(self, known):
        """A view is used again after its memory was written to."""
        if known.parent is None:
            known.id, known.version = known.memory.root.id, known.memory.version
            return
        parent = self.ref(known.parent.array)
        args = _without_hole(known.step.args, parent)
        known.id = self.node("apply", known.step.target, args,
                             _without_hole(known.step.kwargs, parent), known.array, None,
                             known.memory.number)
        known.version = known.memory.version

    def _parent(self, memory, operands):
        """The array among the operands that shows a memory, or None."""
        for operand in operands:
            known = self.array_of(operand)
            if known is not None and known.memory is memory:
                return known
        return None

    def apart(self, memory, site):
        """Memory from outside is written to: no other array from outside shows it."""
        for other in self._outside:
            pair = frozenset((memory.number, other.number))
            if other is not memory and pair not in self._apart:
                self._apart.add(pair)
                self.node("check", "apart", (Ref(memory.root.id), Ref(other.root.id)), None,
                          None, site)


def base_of(x):
    """What owns the memory of an array."""
    while type(x.base) is np.ndarray or type(getattr(x.base, "base", None)) is np.ndarray:
        # NumPy's functions for strides put an object in between.
        x = x.base if type(x.base) is np.ndarray else x.base.base
    return x if x.base is None else x.base


def _applied(array, step):
    """What one step from an array shows."""
    args = _without_hole(step.args, array)
    if type(step.target) is Method:
        return getattr(args[0], step.target.name)(*args[1:], **step.kwargs)
    return step.target(*args, **step.kwargs)


def with_hole(args, hole):
    """Arguments with `HOLE` in place of a use of an array."""
    return map_refs(lambda ref: HOLE if ref == hole else ref, args)


def _without_hole(x, ref):
    kind = type(x)
    if x is HOLE:
        return ref
    if kind is tuple:
        return tuple([_without_hole(item, ref) for item in x])
    if kind is list:
        return [_without_hole(item, ref) for item in x]
    if kind is dict:
        return {k: _without_hole(v, ref) for k, v in x.items()}
    return x
