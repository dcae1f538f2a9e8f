"""What is known of a whole trace before it is differentiated: who is active, who lives where."""

import numpy as np

from hybridad.sct.differentiate.calls import is_constant, is_differentiable
from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.writer import computed
from hybridad.trace.ir import Branch, Loop, Ref, map_refs, refs_of, replace

__all__ = ["Program", "Values", "part_of", "paths", "rebuilt"]


def part_of(node, examples):
    """The number of the item of a tuple that a "read" reads; None if it reads something else."""
    container = examples.get(node.args[0].id)
    if not isinstance(container, tuple):
        return None
    if node.target == "item":
        return node.args[1] if type(node.args[1]) is int else None
    fields = getattr(container, "_fields", ())
    return fields.index(node.args[1]) if node.args[1] in fields else None


def paths(block):
    """All paths through a tree of blocks.

    Parameters
    ----------
    block : Block

    Yields
    ------
    tuple
        ``(blocks, end)``: the blocks from the root to a leaf, and the leaf. There is none in the
        body of a loop that nobody has seen run.
    """
    waiting = [((block,), block.end)]
    while waiting:
        blocks, end = waiting.pop()
        if type(end) is Branch:
            waiting.extend([((*blocks, side), side.end) for side in end.sides.values()])
        elif end is not None:
            yield blocks, end


class Program:
    """Facts about all ids of a trace.

    Parameters
    ----------
    block : Block
    wanted : sequence of int
        The ids of the inputs that are differentiated by.

    Attributes
    ----------
    made_by : dict
        Id -> the operation, phi or loop (its item) that gives it.
    examples, memories : dict
    home : dict
        Id -> the id of the innermost loop in whose body it is; None outside of loops.
    loops : dict
        Id -> Loop.
    wanted : frozenset
    active : set
        Ids that depend on a wanted one in a differentiable way.
    pending : dict
        Context (see `Sweep`) -> {loop: {id: cotangent}}: what the sweep over a mirror has left for
        values of other bodies of its family, until these are swept over.
    """

    def __init__(self, block, wanted):
        self.made_by = {}
        self.examples = {}
        self.memories = {}
        self.home = {}
        self.loops = {}
        self.wanted = frozenset(wanted)
        self.active = set(wanted)
        self.pending = {}
        self._enter(block, None)

    def family(self, loop):
        """The loop that a mirror goes through again; a loop that is no mirror itself."""
        found = self.loops[loop]
        return found.id if found.of is None else found.of

    def include(self, node, beside):
        """Take in an operation that stands where `beside` does."""
        self._know(node.id, node, node.example, node.memory, self.home[beside.id])
        if self._becomes_active(node):
            self.active.add(node.id)

    def _example(self, node):
        """An example of a result; of several results together the recorder keeps none."""
        if node.example is not None or node.op != "apply" or (
                node.aval is not None and node.aval.kind != "object"):
            return node.example
        if node.id in self.examples:
            return self.examples[node.id]
        find = self.examples.get
        with np.errstate(all="ignore"):
            try:
                return computed(node.target, map_refs(lambda ref: find(ref.id), node.args),
                                map_refs(lambda ref: find(ref.id), node.kwargs))
            except (TypeError, ValueError, ArithmeticError):
                return None

    def _know(self, id, by, example, memory, home):
        self.made_by[id] = by
        self.examples[id] = example
        self.memories[id] = memory
        self.home[id] = home

    def _enter(self, block, home):
        waiting = [block]
        while waiting:
            block = waiting.pop()
            for node in block.nodes:
                if type(node) is Loop:
                    self._enter_loop(node, home)
                    continue
                self._know(node.id, node, self._example(node), node.memory, home)
                if node.id not in self.active and self._becomes_active(node):
                    self.active.add(node.id)
            if type(block.end) is Branch:
                waiting.extend(block.end.sides.values())

    def _enter_loop(self, loop, home):
        self.loops[loop.id] = loop
        for phi in loop.phis:
            example = self.examples.get(phi.id) if phi.example is None else phi.example
            self._know(phi.id, phi, example, phi.memory, loop.id)
            self._know(phi.out, phi, example, phi.memory, home)
        if loop.item is not None:
            self._know(loop.item, loop, loop.item_example, loop.item_memory, loop.id)
            if loop.kind == "items" and self._uses_active(loop.spec) and is_differentiable(
                    loop.item_example):
                self.active.add(loop.item)
        for phi in loop.phis:
            if self._uses_active(phi.init) and is_differentiable(self.examples[phi.id]):
                self.active.update((phi.id, phi.out))
        grows = True
        while grows:
            self._enter(loop.body, loop.id)
            grows = False
            for _, end in paths(loop.body):
                for phi, value in zip(loop.phis, end.values):
                    grows |= self._reaches_phi(phi, value)

    def _reaches_phi(self, phi, value):
        """Note what a phi is in the next iteration; gives whether that is new."""
        if type(value) is not Ref:
            return False
        example, grows = self.examples[value.id], False
        if self.examples[phi.id] is None and example is not None:
            # The name was not bound before the loop.
            self.examples[phi.id] = self.examples[phi.out] = example
            grows = True
        if phi.id not in self.active and value.id in self.active and is_differentiable(
                self.examples[phi.id]):
            self.active.update((phi.id, phi.out))
            grows = True
        return grows

    def _uses_active(self, x):
        if type(x) is Ref:
            return x.id in self.active
        return any(ref.id in self.active for ref in refs_of(x))

    def _becomes_active(self, node):
        if node.op == "read" and node.args and is_differentiable(node.example) \
                and self._uses_active(node.args[0]):
            if part_of(node, self.examples) is None:
                raise Unsupported("a value that was stored in an object and read again", node.place)
            return True
        if node.op == "foreign" and is_differentiable(node.example) and self._uses_active(
                node.args):
            raise Unsupported("code that is not followed and gets a differentiated value",
                              node.place)
        if node.op in ("build", "variable"):
            return self._uses_active(node.args)
        if node.op not in ("apply", "write") or not is_differentiable(self.examples[node.id]):
            return False
        if not (self._uses_active(node.args) or (node.kwargs and self._uses_active(node.kwargs))):
            return False
        return node.op == "write" or not is_constant(node)


