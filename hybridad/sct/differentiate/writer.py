"""Writing operations down: ids, examples, memories and what is known of cotangents.

Everything in an adjoint (or among tangents) is written through a `Writer`, which computes each
operation on example values at once, so that shapes and types are known by looking.
"""

import contextlib
import itertools
import math
import operator

import numpy as np

from hybridad.recording.tracing.memory import base_of
from hybridad.sct.differentiate.choice import chosen
from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.guards import DENSE, NONZERO, facts_of, is_harmless
from hybridad.sct.differentiate.traced import Traced, raw_of, refs_in, taken_apart
from hybridad.trace.ir import Aval, Branch, Loop, Method, Node, Ref, refs_of, replace

__all__ = ["Writer", "aval_of", "computed", "ids_and_memories"]


def aval_of(x):
    """What is known of a value, from an example.

    Parameters
    ----------
    x : object

    Returns
    -------
    Aval

    Examples
    --------
    >>> aval_of(1.0)
    Aval(kind='number', dtype='float', shape=(), layout='C')
    """
    kind = type(x)
    if isinstance(x, np.ndarray):
        flags = x.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return Aval("array", x.dtype.str, x.shape, layout)
    if isinstance(x, np.generic):
        return Aval("number", x.dtype.str)
    if kind in (float, int, complex, bool):
        return Aval("number", kind.__name__)
    return Aval("object", kind.__name__)


def ids_and_memories(block):
    """The smallest id and the smallest number of a memory that `block` does not use.

    Parameters
    ----------
    block : Block

    Returns
    -------
    tuple of int
    """
    ids = memories = -1
    waiting = [block]
    while waiting:
        block = waiting.pop()
        for node in block.nodes:
            ids = max(ids, node.id)
            if type(node) is Loop:
                ids = max(ids, -1 if node.item is None else node.item,
                          *(max(phi.id, phi.out) for phi in node.phis), -1)
                memories = max(memories, -1 if node.item_memory is None else node.item_memory,
                               *(-1 if phi.memory is None else phi.memory for phi in node.phis),
                               -1)
                waiting.append(node.body)
            elif node.memory is not None:
                memories = max(memories, node.memory)
        if type(block.end) is Branch:
            waiting.extend(block.end.sides.values())
    return ids + 1, memories + 1


