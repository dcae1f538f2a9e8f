"""Going through a tree of blocks: reading it in the order in which it runs, and building it anew.

Sides of branches nest as deep as a path has decisions, so nothing here recurses in Python.
"""

from hybridad.trace.ir import (
    Block,
    Branch,
    Leave,
    Loop,
    Next,
    Node,
    Ref,
    Return,
    map_refs,
    refs_of,
    replace,
)

__all__ = ["Rewriter", "unwind", "used_by_end", "uses", "walk"]

_NESTED = frozenset((tuple, list, dict, slice))


def uses(node):
    """The ids that an operation uses, in order; some come several times.

    Parameters
    ----------
    node : Node

    Returns
    -------
    list of int
    """
    found = []
    for x in node.args:
        kind = type(x)
        if kind is Ref:
            found.append(x.id)
        elif kind in _NESTED:
            found.extend([ref.id for ref in refs_of(x)])
    if node.kwargs:
        found.extend([ref.id for ref in refs_of(node.kwargs)])
    return found


def used_by_end(end):
    """The ids that the end of a block uses.

    Parameters
    ----------
    end : Branch, Return, Next, Leave or None

    Returns
    -------
    list of int
    """
    if end is None:     # of the body of a loop that nobody has seen run
        return []
    kind = type(end)
    if kind is Branch:
        return [end.test.id]
    if kind is Return:
        parts = (end.value, end.aux, end.cotangents, end.tangents)
        return [ref.id for ref in refs_of(parts)]
    return [ref.id for ref in refs_of(end.values)]


def walk(block):
    """All operations and ends of a tree, in the order in which they run, side after side.

    Parameters
    ----------
    block : Block

    Yields
    ------
    item : Node, Loop, Branch, Return, Next, Leave
        A loop comes before what its body holds.
    loop : Loop or None
        The innermost loop around it.
    """
    stack = [(iter((*block.nodes, block.end)), None)]
    while stack:
        items, loop = stack[-1]
        for x in items:
            yield x, loop
            kind = type(x)
            if kind is Loop:
                stack.append((iter((*x.body.nodes, x.body.end)), x))
                break
            if kind is Branch:
                sides = [y for side in x.sides.values() for y in (*side.nodes, side.end)]
                stack.append((iter(sides), loop))
                break
        else:
            stack.pop()


def unwind(generator):
    """Run a recursive function that is written as a generator, without recursion.

    It yields the generator of each call that it makes, and gets the result of that call.
    """
    stack, value = [generator], None
    while stack:
        try:
            call = stack[-1].send(value)
        except StopIteration as stop:
            stack.pop()
            value = stop.value
        else:
            stack.append(call)
            value = None
    return value


class Rewriter:
    """Builds a tree anew; a pass overrides what it is about.

    What has not changed is the same object afterwards, so ``new is old`` tells if anything did.

    Attributes
    ----------
    alias : dict
        Id -> id of the value that stands for it from now on.
    memories : dict
        Number of a memory -> number under which it goes from now on.
    """

    def __init__(self):
        self.alias, self.memories = {}, {}

    def run(self, block):
        """The tree `block` anew."""
        return unwind(self._block(block))

    def node(self, node, out):
        """Do with `node`, whose uses have been renamed, what shall be done; append to `out`."""
        out.append(node)

    def enter_loop(self, loop, out):
        """Before the body of `loop` is gone through."""

    def leave_loop(self, loop, out):
        """Append `loop`, whose body has been built anew."""
        out.append(loop)

    def enter_side(self, branch, outcome):
        """Before a side of `branch` is gone through."""

    def leave_side(self, branch, outcome):
        """After a side of `branch` has been gone through."""

    def leaf(self, end):
        """The end of a path, whose uses have been renamed."""
        return end

    def stand_for(self, id, memory, node):
        """Let the value `id`, which shows `memory`, stand for the result of `node` from now on.

        Views of the result are then views of that memory.
        """
        self.alias[node.id] = id
        if node.memory is not None and memory is not None and node.memory != memory:
            self.memories[node.memory] = self.memories.get(memory, memory)

    def renamed(self, x):
        """`x` with the uses of values that others stand for replaced."""
        return map_refs(self._ref, x) if self.alias else x

    def _ref(self, ref):
        id = self.alias.get(ref.id)
        return ref if id is None else Ref(id)

    def _renamed_node(self, node):
        changed = {}
        alias = self.alias
        if alias:
            for id in uses(node):
                if id in alias:
                    changed["args"] = self.renamed(node.args)
                    if node.kwargs:
                        changed["kwargs"] = self.renamed(node.kwargs)
                    break
        if node.memory in self.memories:
            changed["memory"] = self.memories[node.memory]
        return replace(node, **changed) if changed else node

    def _block(self, block):
        out = []
        for node in block.nodes:
            if type(node) is Node:
                self.node(self._renamed_node(node), out)
            else:
                self.enter_loop(node, out)
                body = yield self._block(node.body)
                self.leave_loop(self._rebuilt_loop(node, body), out)
        end = block.end
        if type(end) is Branch:
            sides = {}
            for outcome, side in end.sides.items():
                self.enter_side(end, outcome)
                sides[outcome] = yield self._block(side)
                self.leave_side(end, outcome)
            test = self._ref(end.test)
            if test is not end.test or any(sides[k] is not side for k, side in end.sides.items()):
                end = replace(end, test=test, sides=sides)
        elif end is not None:
            end = self.leaf(self._renamed_leaf(end))
        if end is block.end and len(out) == len(block.nodes) and all(
                new is old for new, old in zip(out, block.nodes)):
            return block
        return Block(tuple(out), end)

    def _rebuilt_loop(self, loop, body):
        changed = {}
        if body is not loop.body:
            changed["body"] = body
        if self.alias or self.memories:
            if any(ref.id in self.alias for ref in refs_of(loop.spec)):
                changed["spec"] = self.renamed(loop.spec)
            if loop.item_memory in self.memories:
                changed["item_memory"] = self.memories[loop.item_memory]
            phis = tuple([self._renamed_phi(phi) for phi in loop.phis])
            if any(new is not old for new, old in zip(phis, loop.phis)):
                changed["phis"] = phis
        return replace(loop, **changed) if changed else loop

    def _renamed_phi(self, phi):
        changed = {}
        if any(ref.id in self.alias for ref in refs_of(phi.init)):
            changed["init"] = self.renamed(phi.init)
        if phi.memory in self.memories:
            changed["memory"] = self.memories[phi.memory]
        return replace(phi, **changed) if changed else phi

    def _renamed_leaf(self, end):
        if not self.alias:
            return end
        kind = type(end)
        fields = (("values",) if kind in (Next, Leave)
                  else ("value", "aux", "cotangents", "tangents") if kind is Return else ())
        changed = {}
        for name in fields:
            x = getattr(end, name)
            if any(ref.id in self.alias for ref in refs_of(x)):
                changed[name] = self.renamed(x)
        return replace(end, **changed) if changed else end