class Values:
    """A program's values, as rules take them: what the sweep and the push have in common."""

    def __init__(self, program, writer):
        self.program = program
        self.writer = writer

    def value(self, id):
        """The value `id` for a rule."""
        program = self.program
        node = program.made_by[id]
        if getattr(node, "op", None) == "const" and not isinstance(node.example, np.ndarray):
            return node.args[0]
        return self.writer.value(id, program.examples[id], program.memories[id])

    def filled(self, x):
        """`x` with Traced values in place of Refs."""
        return map_refs(lambda ref: self.value(ref.id), x)


def rebuilt(block, leaf, nodes=None):
    """A tree of blocks with new leaves.

    Parameters
    ----------
    block : Block
    leaf : callable
        ``leaf(blocks)`` gives the block to stand for the last of the blocks of a path.
    nodes : callable, optional
        ``nodes(block)`` gives the operations to stand in a block; called from the root on, and
        before `leaf`, which then gets the new blocks.

    Returns
    -------
    Block
    """
    order, waiting = [], [((block,), None, None)]
    while waiting:
        blocks, parent, outcome = waiting.pop()
        if nodes is not None:
            blocks = (*blocks[:-1], replace(blocks[-1], nodes=tuple(nodes(blocks[-1]))))
        number = len(order)
        order.append((blocks, parent, outcome, {}))
        end = blocks[-1].end
        if type(end) is Branch:
            waiting.extend([((*blocks, side), number, outcome)
                            for outcome, side in reversed(end.sides.items())])
    made = None
    for blocks, parent, outcome, sides in reversed(order):
        end = blocks[-1].end
        if type(end) is Branch:
            kept = {known: sides[known] for known in end.sides}
            made = replace(blocks[-1], end=replace(end, sides=kept))
        else:
            made = leaf(blocks)
        if parent is not None:
            order[parent][3][outcome] = made
    return made