class Writer:
    """Appends operations to the block that is being written.

    Parameters
    ----------
    part : {"adjoint", "tangent"}
    ids, memories : iterator of int
        Numbers that are free.
    guards : str
        One of `guards.GUARDS`.

    Attributes
    ----------
    nodes : list
        Of the block that is being written.
    facts : dict
        Id -> what `guards` knows of a value.
    layouts : dict
        Id -> the layout that an array surely has, for what `layouts` has made.
    asked : Traced or None
        The cotangent that the rule at work was given.
    """

    def __init__(self, part, ids, memories, guards="zero"):
        self.part = part
        self.guards = guards
        self.asked = None
        self.ids = ids
        self.memories = memories
        self.nodes = []
        self.facts = {}
        self.layouts = {}
        self.place = None
        self.of = None
        self._positions = {}
        self._last = (None, None, ())
        self._owners = {}
        self._own = set()
        self._memories = {}

    @classmethod
    def beside(cls, part, block, guards="zero"):
        """A writer of operations that come into `block`."""
        ids, memories = ids_and_memories(block)
        return cls(part, itertools.count(ids), itertools.count(memories), guards)

    @contextlib.contextmanager
    def block(self, nodes=None):
        """Write into a list of its own (or the given one), which this gives."""
        before = self.nodes
        self.nodes = made = [] if nodes is None else nodes
        try:
            yield made
        finally:
            self.nodes = before

    def at(self, node):
        """What is written from now on belongs to this operation."""
        self.place = node.place
        self.of = node.id

    # -- values ------------------------------------------------------------------------------

    def value(self, id, example, memory=None):
        """The value `id`, which others have computed."""
        if isinstance(example, np.ndarray) and memory is not None:
            self._know(example, memory)
        if isinstance(example, (tuple, list)):
            return taken_apart(self, Ref(id), example)
        return Traced(self, Ref(id), example)

    def new(self, example, memory=None):
        """A value with an id of its own, for a phi."""
        id = next(self.ids)
        if isinstance(example, np.ndarray):
            memory = next(self.memories) if memory is None else memory
            self._know(example, memory)
        return Traced(self, Ref(id), example), memory

    def memory_of(self, x):
        """The number of the memory that an array shows; None for a number."""
        if not isinstance(x.raw, np.ndarray):
            return None
        return self._memories.get(x.ref.id, self._owners.get(id(base_of(x.raw)), (None,))[0])

    def is_own(self, x):
        """Whether an array shows memory that was made here."""
        return self.memory_of(x) in self._own

    def owns(self, x):
        """Whether an array is the whole of a memory that was made here."""
        return self.is_own(x) and x.raw.flags.owndata

    def _know(self, example, memory):
        owner = base_of(example)
        self._owners.setdefault(id(owner), (memory, owner))

    # -- operations --------------------------------------------------------------------------

    def apply(self, target, args, kwargs=None, example=None):
        """Write ``target(*args, **kwargs)``; gives its result, plain if nothing in it is traced."""
        kwargs = {} if kwargs is None else kwargs
        if example is None:
            example = computed(target, raw_of(args), raw_of(kwargs))
        facts = facts_of(target, args, self.facts) if self.facts else 0
        operands = args
        args, kwargs = refs_in(args), refs_in(kwargs)
        memory = None
        if isinstance(example, np.ndarray):
            memory, _ = self._owners.get(id(base_of(example)), (None, None))
            if memory is None:
                memory = next(self.memories)
                self._know(example, memory)
                if target not in _PERHAPS_VIEWS:
                    self._own.add(memory)
        made = self._append("apply", target, args, kwargs, example, memory)
        if facts and type(made) is Traced:
            self.facts[made.ref.id] = facts
        self._last = (made, target, operands)
        return made

    def with_one_factor(self, a, b):
        """The factors of a product: a number times (a constant times an array) needs but one
        pass over the array."""
        made, target, operands = self._last
        if b is made and target is operator.mul and not isinstance(raw_of(a), np.ndarray) \
                and isinstance(b.raw, np.ndarray) and type(operands[0]) in (int, float):
            self._forget_last()
            return self.apply(operator.mul, (a, operands[0])), operands[1]
        return a, b

    def _forget_last(self):
        gone = self.nodes.pop()
        del self._positions[gone.id]

    def write(self, array, path, target, rest, kwargs=None):
        """Write into a Traced array; gives its next version.

        Parameters
        ----------
        array : Traced
        path : tuple of Step
            The way to the region; see `Node`.
        target : callable
        rest : tuple
        kwargs : dict, optional
        """
        args = refs_in((array, path, *rest))
        # The example shows shape and type, the numbers in it are of no importance.
        made = self._append("write", target, args, refs_in(kwargs or {}), array.raw,
                            self.memory_of(array))
        if args[0].id in self.layouts:
            self.layouts[made.ref.id] = self.layouts[args[0].id]
        return made

    def check(self, kind, x, expected):
        """Write an exit for the case that a property of `x` changes."""
        self._append("check", kind, (x.ref, expected), {}, None, None)

    def seed(self, target, example):
        """Write the cotangent (tangent) that comes from outside; None: it is 1."""
        memory = next(self.memories) if isinstance(example, np.ndarray) else None
        if memory is not None:
            self._know(example, memory)
        made = self._append("seed", target, (), {}, example, memory)
        if self.guards != "none":
            self.facts[made.ref.id] = NONZERO | DENSE if target is None else DENSE
        return made

    def has(self, x, fact):
        """Whether a fact is known of a value."""
        return type(x) is Traced and bool(self.facts.get(x.ref.id, 0) & fact)

    def without_guard(self, condition, x, safe):
        """What to write for ``where(condition, x, safe)`` if that is the guard of a rule."""
        if type(condition) is not Traced or self.asked is None or self.guards == "singular":
            return NotImplemented
        node = self.node_of(condition)
        if node is None or node.target is not np.logical_or or node.args[0] != self.asked.ref:
            return NotImplemented
        self._take_back(node)
        g = self.asked
        if self.guards == "none" or self.has(g, NONZERO) or is_harmless(x):
            return x
        is_zero = self.apply(operator.eq, (g, 0))
        if any(isinstance(raw_of(y), np.ndarray) for y in (g, x)):
            return self.apply(np.where, (is_zero, safe, x))
        return self.choose(is_zero, safe, x)

    def choose(self, condition, x, y):
        """A choice between two numbers; both are of one type."""
        kinds = type(raw_of(x)), type(raw_of(y))
        if issubclass(kinds[1], np.inexact) and type(x) is not Traced:
            x = kinds[1](x)
        elif issubclass(kinds[0], np.inexact) and type(y) is not Traced:
            y = kinds[0](y)
        return self.apply(chosen, (condition, x, y))

    def _take_back(self, node):
        """Remove an operation just written, and what was written for it alone."""
        wanted = {node.id}
        while self.nodes and self.nodes[-1].id in wanted and self.nodes[-1].target in _TESTS:
            wanted = {ref.id for ref in refs_of(self.nodes[-1].args)}
            self._forget_last()

    def shares(self, x, y):
        """Whether two arrays show the same memory."""
        return base_of(x.raw) is base_of(y.raw)

    def _append(self, op, target, args, kwargs, example, memory):
        id = next(self.ids)
        aval = None if op == "check" else aval_of(example)
        self._positions[id] = (self.nodes, len(self.nodes))
        self.nodes.append(Node(id, op, target, args, kwargs, aval, memory, self.place, None,
                               self.part, self.of, example))
        if memory is not None:
            self._memories[id] = memory
        if isinstance(example, (tuple, list)):
            return taken_apart(self, Ref(id), example)
        return Traced(self, Ref(id), example)

    def node_of(self, x):
        """The operation that made `x` if it was written here, else None."""
        place = self._positions.get(x.ref.id)
        return None if place is None else place[0][place[1]]

    def name(self, x, name):
        """Give a value that was made here a name, if it has none."""
        place = self._positions.get(x.ref.id)
        if place is None:
            return
        nodes, k = place
        if nodes[k].name is None and (nodes[k].op != "seed" or self.part == "tangent"):
            nodes[k] = replace(nodes[k], name=name)


def computed(target, args, kwargs):
    """An operation on example values.

    Python's numbers raise where NumPy's give infinity; what runs later may raise (and exit), but
    the example must not.
    """
    if type(target) is Method:
        found = getattr(args[0], target.name)
        return found(*args[1:], **kwargs) if callable(found) else found
    try:
        return target(*args, **kwargs)
    except (ZeroDivisionError, OverflowError):
        return target(*[np.float64(x) if type(x) is float else x for x in args], **kwargs)
    except np.linalg.LinAlgError as error:
        raise Unsupported(f"an example of its derivative fails: {error}") from None


# What copies here may be a view of an array that comes from outside and has another layout.
_PERHAPS_VIEWS = {np.reshape, np.ravel, Method("reshape"), Method("ravel")}
_TESTS = {np.logical_or, operator.gt, np.isfinite, math.isfinite, np.absolute, operator.abs}
